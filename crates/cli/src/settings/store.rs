//! `[store]`: where the archive is kept, for whom, and where its packs are.

use super::{Origin, Value};
use crate::env::{self, Env};
use crate::error::Failure;
use backstory_store_postgres::{Address, Speaker};

/// Whose archive it is where nobody says.
const TENANT: &str = "default";

/// Keys of the section, in the order of [`FileStore`].
pub(super) const KEYS: [&str; 4] = ["url", "tenant", "owner", "packs"];

/// What the file says.
pub(super) type FileStore = [Option<Value<String>>; 4];

/// Where rows are kept.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// In a file below the home directory.
    Local,
    /// On a server.
    Postgres(Box<Address>),
}

/// Where the archive is kept.
pub(crate) struct Store {
    pub(crate) place: Value<Place>,
    pub(crate) tenant: Value<String>,
    pub(crate) owner: Value<String>,
    /// Where packs are, if not below the home directory.
    pub(crate) packs: Option<Value<String>>,
    /// What lets us into a bucket.
    pub(crate) bucket: Vec<(String, String)>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The keys of a bucket are never shown.
        f.debug_struct("Store").field("place", &self.place).finish_non_exhaustive()
    }
}

impl Store {
    /// What a store is called that is files below the home directory.
    pub(crate) const LOCAL: &str = "local";

    pub(super) fn new(env: &Env, flag: Option<&str>, file: FileStore) -> Result<Self, Failure> {
        let [url, tenant, owner, packs] = file;
        let flag = flag.map(|url| Value { value: url.to_owned(), origin: Origin::Flag("--store") });
        let chosen = |variable, file: Option<Value<String>>| env_text(env, variable).or(file);
        let place = match flag.or_else(|| chosen(env::BACKSTORY_STORE, url)) {
            Some(url) => Value { value: place(&url)?, origin: url.origin },
            None => Value::default(Place::Local),
        };
        Ok(Self {
            place,
            tenant: chosen(env::BACKSTORY_TENANT, tenant)
                .unwrap_or_else(|| Value::default(TENANT.into())),
            owner: chosen(env::BACKSTORY_OWNER, owner)
                .unwrap_or_else(|| Value::default(env.person())),
            packs: chosen(env::BACKSTORY_PACKS, packs).map(|packs| absolute(packs, env)),
            bucket: bucket(env),
        })
    }

    /// Another store of the same tenant and owner. Packs that are named are those of a server.
    pub(crate) fn elsewhere(
        &self,
        url: &str,
        flag: &'static str,
        packs: Option<&str>,
        env: &Env,
    ) -> Result<Self, Failure> {
        let origin = Origin::Flag(flag);
        let url = Value { value: url.to_owned(), origin: origin.clone() };
        let place = Value { value: place(&url)?, origin: origin.clone() };
        let named = packs.map(|packs| absolute(Value { value: packs.to_owned(), origin }, env));
        let own = match place.value {
            Place::Local => None,
            Place::Postgres(_) => self.packs.clone(),
        };
        Ok(Self {
            place,
            tenant: self.tenant.clone(),
            owner: self.owner.clone(),
            packs: named.or(own),
            bucket: self.bucket.clone(),
        })
    }

    /// Whom connections speak for.
    pub(crate) fn speaker(&self) -> Speaker {
        Speaker { tenant: self.tenant.value.clone(), owner: self.owner.value.clone() }
    }

    /// Every key with its value, without passwords.
    pub(crate) fn entries(&self) -> Vec<(&'static str, Option<String>, Origin)> {
        let place = match &self.place.value {
            Place::Local => Self::LOCAL.to_owned(),
            Place::Postgres(address) => address.to_string(),
        };
        let packs = self.packs.clone();
        vec![
            (KEYS[0], Some(place), self.place.origin.clone()),
            (KEYS[1], Some(self.tenant.value.clone()), self.tenant.origin.clone()),
            (KEYS[2], Some(self.owner.value.clone()), self.owner.origin.clone()),
            (
                KEYS[3],
                packs.as_ref().map(|packs| packs.value.clone()),
                packs.map_or(Origin::Default, |packs| packs.origin),
            ),
        ]
    }
}

