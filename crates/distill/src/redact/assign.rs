//! Key and value: environment lines, YAML, TOML, INI, JSON at any depth, code, query strings, flags.

use super::charset::{self, ALNUM, BARE, DASH, DOT, LOOSE, UNDERSCORE};
use super::keys::{Key, LONGEST_KEY, Promise};
use super::placeholder::Origin;
use super::scan::{Certainty, Scan};
use super::value::{self, Written};

/// A value in quotes does not reach further than this.
const LONGEST_VALUE: usize = 4096;
const MOST_BLANKS: usize = 16;

/// A key as it stands in the text.
struct Place {
    start: usize,
    end: usize,
}

/// Judges the key word at `at`: is it the name of an assignment whose value is a secret?
pub(super) fn check(scan: &mut Scan<'_>, at: usize) {
    let place = key_around(scan, at);
    if place.end - place.start > LONGEST_KEY || place.end == scan.last_key_end {
        return;
    }
    scan.last_key_end = place.end;
    let Some(from) = value_start(scan, &place) else { return };
    let key = Key::new(scan.slice(place.start, place.end));
    let Some(promise) = key.promise() else { return };
    let Some((start, end, written)) = value_at(scan, &place, from) else { return };
    if value::is_secret(scan.slice(start, end), written, &key, promise) {
        let origin = if promise == Promise::Password { Origin::Human } else { Origin::Machine };
        scan.push((start, end), key.kind(promise), Certainty::Assigned, origin);
    }
}

/// The whole name around the key word, which may hold one blank (`API key`).
fn key_around(scan: &Scan<'_>, at: usize) -> Place {
    let name = |byte: &&u8| charset::is(**byte, ALNUM | UNDERSCORE | DASH | DOT);
    let back = scan.lookback(at, LONGEST_KEY);
    let mut start = at - back.iter().rev().take_while(name).count();
    // The letter of an escape (`\napi_key`) belongs to the escape.
    if scan.before(start) == b'\\' && matches!(scan.byte(start), b'n' | b't' | b'r') && start < at {
        start += 1;
    }
    let ahead = &scan.tail(at)[..scan.tail(at).len().min(LONGEST_KEY)];
    let mut end = at + ahead.iter().take_while(name).count();
    if scan.starts_with_ignoring_case(end, " key") && at + 4 > end {
        end += 4;
    }
    Place { start, end }
}

/// Where the value starts: after the closing quote of the key, the sign and the blanks.
fn value_start(scan: &Scan<'_>, place: &Place) -> Option<usize> {
    let mut at = place.end;
    let quoted = quote_at(scan, at);
    if let Some((_, after)) = quoted {
        at = after;
        if matches!(scan.byte(at), b']' | b')') {
            at += 1;
        }
    }
    let sign = scan.skip_blanks(at);
    if sign - at > MOST_BLANKS {
        return None;
    }
    let after = match (scan.byte(sign), scan.byte(sign + 1)) {
        (b'=', b'=') if scan.byte(sign + 2) == b'=' => sign + 3,
        (b'=', b'=' | b'>') | (b':' | b'?' | b'+', b'=') => sign + 2,
        (b':', b':') => return None,
        (b'=' | b':', _) => sign + 1,
        (b',', _) if quoted.is_some() => sign + 1,
        (b'>', _) if scan.before(place.start) == b'<' => sign + 1,
        (b'v', _) if quoted.is_some() && scan.starts_with(sign, "value=") => sign + 6,
        (b'i', b's') if sign > at && scan.byte(sign + 2) == b' ' => sign + 2,
        _ if sign > at && takes_blank(scan, place, sign) => sign,
        _ => return None,
    };
    let from = scan.skip_blanks(after);
    (from - after <= MOST_BLANKS).then_some(from)
}

/// Where a blank alone separates key and value: flags, `.netrc`, `ALTER ROLE … PASSWORD '…'`.
fn takes_blank(scan: &Scan<'_>, place: &Place, value: usize) -> bool {
    let flag = scan.byte(place.start) == b'-' && scan.byte(value) != b'-';
    let written = scan.slice(place.start, place.end);
    let netrc = written == b"password"
        && memchr::memmem::find(scan.lookback(place.start, 160), b"login ").is_some();
    let sql = scan.byte(value) == b'\'' && written.eq_ignore_ascii_case(b"password");
    let docker = written.iter().all(|byte| !byte.is_ascii_lowercase())
        && matches!(
            scan.lookback(place.start, 4),
            [b'E', b'N', b'V', b' '] | [b'A', b'R', b'G', b' ']
        );
    let before = scan.lookback(place.start, 80);
    let configured =
        memchr::memmem::find(before, b" set ").is_some() && scan.before(place.start) != b' ';
    let set = before.ends_with(b" set ") || configured || written == b"requirepass";
    flag || netrc || sql || docker || set
}

/// The quote at `at`, with the backslashes before it: their count, and where it ends.
pub(super) fn quote_at(scan: &Scan<'_>, at: usize) -> Option<(usize, usize)> {
    let slashes = scan.tail(at).iter().take(64).take_while(|&&byte| byte == b'\\').count();
    matches!(scan.byte(at + slashes), b'"' | b'\'' | b'`').then_some((slashes, at + slashes + 1))
}

