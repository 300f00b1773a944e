//! Made-up secrets of every common kind, and the places where they turn up.
//!
//! No complete token stands in this file: each is put together from a prefix and generated characters,
//! so that scanners of the repository stay quiet.

use std::fmt::Write as _;

/// A made-up secret.
#[derive(Clone, Debug)]
pub struct Planted {
    /// The kind, e.g. `github-token`.
    pub kind: &'static str,
    /// What must not survive.
    pub secret: String,
    /// The secret as it is usually written, with the context that gives it away.
    pub line: String,
    /// Whether the secret is recognisable without its context.
    pub self_evident: bool,
}

impl Planted {
    /// Pieces of the secret none of which may appear in anything that is stored.
    pub fn needles(&self) -> Vec<String> {
        let mut needles = Vec::new();
        for part in
            self.secret.split('\n').filter(|part| part.len() >= 4 && !part.starts_with("-----"))
        {
            needles.push(part.to_owned());
            if part.len() > 12 {
                needles.push(part[part.len() - 12..].to_owned());
            }
        }
        needles
    }
}

/// Where a secret stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// In the middle of a sentence.
    Prompt,
    /// Between characters of other scripts, without blanks.
    Unspaced,
    /// A JSON string.
    Json,
    /// A JSON string inside a JSON string.
    JsonInJson,
    /// Three levels of JSON.
    JsonDeep,
    /// A JSON string with some characters written as escapes.
    Escaped,
    /// JSON inside JSON with some characters written as escapes.
    EscapedDeep,
    /// Output of a command, after line breaks written as `\n`.
    ToolOutput,
    /// The query of a URL.
    Url,
    /// A file path.
    Path,
    /// A YAML member.
    Yaml,
    /// An exported variable.
    Env,
    /// An HTTP header.
    Header,
}

impl Position {
    /// All positions.
    pub const ALL: [Self; 13] = [
        Self::Prompt,
        Self::Unspaced,
        Self::Json,
        Self::JsonInJson,
        Self::JsonDeep,
        Self::Escaped,
        Self::EscapedDeep,
        Self::ToolOutput,
        Self::Url,
        Self::Path,
        Self::Yaml,
        Self::Env,
        Self::Header,
    ];

    /// A text with the secret in this position; nothing if the position would take away the context
    /// the secret is known by.
    pub fn place(self, planted: &Planted) -> Option<String> {
        let line = &planted.line;
        let secret = &planted.secret;
        let alone = |text: String| (planted.self_evident && !secret.contains('\n')).then_some(text);
        match self {
            Self::Prompt => Some(format!("please use this one:\n{line}\nand try again")),
            Self::Unspaced => alone(format!("鍵は{secret}です🔑")),
            Self::Json => Some(format!("{{\"command\":{},\"timeout\":5}}", json(line))),
            Self::JsonInJson => Some(json(&format!("{{\"input\": {}}}", json(line)))),
            Self::JsonDeep => Some(json(&json(&format!("{{\"a\": {}}}", json(line))))),
            Self::Escaped => Some(format!("{{\"text\": {}}}", escaped(line, secret))),
            Self::EscapedDeep => Some(json(&format!("{{\"text\": {}}}", escaped(line, secret)))),
            Self::ToolOutput => {
                Some(format!("{{\"stdout\":\"ok\\n{}\\nexit 0\"}}", bare_json(line)))
            }
            Self::Url => {
                alone(format!("GET https://api.internal/v1/items?page=2&access={secret}&limit=5"))
            }
            Self::Path => alone(format!("open /home/kim/tokens/{secret}/config.toml")),
            Self::Yaml => {
                alone(format!("service:\n  region: eu\n  value: {secret}\n  retries: 3\n"))
            }
            Self::Env => alone(format!("export SERVICE_VALUE={secret} && make deploy")),
            Self::Header => alone(format!("curl -H 'X-Custom: {secret}' https://api.internal/")),
        }
    }
}

