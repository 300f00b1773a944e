//! Judges the value behind a promising key: a secret, or code, a placeholder, a word?

use super::charset::{self, ALNUM, DOT, OTHER, SPACE, STOP, WORD, WORD_DASH};
use super::entropy::{Makeup, is_digest, is_uuid, spells};
use super::keys::{Key, Promise};

/// How the value was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Written {
    /// Between quotes.
    Quoted,
    /// An environment line or a flag: `KEY=value`, `--password value`.
    Environment,
    /// Bare, in YAML, prose or code.
    Bare,
    /// After `is`: `the password is …`.
    Prose,
}

/// Substrings of values that stand for a secret and are none.
const STAND_INS: &[&str] = &[
    "your",
    "placeholder",
    "changeme",
    "change_me",
    "change-me",
    "xxxx",
    "redacted",
    "dummy",
    "fake",
    "sample",
    "todo",
    "insert",
    "replace",
    "_here",
    "-here",
    "undefined",
    "mock",
    "not_a_",
    "not-a-",
    "notreal",
    "not-real",
    "invalid",
    "1234567890",
    "0123456789",
    "abcdef",
    "deadbeef",
];

/// Templates and ellipses: they rule out even a value that otherwise looks generated.
const TEMPLATES: &[&str] = &[
    "example",
    "****",
    "....",
    "${",
    "{{",
    "}}",
    "$(",
    "#{",
    "%(",
    "process.env",
    "os.environ",
    "getenv",
    "env[",
    "secrets.",
    "\u{2026}",
    "•",
    "●",
];

/// Traces of a regular expression or of code.
const CODE: &[&str] = &[
    "\\u00", "(?", "\\w", "\\s", "\\S", "\\d", "[^", ".*", ".+", "]+", "+)", "::", "()", "=>",
    "->", "&&", "||",
];

/// Values everybody uses: they protect nothing and fill every tutorial.
const DEFAULTS: &[&str] = &[
    "password",
    "passwd",
    "passw0rd",
    "password1",
    "password123",
    "secret",
    "secret123",
    "admin",
    "admin123",
    "root",
    "postgres",
    "mysql",
    "mariadb",
    "redis",
    "guest",
    "rabbitmq",
    "minio",
    "minioadmin",
    "test",
    "test123",
    "testing",
    "tester",
    "testpass",
    "testpassword",
    "test1234",
    "user",
    "username",
    "default",
    "none",
    "null",
    "nil",
    "true",
    "false",
    "required",
    "optional",
    "string",
    "token",
    "bearer",
    "basic",
    "foobar",
    "foo",
    "bar",
    "baz",
    "abc123",
    "letmein",
    "qwerty",
    "12345",
    "123456",
    "1234567",
    "12345678",
    "123456789",
    "empty",
    "hidden",
    "masked",
    "unset",
    "missing",
    "value",
    "plaintext",
    "hashed",
    "encrypted",
    "bcrypt",
    "argon2",
    "sha256",
    "sha512",
    "md5",
    "text",
    "prompt",
    "stdin",
    "file",
    "env",
    "number",
    "boolean",
    "object",
    "bytes",
    "development",
    "production",
    "staging",
    "local",
    "localhost",
];

const SHORTEST_PASSWORD: usize = 5;
const SHORTEST_SECRET: usize = 8;
const LONGEST: usize = 4096;

/// Whether `value`, found behind `key`, is plausibly a secret.
pub(super) fn is_secret(value: &[u8], written: Written, key: &Key, promise: Promise) -> bool {
    if value.len() < SHORTEST_PASSWORD || value.len() > LONGEST {
        return false;
    }
    let makeup = Makeup::of(&value[..value.len().min(512)]);
    if makeup.letters() + makeup.digits == 0 || makeup.repetitive() || makeup.distinct < 4 {
        return false;
    }
    if written == Written::Prose && !makeup.jumbled() {
        return false;
    }
    let plausible = match promise {
        Promise::Machine if is_uuid(value) => key.takes_uuids(),
        _ if is_uuid(value) => false,
        Promise::Password => is_password(value, written, &makeup),
        Promise::Machine => is_generated(value, written, &makeup),
        Promise::Weak => makeup.dense() && is_opaque(value) && !is_path(value) && !is_digest(value),
    };
    plausible && !stands_in(value, &makeup)
}

fn stands_in(value: &[u8], makeup: &Makeup) -> bool {
    let head = String::from_utf8_lossy(&value[..value.len().min(256)]).to_lowercase();
    let name = value[1..].strip_suffix(b"%").unwrap_or(&value[1..]);
    let is_name = name.iter().all(|&byte| charset::is(byte, WORD_DASH | DOT | STOP | SPACE));
    let reference = match value[0] {
        b'{' | b'[' | b'<' | b'(' => value.len() < 40,
        b'$' => is_name,
        // A YAML tag or alias, a batch variable: names all of them, so a jumble is a secret.
        b'%' | b'&' | b'*' | b'!' => is_name && !makeup.jumbled(),
        _ => false,
    };
    if reference {
        return true;
    }
    // By chance a long random value holds a short word; a template it does not.
    !makeup.dense() && STAND_INS.iter().any(|word| spells(&value[..value.len().min(256)], word))
        || TEMPLATES.iter().any(|mark| head.contains(mark))
        || holds_tag(value)
        || makeup.digits == 0 && head.contains("%s")
        || CODE.iter().any(|trace| head.contains(trace))
        || DEFAULTS.contains(&head.as_str())
}

