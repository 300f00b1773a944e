//! Passwords on command lines, where the flag alone tells nothing.

use super::assign::quote_at;
use super::charset::{LOOSE, SPACE};
use super::placeholder::Origin;
use super::scan::{Certainty, Scan};

/// How far back the program's name may stand.
const REACH: usize = 400;
const LONGEST_ARGUMENT: usize = 256;

/// Judges ` -u` or ` --user` at `at`: `curl -u name:password`.
pub(super) fn check_user_flag(scan: &mut Scan<'_>, at: usize) {
    let flag = if scan.starts_with(at, " --user") { " --user".len() } else { " -u".len() };
    let mut from = scan.skip_blanks(at + flag);
    from += usize::from(scan.byte(from) == b'=');
    let (start, end) = argument(scan, from);
    let Some(colon) = memchr::memchr(b':', scan.slice(start, end)) else { return };
    let programs = ["curl", "http ", "https ", "wget", "xh "];
    push_password(scan, at, (start + colon + 1, end), &programs);
}

/// Judges ` -p` at `at`: `mysql -psecret`, `sshpass -p secret`.
pub(super) fn check_password_flag(scan: &mut Scan<'_>, at: usize) {
    let from = at + " -p".len();
    let programs: &[&str] = if scan.byte(from) == b' ' {
        &["sshpass", "docker login", "podman login"]
    } else {
        &["mysql", "mariadb", "sshpass"]
    };
    let from = scan.skip_blanks(from);
    let argument = argument(scan, from);
    push_password(scan, at, argument, programs);
}

/// Judges ` -a ` at `at`: `redis-cli -a secret`.
pub(super) fn check_redis_flag(scan: &mut Scan<'_>, at: usize) {
    let argument = argument(scan, scan.skip_blanks(at + " -a ".len()));
    push_password(scan, at, argument, &["redis-cli"]);
}

/// Judges `-passin pass:` or `-passout pass:` at `at`: `openssl`.
pub(super) fn check_openssl_pass(scan: &mut Scan<'_>, at: usize) {
    let colon = memchr::memchr(b':', scan.tail(at)).map_or(at, |colon| at + colon);
    let argument = argument(scan, colon + 1);
    push_password(scan, at, argument, &[]);
}

/// Judges `identified by ` at `at`: SQL that sets a password.
pub(super) fn check_identified_by(scan: &mut Scan<'_>, at: usize) {
    let from = at + "identified by ".len();
    let shouted = scan.starts_with(at, "IDENTIFIED");
    let quoted = quote_at(scan, from).map(|(_, after)| scan.before(after));
    if quoted == Some(b'\'') || quoted == Some(b'"') && shouted {
        let argument = argument(scan, from);
        push_password(scan, at, argument, &[]);
    }
}

/// Whether one of the programs, if any is asked for, was called earlier in the same command.
fn follows_program(scan: &Scan<'_>, at: usize, programs: &[&str]) -> bool {
    let back = scan.lookback(at, REACH);
    let command = back
        .iter()
        .rposition(|&byte| matches!(byte, b'|' | b';'))
        .map_or(back, |at| &back[at + 1..]);
    programs.is_empty()
        || programs.iter().any(|name| memchr::memmem::find(command, name.as_bytes()).is_some())
}

/// The argument at `from`, inside its quotes.
fn argument(scan: &mut Scan<'_>, from: usize) -> (usize, usize) {
    if let Some((slashes, start)) = quote_at(scan, from) {
        let quote = scan.before(start);
        let body = scan.slice(start, start + LONGEST_ARGUMENT);
        let length = memchr::memchr2(quote, b'\n', body).unwrap_or(body.len());
        return (start, start + length.saturating_sub(slashes));
    }
    (from, scan.run_end(from, LOOSE & !SPACE).min(from + LONGEST_ARGUMENT))
}

fn push_password(scan: &mut Scan<'_>, at: usize, (start, end): (usize, usize), programs: &[&str]) {
    let value = scan.slice(start, end);
    let variable =
        matches!(value.first(), None | Some(b'$' | b'<' | b'{' | b'%' | b'[' | b'*' | b'-'));
    let stand_ins: [&[u8]; 11] = [
        b"sample",
        b"example",
        b"password",
        b"pass",
        b"secret",
        b"test",
        b"root",
        b"admin",
        b"changeme",
        b"xxx",
        b"...",
    ];
    if variable || value.len() < 4 || stand_ins.iter().any(|word| value.eq_ignore_ascii_case(word))
    {
        return;
    }
    if follows_program(scan, at, programs) {
        scan.push((start, end), "cli-password", Certainty::Placed, Origin::Human);
    }
}