/// `text` as a JSON string.
pub fn json(text: &str) -> String {
    format!("\"{}\"", bare_json(text))
}

fn bare_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            other => out.push(other),
        }
    }
    out
}

/// `line` as a JSON string in which the secret is written with escapes: its first character, all
/// dashes, and every eleventh character as `\u00XX`, slashes as `\/`.
fn escaped(line: &str, secret: &str) -> String {
    let mut hidden = String::new();
    for (at, character) in secret.chars().enumerate() {
        match character {
            '/' => hidden.push_str("\\/"),
            '\n' => hidden.push_str("\\n"),
            _ if at % 11 == 0 || character == '-' => {
                let _ = write!(hidden, "\\u{:04x}", u32::from(character));
            }
            _ => hidden.push_str(&bare_json(&character.to_string())),
        }
    }
    let (before, after) = line.split_once(secret).unwrap_or((line, ""));
    format!("\"{}{hidden}{}\"", bare_json(before), bare_json(after))
}

/// Deterministic pseudo-random numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    fn pick(&mut self, alphabet: &[u8]) -> char {
        char::from(alphabet[(self.next() % alphabet.len() as u64) as usize])
    }
}

const LOWER: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
const UPPER: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGIT: &[u8] = b"0123456789";
const HEX: &[u8] = b"0123456789abcdef";
const BASE32: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const ALNUM: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const URL64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const SYMBOL: &[u8] = b"!#%^*@?";

/// Fills a pattern: a percent sign, a count and a letter stand for that many random characters
/// (`%36a`); everything else is copied. Letters: `a` letters and digits, `h` hex, `d` digits,
/// `B` base32, `u` URL-safe base64, `b` base64, `l` lower case, `U` upper case, `p` a password.
fn fill(pattern: &str, random: &mut Random) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let count = after[..digits].parse().unwrap_or(1);
        let class = after.as_bytes().get(digits).copied().unwrap_or(b'a');
        push_random(&mut out, class, count, random);
        rest = after.get(digits + 1..).unwrap_or("");
    }
    out.push_str(rest);
    out
}

fn push_random(out: &mut String, class: u8, count: usize, random: &mut Random) {
    let alphabet = match class {
        b'h' => HEX,
        b'd' => DIGIT,
        b'B' => BASE32,
        b'u' => URL64,
        b'b' => BASE64,
        b'l' => LOWER,
        b'U' => UPPER,
        b'p' => return push_password(out, count, random),
        _ => ALNUM,
    };
    // The outer characters are letters or digits: a token that ends in a dash is cut by any reader.
    let ends = if matches!(class, b'u' | b'b') { ALNUM } else { alphabet };
    for at in 0..count {
        let edge = at == 0 || at + 1 == count;
        out.push(random.pick(if edge { ends } else { alphabet }));
    }
}

fn push_password(out: &mut String, count: usize, random: &mut Random) {
    for at in 0..count {
        let alphabet = match at % 5 {
            0 => UPPER,
            3 => DIGIT,
            4 if at > 4 && at + 1 < count => SYMBOL,
            _ => LOWER,
        };
        out.push(random.pick(alphabet));
    }
}

