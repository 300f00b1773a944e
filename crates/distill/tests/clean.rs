//! What looks like a secret and is none stays as it is, byte for byte.

use backstory_distill::Redactor;

/// One text per line or per element; none holds a secret.
const CLEAN: &[&str] = &[
    // digests, commits, identifiers
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "token id 123e4567-e89b-12d3-a456-426614174000",
    "{\"token\": \"123e4567-e89b-12d3-a456-426614174000\"}",
    "\"integrity\": \"sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg==\"",
    "checksum = \"1e37cfd5e7657ada45f742d6e99ca5788580b5c529dc78faf11ece6dc702656f\"",
    "\"session_id\":\"0199f0a2-6c1e-7b3c-9d0e-1f2a3b4c5d6e\"",
    "\"id\":\"toolu_01A09q90qw90lq917835lq9\",\"call_id\":\"call_aBcDeFgH12345678iJkLmNoP\"",
    "ETag: W/\"33a64df551425fcc55e4d42a148795d9f25f89d4\"",
    "cache_key = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"",
    "\"primary_key\": \"order_id\", \"foreign_key\": \"customer_id\"",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl kim@host",
    "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ2u1Zz0example0B9w0BAQsFADAUMRIwEAYD\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEabc\n-----END PUBLIC KEY-----",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "\"signature\":\"EqQBCkYIBxgCKkB2b0RkZ3RlVmF4bWFrZXNub3NlbnNlYXRhbGwxMjM0NTY3ODkwYWJjZGVm\"",
    // code
    "password = os.getenv(\"DB_PASSWORD\")",
    "password = os.environ[\"DB_PASSWORD\"]",
    "const token = process.env.GITHUB_TOKEN;",
    "token: string",
    "token: Uint8Array",
    "password: Option<String>,",
    "password: [u8; 32],",
    "let secret = Secret::from_bytes(&bytes)?;",
    "api_key=None",
    "api_key: str | None = None",
    "apiKey: config.apiKey,",
    "api_key=api_key",
    "self.token = token2",
    "token = tokens[0]",
    "password = hash_password(user.password1)",
    "password = user.profile.password2",
    "if (password !== confirmPassword) {",
    "secret_key = generate_secret_key(32)",
    "auth = HTTPBasicAuth(user, password)",
    "const auth = useAuth2Context();",
    "fn parse_token(token: &str) -> Token {",
    "token := strings.TrimPrefix(header, \"Bearer \")",
    "Authorization: Bearer ${TOKEN}",
    "Authorization: Bearer $GITHUB_TOKEN",
    "headers = {\"Authorization\": f\"Bearer {token}\"}",
    "authorization: Bearer <token>",
    "Authorization: Basic <base64>",
    "curl -u $USER:$PASS https://api.internal/",
    "curl -u user:password https://api.internal/",
    "mysql -u root -p shop",
    "mkdir -p src/redact && grep -pattern",
    "docker run -p8080:80 nginx",
    "re.compile(r'password=(\\S+)')",
    "password=\"([^\"]+)\"",
    "token_count = 42; tokenizer.encode(text)",
    "max_tokens: 4096, \"tokens\": 1234, \"input_tokens\": 18230",
    "the secretary keeps the secretariat",
    "author = \"Kim Larsen 2 <kim@mail.internal>\"",
    "authors = [\"a1b2c3\"]",
    "rm ~/.codex/auth.json",
    "token_type: bearer2, password_field: \"pw1field\"",
    "secret_name = \"prod/db/password-7\"",
    "passwordHash: \"$2b$10$abcdefghijklmnopqrstuv\"",
    "PASSWORD_FILE=/run/secrets/db1",
    "SSL_KEY=/etc/ssl/private/server1.key",
    "private_key: ./keys/dev1.pem",
    "token_url: https://login.internal/oauth2/v2.0/token",
    "secret: projects/12/secrets/db-password/versions/3",
    "export GITHUB_TOKEN=$(gh auth token)",
    "GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}",
    "password: {{ vault_db_password1 }}",
    "password=%DB_PASSWORD%",
    "password: !vault |",
    "type=\"password\" name=\"password1\" autocomplete=\"current-password\"",
    "<input type=\"password\" placeholder=\"Password (8+ characters)\">",
    "<label for=\"password\">Password:</label>",
    ".token-keyword { color: #a1b2c3 }",
    "--token-color-2: #ff00aa;",
    "\"password\": \"Enter your password (min 8 chars)\"",
    "error: password: must contain 1 digit",
    "Token: expected `;`, found `}` at line 12",
    "token: 12345",
    "PWD=/home/kim/project2",
    "OLDPWD=/home/kim/p1",
    "\"cwd\":\"/home/kim/p1\",\"pwd\":\"/home/kim/p1\"",
    "pub const ERROR_WRONG_PASSWORD: u32 = 1323u32;",
    "pub const E_PASSWORD: HRESULT = 0x8055_000B_u32 as _;",
    "pub GenerateMasterKey: TlsGenerateMasterKeyFn,",
    "def sign(private_key: ed25519.Ed25519PrivateKey, data): ...",
    "let s:plugin_passwd = g:plugin_passwd",
    "$password = $this->config->password;",
    "the row identified by `order_id2` and a range identified by \"cols1\"",
    "credentials are given by the --username and --password options",
    "proxy = \"socks5h://<username>:<password>@proxy-host1\"",
    "pkg/version.py,sha256=qaN-fw_htIgKUVXoAuAEVgKxQu3tZ9qE2eiKkWIS7LA,160",
    "https://kim:pw99x@example.com/",
    // stand-ins
    "api_key: <your-api-key>",
    "OPENAI_API_KEY=your_api_key_here",
    "ANTHROPIC_API_KEY=sk-ant-...",
    "export OPENAI_API_KEY=\"sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"",
    "OPENAI_API_KEY=sk-your-key-goes-right-here",
    "ANTHROPIC_API_KEY=sk-ant-api03-your-key-goes-here-please",
    "glpat-your-token-goes-here-now",
    "token=xxxxxxxxxxxxxxxx",
    "password: ********",
    "password=changeme",
    "password=example123",
    "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
    "POSTGRES_PASSWORD=postgres",
    "postgres://user:password@localhost:5432/db",
    "postgres://postgres:postgres@localhost/db",
    "postgresql://${USER}:${PASS}@${HOST}/db",
    "https://user:pass@example.com/",
    "redis://localhost:6379/0",
    "git@github.com:kim/app.git https://github.com/kim/app.git",
    "https://registry.internal/@scope/pkg/-/pkg-1.2.3.tgz",
    "http://localhost:3000/@fs/home/kim/x.ts",
    "mailto://kim@mail.internal",
    "password: [REDACTED]",
    "token=REDACTED",
    "Cookie: theme=dark; lang=de",
    "Set-Cookie: a=b; Expires=Wed, 21 Oct 2026 07:28:00 GMT",
    "https://00000000000000000000000000000000@o42.ingest.sentry.io/7",
    "https://deploy:YOUR_DEPLOY_TOKEN@git.internal/app.git",
    "https://deploy:Your-Token-1@git.internal/app.git",
    "Cookie: session=1111111111111111111111111111111111111111111111111111111111111111",
    "password: YourPassword1",
    "PGPASSWORD=FAKE-password-1",
    "sk_live_xxxxxxxxxxxxxxxxxxxxxxxx AKIAXXXXXXXXXXXXXXXX AKIA1111222233334444",
    "docker://alpine:a1b2c3d4e5f6 redis://localhost:6379 https://host:8443",
    "\"https://user:password@\" + host, \"https://x-access-token:${TOKEN}@\", 'postgres://%s:%s@'",
    "mysql://root:password https://deploy:my-own-token",
    // pieces of words that begin like a prefix
    "a task-oriented disk-backed mask-rcnn-r50-fpn-1x-coco-2024",
    "class=\"sk-fading-circle sk-circle12\"",
    "ci: npm_config_registry npm_lifecycle_event",
    "def hf_hub_download(repo_id, filename): ...",
    "el servicio y el negocio del socio",
    "secret_manager_service_client_configuration",
    "eyJhbGciOi is how a header begins",
    "dapi dapper key-value key-0 SKU1234 SKELETON",
    "the basic idea: Basic Usage of the API",
    "a bearer of bad news, bearer authentication required",
    "design_token = \"color1Primary2Base3\"",
    "nextPageToken: \"CAUQAA1x9kLm2\"",
];

#[test]
fn clean_text_is_left_alone() {
    let redactor = Redactor::new();
    let mut alarms = Vec::new();
    for text in CLEAN {
        let out = redactor.redact(text);
        if out != *text {
            alarms.push(format!("{text}\n  -> {out}"));
        }
    }
    assert!(alarms.is_empty(), "{} false alarms:\n{}", alarms.len(), alarms.join("\n"));
}

#[test]
fn clean_text_is_left_alone_inside_json() {
    let redactor = Redactor::new();
    let mut alarms = Vec::new();
    for text in CLEAN {
        let once = backstory_testkit::secrets::json(text);
        for text in [backstory_testkit::secrets::json(&once), once] {
            let out = redactor.redact(&text);
            if out != text {
                alarms.push(format!("{text}\n  -> {out}"));
            }
        }
    }
    assert!(alarms.is_empty(), "{} false alarms:\n{}", alarms.len(), alarms.join("\n"));
}

#[test]
fn clean_text_is_borrowed() {
    let redactor = Redactor::new();
    let text = "nothing to see";
    assert!(matches!(redactor.redact(text), std::borrow::Cow::Borrowed(_)));
}
