//! Where the server is and how it is spoken to, as everyone writes it: a URL or `key=value` pairs.

use postgres::Config;
use postgres::config::{Host, SslMode};
use std::path::PathBuf;
use std::time::Duration;

/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// After so long without an answer the other side is asked whether it is still there.
const KEEPALIVE: Duration = Duration::from_secs(30);

/// Whether the server's certificate is looked at, as libpq's `sslmode` says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// It is encrypted, to whoever answers.
    Anyone,
    /// The certificate must be signed by someone we trust.
    Signed,
    /// And name the host.
    Named,
}

/// Where the server is. Shown without the password.
#[derive(Clone)]
pub struct Address {
    pub(crate) config: Config,
    pub(crate) trust: Trust,
    /// Who may sign certificates, instead of the public authorities.
    pub(crate) authorities: Option<PathBuf>,
}

/// The address is none.
#[derive(Debug, thiserror::Error)]
#[error("this is no address of a Postgres server: {0}")]
pub struct AddressError(String);

impl Address {
    /// Reads `postgres://user:password@host:port/database?sslmode=verify-full&sslrootcert=file`.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let (text, options) = take_tls_options(text);
        let (mut trust, mut mode, mut authorities) = (Trust::Anyone, None, None);
        for (key, value) in options {
            match (key.as_str(), value.as_str()) {
                ("sslrootcert", file) => authorities = Some(PathBuf::from(file)),
                (_, "disable") => mode = Some(SslMode::Disable),
                (_, "allow" | "prefer") => mode = Some(SslMode::Prefer),
                (_, "require") => mode = Some(SslMode::Require),
                (_, "verify-ca") => (mode, trust) = (Some(SslMode::Require), Trust::Signed),
                (_, "verify-full") => (mode, trust) = (Some(SslMode::Require), Trust::Named),
                (_, other) => {
                    return Err(AddressError(format!(
                        "sslmode={other} is not one of disable, prefer, require, verify-ca, verify-full"
                    )));
                }
            }
        }
        // What the driver says of a bad address may repeat it, password included.
        let parsed = text.parse::<Config>();
        let mut config = parsed.map_err(|_| {
            AddressError("expected postgres://user:password@host:port/database".into())
        })?;
        if config.get_hosts().is_empty() {
            return Err(AddressError("it names no host".into()));
        }
        if let Some(mode) = mode {
            config.ssl_mode(mode);
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        config.keepalives_idle(KEEPALIVE).tcp_user_timeout(KEEPALIVE);
        Ok(Self { config, trust, authorities })
    }

    /// True if a text means a Postgres server at all.
    pub fn is_one(text: &str) -> bool {
        text.starts_with("postgres://") || text.starts_with("postgresql://")
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("postgres://")?;
        if let Some(user) = self.config.get_user() {
            write!(f, "{user}@")?;
        }
        for (at, host) in self.config.get_hosts().iter().enumerate() {
            f.write_str(if at == 0 { "" } else { "," })?;
            match host {
                Host::Tcp(name) => f.write_str(name)?,
                #[cfg(unix)]
                Host::Unix(path) => write!(f, "{}", path.display())?,
            }
            match self.config.get_ports().get(at).or(self.config.get_ports().first()) {
                Some(5432) | None => {}
                Some(port) => write!(f, ":{port}")?,
            }
        }
        write!(f, "/{}", self.config.get_dbname().unwrap_or_default())
    }
}

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Address({self})")
    }
}

/// Takes the options about certificates out of an address: the driver knows only some of them.
fn take_tls_options(text: &str) -> (String, Vec<(String, String)>) {
    let Some((base, query)) = text.split_once('?') else { return (text.to_owned(), Vec::new()) };
    let (mut kept, mut taken) = (Vec::new(), Vec::new());
    for pair in query.split('&') {
        match pair.split_once('=') {
            Some((key @ ("sslmode" | "sslrootcert"), value)) => {
                taken.push((key.to_owned(), value.replace("%2F", "/")));
            }
            _ => kept.push(pair),
        }
    }
    (format!("{base}?{}", kept.join("&")), taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        let address = Address::parse("postgres://ann:s3cret@db.example:6432/team").unwrap();
        assert_eq!(address.to_string(), "postgres://ann@db.example:6432/team");
        assert!(!format!("{address:?}").contains("s3cret"));
        let error = Address::parse("postgres://ann:s3cret@db:notaport/team").unwrap_err();
        assert!(!error.to_string().contains("s3cret"), "{error}");
    }

    #[test]
    fn sockets_and_default_ports_are_told_shortly() {
        let address = Address::parse("postgres:///team?host=/run/pg&user=ann").unwrap();
        assert_eq!(address.to_string(), "postgres://ann@/run/pg/team");
        let address = Address::parse("postgres://db/team?application_name=x").unwrap();
        assert_eq!(address.to_string(), "postgres://db/team");
        assert!(Address::parse("postgres:///team").is_err());
    }

    #[test]
    fn certificates_are_looked_at_as_libpq_does() {
        let of = |mode: &str| {
            let address = Address::parse(&format!("postgres://db/team?sslmode={mode}"))?;
            Ok::<_, AddressError>((address.config.get_ssl_mode(), address.trust))
        };
        assert_eq!(of("disable").unwrap(), (SslMode::Disable, Trust::Anyone));
        assert_eq!(of("require").unwrap(), (SslMode::Require, Trust::Anyone));
        assert_eq!(of("verify-ca").unwrap(), (SslMode::Require, Trust::Signed));
        assert_eq!(of("verify-full").unwrap(), (SslMode::Require, Trust::Named));
        assert!(of("sometimes").unwrap_err().to_string().contains("verify-full"));
        let address =
            Address::parse("postgres://db/t?sslrootcert=%2Fetc%2Fca.pem&sslmode=verify-ca");
        assert_eq!(address.unwrap().authorities, Some(PathBuf::from("/etc/ca.pem")));
    }
}