/// `prefix-<name>`: something to fill in.
fn holds_tag(value: &[u8]) -> bool {
    let Some(open) = memchr::memchr(b'<', value) else { return false };
    let Some(length) = memchr::memchr(b'>', &value[open..]) else { return false };
    value[open + 1..open + length].iter().all(|&byte| charset::is(byte, WORD_DASH | SPACE))
}

/// Passwords are short and free, so what counts is that the value is no word, name or expression.
fn is_password(value: &[u8], written: Written, makeup: &Makeup) -> bool {
    let classes = charset::classes(value);
    if classes & SPACE != 0
        || is_path(value)
        || is_number(value)
        || is_digest(value) && written == Written::Bare
    {
        return false;
    }
    if makeup.letters() == 0 {
        return written != Written::Bare && makeup.digits >= 6 && makeup.distinct >= 5;
    }
    let symbols = value.iter().any(|&byte| charset::is(byte, OTHER) && byte != b':');
    let odd = makeup.digits > 0 || symbols && value.is_ascii();
    match written {
        Written::Environment => odd || makeup.length >= 6 && !is_expression(value),
        Written::Quoted => odd && !is_name(value, makeup),
        Written::Bare | Written::Prose => {
            odd && makeup.length >= 6 && !is_expression(value) && !is_name(value, makeup)
        }
    }
}

fn is_generated(value: &[u8], written: Written, makeup: &Makeup) -> bool {
    if value.len() < SHORTEST_SECRET || is_path(value) {
        return false;
    }
    let classes = charset::classes(value);
    if classes & SPACE != 0 {
        return false;
    }
    if !is_token_like(value) {
        // Symbols are rare in generated secrets and common in code.
        return written != Written::Bare
            && makeup.digits > 0
            && makeup.switches >= 4
            && makeup.length >= 12;
    }
    if is_digest(value) && makeup.digits > 0 && makeup.letters() > 0 {
        return true;
    }
    match written {
        Written::Bare => makeup.random() && !is_dotted_name(value),
        Written::Prose => true,
        Written::Quoted | Written::Environment => makeup.random() || makeup.jumbled(),
    }
}

/// Made only of what tokens are made of.
fn is_token_like(value: &[u8]) -> bool {
    value
        .iter()
        .all(|&byte| charset::is(byte, charset::TOKEN) || matches!(byte, b':' | b'@' | b'|' | b'%'))
}

/// Base64 in either alphabet: no dots, as names of files and modules have them.
fn is_opaque(value: &[u8]) -> bool {
    value.iter().all(|&byte| charset::is(byte, charset::BASE64 | charset::WORD_DASH))
}

/// `self.token2`, `user_1`, `config.auth.password1`: identifiers and calls.
fn is_expression(value: &[u8]) -> bool {
    let identifier = value.iter().all(|&byte| charset::is(byte, WORD | DOT));
    let dotted = value.contains(&b'.') && identifier && !Makeup::of(value).jumbled();
    dotted
        || value.iter().any(|byte| matches!(byte, b'(' | b')' | b'[' | b']' | b'{' | b'}' | b';'))
}

/// `ed25519.PrivateKey`: dots, and a word somewhere.
fn is_dotted_name(value: &[u8]) -> bool {
    let words = value.split(|byte| !byte.is_ascii_lowercase());
    value.contains(&b'.') && words.map(<[u8]>::len).any(|length| length >= 5)
}

/// A number of a programming language: `0x8055_000B_u32`, `4096i32`, `-12`.
fn is_number(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"-").unwrap_or(value);
    let hex = value.strip_prefix(b"0x");
    let digits = hex.unwrap_or(value);
    let digit = |byte: &&u8| {
        byte.is_ascii_digit() || **byte == b'_' || hex.is_some() && byte.is_ascii_hexdigit()
    };
    let length = digits.iter().take_while(digit).count();
    let suffix = &digits[length..];
    let typed = matches!(suffix, [b'u' | b'i' | b'U' | b'L' | b'l', ..]) && suffix.len() <= 5;
    length > 0 && (hex.is_some() && suffix.is_empty() || typed)
}

/// Lower-case words joined by separators, at most numbered: `new-password-2`, `db_password_v1`.
fn is_name(value: &[u8], makeup: &Makeup) -> bool {
    let separators = value.iter().filter(|byte| matches!(byte, b'_' | b'-' | b'.')).count();
    separators > 0
        && makeup.symbols == 0
        && makeup.switches <= 1
        && value.iter().all(|&byte| charset::is(byte, ALNUM | DOT) || matches!(byte, b'_' | b'-'))
}

/// `/etc/ssl/key.pem`, `./secrets/token`, `~/.ssh/id`, `https://host/path`, `C:\keys`.
fn is_path(value: &[u8]) -> bool {
    let rooted = value.starts_with(b"/") || value.starts_with(b"./") || value.starts_with(b"../");
    let home = value.starts_with(b"~/") || value.get(1..3) == Some(b":\\");
    let url = memchr::memmem::find(value, b"://").is_some();
    let segments = value.split(|&byte| byte == b'/').filter(|segment| !segment.is_empty());
    let wordy = segments.clone().count() >= 2
        && segments.clone().all(|segment| !Makeup::of(segment).jumbled() && segment.len() < 24);
    let random = Makeup::of(value).random();
    home || url || (rooted || wordy) && !random
}