/// Kind and pattern of secrets that are known by their own form.
const TOKENS: &[(&str, &str)] = &[
    ("anthropic-key", "sk-ant-api03-%93uAA"),
    ("anthropic-key", "sk-ant-oat01-%80uAA"),
    ("openai-key", "sk-%48a"),
    ("openai-key", "sk-proj-%120u"),
    ("openai-key", "sk-svcacct-%80u"),
    ("openrouter-key", "sk-or-v1-%64h"),
    ("xai-key", "xai-%80a"),
    ("groq-key", "gsk_%52a"),
    ("google-api-key", "AIza%35u"),
    ("google-oauth-secret", "GOCSPX-%28u"),
    ("google-oauth-token", "ya29.%90u"),
    ("github-token", "ghp_%36a"),
    ("github-token", "gho_%36a"),
    ("github-token", "ghu_%36a"),
    ("github-token", "ghs_%36a"),
    ("github-token", "ghr_%36a"),
    ("github-token", "github_pat_%22a_%59a"),
    ("gitlab-token", "glpat-%20u"),
    ("gitlab-token", "gldt-%20u"),
    ("aws-access-key-id", "AKIA%16B"),
    ("aws-access-key-id", "ASIA%16B"),
    ("azure-secret", "%3a8Q~%34a"),
    ("slack-token", "xoxb-%12d-%12d-%24a"),
    ("slack-token", "xoxp-%12d-%12d-%12d-%32h"),
    ("slack-token", "xapp-1-A%10B-%13d-%64h"),
    ("discord-bot-token", "MTA4Nz%18a.G%5a.%38u"),
    ("telegram-bot-token", "7%9d:AA%33u"),
    ("stripe-key", "sk_live_%24a"),
    ("stripe-key", "rk_live_%24a"),
    ("stripe-webhook-secret", "whsec_%32a"),
    ("twilio-key", "SK%32h"),
    ("sendgrid-key", "SG.%22u.%43u"),
    ("mailgun-key", "key-%32h"),
    ("npm-token", "npm_%36a"),
    ("pypi-token", "pypi-AgEIcHlwaS5vcmc%150u"),
    ("crates-io-token", "cio%32a"),
    ("hugging-face-token", "hf_%34a"),
    ("docker-token", "dckr_pat_%27u"),
    ("digitalocean-token", "dop_v1_%64h"),
    ("newrelic-key", "NRAK-%27B"),
    ("linear-key", "lin_api_%40a"),
    ("notion-token", "secret_%43a"),
    ("notion-token", "ntn_%46a"),
    ("figma-token", "figd_%40u"),
    ("vault-token", "hvs.%90u"),
    ("databricks-token", "dapi%32h"),
    ("supabase-key", "sbp_%40h"),
    ("age-key", "AGE-SECRET-KEY-1%58B"),
    ("jwt", "eyJ%33a.eyJ%80u.%43u"),
    ("jwt", "eyJhbGciOiJIUzI1NiJ9.eyJ%60a.%43u"),
    ("shopify-token", "shpat_%32h"),
    ("grafana-token", "glsa_%32a_%8h"),
    ("tailscale-key", "tskey-auth-%12a-%32a"),
    ("postman-key", "PMAK-%24h-%34h"),
];

