//! Credentials in URLs: the user part, webhook paths, signatures.

use super::charset::{self, ALNUM, DIGIT, OTHER, STOP, TOKEN, WORD_DASH};
use super::entropy::{Makeup, is_hex_key, spells};
use super::placeholder::Origin;
use super::scan::{Certainty, Scan};

const LONGEST_SCHEME: usize = 24;
const LONGEST_USER_PART: usize = 512;

/// Databases and queues: their URL is a connection string.
const CONNECTIONS: &[&str] = &[
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "mongodb",
    "mongodb+srv",
    "redis",
    "rediss",
    "amqp",
    "amqps",
    "mssql",
    "sqlserver",
    "cockroachdb",
    "clickhouse",
    "nats",
    "kafka",
    "ldap",
    "ldaps",
];

/// Passwords of every tutorial's URL.
const COMMON: &[&[u8]] = &[
    b"password",
    b"pass",
    b"passwd",
    b"pwd",
    b"secret",
    b"postgres",
    b"root",
    b"admin",
    b"guest",
    b"user",
    b"test",
    b"mysql",
    b"token",
    b"changeme",
    b"example",
    b"pw",
    b"p",
    b"x",
    b"xxx",
    b"xxxx",
    b"x-oauth-basic",
    b"...",
    b"***",
    b"****",
    b"yourpassword",
    b"your_password",
    b"your-password",
    b"git",
    b"redis",
];

/// Judges the `://` at `at`: does the authority carry a password?
pub(super) fn check_user_part(scan: &mut Scan<'_>, at: usize) {
    if at < scan.settled {
        return;
    }
    let from = at + 3;
    let scheme = scheme_before(scan, at);
    let connects = CONNECTIONS.iter().any(|known| scheme.eq_ignore_ascii_case(known.as_bytes()));
    let Some(sign) = user_part_end(scan, from, connects) else {
        if connects || scheme.eq_ignore_ascii_case(b"https") || scheme.eq_ignore_ascii_case(b"http")
        {
            check_cut_password(scan, from, connects);
        }
        return;
    };
    let user_part = scan.slice(from, sign);
    let Some(colon) = memchr::memchr(b':', user_part) else {
        check_lone_user(scan, from, sign);
        return;
    };
    let secret = &user_part[colon + 1..];
    let host = scan.slice(sign + 1, sign + 12);
    if stands_in(secret) || secret.len() < 4 || host.starts_with(b"example.") {
        return;
    }
    scan.push((from + colon + 1, sign), password_kind(connects), Certainty::Placed, Origin::Human);
}

fn password_kind(connects: bool) -> &'static str {
    if connects { "connection-string" } else { "url-password" }
}

/// Agents keep prompts shortened, and a cut behind the password takes the `@` away. What cannot be a
/// port and looks generated is a password then.
fn check_cut_password(scan: &mut Scan<'_>, from: usize, connects: bool) {
    let window = scan.slice(from, from + LONGEST_USER_PART);
    let length = window.iter().position(|byte| is_url_end(*byte)).unwrap_or(window.len());
    let Some(colon) = memchr::memchr(b':', &window[..length]) else { return };
    let secret = &window[colon + 1..length];
    let makeup = Makeup::of(secret);
    let is_plain = secret.iter().all(|&byte| charset::is(byte, WORD_DASH));
    if is_plain && (makeup.random() || makeup.jumbled()) && !stands_in(secret) {
        let span = (from + colon + 1, from + length);
        scan.push(span, password_kind(connects), Certainty::Placed, Origin::Human);
    }
}

/// What no URL goes on behind.
fn is_url_end(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b'<' | b'>' | 0..=b' ')
}

/// The `@` that ends the user part, if the authority has one.
///
/// People put passwords with slashes into connection strings as they are, so there a slash does not end
/// the authority as long as what stands before it cannot be a port.
fn user_part_end(scan: &Scan<'_>, from: usize, connects: bool) -> Option<usize> {
    let window = scan.slice(from, from + LONGEST_USER_PART);
    let mut last = None;
    let mut colon = None;
    for (at, &byte) in window.iter().enumerate() {
        match byte {
            b'@' => last = Some(at),
            b':' => colon = colon.or(Some(at)),
            b'/' | b'?' | b'#' => {
                let port = |colon: usize| window[colon + 1..at].iter().all(u8::is_ascii_digit);
                if last.is_some()
                    || byte == b'/' && !(connects && colon.is_some_and(|colon| !port(colon)))
                {
                    break;
                }
            }
            _ if is_url_end(byte) => break,
            _ => {}
        }
    }
    let sign = from + last?;
    // `user:pass@` must be followed by a host, or be the end of a text that was cut there.
    let host = scan.byte(sign + 1);
    let is_cut = sign + 1 == scan.text.len() || matches!(host, b'"' | b'\\');
    let is_host = charset::is(host, ALNUM) || matches!(host, b'[' | b'$' | b'{' | b'_' | b'/');
    (is_host || is_cut).then_some(sign)
}