/// Start, end and writing of the value at `from`.
fn value_at(scan: &mut Scan<'_>, place: &Place, from: usize) -> Option<(usize, usize, Written)> {
    let from = skip_type(scan, place, from);
    let prefix = match scan.slice(from, from + 2) {
        [b'b' | b'r' | b'f' | b'u' | b'@', b'"' | b'\''] => 1,
        _ => 0,
    };
    if let Some((slashes, start)) = quote_at(scan, from + prefix) {
        let end = closing_quote(scan, start, slashes);
        return Some((start, end, Written::Quoted));
    }
    if scan.byte(from) == b'\\' {
        return None;
    }
    let written = writing(scan, place, from);
    let end = bare_end(scan, place, from, written)?;
    // Between tags the closing one has to follow: `<user>:<password>@host` is a pattern.
    let in_tags = scan.before(from) == b'>' && scan.byte(place.end) == b'>';
    let holds = end > from && end - from <= LONGEST_VALUE && (!in_tags || scan.byte(end) == b'<');
    holds.then_some((from, end, written))
}

/// How the value that is in no quotes was written.
fn writing(scan: &Scan<'_>, place: &Place, from: usize) -> Written {
    if is_environment(scan, place, from) {
        return Written::Environment;
    }
    if scan.lookback(from, 3) == b"is " { Written::Prose } else { Written::Bare }
}

/// The end of a value that is in no quotes; nothing if it goes on as an expression.
fn bare_end(scan: &mut Scan<'_>, place: &Place, from: usize, written: Written) -> Option<usize> {
    let loose = scan.run_end(from, LOOSE);
    let flag = scan.byte(place.start) == b'-';
    if written == Written::Environment || flag || fills_line(scan, place, loose) {
        // Several settings in one line: `A=1;B=2`, `?a=1&b=2`, `$(A=1 cmd)`.
        let list = |byte: &&u8| b";&|)>,}]".contains(byte);
        let value = scan.slice(from, loose.min(from + LONGEST_VALUE));
        return Some(loose - value.iter().rev().take_while(list).count());
    }
    let mut end = scan.run_end(from, BARE);
    if matches!(scan.byte(end), b'(' | b'[' | b'{') && end > from {
        return None;
    }
    while matches!(scan.before(end), b'.' | b':') && end > from {
        end -= 1;
    }
    Some(end)
}

/// Whether key and value are all there is on the line, as in YAML and INI files.
fn fills_line(scan: &Scan<'_>, place: &Place, end: usize) -> bool {
    let before = scan.lookback(place.start, 40);
    let indent = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t' | b'-')).count();
    let starts = matches!(&before[..before.len() - indent], [] | [.., b'\n'] | [.., b'\\', b'n']);
    starts && matches!(scan.byte(end), 0 | b'\n' | b'\r' | b'\\')
}

/// `password: str = "…"`: steps over the type to the value.
fn skip_type(scan: &Scan<'_>, place: &Place, from: usize) -> usize {
    if !scan.slice(place.end, from).contains(&b':') {
        return from;
    }
    let tail = &scan.tail(from)[..scan.tail(from).len().min(40)];
    let typed =
        |byte: &&u8| charset::is(**byte, ALNUM | UNDERSCORE) || b"[]<>:&|?. ".contains(byte);
    let end = from + tail.iter().take_while(typed).count();
    let ends_in_blank = scan.before(end) == b' ';
    if end > from && ends_in_blank && scan.byte(end) == b'=' && scan.byte(end + 1) == b' ' {
        return scan.skip_blanks(end + 1);
    }
    from
}

/// Where the quote closes that opened with `slashes` backslashes before it.
///
/// Inside JSON inside JSON the closing quote has as many backslashes as the opening one, and a quote
/// that belongs to the value has more.
fn closing_quote(scan: &Scan<'_>, start: usize, slashes: usize) -> usize {
    let quote = scan.before(start);
    let body = scan.slice(start, start + LONGEST_VALUE);
    let mut at = 0;
    while let Some(ahead) = memchr::memchr2(quote, b'\n', &body[at..]) {
        at += ahead;
        if body[at] == b'\n' {
            break;
        }
        let count = body[..at].iter().rev().take_while(|&&byte| byte == b'\\').count();
        if count <= slashes || (count - slashes).is_multiple_of(2 * (slashes + 1)) {
            return start + at - count.min(slashes);
        }
        at += 1;
    }
    start + if at < body.len() && body.get(at) == Some(&b'\n') { at } else { body.len() }
}

/// `KEY=value` without blanks around the sign, where the key is upper case or a flag.
fn is_environment(scan: &Scan<'_>, place: &Place, from: usize) -> bool {
    let key = scan.slice(place.start, place.end);
    let upper =
        key.iter().all(|byte| !byte.is_ascii_lowercase()) && key.iter().any(u8::is_ascii_uppercase);
    let tight = scan.byte(place.end) == b'=' && from == place.end + 1;
    let query = matches!(scan.before(place.start), b'?' | b'&' | b';');
    (upper || key.starts_with(b"--")) && tight && !query
}
