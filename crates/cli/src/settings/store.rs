//! `[store]`: where the archive is kept, for whom, and where its packs are.

use super::{Origin, Value};
use crate::env::{self, Env};
use crate::error::Failure;
use backstory_store_postgres::{Address, Speaker};

/// Whose archive it is where nobody says.
const TENANT: &str = "default";

/// Keys of the section, in the order of [`FileStore`].
pub(super) const KEYS: [&str; 4] = ["url", "tenant", "owner", "packs"];

/// What every bucket asks for.
const BUCKET_KEYS: [&str; 3] =
    [env::AWS_ACCESS_KEY_ID, env::AWS_SECRET_ACCESS_KEY, env::AWS_REGION];

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
    /// Flags and variables without which it would be another.
    decisive: Vec<Origin>,
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
        let decisive = decisive(env, flag, &file);
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
            decisive,
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
            decisive: Vec::new(),
        })
    }

    /// Flags and variables without which this would be another archive: who does not see them must be
    /// told by the file.
    pub(crate) fn decisive(&self) -> impl Iterator<Item = &Origin> {
        let is_local = matches!(self.place.value, Place::Local);
        // Nobody asks whose a local archive is.
        let about_whom = [env::BACKSTORY_TENANT, env::BACKSTORY_OWNER].map(Origin::Env);
        self.decisive.iter().filter(move |origin| !(is_local && about_whom.contains(origin)))
    }

    /// Variables that let us into the bucket packs are in; the file has no place for them.
    pub(crate) fn keys(&self) -> &'static [&'static str] {
        let is_bucket = self.packs.as_ref().is_some_and(|packs| packs.value.contains("://"));
        if is_bucket { &BUCKET_KEYS } else { &[] }
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

/// The flag and the variables that say something else than the file, or than what holds without one.
fn decisive(env: &Env, flag: Option<&str>, file: &FileStore) -> Vec<Origin> {
    let flag = flag.map(|url| Value { value: url.to_owned(), origin: Origin::Flag("--store") });
    let set = [
        flag.or_else(|| env_text(env, env::BACKSTORY_STORE)),
        env_text(env, env::BACKSTORY_TENANT),
        env_text(env, env::BACKSTORY_OWNER),
        env_text(env, env::BACKSTORY_PACKS),
    ];
    let otherwise = [Store::LOCAL, TENANT, "", ""];
    let all = set.into_iter().zip(file).zip(otherwise);
    let differing = all.filter_map(|((set, file), otherwise)| {
        let without = file.as_ref().map_or(otherwise, |file| &file.value);
        set.filter(|set| set.value != without)
    });
    differing.map(|set| set.origin).collect()
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
    fn what_only_this_run_sees_is_known() {
        let of = |env: &Env, flag: Option<&str>, url: Option<&str>| -> Vec<String> {
            store(env, flag, url).unwrap().decisive().map(ToString::to_string).collect()
        };
        let env = Env::fixed([
            (env::BACKSTORY_STORE, "postgres://e/db".into()),
            (env::BACKSTORY_TENANT, "acme".into()),
        ]);
        assert_eq!(of(&env, None, None), ["BACKSTORY_STORE", "BACKSTORY_TENANT"]);
        assert_eq!(of(&env, None, Some("postgres://e/db")), ["BACKSTORY_TENANT"]);
        assert_eq!(of(&env, Some("local"), Some("local")), [""; 0]);
        assert_eq!(of(&env, Some("local"), Some("postgres://e/db")), ["--store"]);
        assert_eq!(of(&Env::fixed([]), None, Some("postgres://e/db")), [""; 0]);
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
