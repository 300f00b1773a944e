//! HTTP headers and bearer words.

use super::assign::quote_at;
use super::charset::{self, ALNUM, BASE64, OTHER, SPACE, TOKEN};
use super::entropy::{Makeup, is_digest, is_hex_key};
use super::placeholder::Origin;
use super::scan::{Certainty, Scan};

const SHORTEST_TOKEN: usize = 8;
const SHORTEST_COOKIE: usize = 16;
const LONGEST_COOKIE_LINE: usize = 16 * 1024;

/// Judges `authorization` at `at`: the credentials after the scheme.
pub(super) fn check_authorization(scan: &mut Scan<'_>, at: usize) {
    let Some(mut from) = header_value(scan, at + "authorization".len()) else { return };
    let scheme_end = scan.run_end(from, charset::WORD_DASH);
    let blank = scan.skip_blanks(scheme_end);
    let scheme = scan.slice(from, scheme_end);
    let schemes: [&[u8]; 7] = [b"bearer", b"basic", b"token", b"digest", b"apikey", b"bot", b"key"];
    if blank > scheme_end && schemes.iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
        from = blank;
    }
    let (start, end) = credentials(scan, from);
    let kind =
        if scheme.eq_ignore_ascii_case(b"basic") { "basic-auth" } else { "authorization-header" };
    let value = scan.slice(start, end);
    if scheme.eq_ignore_ascii_case(b"basic") && is_basic(value) || is_credential(value) {
        scan.push((start, end), kind, Certainty::Placed, origin_of(kind));
    }
}

fn origin_of(kind: &str) -> Origin {
    if kind == "basic-auth" { Origin::Human } else { Origin::Machine }
}

/// Judges `bearer` at `at`, wherever it stands.
pub(super) fn check_bearer(scan: &mut Scan<'_>, at: usize) {
    let word_end = at + "bearer".len();
    let from = scan.skip_blanks(word_end);
    if from == word_end || from - word_end > 2 {
        return;
    }
    let (start, end) = credentials(scan, from);
    if end - start >= 16 && is_credential(scan.slice(start, end)) {
        scan.push((start, end), "bearer-token", Certainty::Placed, Origin::Machine);
    }
}

/// Judges `basic ` at `at`: base64 of `user:password`.
pub(super) fn check_basic(scan: &mut Scan<'_>, at: usize) {
    let (start, end) = credentials(scan, at + "basic ".len());
    if is_basic(scan.slice(start, end)) {
        scan.push((start, end), "basic-auth", Certainty::Placed, Origin::Human);
    }
}

/// The value of a header, written as a header line, a JSON member or an argument.
fn header_value(scan: &Scan<'_>, name_end: usize) -> Option<usize> {
    let mut at = name_end;
    if let Some((_, after)) = quote_at(scan, at) {
        at = after + usize::from(scan.byte(after) == b']');
    }
    at = scan.skip_blanks(at);
    if !matches!(scan.byte(at), b':' | b'=' | b',') {
        return None;
    }
    at = scan.skip_blanks(at + 1 + usize::from(scan.byte(at + 1) == b'>'));
    Some(quote_at(scan, at).map_or(at, |(_, after)| after))
}

/// The run of token bytes at `from`, without the full stop of a sentence.
fn credentials(scan: &mut Scan<'_>, from: usize) -> (usize, usize) {
    let mut end = scan.run_end(from, TOKEN);
    while scan.before(end) == b'.' && end > from {
        end -= 1;
    }
    (from, end)
}

fn is_credential(value: &[u8]) -> bool {
    let makeup = Makeup::of(&value[..value.len().min(256)]);
    value.len() >= SHORTEST_TOKEN && (makeup.random() || makeup.jumbled() || is_digest(value))
}

/// Whether `value` is base64 of printable text with a colon in it.
fn is_basic(value: &[u8]) -> bool {
    if value.len() < SHORTEST_TOKEN || value.len() > 1024 {
        return false;
    }
    let Some(plain) = decode_base64(value) else { return false };
    let colon = memchr::memchr(b':', &plain);
    colon.is_some_and(|at| at > 0 && at + 1 < plain.len())
        && plain.iter().all(|&byte| charset::is(byte, !SPACE))
}

fn decode_base64(value: &[u8]) -> Option<Vec<u8>> {
    let digits = value.len() - value.iter().rev().take(2).take_while(|&&byte| byte == b'=').count();
    if digits % 4 == 1 {
        return None;
    }
    let mut plain = Vec::with_capacity(digits);
    let (mut bits, mut held) = (0u32, 0);
    for &byte in &value[..digits] {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            plain.push((bits >> held) as u8);
        }
    }
    Some(plain)
}

/// Judges `cookie` at `at`: every long value of a `Cookie` or `Set-Cookie` header.
pub(super) fn check_cookie(scan: &mut Scan<'_>, at: usize) {
    let Some(from) = header_value(scan, at + "cookie".len()) else { return };
    if from < scan.cookies_read {
        return;
    }
    let line = scan.slice(from, from + LONGEST_COOKIE_LINE);
    let stop = |&byte: &u8| matches!(byte, b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'\\');
    let length = line.iter().position(stop).unwrap_or(line.len());
    let mut at = from;
    for pair in line[..length].split_inclusive(|&byte| byte == b';') {
        let sign = memchr::memchr(b'=', pair);
        if let Some(sign) = sign {
            let body = pair[sign + 1..].strip_suffix(b";").unwrap_or(&pair[sign + 1..]);
            let value = body.trim_ascii_end();
            if is_session(&pair[..sign], value) {
                let start = at + sign + 1;
                scan.push(
                    (start, start + value.len()),
                    "cookie",
                    Certainty::Placed,
                    Origin::Machine,
                );
            }
        }
        at += pair.len();
    }
    scan.cookies_read = from + length;
}

fn is_session(name: &[u8], value: &[u8]) -> bool {
    let named = name.iter().any(|&byte| charset::is(byte, ALNUM));
    let makeup = Makeup::of(&value[..value.len().min(256)]);
    let dated = value.contains(&b' ');
    named
        && !dated
        && value.len() >= SHORTEST_COOKIE
        && (makeup.random() || is_hex_key(value))
        && value.iter().all(|&byte| charset::is(byte, BASE64 | TOKEN | OTHER))
}
