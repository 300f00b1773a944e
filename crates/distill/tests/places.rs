//! Single places worth a test of their own: what goes, and that nothing else goes with it.

use backstory_distill::Redactor;

/// A generated-looking string that stands nowhere in this file.
fn random(length: usize) -> String {
    let alphabet = b"aB3dE5gH7jK9mN2pQ4sT6vW8xY";
    (0..length).map(|at| char::from(alphabet[(at * 7 + at / 5) % alphabet.len()])).collect()
}

fn base64(length: usize) -> String {
    format!("{}{}", random(length - 2), "==")
}

/// Replaces `§` by the secret and expects the output with `§` as a placeholder of `kind`.
#[track_caller]
fn expect(kind: &str, secret: &str, text: &str) {
    let redactor = Redactor::new();
    let mut out = String::new();
    let mut findings = Vec::new();
    redactor.redact_into(&text.replace('§', secret), &mut out, &mut findings);
    let found = findings.first().map(|finding| (finding.kind, finding.fingerprint.clone()));
    let Some((found, fingerprint)) = found else { panic!("nothing found in {text} with {secret}") };
    assert_eq!(found, kind, "{out}");
    let placeholder = format!("[REDACTED:{kind}:{fingerprint}]");
    assert_eq!(out, text.replace('§', &placeholder));
}

#[test]
fn assignments_in_many_languages() {
    for text in [
        "client_secret=§",
        "CLIENT_SECRET: §",
        "clientSecret = '§';",
        "\"clientSecret\" : \"§\",",
        "{\\\"client_secret\\\":\\\"§\\\"}",
        "{\\\\\\\"client_secret\\\\\\\": \\\\\\\"§\\\\\\\"}",
        "client-secret => \"§\"",
        "let client_secret: &str = \"§\";",
        "client_secret: str = \"§\"",
        "client_secret := `§`",
        "$env:CLIENT_SECRET = \"§\"",
        "set CLIENT_SECRET=§",
        "ENV CLIENT_SECRET §",
        "os.environ['CLIENT_SECRET'] = '§'",
        "setenv(\"CLIENT_SECRET\", \"§\", 1)",
        "<add key=\"ClientSecret\" value=\"§\"/>",
        "<client_secret>§</client_secret>",
        "tool --client-secret §",
        "tool --client-secret=§ --verbose",
        "https://login.internal/token?client_secret=§&grant_type=x",
        "my client secret is: client_secret is §",
        "{\"command\":\"export CLIENT_SECRET=§\\nrun\"}",
        "a: 1\\nclient_secret: §\\nb: 2",
        "CLIENT_SECRET_PROD=§",
        "API key: §",
        "x-api-key: §",
        "npm config set //npm.internal/:_authToken §",
    ] {
        expect("assigned-secret", &random(32), text);
    }
}

#[test]
fn passwords_in_many_places() {
    let password = format!("{}!{}", random(5), random(4));
    for text in [
        "DB_PASSWORD=§",
        "password: §",
        "\"password\": \"§\"",
        "spring.datasource.password=§",
        "Server=db;Password=§;Encrypt=true",
        "machine git.internal login kim password §",
        "ALTER ROLE app WITH PASSWORD '§'",
        "tool --password '§'",
        "requirepass §",
        "the password is §",
    ] {
        expect("password", &password, text);
    }
}

#[test]
fn passwords_with_symbols_go_whole() {
    let password = ["Qx7", "&k<2", ",z|9", ">w!"].concat();
    for text in [
        "db:\n  password: §\n  port: 1\n",
        "DB_PASSWORD=§\nB=1",
        "x = 1\npassword=§\n",
        "{\"password\":\"§\"}",
    ] {
        expect("password", &password, text);
    }
}

