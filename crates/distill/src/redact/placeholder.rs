//! What stands where a secret stood: its kind and a fingerprint.

use xxhash_rust::xxh3::Xxh3;

/// Every placeholder begins with this.
pub(super) const OPEN: &str = "[REDACTED:";
const FINGERPRINT_DIGITS: usize = 8;
const LONGEST_KIND: usize = 40;
/// No placeholder is longer.
pub(super) const LONGEST: usize = OPEN.len() + LONGEST_KIND + 1 + FINGERPRINT_DIGITS + 1;
/// So much of an armoured key names it, whether or not its end was cut off.
const ARMOUR_NAMED_BY: usize = 160;
/// Separates these hashes from every other use of the same function.
const DOMAIN: &[u8] = b"backstory/secret/1\0";

/// How a secret came to be, which decides how much its fingerprint may tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// Generated: tens of random bytes.
    Machine,
    /// Possibly chosen by a person, hence guessable.
    Human,
}

/// A short stable name for a secret: eight hex digits.
///
/// It lets the same secret be recognised in two places and must not help to find it. A generated
/// token has at least 2^64 values, so 32 bits of an unkeyed hash fit billions of candidates and
/// confirm none. A password can be guessed from a list, and 32 bits would confirm the guess; so its
/// hash is cut to 16 bits first (and only then spread over eight digits): of a list of ten million
/// passwords some 150 fit, each as well as the others.
pub(super) fn fingerprint(secret: &[u8], origin: Origin) -> String {
    let full = hash(secret);
    let short = match origin {
        Origin::Machine => full as u32,
        Origin::Human => hash(&(full as u16).to_le_bytes()) as u32,
    };
    format!("{short:08x}")
}

/// Hashes the secret without what escaping and line wrapping add to it.
fn hash(secret: &[u8]) -> u64 {
    let mut state = Xxh3::new();
    state.update(DOMAIN);
    let limit = if secret.starts_with(b"-----BEGIN ") { ARMOUR_NAMED_BY } else { usize::MAX };
    let mut taken = 0;
    let mut rest = secret;
    while taken < limit
        && let Some((&byte, tail)) = rest.split_first()
    {
        rest = match (byte, tail.first()) {
            (b'\\', Some(b'n' | b'r' | b't')) => &tail[1..],
            (b'\\', _) => tail,
            (byte, _) if byte.is_ascii_whitespace() => tail,
            (byte, _) => {
                state.update(&[byte]);
                taken += 1;
                tail
            }
        };
    }
    state.digest()
}

/// The length of the placeholder that starts `text`, if one does.
pub(super) fn length_at(text: &[u8]) -> Option<usize> {
    let body = text.strip_prefix(OPEN.as_bytes())?;
    let kind = body.iter().take(LONGEST_KIND).position(|&byte| byte == b':')?;
    let known = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
    let digits = body.get(kind + 1..kind + 1 + FINGERPRINT_DIGITS)?;
    let close = body.get(kind + 1 + FINGERPRINT_DIGITS)?;
    (body[..kind].iter().all(known) && digits.iter().all(u8::is_ascii_hexdigit) && *close == b']')
        .then_some(OPEN.len() + kind + 1 + FINGERPRINT_DIGITS + 1)
}
