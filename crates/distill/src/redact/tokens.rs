//! Tokens that a provider marks with a prefix, as one table.

use super::charset::{
    self, ALNUM, ALPHA, DASH, DIGIT, DOT, HEX, LOWER, Set, UPPER_DIGIT, WORD, WORD_DASH,
};
use super::entropy::Makeup;
use super::scan::Scan;

/// A prefix and what follows it.
pub(super) struct Shape {
    pub(super) kind: &'static str,
    pub(super) prefix: &'static str,
    body: Set,
    least: usize,
    most: usize,
    care: Care,
}

impl Shape {
    /// Nothing but a key begins like this, and no separators make words of what follows.
    const fn is_telling(&self) -> bool {
        self.prefix.len() >= 8 && self.body & (DASH | charset::UNDERSCORE) == 0
    }
}

/// What else must hold, as some prefixes are also pieces of words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Care {
    /// The prefix is like nothing else.
    None,
    /// Must start a word.
    Word,
    /// Must start a word, and the body must look generated.
    Random,
    /// Must start a word, and the body must look generated or hold long numbers.
    Numbered,
}

/// Longer runs are data, not a token.
const LONGEST: usize = 1024;
/// So much of a body is enough to judge it.
const JUDGED: usize = 128;

const fn shape(kind: &'static str, prefix: &'static str, body: Set, least: usize) -> Shape {
    Shape { kind, prefix, body, least, most: LONGEST, care: Care::None }
}

const fn word(kind: &'static str, prefix: &'static str, body: Set, least: usize) -> Shape {
    Shape { kind, prefix, body, least, most: LONGEST, care: Care::Word }
}

const fn random(kind: &'static str, prefix: &'static str, body: Set, least: usize) -> Shape {
    Shape { kind, prefix, body, least, most: LONGEST, care: Care::Random }
}

const fn numbered(kind: &'static str, prefix: &'static str, body: Set, least: usize) -> Shape {
    Shape { kind, prefix, body, least, most: LONGEST, care: Care::Numbered }
}

const fn exact(kind: &'static str, prefix: &'static str, body: Set, length: usize) -> Shape {
    Shape { kind, prefix, body, least: length, most: length, care: Care::Word }
}