#[test]
fn passwords_on_command_lines() {
    for text in [
        "curl -s -u kim:§ https://api.internal",
        "curl -u 'kim:§' https://api.internal",
        "{\"command\":\"curl -u \\\"kim:§\\\" https://api.internal\"}",
        "curl --user kim:§ https://api.internal",
        "mysql -h db -p§ shop",
        "sshpass -p '§' ssh host",
        "redis-cli -h cache -a § ping",
        "openssl rsa -passin pass:§ -in k.pem",
        "CREATE USER app IDENTIFIED BY '§'",
    ] {
        expect("cli-password", &random(14), text);
    }
}

#[test]
fn credentials_in_urls() {
    expect("connection-string", "pa/s5w?Qx9", "postgres://app:§@db.internal/shop");
    expect("connection-string", "p@s5wQx9", "mysql://app:§@db.internal/shop");
    expect("connection-string", &random(20), "postgres:\\/\\/app:§@db.internal\\/shop");
    expect("url-password", &random(20), "https://kim:§@git.internal/a.git");
    expect("azure-shared-signature", &format!("{}%3D", random(43)), "https://x/y?sv=1&sig=§&se=2");
}

#[test]
fn headers_of_all_schemes() {
    expect("authorization-header", &random(32), "Authorization: Bearer §");
    expect("authorization-header", &random(32), "\"authorization\":\"token §\"");
    expect("authorization-header", &random(32), "-H 'Authorization: §'");
    expect("bearer-token", &random(40), "Proxy says bearer §, then");
    // user:secret99 in base64, in two pieces
    expect("basic-auth", &["dXNlcjpz", "ZWNyZXQ5OQ=="].concat(), "Authorization: Basic §");
    expect("basic-auth", &["dXNlcjpz", "ZWNyZXQ5OQ=="].concat(), "curl -H \"X: Basic §\"");
    expect("cookie", &random(32), "Cookie: theme=dark; sid=§; lang=de");
    expect("high-entropy", &base64(40), "{\"auths\":{\"r.internal\":{\"auth\":\"§\"}}}");
}

#[test]
fn private_keys_whole_flat_indented_and_cut() {
    let line = random(64);
    let (begin, end) = ("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----");
    for separator in ["\n", "\r\n", "\\n", "\\\\n", "\n    ", " "] {
        let block = [begin, &line, &line, &line[..20], end].join(separator);
        expect("private-key", &block, "before\n§\nafter");
        let cut = [begin, &line, &line].join(separator);
        expect("private-key", &cut, "before\n§");
    }
    let legacy = format!(
        "{begin}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123\n\n{line}\n{line}\n{end}"
    );
    expect("private-key", &legacy, "§\n");
    let google =
        format!("-----BEGIN PRIVATE KEY-----\\n{line}\\n{line}\\n-----END PRIVATE KEY-----\\n");
    let redacted =
        Redactor::new().redact(&format!("{{\"private_key\": \"{google}\"}}")).into_owned();
    assert!(
        redacted.starts_with("{\"private_key\": \"[REDACTED:gcp-service-account-key:"),
        "{redacted}"
    );
}

#[test]
fn talk_about_private_keys_is_clean() {
    let redactor = Redactor::new();
    for text in [
        "look for -----BEGIN RSA PRIVATE KEY----- in the file and report it",
        "if s.contains(\"-----BEGIN PRIVATE KEY-----\") { removeTheWholePrivateKeyBlock(s) }",
        "[\"-----BEGIN RSA PRIVATE KEY-----\",\n \"-----BEGIN EC PRIVATE KEY-----\"]",
        "format!(\"-----BEGIN PRIVATE KEY-----\\n{body}\\n-----END PRIVATE KEY-----\")",
    ] {
        assert_eq!(redactor.redact(text), text);
    }
}

#[test]
fn the_same_secret_has_the_same_fingerprint_and_another_has_another() {
    let redactor = Redactor::new();
    let token = format!("ghp_{}", random(36));
    let print = |text: &str| {
        let mut findings = Vec::new();
        redactor.redact_into(text, &mut String::new(), &mut findings);
        findings.remove(0).fingerprint
    };
    let plain = print(&token);
    assert_eq!(plain, print(&format!("GITHUB_TOKEN={token}")));
    assert_eq!(plain, print(&format!("https://kim:{token}@github.com/a")));
    assert_eq!(plain, print(&token.replace("gh", "\\u0067h")));
    assert_ne!(plain, print(&format!("ghp_{}", random(37))));
    assert_eq!(plain.len(), 8);
}

