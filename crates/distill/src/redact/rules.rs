//! The kinds of secrets, and which anchor calls which matcher.

use super::anchors::Anchor;
use super::scan::Scan;
use super::{assign, commands, forms, headers, pem, placeholder, tokens, urls};

/// One kind of secret, for the manual and for tests.
pub struct Rule {
    /// The kind, as it appears in placeholders.
    pub kind: &'static str,
    /// What it is, in a few words.
    pub description: &'static str,
    /// An example with its random parts left out: `{hex:40}` stands for forty hex digits.
    template: &'static str,
}

impl Rule {
    /// A made-up text that holds a secret of this kind; other seeds give other secrets.
    pub fn example(&self, seed: u64) -> String {
        let mut state = seed ^ 0x9E37_79B9_7F4A_7C15;
        let mut example = String::new();
        let mut rest = self.template;
        while let Some((before, after)) = rest.split_once('{') {
            example.push_str(before);
            let Some((part, tail)) = after.split_once('}') else { break };
            let (set, count) = part.split_once(':').unwrap_or((part, "1"));
            let set = alphabet(set);
            for _ in 0..count.parse().unwrap_or(1) {
                example.push(set[next(&mut state) as usize % set.len()] as char);
            }
            rest = tail;
        }
        example.push_str(rest);
        example
    }
}

fn alphabet(name: &str) -> &'static [u8] {
    match name {
        "hex" => b"0123456789abcdef",
        "digit" => b"123456789",
        "upper" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "lower" => b"abcdefghijklmnopqrstuvwxyz0123456789",
        _ => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    }
}

/// SplitMix64: deterministic and good enough for examples.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut word = *state;
    word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}

const fn rule(kind: &'static str, description: &'static str, template: &'static str) -> Rule {
    Rule { kind, description, template }
}

