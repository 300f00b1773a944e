//! `[hub]`: where notices are posted to.

use super::{Origin, Value};
use crate::env::{BACKSTORY_HUB_TOKEN, Env};
use std::fmt;

/// The hub, if there is one.
#[derive(Debug)]
pub(crate) struct Hub {
    pub(crate) url: Option<Value<String>>,
    pub(crate) token: Option<Token>,
}

/// What lets us in. It is never shown.
pub(crate) struct Token(String);

impl Token {
    /// The header that carries it.
    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// Where it came from.
    pub(crate) fn origin() -> Origin {
        Origin::Env(BACKSTORY_HUB_TOKEN)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(hidden)")
    }
}

impl Hub {
    pub(super) fn new(url: Option<Value<String>>, env: &Env) -> Self {
        let token = env.get(BACKSTORY_HUB_TOKEN).and_then(|token| token.into_string().ok());
        Self { url, token: token.map(Token) }
    }
}

/// What is wrong with an address, if anything.
pub(crate) fn wrong_with(url: &str) -> Option<&'static str> {
    let Ok(parsed) = url.parse::<ureq::http::Uri>() else { return Some("is not an address") };
    if !matches!(parsed.scheme_str(), Some("http" | "https")) {
        return Some("must begin with http:// or https://");
    }
    match parsed.authority() {
        None => Some("names no host"),
        Some(authority) if authority.host().is_empty() => Some("names no host"),
        Some(authority) if authority.as_str().contains('@') => {
            Some("must not hold a password: put a token into BACKSTORY_HUB_TOKEN")
        }
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_nonsense() {
        for fine in ["http://localhost:7/notices", "https://hub.example/", "http://[::1]:80/x?y=1"]
        {
            assert_eq!(wrong_with(fine), None, "{fine}");
        }
        for (url, reason) in [
            ("hub.example", "must begin with http:// or https://"),
            ("ftp://hub.example/", "must begin with http:// or https://"),
            ("http://a b/", "is not an address"),
            ("", "is not an address"),
            ("http://:80/", "names no host"),
            ("https://ada:geheim@hub.example/", "must not hold a password"),
        ] {
            let found = wrong_with(url).unwrap_or_default();
            assert!(found.starts_with(reason), "{url}: {found}");
        }
    }

    #[test]
    fn the_token_is_not_shown() {
        let env = Env::fixed([(BACKSTORY_HUB_TOKEN, "geheim".into())]);
        let hub = Hub::new(None, &env);
        assert!(!format!("{hub:?}").contains("geheim"));
        assert_eq!(hub.token.unwrap().bearer(), "Bearer geheim");
    }
}
