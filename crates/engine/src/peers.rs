//! Which project a plugin means. It sends the working directory or the root of the repository with everything
//! but letters and digits turned into `-`, or the address of the repository; none of them can be turned back,
//! so the projects of the archive are looked at for one that fits.

use crate::project::Project;
use backstory_store::{StoreError, Vault};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Projects by what plugins call them.
#[derive(Clone, Debug, Default)]
pub struct Peers(HashMap<String, Project>);

impl Peers {
    /// Those of every project somebody worked in.
    pub fn of_archive(vault: &Vault) -> Result<Self, StoreError> {
        let mut peers = HashMap::new();
        let mut seen = HashSet::new();
        let mut others = Vec::new();
        for (cwd, repo, key) in vault.places()? {
            let project = Project { repo, key };
            if seen.insert(project.key.clone()) {
                others.extend(names_of(&project.key).map(|name| (name, project.clone())));
            }
            peers.insert(mangled(&cwd), project);
        }
        // Where somebody worked tells more than what a repository says of itself.
        for (name, project) in others {
            peers.entry(name).or_insert(project);
        }
        Ok(Self(peers))
    }

    /// The project a plugin calls so. One that nobody else worked in is known by its name alone.
    pub fn project(&self, peer: &str) -> Project {
        let unknown = || Project { repo: peer.to_owned(), key: peer.to_owned() };
        self.0.get(peer).cloned().unwrap_or_else(unknown)
    }
}

/// True if a plugin calls the project with this key so. The places are those somebody worked in.
pub(crate) fn is_called(peer: &str, key: &str, places: &[(String, String, String)]) -> bool {
    let is_there = |(cwd, _, of): &(String, String, String)| of == key && mangled(cwd) == peer;
    key == peer || places.iter().any(is_there) || names_of(key).any(|name| name == peer)
}

/// What plugins call a repository, by its common directory.
fn names_of(key: &str) -> impl Iterator<Item = String> {
    let common = Path::new(key);
    let root = if common.ends_with(".git") { common.parent() } else { None };
    let root = root.unwrap_or(common).to_str().map(mangled);
    let config = fs_err::read_to_string(common.join("config")).unwrap_or_default();
    root.into_iter().chain(origin(&config).and_then(address))
}

/// A path as plugins send it.
fn mangled(path: &str) -> String {
    path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// Where a repository was cloned from, as its configuration has it.
fn origin(config: &str) -> Option<&str> {
    let mut is_origin = false;
    for line in config.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let (kind, name) = section.split_once('"').unwrap_or((section, ""));
            is_origin = kind.trim().eq_ignore_ascii_case("remote") && name.starts_with("origin\"");
        } else if is_origin
            && let Some((name, url)) = line.split_once('=')
            && name.trim().eq_ignore_ascii_case("url")
        {
            let url = url.split(['#', ';']).next().unwrap_or_default();
            return Some(url.trim().trim_matches('"'));
        }
    }
    None
}

/// The address of a repository as plugins send it: host and path in small letters, whoever asks and however,
/// with everything that no name may hold turned into `-`. One of this machine is none.
fn address(url: &str) -> Option<String> {
    let (host, path) = match url.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => rest.split_once('/')?,
        // `git@host:path`; a drive is no host.
        None => url.split_once(':').filter(|(host, _)| host.len() > 1 && !host.contains('/'))?,
    };
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = host.split_once(':').map_or(host, |(host, _)| host);
    let path = path.trim_matches('/').to_lowercase();
    let path = path.strip_suffix(".git").unwrap_or(&path);
    if host.is_empty() || path.is_empty() {
        return None;
    }
    let mut name = String::new();
    for c in format!("{}/{path}", host.to_lowercase()).chars() {
        let is_kept = c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '@');
        if is_kept {
            name.push(c);
        } else if !name.ends_with('-') {
            name.push('-');
        }
    }
    Some(name.trim_matches(['-', '.']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_model::Timestamp;
    use backstory_store::{Chunk, SessionDelta, Writer};

    #[test]
    fn addresses_are_spelt_as_plugins_do_it() {
        for (url, name) in [
            ("git@github.com:Ada/Shop.git", Some("github.com-ada-shop")),
            ("https://ada:s3cret@github.com:443/ada/shop.git/", Some("github.com-ada-shop")),
            ("ssh://git@git.example.org/team/a--b", Some("git.example.org-team-a-b")),
            ("example.org:ada/shop", Some("example.org-ada-shop")),
            ("file:///srv/shop.git", None),
            ("/srv/shop.git", None),
            ("../shop", None),
            ("C:\\src\\shop", None),
            ("https://github.com", None),
            ("", None),
        ] {
            assert_eq!(address(url).as_deref(), name, "{url}");
        }
    }

    #[test]
    fn the_origin_is_told_from_other_remotes() {
        let config = "[core]\n\tbare = false\n[remote \"fork\"]\n\turl = git@a:b/c\n\
            [Remote \"origin\"]\n\t; the main one\n\tURL = \"https://a.org/b/c\" # here\n[branch \"x\"]\n";
        assert_eq!(origin(config), Some("https://a.org/b/c"));
        assert_eq!(origin("[remote \"Origin\"]\nurl = x\n"), None);
        assert_eq!(origin("url = x\n[remote \"origin\"]\nfetch = y\n"), None);
    }

    #[test]
    fn a_project_goes_by_every_name_plugins_have_for_it() {
        let dir = tempfile::tempdir().unwrap();
        let common = dir.path().join("shop/.git");
        fs_err::create_dir_all(&common).unwrap();
        let config = "[remote \"origin\"]\n\turl = git@github.com:ada/shop.git\n";
        fs_err::write(common.join("config"), config).unwrap();
        let home = backstory_store_sqlite::home(dir.path().join("home"));
        let (root, key) = (dir.path().join("shop"), common.to_str().unwrap().to_owned());
        let mut chunk = Chunk::default();
        chunk.sessions.push(SessionDelta {
            id: 1,
            uid: "claude:1".into(),
            flavor: "claude",
            cwd: root.join("src").to_str().map(str::to_owned),
            repo: Some("shop".into()),
            project_key: Some(key.clone()),
            ..SessionDelta::default()
        });
        let mut writer = Writer::open(&home).unwrap();
        writer.add(&chunk, Timestamp(1)).unwrap();
        writer.commit().unwrap();
        let peers = Peers::of_archive(&Vault::open(&home).unwrap()).unwrap();
        let root = root.to_str().unwrap();
        for peer in [&mangled(root), &mangled(&format!("{root}/src")), "github.com-ada-shop"] {
            assert_eq!(peers.project(peer), Project { repo: "shop".into(), key: key.clone() });
        }
        let unknown = peers.project("-Users-x-Dev-A");
        assert_eq!(
            (unknown.key.as_str(), mangled("/Users/x/Dev/A")),
            ("-Users-x-Dev-A", unknown.repo)
        );
    }
}