/// Every kind, sorted by name.
pub(super) const RULES: &[Rule] = &[
    rule("age-key", "age identity", "AGE-SECRET-KEY-1{upper:58}"),
    rule("anthropic-key", "Anthropic API key", "sk-ant-api03-{alnum:93}AA"),
    rule(
        "assigned-secret",
        "a generated value behind a key that names a secret",
        "session_token = \"{alnum:32}\"",
    ),
    rule("atlassian-token", "Atlassian API token", "ATATT3xFf{alnum:180}"),
    rule(
        "authorization-header",
        "credentials of an Authorization header",
        "Authorization: Bearer {alnum:40}",
    ),
    rule("aws-access-key-id", "AWS access key id", "AKIA{upper:16}"),
    rule(
        "aws-secret-key",
        "AWS secret access key, by its name",
        "AWS_SECRET_ACCESS_KEY={alnum:40}",
    ),
    rule("azure-secret", "client secret of an Azure application", "{alnum:3}8Q~{alnum:34}"),
    rule(
        "azure-shared-signature",
        "signature of a shared Azure link",
        "?sv=2024-01-01&sig={alnum:43}%3D",
    ),
    rule(
        "azure-storage-key",
        "key of an Azure storage account",
        "AccountName=a;AccountKey={alnum:86}==;",
    ),
    rule(
        "basic-auth",
        "user and password of a Basic Authorization header",
        "Authorization: Basic {alnum:24}",
    ),
    rule("bearer-token", "a token after the word Bearer", "bearer {alnum:40}"),
    rule("cli-password", "a password on a command line", "mysql -uroot -p{alnum:12} shop"),
    rule("cloudflare-token", "Cloudflare API token", "CLOUDFLARE_API_TOKEN={alnum:40}"),
    rule(
        "connection-string",
        "password in the URL of a database or queue",
        "postgres://app:{alnum:16}@db.internal/shop",
    ),
    rule("cookie", "a long value of a cookie header", "Cookie: theme=dark; sid={alnum:40}"),
    rule("crates-io-token", "Rust package registry token", "cio{alnum:32}"),
    rule("databricks-token", "Databricks access token", "dapi{hex:32}"),
    rule("datadog-key", "Datadog key, by its name", "DD_API_KEY={hex:32}"),
    rule("digitalocean-token", "DigitalOcean token", "dop_v1_{hex:64}"),
    rule("discord-bot-token", "Discord bot token", "MTA4Nz{alnum:20}.G{alnum:5}.{alnum:38}"),
    rule(
        "discord-webhook",
        "Discord webhook",
        "https://discord.com/api/webhooks/{digit:18}/{alnum:68}",
    ),
    rule("docker-token", "Docker Hub token", "dckr_pat_{alnum:27}"),
    rule("doppler-token", "Doppler token", "dp.pt.{alnum:43}"),
    rule("dynatrace-token", "Dynatrace token", "dt0c01.{upper:24}.{upper:64}"),
    rule("figma-token", "Figma access token", "figd_{alnum:40}"),
    rule("fireworks-key", "Fireworks API key", "fw_{alnum:24}"),
    rule("fly-token", "Fly.io token", "fo1_{alnum:43}"),
    rule(
        "gcp-service-account-key",
        "private key of a Google service account",
        "\"private_key\": \"-----BEGIN PRIVATE KEY-----\\n{alnum:64}\\n{alnum:64}\\n-----END PRIVATE KEY-----\\n\"",
    ),
    rule("github-token", "GitHub token of any type", "ghp_{alnum:36}"),
    rule("gitlab-token", "GitLab token of any type", "glpat-{alnum:20}"),
    rule("google-api-key", "Google API key", "AIza{alnum:35}"),
    rule("google-oauth-secret", "Google OAuth client secret", "GOCSPX-{alnum:28}"),
    rule("google-oauth-token", "Google OAuth access or refresh token", "ya29.{alnum:60}"),
    rule("grafana-token", "Grafana token", "glsa_{alnum:32}_{hex:8}"),
    rule("groq-key", "Groq API key", "gsk_{alnum:52}"),
    rule("heroku-key", "Heroku API key", "HEROKU_API_KEY={hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}"),
    rule(
        "high-entropy",
        "a random value behind a key that may name a secret",
        "\"auth\": \"{alnum:48}\"",
    ),
    rule("hugging-face-token", "Hugging Face token", "hf_{alnum:34}"),
    rule("jfrog-token", "JFrog API key", "AKCp{alnum:69}"),
    rule("jwt", "JSON web token", "eyJ{alnum:33}.eyJ{alnum:70}.{alnum:43}"),
    rule("langfuse-key", "Langfuse secret key", "sk-lf-{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}"),
    rule("langsmith-key", "LangSmith key", "lsv2_pt_{hex:32}_{hex:10}"),
    rule("linear-key", "Linear API key", "lin_api_{alnum:40}"),
    rule("mailgun-key", "Mailgun key", "key-{hex:32}"),
    rule("netlify-token", "Netlify token", "nfp_{alnum:40}"),
    rule("newrelic-key", "New Relic key", "NRAK-{upper:27}"),
    rule("notion-token", "Notion token", "ntn_{alnum:46}"),
    rule("npm-token", "npm token", "npm_{alnum:36}"),
    rule("nuget-key", "NuGet key", "oy2{lower:43}"),
    rule("openai-key", "OpenAI key, and others of the same form", "sk-proj-{alnum:48}"),
    rule("openrouter-key", "OpenRouter key", "sk-or-v1-{hex:64}"),
    rule(
        "openssh-private-key",
        "OpenSSH private key",
        "-----BEGIN OPENSSH PRIVATE KEY-----\n{alnum:70}\n{alnum:40}\n-----END OPENSSH PRIVATE KEY-----",
    ),
    rule("password", "a password behind a key that names one", "DB_PASSWORD={alnum:12}7!"),
    rule("perplexity-key", "Perplexity key", "pplx-{alnum:48}"),
    rule(
        "pgp-private-key",
        "PGP private key",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{alnum:64}\n{alnum:64}\n-----END PGP PRIVATE KEY BLOCK-----",
    ),
    rule("planetscale-token", "PlanetScale token or password", "pscale_tkn_{alnum:43}"),
    rule("postman-key", "Postman key", "PMAK-{hex:24}-{hex:34}"),
    rule(
        "private-key",
        "any other private key block",
        "-----BEGIN RSA PRIVATE KEY-----\n{alnum:64}\n{alnum:64}\n-----END RSA PRIVATE KEY-----",
    ),
    rule("pulumi-token", "Pulumi token", "pul-{hex:40}"),
    rule("pypi-token", "PyPI token", "pypi-AgEIcHlwaS5vcmc{alnum:120}"),
    rule("render-key", "Render key", "rnd_{alnum:28}"),
    rule("replicate-token", "Replicate token", "r8_{alnum:37}"),
    rule("rubygems-key", "RubyGems key", "rubygems_{hex:48}"),
    rule("sendgrid-key", "SendGrid key", "SG.{alnum:22}.{alnum:43}"),
    rule("sentry-dsn", "Sentry DSN", "https://{hex:32}@o1.ingest.sentry.io/7"),
    rule("sentry-token", "Sentry token", "sntryu_{hex:64}"),
    rule("shopify-token", "Shopify token", "shpat_{hex:32}"),
    rule("slack-token", "Slack token of any type", "xoxb-{digit:12}-{digit:12}-{alnum:24}"),
    rule(
        "slack-webhook",
        "Slack webhook",
        "https://hooks.slack.com/services/T{upper:8}/B{upper:8}/{alnum:24}",
    ),
    rule("square-token", "Square token", "sq0atp-{alnum:22}"),
    rule("stripe-key", "Stripe secret or restricted key", "sk_live_{alnum:24}"),
    rule("stripe-webhook-secret", "Stripe webhook secret", "whsec_{alnum:32}"),
    rule("supabase-key", "Supabase key", "sbp_{hex:40}"),
    rule("tailscale-key", "Tailscale key", "tskey-auth-{alnum:12}-{alnum:32}"),
    rule("tavily-key", "Tavily key", "tvly-{alnum:32}"),
    rule(
        "teams-webhook",
        "Microsoft Teams webhook",
        "https://x.webhook.office.com/webhookb2/{hex:8}-{hex:4}@{hex:32}/IncomingWebhook/{hex:32}",
    ),
    rule("telegram-bot-token", "Telegram bot token", "{digit:10}:AA{alnum:33}"),
    rule("twilio-auth-token", "Twilio auth token, by its name", "TWILIO_AUTH_TOKEN={hex:32}"),
    rule("twilio-key", "Twilio API key", "SK{hex:32}"),
    rule("url-password", "password in a URL", "https://deploy:{alnum:16}@git.internal/x.git"),
    rule("vault-token", "HashiCorp Vault token", "hvs.{alnum:90}"),
    rule("xai-key", "xAI key", "xai-{alnum:80}"),
];