fn scheme_before<'t>(scan: &Scan<'t>, at: usize) -> &'t [u8] {
    let back = scan.lookback(at, LONGEST_SCHEME);
    let length =
        back.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'+').count();
    &back[back.len() - length..]
}

/// A user part without a colon is a secret when it is a generated key: DSNs, `https://TOKEN@host`.
fn check_lone_user(scan: &mut Scan<'_>, from: usize, sign: usize) {
    let user = scan.slice(from, sign);
    if user.len() < 20
        || !user.iter().all(|&byte| charset::is(byte, WORD_DASH))
        || !(Makeup::of(user).random() || is_hex_key(user))
    {
        return;
    }
    let host = scan.slice(sign + 1, sign + 80);
    let kind =
        if memchr::memmem::find(host, b"sentry").is_some() { "sentry-dsn" } else { "url-password" };
    scan.push((from, sign), kind, Certainty::Placed, Origin::Machine);
}

fn stands_in(secret: &[u8]) -> bool {
    let variable = matches!(
        secret.first(),
        Some(b'$' | b'%' | b'{' | b'<' | b'*' | b'[' | b':' | b'(') | None
    );
    let template =
        secret.windows(2).any(|pair| matches!(pair, b"${" | b"{{" | b"$(" | b"%s" | b"#{"));
    let braces = secret.contains(&b'{') && secret.contains(&b'}');
    let makeup = Makeup::of(secret);
    let lower = secret.to_ascii_lowercase();
    let named = ["your", "example", "xxxx", "****", "redacted"];
    variable && makeup.length < 40
        || template
        || braces
        || makeup.repetitive() && makeup.length > 3
        || COMMON.contains(&lower.as_slice())
        || !makeup.dense() && named.iter().any(|word| spells(secret, word))
        // `host:5432@…` and `user:pass`-like patterns in prose about URLs.
        || makeup.digits == makeup.length && makeup.length < 6
}

/// Judges `hooks.slack.com/` at `at`.
pub(super) fn check_slack_hook(scan: &mut Scan<'_>, at: usize) {
    let path = at + "hooks.slack.com/".len();
    let end = scan.run_end(path, ALNUM | charset::BASE64_EXTRA);
    let mut parts = scan.slice(path, end).split(|&byte| byte == b'/');
    let section = parts.next().unwrap_or_default();
    let known = matches!(section, b"services" | b"workflows" | b"triggers");
    let last = parts.next_back().unwrap_or_default();
    if known && last.len() >= 16 && Makeup::of(last).distinct >= 8 {
        scan.push_shaped((path + section.len() + 1, end), "slack-webhook");
    }
}

/// Judges `/api/webhooks/` at `at`: Discord's number and token.
pub(super) fn check_discord_hook(scan: &mut Scan<'_>, at: usize) {
    let number = at + "/api/webhooks/".len();
    let slash = scan.run_end(number, DIGIT);
    if slash - number < 15 || scan.byte(slash) != b'/' {
        return;
    }
    let end = scan.run_end(slash + 1, WORD_DASH);
    if end - slash > 50 && Makeup::of(&scan.slice(slash + 1, end)[..50]).random() {
        scan.push_shaped((slash + 1, end), "discord-webhook");
    }
}

/// Judges `/webhookb2/` at `at`: Teams' incoming webhooks.
pub(super) fn check_teams_hook(scan: &mut Scan<'_>, at: usize) {
    let from = at + "/webhookb2/".len();
    let end = scan.run_end(from, TOKEN | OTHER);
    if end - from >= 60 && end - from < 512 {
        scan.push_shaped((from, end), "teams-webhook");
    }
}

/// Judges `sig=` at `at`: the signature of a shared Azure link.
pub(super) fn check_shared_signature(scan: &mut Scan<'_>, at: usize) {
    if !matches!(scan.before(at), b'?' | b'&' | b';') {
        return;
    }
    let from = at + "sig=".len();
    let end = scan.run_end(from, TOKEN | OTHER & !STOP);
    let value = scan.slice(from, end);
    let encoded = value.iter().all(|&byte| charset::is(byte, TOKEN) || byte == b'%');
    if encoded && (40..=128).contains(&value.len()) && Makeup::of(value).dense() {
        scan.push_shaped((from, end), "azure-shared-signature");
    }
}
