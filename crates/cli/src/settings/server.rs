//! `[server]`: where `serve` listens, whom it lets in, and how much it takes at once.

use super::{Origin, Value, size};
use crate::env::{BACKSTORY_SERVER_KEY, BACKSTORY_SERVER_LISTEN, Env};
use crate::error::Failure;
use std::path::{Path, PathBuf};

/// Keys of the section, in the order of [`FileServer`].
pub(super) const KEYS: [&str; 3] = ["listen", "key_file", BODY_LIMIT];
pub(super) const BODY_LIMIT: &str = "body_limit_bytes";

/// What the file says.
pub(super) type FileServer = [Option<Value<String>>; 3];

/// Where the plugins look for a server.
const LISTEN: &str = "127.0.0.1:1933";
/// A hundred messages with the longest tool texts plugins send are not much less.
const BODY_BYTES: u64 = 64 << 20;
/// Nothing a plugin sends fits into less.
const LEAST_BODY_BYTES: u64 = 1 << 10;

/// How `serve` works.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    pub(crate) listen: Value<String>,
    /// The file that holds the key askers must show.
    pub(crate) key_file: Option<Value<PathBuf>>,
    /// A body has no more bytes.
    pub(crate) body_limit_bytes: Value<u64>,
}

impl Server {
    pub(super) fn new(env: &Env, file: FileServer, file_path: &Path) -> Result<Self, Failure> {
        let [listen, key_file, body_limit] = file;
        let from_env = env.get(BACKSTORY_SERVER_LISTEN).and_then(|text| text.into_string().ok());
        let from_env =
            from_env.map(|value| Value { value, origin: Origin::Env(BACKSTORY_SERVER_LISTEN) });
        let base = file_path.parent().unwrap_or(Path::new(""));
        let body_limit_bytes = match body_limit {
            None => Value::default(BODY_BYTES),
            Some(Value { value, origin }) => {
                let bytes = size::parse(&value).filter(|bytes| *bytes >= LEAST_BODY_BYTES);
                let wrong = || {
                    Failure::usage(format!(
                        "{origin}: body_limit_bytes must be a size like \"64MiB\", at least 1KiB"
                    ))
                };
                Value { value: bytes.ok_or_else(wrong)?, origin: origin.clone() }
            }
        };
        Ok(Self {
            listen: from_env.or(listen).unwrap_or_else(|| Value::default(LISTEN.into())),
            key_file: key_file.map(|Value { value, origin }| Value {
                value: base.join(env.expand_tilde(&value)),
                origin,
            }),
            body_limit_bytes,
        })
    }

    /// What askers must show: the variable, else what the file holds.
    pub(crate) fn key(&self, env: &Env) -> Result<Option<String>, Failure> {
        if let Some(key) = env.get(BACKSTORY_SERVER_KEY) {
            return checked(key.to_str(), BACKSTORY_SERVER_KEY).map(Some);
        }
        let Some(Value { value: path, origin }) = &self.key_file else { return Ok(None) };
        let wrong = |what: &str| Failure::usage(format!("{origin}: the key file {what}"));
        let text =
            fs_err::read_to_string(path).map_err(|error| wrong("cannot be read").cause(&error))?;
        if let Some(mode) = others_may_read(path) {
            let chmod = format!("chmod 600 {}", path.display());
            return Err(wrong(&format!("can be read by others (mode {mode:o})")).hint(chmod));
        }
        checked(Some(text.trim()), &path.display().to_string()).map(Some)
    }

    /// Every key with its value.
    pub(crate) fn entries(&self) -> [(&'static str, Option<String>, Origin); 3] {
        let [listen, key_file, body_limit] = KEYS;
        let key = self.key_file.as_ref();
        [
            (listen, Some(self.listen.value.clone()), self.listen.origin.clone()),
            (
                key_file,
                key.map(|key| key.value.display().to_string()),
                key.map_or(Origin::Default, |key| key.origin.clone()),
            ),
            (
                body_limit,
                Some(size::format(self.body_limit_bytes.value)),
                self.body_limit_bytes.origin.clone(),
            ),
        ]
    }
}

/// A key that fits into a header.
fn checked(key: Option<&str>, place: &str) -> Result<String, Failure> {
    let fits = |key: &&str| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
    key.filter(fits).map(str::to_owned).ok_or_else(|| {
        Failure::usage(format!("{place} must consist of printable ASCII characters without spaces"))
    })
}

#[cfg(unix)]
fn others_may_read(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs_err::metadata(path).ok()?.permissions().mode() & 0o777;
    (mode & 0o077 != 0).then_some(mode)
}

#[cfg(not(unix))]
fn others_may_read(_path: &Path) -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> Value<String> {
        Value { value: value.into(), origin: Origin::File("c.toml".into(), 2) }
    }

    fn server(env: &Env, file: FileServer) -> Server {
        Server::new(env, file, Path::new("/c/config.toml")).unwrap()
    }

    #[test]
    fn the_address_comes_from_variable_then_file() {
        let none = Env::fixed([]);
        assert_eq!(server(&none, FileServer::default()).listen.value, LISTEN);
        let file = || [Some(text("127.0.0.1:7")), None, None];
        assert_eq!(server(&none, file()).listen.origin.name(), "file");
        let env = Env::fixed([(BACKSTORY_SERVER_LISTEN, "127.0.0.1:8".into())]);
        let listen = server(&env, file()).listen;
        assert_eq!((listen.value.as_str(), listen.origin.name()), ("127.0.0.1:8", "env"));
    }

    #[test]
    fn a_key_must_fit_into_a_header() {
        let with = |key: &str| {
            let env = Env::fixed([(BACKSTORY_SERVER_KEY, key.into())]);
            server(&env, FileServer::default()).key(&env)
        };
        assert_eq!(with("s3cret").unwrap().as_deref(), Some("s3cret"));
        assert_eq!(with("").unwrap(), None);
        assert!(with("two words").is_err() && with("ü").is_err());
    }

    #[test]
    #[cfg(unix)]
    fn a_key_file_must_be_private_and_the_variable_wins() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        fs_err::write(&path, "s3cret\n").unwrap();
        let mode = |mode| {
            fs_err::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        let env = Env::fixed([]);
        let server = server(&env, [None, Some(text(path.to_str().unwrap())), None]);
        mode(0o644);
        assert!(server.key(&env).unwrap_err().hints[0].starts_with("chmod 600"));
        mode(0o600);
        assert_eq!(server.key(&env).unwrap().as_deref(), Some("s3cret"));
        let env = Env::fixed([(BACKSTORY_SERVER_KEY, "other".into())]);
        assert_eq!(server.key(&env).unwrap().as_deref(), Some("other"));
        fs_err::write(&path, " \n").unwrap();
        assert!(server.key(&Env::fixed([])).is_err(), "an empty key lets nobody in");
    }

    #[test]
    fn limits_are_sizes() {
        let limit = |size: &str| {
            let file = [None, None, Some(text(size))];
            Server::new(&Env::fixed([]), file, Path::new("/c/config.toml"))
        };
        assert_eq!(limit("1MiB").unwrap().body_limit_bytes.value, 1 << 20);
        for wrong in ["1", "lots", "-3"] {
            let failure = limit(wrong).unwrap_err();
            assert!(failure.message.starts_with("c.toml:2: body_limit_bytes"), "{wrong}");
        }
    }
}