/// All prefixes. Longer ones come before their own beginnings.
pub(super) const SHAPES: &[Shape] = &[
    shape("anthropic-key", "sk-ant-", WORD_DASH, 20),
    shape("openrouter-key", "sk-or-v1-", WORD_DASH, 24),
    random("langfuse-key", "sk-lf-", WORD_DASH, 24),
    shape("openai-key", "sk-proj-", WORD_DASH, 20),
    shape("openai-key", "sk-svcacct-", WORD_DASH, 20),
    shape("openai-key", "sk-admin-", WORD_DASH, 20),
    random("openai-key", "sk-", WORD_DASH, 20),
    random("xai-key", "xai-", WORD_DASH, 24),
    random("groq-key", "gsk_", ALNUM, 32),
    random("perplexity-key", "pplx-", ALNUM, 32),
    random("replicate-token", "r8_", ALNUM, 30),
    random("fireworks-key", "fw_", ALNUM, 20),
    random("tavily-key", "tvly-", WORD_DASH, 24),
    shape("langsmith-key", "lsv2_pt_", WORD, 32),
    shape("langsmith-key", "lsv2_sk_", WORD, 32),
    word("google-api-key", "AIza", WORD_DASH, 35),
    shape("google-oauth-secret", "GOCSPX-", WORD_DASH, 24),
    word("google-oauth-token", "ya29.", WORD_DASH, 30),
    random("google-oauth-token", "1//0", WORD_DASH, 30),
    shape("github-token", "ghp_", ALNUM, 30),
    shape("github-token", "gho_", ALNUM, 30),
    shape("github-token", "ghu_", ALNUM, 30),
    shape("github-token", "ghs_", ALNUM, 30),
    shape("github-token", "ghr_", ALNUM, 30),
    shape("github-token", "github_pat_", WORD, 40),
    word("gitlab-token", "glpat-", WORD_DASH | DOT, 20),
    word("gitlab-token", "gldt-", WORD_DASH, 20),
    word("gitlab-token", "glrt-", WORD_DASH | DOT, 20),
    word("gitlab-token", "glft-", WORD_DASH, 20),
    word("gitlab-token", "glsoat-", WORD_DASH, 20),
    word("gitlab-token", "glcbt-", WORD_DASH, 20),
    word("gitlab-token", "glptt-", WORD_DASH, 20),
    word("gitlab-token", "glimt-", WORD_DASH, 20),
    word("gitlab-token", "glagent-", WORD_DASH, 20),
    word("gitlab-token", "gloas-", WORD_DASH, 20),
    exact("aws-access-key-id", "AKIA", UPPER_DIGIT, 16),
    exact("aws-access-key-id", "ASIA", UPPER_DIGIT, 16),
    numbered("slack-token", "xoxa-", WORD_DASH, 20),
    numbered("slack-token", "xoxb-", WORD_DASH, 20),
    numbered("slack-token", "xoxc-", WORD_DASH, 20),
    numbered("slack-token", "xoxd-", WORD_DASH, 20),
    numbered("slack-token", "xoxe-", WORD_DASH, 20),
    numbered("slack-token", "xoxe.xox", WORD_DASH, 20),
    numbered("slack-token", "xoxo-", WORD_DASH, 20),
    numbered("slack-token", "xoxp-", WORD_DASH, 20),
    numbered("slack-token", "xoxr-", WORD_DASH, 20),
    numbered("slack-token", "xoxs-", WORD_DASH, 20),
    numbered("slack-token", "xapp-1-", WORD_DASH, 20),
    random("stripe-key", "sk_live_", ALNUM, 16),
    random("stripe-key", "sk_test_", ALNUM, 16),
    random("stripe-key", "rk_live_", ALNUM, 16),
    random("stripe-key", "rk_test_", ALNUM, 16),
    random("stripe-webhook-secret", "whsec_", charset::BASE64, 24),
    exact("twilio-key", "SK", HEX, 32),
    exact("mailgun-key", "key-", HEX, 32),
    exact("npm-token", "npm_", ALNUM, 36),
    shape("pypi-token", "pypi-AgE", WORD_DASH, 40),
    exact("crates-io-token", "cio", ALNUM, 32),
    random("rubygems-key", "rubygems_", HEX, 40),
    exact("nuget-key", "oy2", LOWER | DIGIT, 43),
    exact("hugging-face-token", "hf_", ALNUM, 34),
    random("hugging-face-token", "api_org_", ALPHA, 30),
    shape("docker-token", "dckr_pat_", WORD_DASH, 20),
    shape("docker-token", "dckr_oat_", WORD_DASH, 20),
    shape("digitalocean-token", "dop_v1_", HEX, 40),
    shape("digitalocean-token", "doo_v1_", HEX, 40),
    shape("digitalocean-token", "dor_v1_", HEX, 40),
    random("heroku-key", "HRKU-", WORD_DASH, 32),
    random("cloudflare-token", "cfut_", ALNUM, 32),
    random("cloudflare-token", "cfat_", ALNUM, 32),
    random("cloudflare-token", "v1.0-", HEX | DASH, 100),
    word("newrelic-key", "NRAK-", UPPER_DIGIT, 24),
    word("newrelic-key", "NRII-", WORD_DASH, 24),
    shape("sentry-token", "sntrys_", WORD_DASH | charset::BASE64_EXTRA, 40),
    shape("sentry-token", "sntryu_", HEX, 40),
    shape("linear-key", "lin_api_", ALNUM, 30),
    shape("linear-key", "lin_oauth_", ALNUM, 30),
    random("notion-token", "secret_", ALNUM, 40),
    random("notion-token", "ntn_", ALNUM, 36),
    random("figma-token", "figd_", WORD_DASH, 30),
    word("vault-token", "hvs.", WORD_DASH, 24),
    word("vault-token", "hvb.", WORD_DASH, 24),
    word("vault-token", "hvr.", WORD_DASH, 24),
    exact("databricks-token", "dapi", HEX, 32),
    exact("supabase-key", "sbp_", HEX, 40),
    random("supabase-key", "sb_secret_", WORD_DASH, 24),
    shape("age-key", "AGE-SECRET-KEY-1", UPPER_DIGIT, 50),
    shape("planetscale-token", "pscale_tkn_", WORD_DASH | DOT, 30),
    shape("planetscale-token", "pscale_pw_", WORD_DASH | DOT, 30),
    shape("planetscale-token", "pscale_oauth_", WORD_DASH | DOT, 30),
    shape("shopify-token", "shpat_", HEX, 32),
    shape("shopify-token", "shpss_", HEX, 32),
    shape("shopify-token", "shpca_", HEX, 32),
    shape("shopify-token", "shppa_", HEX, 32),
    word("square-token", "sq0atp-", WORD_DASH, 22),
    word("square-token", "sq0csp-", WORD_DASH, 40),
    random("netlify-token", "nfp_", ALNUM, 36),
    random("render-key", "rnd_", ALNUM, 24),
    random("fly-token", "fm2_", charset::BASE64, 60),
    random("fly-token", "fo1_", WORD_DASH, 40),
    word("doppler-token", "dp.pt.", ALNUM, 40),
    word("doppler-token", "dp.st.", ALNUM | DOT, 40),
    word("atlassian-token", "ATATT3", WORD_DASH | charset::BASE64_EXTRA, 60),
    word("atlassian-token", "ATCTT3", WORD_DASH | charset::BASE64_EXTRA, 60),
    word("postman-key", "PMAK-", HEX | DASH, 50),
    random("grafana-token", "glc_", charset::BASE64, 40),
    word("grafana-token", "glsa_", WORD, 40),
    word("dynatrace-token", "dt0c01.", UPPER_DIGIT | DOT, 80),
    exact("pulumi-token", "pul-", HEX, 40),
    word("tailscale-key", "tskey-", WORD_DASH, 24),
    word("jfrog-token", "AKCp", ALNUM, 60),
];