/// Looks at the candidate at a position and records what it finds.
type Matcher = fn(&mut Scan<'_>, usize);

/// What an anchor starts.
#[derive(Clone, Copy)]
pub(super) enum Action {
    /// The prefix of this row of the token table.
    Token(usize),
    /// A matcher of its own.
    Call(Matcher),
}

impl Action {
    pub(super) fn run(self, scan: &mut Scan<'_>, at: usize) {
        match self {
            Self::Token(index) => tokens::check(scan, index, at),
            Self::Call(check) => check(scan, at),
        }
    }
}

/// Pieces of key names. They are chosen to be rare, so `pi_k` stands for `api_key`.
const KEY_WORDS: &[&str] = &[
    "sswo", "sswd", "passph", "passco", "_pass", "-pass", "repass", "secr", "oken", "pi_k", "pi-k",
    "pike", "pi k", "ss_k", "ss-k", "sske", "te_k", "te-k", "teke", "_key", "-key", "ntke", "edke",
    "hkey", "gkey", "nkey", "rkey", "auth", "credent", "creds",
];

const LITERALS: &[(&str, Matcher)] = &[
    ("[redacted:", skip_placeholder),
    ("-begin ", pem::check),
    ("hooks.slack.com/", urls::check_slack_hook),
    ("/api/webhooks/", urls::check_discord_hook),
    ("/webhookb2/", urls::check_teams_hook),
    ("sig=", urls::check_shared_signature),
    ("authorization", headers::check_authorization),
    ("bearer", headers::check_bearer),
    ("basic ", headers::check_basic),
    ("cookie", headers::check_cookie),
    (" --user", commands::check_user_flag),
    (" -a ", commands::check_redis_flag),
    ("-passin pass:", commands::check_openssl_pass),
    ("-passout pass:", commands::check_openssl_pass),
    ("identified by ", commands::check_identified_by),
];

const DIGITS: &[u8] = b"0123456789";
const HEX: &[u8] = b"0123456789abcdef";
const WORD: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789_-";
/// What can stand before a word, as [`Scan::word_starts`] sees it, folded as the anchors are.
const BEFORE_WORD: &[u8] = &{
    let mut bytes = [0; 160];
    let (mut byte, mut count) = (0u8, 0);
    loop {
        let in_escape = byte.is_ascii_hexdigit() || matches!(byte, b'n' | b'r' | b't' | b'm');
        if byte & 0x20 != 0 && (in_escape || !byte.is_ascii_alphanumeric()) {
            bytes[count] = byte;
            count += 1;
        }
        if byte == u8::MAX {
            break bytes;
        }
        byte += 1;
    }
};

/// Every anchor with its action.
pub(super) fn anchors() -> Vec<Anchor<Action>> {
    let mut anchors = Vec::new();
    for word in KEY_WORDS {
        anchors.push(Anchor::literal(word, Action::Call(assign::check)));
    }
    for &(literal, check) in LITERALS {
        anchors.push(Anchor::literal(literal, Action::Call(check)));
    }
    for (index, shape) in tokens::SHAPES.iter().enumerate() {
        anchors.push(token_anchor(shape.prefix, Action::Token(index)));
    }
    let followed: [(&[u8; 3], &[u8], Matcher); 7] = [
        (b"pwd", b"=: \"'_\\-1", assign::check),
        (b"eyj", WORD, forms::check_jwt),
        (b"7q~", WORD, forms::check_azure_secret),
        (b"8q~", WORD, forms::check_azure_secret),
        (b"://", b"abcdefghijklmnopqrstuvwxyz0123456789_-:%$*.~!+", urls::check_user_part),
        (b" -u", b" '\"\\abcdefghijklmnopqrstuvwxyz", commands::check_user_flag),
        (b" -p", b" '\"\\abcdefghijklmnopqrstuvwxyz0123456789", commands::check_password_flag),
    ];
    for (literal, followers, check) in followed {
        anchors.push(Anchor::followed(*literal, followers, Action::Call(check)));
    }
    anchors.push(Anchor::preceded(BEFORE_WORD, *b"sg.", Action::Call(forms::check_sendgrid)));
    anchors.push(Anchor::preceded(DIGITS, *b":aa", Action::Call(forms::check_telegram)));
    anchors.push(Anchor::classes(2, DISCORD_NUMBER, Action::Call(forms::check_discord)));
    anchors
}

/// The third to the sixth character of the base64 of a decimal number, which is how a Discord token
/// starts. The first two are no better than any two letters.
const DISCORD_NUMBER: [&[u8]; 4] = [b"aeimquycgk", b"wxyz012345", b"mno", b"dtjz"];

fn token_anchor(prefix: &'static str, action: Action) -> Anchor<Action> {
    match *prefix.as_bytes() {
        [a, b] => Anchor::enclosed(BEFORE_WORD, [a, b], HEX, action),
        // Followers would make the anchor as frequent as the syllable it ends in.
        [a @ b'c', b, c] => Anchor::preceded(BEFORE_WORD, [a, b, c], action),
        [a, b, c] => Anchor::followed([a, b, c], WORD, action),
        _ => Anchor::literal(prefix, action),
    }
}

/// What is already redacted is settled.
fn skip_placeholder(scan: &mut Scan<'_>, at: usize) {
    if let Some(length) = placeholder::length_at(scan.tail(at)) {
        scan.settled = at + length;
    }
}