#[test]
fn text_redacted_before_stays() {
    let redactor = Redactor::new();
    for text in [
        "password=[REDACTED:password:0123abcd]",
        "\"token\": \"[REDACTED:github-token:0123abcd]\"",
        "https://kim:[REDACTED:url-password:0123abcd]@git.internal",
        "curl -u kim:[REDACTED:cli-password:0123abcd] x",
        "Cookie: sid=[REDACTED:cookie:0123abcd]; b=c",
        "Authorization: Bearer [REDACTED:authorization-header:0123abcd]",
    ] {
        assert_eq!(redactor.redact(text), text);
    }
}

#[test]
fn keys_in_hex_that_hold_few_letters() {
    let key = "618273130284109611f37062161024eb";
    expect("sentry-dsn", key, "dsn = \"https://§@o42.ingest.sentry.io/7\"");
    expect("url-password", key, "git clone https://§@git.internal/app.git");
    let session = "74088162000877b379bcbab64f69532554889810468669b799b9751173ed9907";
    expect("cookie", session, "Cookie: theme=dark; session=§; lang=de");
}

#[test]
fn keys_in_which_chance_repeats_a_character() {
    let hex = "2c85ce4b5aa4137df12dddddd95c3c7716f7939744d1b5389dc04205acdd8ad1";
    expect("digitalocean-token", &format!("dop_v1_{hex}"), "use § now");
    expect("cookie", hex, "Cookie: session=§");
    expect("assigned-secret", &hex[..32], "api_key=§");
    expect("aws-access-key-id", &format!("AKIA{}", "J77J7QWYJJQ267QQ"), "use § now");
}

#[test]
fn words_that_stand_in_a_secret_by_chance() {
    expect("password", "mOCkZ7wU3F2Ash8y", "PGPASSWORD=§ psql -h db.internal");
    expect("password", "ZToFpPAXXXxDAKX9", "PGPASSWORD=§ psql -h db.internal");
    let connection = "redis://:§@cache.internal:6379/0";
    expect("connection-string", "iUyOUrHXeRfU68Mfechyeek9Sxd40M1u", connection);
    let clone = "git clone https://deploy:§@git.internal/team/app.git";
    expect("url-password", "YOURmA4Wc82LC07NHLgqOY5w", clone);
}

#[test]
fn keys_that_are_nearly_pronounceable() {
    for body in ["obetAFFevcoufttar3aKrbvr", "OaomuterrNf0rpChxDaakomh"] {
        expect("stripe-key", &format!("sk_{}_{body}", "live"), "use § now");
    }
}

#[test]
fn a_path_behind_a_key_does_not_hide_it() {
    let body = "8UCDslasmTafNtQaAworkLieseEfKKCy";
    let text = format!("open /home/kim/tokens/whsec_{body}/config.toml");
    let redactor = Redactor::new();
    assert!(!redactor.redact(&text).contains(body));
}

#[test]
fn urls_that_were_cut_behind_their_password() {
    let key = "6e055e84e741687a35c1864701dc0fff";
    for end in ["", "\",\"leafUuid\":\"x\"", "\\\",\\\"leafUuid\\\":"] {
        expect("sentry-dsn", key, &format!("dsn = https://§@o1.ingest.sentry.io{end}"));
        expect("url-password", key, &format!("dsn = https://§@{end}"));
        expect("connection-string", &random(20), &format!("URL=mysql://root:§@{end}"));
        expect("connection-string", &random(20), &format!("URL=mysql://root:§{end}"));
        expect("url-password", &random(20), &format!("clone https://deploy:§{end}"));
    }
}