/// Judges the candidate of shape `index` at `at`.
pub(super) fn check(scan: &mut Scan<'_>, index: usize, at: usize) {
    let shape = &SHAPES[index];
    if !scan.starts_with(at, shape.prefix) {
        return;
    }
    if shape.care != Care::None && !scan.word_starts(at) {
        return;
    }
    // Base64 in the URL alphabet holds such short prefixes by chance.
    let short =
        shape.care == Care::Random && shape.prefix.len() <= 4 && shape.prefix.ends_with('_');
    if short && matches!(scan.before(at), b'-' | b'_') {
        return;
    }
    let from = at + shape.prefix.len();
    let mut end = scan.run_end(from, shape.body);
    while matches!(scan.before(end), b'.' | b'-') && end > from {
        end -= 1;
    }
    if !(shape.least..=shape.most).contains(&(end - from)) {
        return;
    }
    let body = scan.slice(from, end);
    let makeup = Makeup::of(judged(shape, body));
    let generated = match shape.care {
        Care::Random => makeup.random() || shape.is_telling() && makeup.mixed(),
        Care::Numbered => makeup.random() || makeup.digits >= 10 && makeup.distinct >= 8,
        Care::None | Care::Word => {
            // An alphabet with separators also spells `your-key-goes-here`.
            let spells = shape.body & (DASH | charset::UNDERSCORE) != 0;
            // A given length is a sign of its own.
            let least_distinct = if shape.least == shape.most { 6 } else { 8 };
            makeup.distinct >= least_distinct
                && !makeup.repetitive()
                && (!spells || makeup.switches >= 4 || makeup.uppers >= 4)
        }
    };
    if generated && !is_documentation_sample(body) {
        // Anchors of long prefixes may lie behind those of their beginnings; the longest one names.
        let longest =
            SHAPES.iter().find(|other| scan.starts_with(at, other.prefix)).unwrap_or(shape);
        scan.push_shaped((at, end), longest.kind);
    }
}

/// The part of a body to judge. Where a slash belongs to the alphabet a path may go on behind the
/// token.
fn judged<'b>(shape: &Shape, body: &'b [u8]) -> &'b [u8] {
    let body = &body[..body.len().min(JUDGED)];
    let head = memchr::memchr(b'/', body).map_or(body, |slash| &body[..slash]);
    if head.len() >= shape.least { head } else { body }
}

/// Manuals mark their samples.
fn is_documentation_sample(body: &[u8]) -> bool {
    body.ends_with(b"EXAMPLE")
}