/// Kind, text before, pattern and text after of secrets that are known by where they stand.
const IN_CONTEXT: &[(&str, &str, &str, &str)] = &[
    ("aws-secret-key", "AWS_SECRET_ACCESS_KEY=", "%40b", ""),
    ("aws-secret-key", "aws_secret_access_key = ", "%40b", ""),
    ("azure-storage-key", "AccountName=shop;AccountKey=", "%86b==", ";EndpointSuffix=x"),
    ("twilio-auth-token", "TWILIO_AUTH_TOKEN=", "%32h", ""),
    ("heroku-key", "HEROKU_API_KEY=", "%8h-%4h-%4h-%4h-%12h", ""),
    ("cloudflare-token", "CLOUDFLARE_API_TOKEN: \"", "%40u", "\""),
    ("datadog-key", "DD_API_KEY=", "%32h", ""),
    ("slack-webhook", "https://hooks.slack.com/services/", "T%8B/B%8B/%24a", ""),
    ("discord-webhook", "https://discord.com/api/webhooks/112233445566778899/", "%68u", ""),
    ("sentry-dsn", "dsn = \"https://", "%32h", "@o42.ingest.sentry.io/7\""),
    ("authorization-header", "Authorization: Bearer ", "%40a", ""),
    ("authorization-header", "{\"Authorization\": \"token ", "%40h", "\"}"),
    ("bearer-token", "curl -H \"authorization: bearer ", "%43u", "\""),
    ("x-api-key", "x-api-key: ", "%32h", ""),
    ("cookie", "Cookie: theme=dark; session=", "%64h", "; lang=de"),
    ("cookie", "Set-Cookie: sid=", "%48a", "; Path=/; HttpOnly"),
    ("connection-string", "postgres://app:", "%14p", "@db.internal:5432/shop"),
    ("connection-string", "DATABASE_URL=mysql://root:", "%20a", "@127.0.0.1/shop"),
    ("connection-string", "mongodb+srv://svc:", "%24a", "@cluster0.internal/?w=1"),
    ("connection-string", "redis://:", "%32a", "@cache.internal:6379/0"),
    ("connection-string", "amqps://svc:", "%16a", "@mq.internal/v"),
    ("connection-string", "Server=db;User Id=sa;Password=", "%14p", ";Encrypt=true"),
    ("url-password", "git clone https://deploy:", "%24a", "@git.internal/team/app.git"),
    ("password", "DB_PASSWORD=", "%12p", ""),
    ("password", "  password: ", "%12p", ""),
    ("password", "{\"user\":\"kim\",\"password\":\"", "%12p", "\"}"),
    ("password", "password = '", "%10p", "'"),
    ("password", "PGPASSWORD=", "%16a", " psql -h db.internal"),
    ("password", "<password>", "%12p", "</password>"),
    ("cli-password", "mysqldump -uroot -p'", "%12p", "' shop"),
    ("cli-password", "curl -u kim:", "%14a", " https://api.internal/me"),
    ("cli-password", "sshpass -p ", "%12a", " ssh kim@host"),
    ("flag", "tool login --password ", "%12p", " --verbose"),
    ("flag", "tool login --token=", "%32a", " --verbose"),
    ("assigned-secret", "client_secret: ", "%32a", ""),
    ("assigned-secret", "\"apiKey\": \"", "%32h", "\","),
    ("assigned-secret", "os.environ[\"SERVICE_TOKEN\"] = \"", "%40a", "\""),
    ("assigned-secret", "const signingKey: string = \"", "%44a", "\";"),
    ("assigned-secret", "//npm.internal/:_authToken=", "%36a", ""),
    ("high-entropy", "\"auth\": \"", "%56a", "\""),
    ("high-entropy", "FERNET_KEY='", "%43u=", "'"),
];

const ARMOURS: &[(&str, &str)] = &[
    ("private-key", "RSA PRIVATE KEY"),
    ("private-key", "PRIVATE KEY"),
    ("private-key", "EC PRIVATE KEY"),
    ("openssh-private-key", "OPENSSH PRIVATE KEY"),
    ("pgp-private-key", "PGP PRIVATE KEY BLOCK"),
];

/// How many secrets are made from each pattern.
const PER_PATTERN: usize = 4;

/// Several hundred made-up secrets; the same seed gives the same ones.
pub fn planted(seed: u64) -> Vec<Planted> {
    let mut random = Random(seed ^ 0x5EC2_E700);
    let mut all = Vec::new();
    for _ in 0..PER_PATTERN {
        for &(kind, pattern) in TOKENS {
            let secret = fill(pattern, &mut random);
            all.push(Planted { kind, line: secret.clone(), secret, self_evident: true });
        }
        for &(kind, before, pattern, after) in IN_CONTEXT {
            let secret = fill(pattern, &mut random);
            all.push(Planted {
                kind,
                line: format!("{before}{secret}{after}"),
                secret,
                self_evident: false,
            });
        }
        for &(kind, label) in ARMOURS {
            all.extend(armoured(kind, label, &mut random));
        }
    }
    all
}

/// A whole block, and one whose end is cut off.
fn armoured(kind: &'static str, label: &str, random: &mut Random) -> [Planted; 2] {
    let body = fill("%64b\n%64b\n%64b\n%37b=", random);
    let whole = format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----");
    let cut = format!("-----BEGIN {label}-----\n{body}");
    [whole, cut].map(|secret| Planted { kind, line: secret.clone(), secret, self_evident: true })
}
