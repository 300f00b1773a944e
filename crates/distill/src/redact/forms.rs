//! Secrets known by their form although no single prefix marks them.

use super::charset::{self, ALNUM, DIGIT, TILDE, WORD_DASH};
use super::entropy::Makeup;
use super::scan::Scan;

/// Header and payload of a JSON web token are never longer together.
const LONGEST_JWT: usize = 64 * 1024;
const SHORTEST_JWT_PART: usize = 10;

/// Judges `eyJ` at `at`: a JSON web token (three parts) or its encrypted form (five).
pub(super) fn check_jwt(scan: &mut Scan<'_>, at: usize) {
    if !scan.starts_with(at, "eyJ") || !scan.word_starts(at) || scan.before(at) == b'.' {
        return;
    }
    let header = scan.run_end(at, WORD_DASH);
    if header - at < SHORTEST_JWT_PART || header - at > LONGEST_JWT || scan.byte(header) != b'.' {
        return;
    }
    let payload = scan.run_end(header + 1, WORD_DASH);
    if scan.byte(payload) != b'.' || payload - header > LONGEST_JWT {
        return;
    }
    let signed = scan.starts_with(header + 1, "eyJ") && payload - header > SHORTEST_JWT_PART;
    let mut end = scan.run_end(payload + 1, WORD_DASH);
    let mut parts = 3;
    while scan.byte(end) == b'.' && parts < 5 && charset::is(scan.byte(end + 1), WORD_DASH) {
        end = scan.run_end(end + 1, WORD_DASH);
        parts += 1;
    }
    if signed && end - payload > SHORTEST_JWT_PART || parts == 5 {
        scan.push_shaped((at, end), "jwt");
    }
}

/// Judges `SG.` at `at`: a SendGrid key, 22 and 43 characters.
pub(super) fn check_sendgrid(scan: &mut Scan<'_>, at: usize) {
    if !scan.starts_with(at, "SG.") || !scan.word_starts(at) {
        return;
    }
    let middle = scan.run_end(at + 3, WORD_DASH);
    let end = scan.run_end(middle + 1, WORD_DASH);
    if scan.byte(middle) == b'.'
        && (16..=32).contains(&(middle - at - 3))
        && (32..=64).contains(&(end - middle - 1))
    {
        scan.push_shaped((at, end), "sendgrid-key");
    }
}

/// Judges `:AA` at `at`: a Telegram bot's number and token.
pub(super) fn check_telegram(scan: &mut Scan<'_>, at: usize) {
    let back = scan.lookback(at, 11);
    let digits = back.iter().rev().take_while(|&&byte| charset::is(byte, DIGIT)).count();
    if !(8..=10).contains(&digits) || !scan.starts_with(at, ":AA") {
        return;
    }
    let end = scan.run_end(at + 1, WORD_DASH);
    if (33..=40).contains(&(end - at - 1)) && Makeup::of(scan.slice(at + 1, end)).switches >= 5 {
        scan.push_shaped((at - digits, end), "telegram-bot-token");
    }
}

/// Judges the base64 of three digits at `at`: a Discord bot's number, then a stamp and a signature.
pub(super) fn check_discord(scan: &mut Scan<'_>, at: usize) {
    if !scan.word_starts(at) {
        return;
    }
    let number = scan.run_end(at, ALNUM);
    if !(22..=30).contains(&(number - at)) || scan.byte(number) != b'.' {
        return;
    }
    let stamp = scan.run_end(number + 1, WORD_DASH);
    if stamp - number - 1 != 6 || scan.byte(stamp) != b'.' {
        return;
    }
    let end = scan.run_end(stamp + 1, WORD_DASH);
    if (27..=45).contains(&(end - stamp - 1)) {
        scan.push_shaped((at, end), "discord-bot-token");
    }
}

/// Judges `Q~` after a digit at `at`: the client secret of an Azure application.
pub(super) fn check_azure_secret(scan: &mut Scan<'_>, at: usize) {
    let set = WORD_DASH | charset::DOT | TILDE;
    let Some(start) = at.checked_sub(3) else { return };
    let lead = scan.slice(start, at);
    if scan.byte(at + 1) != b'Q'
        || !scan.word_starts(start)
        || !lead.iter().all(|&byte| charset::is(byte, set))
    {
        return;
    }
    let mut end = scan.run_end(at, set);
    while matches!(scan.before(end), b'.' | b'-') && end > at {
        end -= 1;
    }
    if (33..=42).contains(&(end - start)) && Makeup::of(scan.slice(start, end)).random() {
        scan.push_shaped((start, end), "azure-secret");
    }
}