/// A folder that does not depend on where one stands; an address stays as it is.
fn absolute(packs: Value<String>, env: &Env) -> Value<String> {
    if packs.value.contains("://") {
        return packs;
    }
    let folder = Env::absolute(&env.expand_tilde(&packs.value));
    Value { value: folder.display().to_string(), origin: packs.origin }
}

/// The variables every tool for buckets knows, as options of ours.
fn bucket(env: &Env) -> Vec<(String, String)> {
    let mut options = Vec::new();
    for (variable, option) in [
        (env::AWS_ACCESS_KEY_ID, "aws_access_key_id"),
        (env::AWS_SECRET_ACCESS_KEY, "aws_secret_access_key"),
        (env::AWS_SESSION_TOKEN, "aws_session_token"),
        (env::AWS_REGION, "aws_region"),
        (env::AWS_ENDPOINT_URL, "aws_endpoint"),
    ] {
        let Some(value) = env_text(env, variable) else { continue };
        if value.value.starts_with("http://") {
            options.push(("aws_allow_http".to_owned(), "true".to_owned()));
        }
        options.push((option.to_owned(), value.value));
    }
    options
}

fn env_text(env: &Env, variable: &'static str) -> Option<Value<String>> {
    let text = env.get(variable)?.into_string().ok()?;
    Some(Value { value: text, origin: Origin::Env(variable) })
}

/// What an address means.
fn place(url: &Value<String>) -> Result<Place, Failure> {
    if url.value == Store::LOCAL {
        return Ok(Place::Local);
    }
    if !Address::is_one(&url.value) {
        return Err(Failure::usage(format!("{}: the store is no address", url.origin))
            .hint("it is `local`, or postgres://user:password@host:port/database"));
    }
    let address = Address::parse(&url.value);
    let address = address.map_err(|error| Failure::usage(format!("{}: {error}", url.origin)))?;
    Ok(Place::Postgres(Box::new(address)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(env: &Env, flag: Option<&str>, url: Option<&str>) -> Result<Store, Failure> {
        let url = url.map(|url| Value {
            value: url.to_owned(),
            origin: Origin::File("config.toml".into(), 2),
        });
        Store::new(env, flag, [url, None, None, None])
    }

    #[test]
    fn the_store_comes_from_flag_then_variable_then_file() {
        let env = Env::fixed([(env::BACKSTORY_STORE, "postgres://e/db".into())]);
        let shown = |store: Store| store.entries()[0].1.clone().unwrap_or_default();
        let file = Some("postgres://f/db");
        assert_eq!(shown(store(&env, Some("local"), file).unwrap()), "local");
        assert_eq!(shown(store(&env, None, file).unwrap()), "postgres://e/db");
        assert_eq!(shown(store(&Env::fixed([]), None, file).unwrap()), "postgres://f/db");
        assert_eq!(shown(store(&Env::fixed([]), None, None).unwrap()), "local");
    }

    #[test]
    fn a_password_is_shown_nowhere() {
        let env = Env::fixed([(env::BACKSTORY_STORE, "postgres://ann:geheim@e/db".into())]);
        let settings = store(&env, None, None).unwrap();
        assert_eq!(settings.entries()[0].1.as_deref(), Some("postgres://ann@e/db"));
        assert!(!format!("{settings:?}").contains("geheim"));
        let wrong = store(&Env::fixed([]), Some("postgres://ann:geheim@e:x/db"), None);
        assert!(!wrong.unwrap_err().message.contains("geheim"));
    }

    #[test]
    fn what_is_no_address_is_refused_with_the_way_out() {
        let failure = store(&Env::fixed([]), None, Some("mysql://e/db")).unwrap_err();
        assert_eq!(failure.kind.code(), 2);
        assert!(failure.message.contains("config.toml:2"), "{failure:?}");
        assert!(failure.hints[0].contains("postgres://"));
    }
}
