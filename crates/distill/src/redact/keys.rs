//! Judges the name in front of a value: does it announce a secret?

/// What a key announces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Promise {
    /// A password: short, human, any characters.
    Password,
    /// A generated secret.
    Machine,
    /// Perhaps: only a value that cannot be anything else counts.
    Weak,
}

/// Key endings that announce a secret; words are joined by `_`.
const ENDINGS: &[(&str, Promise)] = &[
    ("password", Promise::Password),
    ("passwd", Promise::Password),
    ("passphrase", Promise::Password),
    ("passcode", Promise::Password),
    ("pwd", Promise::Password),
    ("_pass", Promise::Password),
    ("requirepass", Promise::Password),
    ("secret", Promise::Machine),
    ("secret_key", Promise::Machine),
    ("secretkey", Promise::Machine),
    ("token", Promise::Machine),
    ("api_key", Promise::Machine),
    ("apikey", Promise::Machine),
    ("access_key", Promise::Machine),
    ("accesskey", Promise::Machine),
    ("private_key", Promise::Machine),
    ("privatekey", Promise::Machine),
    ("account_key", Promise::Machine),
    ("accountkey", Promise::Machine),
    ("shared_key", Promise::Machine),
    ("auth_key", Promise::Machine),
    ("authkey", Promise::Machine),
    ("encryption_key", Promise::Machine),
    ("signing_key", Promise::Machine),
    ("master_key", Promise::Machine),
    ("app_key", Promise::Machine),
    ("license_key", Promise::Machine),
    ("service_key", Promise::Machine),
    ("role_key", Promise::Machine),
    ("client_key", Promise::Weak),
    ("_key", Promise::Weak),
    ("auth", Promise::Weak),
    ("credential", Promise::Weak),
    ("credentials", Promise::Weak),
    ("creds", Promise::Weak),
    ("cred", Promise::Weak),
];

/// Words after the announcing one that do not change what the value is.
const TRAILERS: &[&str] = &[
    "prod",
    "production",
    "dev",
    "development",
    "staging",
    "stage",
    "test",
    "testing",
    "live",
    "main",
    "primary",
    "secondary",
    "backup",
    "old",
    "new",
    "current",
    "default",
    "base",
    "value",
    "val",
    "raw",
    "plain",
    "plaintext",
    "b64",
    "base64",
    "confirm",
    "confirmation",
    "again",
];

/// Words before the announcing one that make it something harmless.
const HARMLESS: &[&str] = &[
    "page_token",
    "next_token",
    "continuation_token",
    "cancellation_token",
    "sync_token",
    "cancel_token",
    "design_token",
    "public_key",
    "publishable_key",
    "site_key",
    "primary_key",
    "foreign_key",
    "partition_key",
    "sort_key",
    "cache_key",
    "row_key",
    "idempotency_key",
    "dedupe_key",
    "dedup_key",
    "prompt_cache_key",
    "lookup_key",
    "object_key",
    "storage_object_key",
];

/// Providers whose secrets carry no mark of their own: word in the key, kind, promise.
const PROVIDERS: &[(&str, &str)] = &[
    ("aws", "aws-secret-key"),
    ("secret_access_key", "aws-secret-key"),
    ("accountkey", "azure-storage-key"),
    ("account_key", "azure-storage-key"),
    ("azure", "azure-secret"),
    ("arm_client", "azure-secret"),
    ("twilio", "twilio-auth-token"),
    ("heroku", "heroku-key"),
    ("cloudflare", "cloudflare-token"),
    ("cf_api", "cloudflare-token"),
    ("datadog", "datadog-key"),
    ("dd_api", "datadog-key"),
    ("dd_app", "datadog-key"),
    ("new_relic", "newrelic-key"),
    ("newrelic", "newrelic-key"),
];

/// Longer names are no keys.
pub(super) const LONGEST_KEY: usize = 80;

/// A key in one spelling: `awsSecretKey`, `AWS-SECRET-KEY` and `aws.secret.key` are `aws_secret_key`.
pub(super) struct Key {
    spelling: String,
}

impl Key {
    /// Reads a key as written.
    pub(super) fn new(written: &[u8]) -> Self {
        let mut spelling = String::with_capacity(written.len() + 8);
        for (at, &byte) in written.iter().enumerate() {
            if !byte.is_ascii_alphanumeric() {
                if !spelling.ends_with('_') {
                    spelling.push('_');
                }
                continue;
            }
            let before = at.checked_sub(1).map_or(0, |at| written[at]);
            let after = written.get(at + 1).copied().unwrap_or(0);
            let hump = byte.is_ascii_uppercase()
                && (before.is_ascii_lowercase()
                    || before.is_ascii_uppercase() && after.is_ascii_lowercase());
            if hump && !spelling.ends_with('_') && !spelling.is_empty() {
                spelling.push('_');
            }
            spelling.push(byte.to_ascii_lowercase() as char);
        }
        Self { spelling }
    }

    /// What the key announces, if anything.
    pub(super) fn promise(&self) -> Option<Promise> {
        let stem = self.stem();
        if HARMLESS.iter().any(|word| stem.ends_with(word)) {
            return None;
        }
        let best = ENDINGS.iter().filter(|(ending, _)| stem.ends_with(ending));
        let (ending, promise) = best.max_by_key(|(ending, _)| ending.len())?;
        // `auth` and `cred` must be words of their own; `oauth`, `sacred` are not.
        let whole = stem.len() == ending.len() || stem[..stem.len() - ending.len()].ends_with('_');
        let glued = ending.len() >= 5 || *ending == "pwd" || ending.starts_with('_');
        (whole || glued).then_some(*promise)
    }

    /// The spelling without numbers and words that only tell one value of a kind from another.
    fn stem(&self) -> &str {
        let mut stem = self.spelling.trim_matches('_');
        loop {
            let shorter = stem.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_');
            let shorter = match shorter.rsplit_once('_') {
                Some((head, last)) if TRAILERS.contains(&last) => head,
                _ => shorter,
            };
            if shorter.len() == stem.len() {
                return stem;
            }
            stem = shorter;
        }
    }

    /// The kind of an assigned secret under this key.
    pub(super) fn kind(&self, promise: Promise) -> &'static str {
        if promise == Promise::Password {
            return "password";
        }
        let provider = PROVIDERS.iter().find(|(word, _)| self.spelling.contains(word));
        match (provider, promise) {
            (Some((_, kind)), _) => kind,
            (None, Promise::Weak) => "high-entropy",
            (None, _) => "assigned-secret",
        }
    }

    /// Whether a bare UUID under this key is a credential.
    pub(super) fn takes_uuids(&self) -> bool {
        ["api_key", "apikey", "secret", "heroku"].iter().any(|word| self.spelling.contains(word))
    }
}
