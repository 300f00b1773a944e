//! Armoured private keys: whole blocks, wrapped or escaped, also when the end is missing.

use super::charset::{self, BASE64, DASH, SPACE};
use super::entropy::Makeup;
use super::scan::Scan;

const DASHES: &str = "-----";
const LONGEST_LABEL: usize = 48;
/// A block cut off before it has this much body gives nothing away.
const SHORTEST_BODY: usize = 16;
const LONGEST_BODY: usize = 64 * 1024;

/// Judges the `-BEGIN ` at `at`.
pub(super) fn check(scan: &mut Scan<'_>, at: usize) {
    // `BEGIN` follows five dashes; the anchor is the last of them.
    let label = at + "-BEGIN ".len();
    if at < scan.settled
        || !scan.starts_with(at, "-BEGIN ")
        || !scan.lookback(at + 1, 5).starts_with(b"-----")
    {
        return;
    }
    let head = scan.slice(label, label + LONGEST_LABEL);
    let Some(length) = memchr::memmem::find(head, DASHES.as_bytes()) else { return };
    let name = &head[..length];
    let is_key = name.ends_with(b"PRIVATE KEY") || name == b"PGP PRIVATE KEY BLOCK";
    if !is_key {
        return;
    }
    let start = at + 1 - DASHES.len();
    let body = label + length + DASHES.len();
    let end = closed_end(scan, body).unwrap_or_else(|| open_end(scan, body));
    if !holds_key(scan.slice(body, end)) {
        return;
    }
    let kind = match name {
        b"OPENSSH PRIVATE KEY" => "openssh-private-key",
        b"PGP PRIVATE KEY BLOCK" => "pgp-private-key",
        _ if in_service_account(scan.lookback(start, 40)) => "gcp-service-account-key",
        _ => "private-key",
    };
    scan.push_shaped((start, end), kind);
}

/// Google's key files hold the block under `"private_key"`.
fn in_service_account(before: &[u8]) -> bool {
    memchr::memmem::find(before, b"private_key").is_some()
}

/// Whether a part of the body is base64 of something, and not just words about keys.
fn holds_key(body: &[u8]) -> bool {
    let runs = body.split(|&byte| !charset::is(byte, BASE64));
    runs.map(Makeup::of).any(|run| {
        run.length >= SHORTEST_BODY && run.uppers >= 2 && run.lowers >= 2 && run.switches >= 4
    })
}

/// The end of a block that has its `END` line and next to nothing but base64 before it.
fn closed_end(scan: &Scan<'_>, body: usize) -> Option<usize> {
    let window = scan.slice(body, body + LONGEST_BODY);
    let length = memchr::memmem::find(window, DASHES.as_bytes())?;
    let content = &window[..length];
    let blanks = memchr::memchr_iter(b' ', content).count();
    let odd =
        content.iter().filter(|&&byte| !charset::is(byte, BASE64 | SPACE) && byte != b'\\').count();
    let indented = content.windows(2).filter(|pair| *pair == b"  ").count();
    let solid = (blanks - indented.min(blanks)) * 16 <= length && odd * 8 <= length;
    solid.then(|| end_line(scan, body + length)).flatten()
}

/// The end of a block that was cut off: the last byte that can belong to a body.
fn open_end(scan: &Scan<'_>, body: usize) -> usize {
    let mut at = body;
    let mut last_line = body;
    while at < scan.text.len() {
        let byte = scan.byte(at);
        if byte == b'-' && scan.starts_with(at, DASHES) {
            return end_line(scan, at).unwrap_or(last_line);
        }
        if byte == b'\\' {
            at += 1;
            // The letter of `\n` is no body; the run of backslashes before it may be longer.
            at += usize::from(matches!(scan.byte(at), b'n' | b'r' | b't'));
            continue;
        }
        let is_body = charset::is(byte, BASE64);
        let is_frame = charset::is(byte, SPACE | DASH)
            || matches!(
                byte,
                b':' | b','
                    | b'"'
                    | b'\''
                    | b'>'
                    | b'|'
                    | b'#'
                    | b'*'
                    | b'.'
                    | b'('
                    | b')'
                    | b'@'
                    | b'<'
            );
        if !is_body && !is_frame {
            break;
        }
        if is_body && !is_prose(scan, at, last_line) {
            let run = scan.tail(at).iter().take_while(|&&byte| charset::is(byte, BASE64)).count();
            at += run;
            last_line = at;
            continue;
        }
        if is_body {
            break;
        }
        at += 1;
    }
    last_line
}

/// Without an `END` line the text after the block must not be swallowed: a blank line, or words with
/// single blanks between them, end the block. Header lines (`Proc-Type: …`) are kept.
fn is_prose(scan: &Scan<'_>, at: usize, last_line: usize) -> bool {
    let gap = scan.slice(last_line, at);
    if gap == b" " || gap == b", " {
        let line_start =
            scan.lookback(at, 80).iter().rposition(|&byte| byte == b'\n' || byte == b'\\');
        let line =
            line_start.map_or(scan.lookback(at, 80), |from| &scan.lookback(at, 80)[from + 1..]);
        let run =
            scan.tail(at).iter().take(40).take_while(|&&byte| charset::is(byte, BASE64)).count();
        return run < 40 && !line.contains(&b':');
    }
    false
}

/// The end of the `END` line at `at`.
fn end_line(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let label = at + DASHES.len();
    if !scan.starts_with(label, "END ") {
        return None;
    }
    let rest = scan.slice(label, label + LONGEST_LABEL + DASHES.len());
    let dashes = memchr::memmem::find(rest, DASHES.as_bytes())?;
    Some(label + dashes + DASHES.len())
}
