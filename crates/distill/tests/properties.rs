//! What holds for every text.

use std::sync::LazyLock;

use backstory_distill::Redactor;
use backstory_testkit::secrets::{Planted, Position, planted};
use proptest::prelude::*;

static REDACTOR: LazyLock<Redactor> = LazyLock::new(Redactor::new);
static SECRETS: LazyLock<Vec<Planted>> = LazyLock::new(|| planted(11));

/// Pieces from which nasty texts are put together.
const PIECES: &[&str] = &[
    "password",
    "=",
    ":",
    " ",
    "\"",
    "\\\"",
    "\\\\\\\"",
    "'",
    "token",
    "_key",
    "://",
    "@",
    "a1B2c3D4e5F6g7H8",
    "eyJ",
    ".",
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----END RSA PRIVATE KEY-----",
    "\\n",
    "\n",
    "\\u0041",
    "\\/",
    "sk-",
    "ghp_",
    "[REDACTED:",
    "[REDACTED:jwt:0123abcd]",
    "]",
    "Cookie: ",
    "; ",
    "Bearer ",
    "curl -u ",
    " -p",
    "mysql",
    "AKIA",
    "ABCDEFGH23456789",
    "é",
    "鍵",
    "🔑",
    "<",
    ">",
    "sig=",
    "\\",
    "%3D",
    "authorization",
    "api key",
    "x",
];

fn nasty() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.concat())
}

fn redacted(text: &str) -> String {
    REDACTOR.redact(text).into_owned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_text_is_a_fixed_point_after_one_pass(text in any::<String>()) {
        let once = redacted(&text);
        prop_assert_eq!(redacted(&once), once);
    }

    #[test]
    fn nasty_text_is_a_fixed_point_after_one_pass(text in nasty()) {
        let once = redacted(&text);
        prop_assert_eq!(redacted(&once), once);
    }

    #[test]
    fn findings_and_placeholders_agree(text in nasty()) {
        let mut out = String::new();
        let mut findings = Vec::new();
        let replaced = REDACTOR.redact_into(&text, &mut out, &mut findings);
        prop_assert_eq!(replaced, !findings.is_empty());
        prop_assert_eq!(replaced, out != text);
        for finding in findings {
            let placeholder = format!("[REDACTED:{}:{}]", finding.kind, finding.fingerprint);
            prop_assert!(out.contains(&placeholder), "{} not in {}", placeholder, out);
        }
    }

    #[test]
    fn no_secret_survives_in_any_surroundings(
        index in any::<prop::sample::Index>(),
        position in prop::sample::select(&Position::ALL[..]),
        before in "([a-zA-Z0-9 ,.:;=(){}\\[\\]\"'/\\\\_-]|鍵|🔑|\n){0,60}[ \n]",
        after in "[ \n]([a-zA-Z0-9 ,.:;=(){}\\[\\]\"'/\\\\_-]|鍵|🔑|\n){0,60}",
    ) {
        let secret = index.get(&SECRETS);
        let Some(placed) = position.place(secret) else { return Ok(()) };
        let out = redacted(&format!("{before}{placed}{after}"));
        for needle in secret.needles() {
            prop_assert!(!out.contains(&needle), "{needle} in {out}");
        }
        prop_assert_eq!(redacted(&out), out);
    }

    #[test]
    fn words_without_keys_are_clean(text in "([a-z]{1,12} |[0-9]{1,6}\n|[A-Z][a-z]{2,8}\\. |鍵 ){0,80}") {
        prop_assert_eq!(redacted(&text), text);
    }
}

#[test]
fn hostile_repetition_ends() {
    for unit in [
        "eyJ",
        "-eyJ",
        "eyJabcdefghij.",
        "-----BEGIN",
        "-----BEGIN RSA PRIVATE KEY-----\n",
        "password=",
        "password='",
        "Cookie: a=b; ",
        " -u ",
        " -pa",
        "\\u0041",
        "\\/",
        "://a:",
        "token: ",
        "[REDACTED:",
        "-glpat-",
        "\\",
    ] {
        let text = unit.repeat(200_000 / unit.len());
        let once = redacted(&text);
        assert_eq!(redacted(&once), once, "{unit}");
    }
}
