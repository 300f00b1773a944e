//! Where an agent keeps its logs, as data; the environment is handed in.

use std::ffi::OsString;
use std::path::PathBuf;

/// A place agents keep their state under.
#[derive(Clone, Copy, Debug)]
pub enum Base {
    /// Relative to the home directory.
    Home(&'static str),
    /// Relative to `$XDG_CONFIG_HOME`, else `~/.config`.
    XdgConfig(&'static str),
}

/// The roots of one agent.
#[derive(Debug)]
pub struct RootSpec {
    /// Environment variable that replaces the default bases (a comma-separated list is accepted).
    pub env: &'static str,
    /// Used when the variable is not set.
    pub bases: &'static [Base],
    /// Folders below a base that hold sessions.
    pub folders: &'static [&'static str],
}

impl RootSpec {
    /// Every folder that may hold sessions, existing or not, in order.
    pub fn resolve(&self, env: &dyn Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
        let mut roots = Vec::new();
        for base in self.base_dirs(env) {
            // An entry may name the session folder itself.
            if self.folders.iter().any(|folder| base.ends_with(folder)) {
                roots.push(base);
                continue;
            }
            roots.extend(self.folders.iter().map(|folder| base.join(folder)));
        }
        roots
    }

    fn base_dirs(&self, env: &dyn Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
        if let Some(list) = env(self.env).filter(|list| !list.is_empty()) {
            return match list.to_str() {
                Some(text) => text
                    .split(',')
                    .map(str::trim)
                    .filter(|entry| !entry.is_empty())
                    .map(PathBuf::from)
                    .collect(),
                None => vec![PathBuf::from(list)],
            };
        }
        let home = env("HOME").map(PathBuf::from);
        let config = env("XDG_CONFIG_HOME")
            .filter(|dir| !dir.is_empty())
            .map(PathBuf::from)
            .or_else(|| home.as_ref().map(|home| home.join(".config")));
        self.bases
            .iter()
            .filter_map(|base| match base {
                Base::Home(dir) => home.as_ref().map(|home| home.join(dir)),
                Base::XdgConfig(dir) => config.as_ref().map(|config| config.join(dir)),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: RootSpec = RootSpec {
        env: "AGENT_DIR",
        bases: &[Base::XdgConfig("agent"), Base::Home(".agent")],
        folders: &["projects"],
    };

    fn resolve(vars: &[(&str, &str)]) -> Vec<PathBuf> {
        SPEC.resolve(&|name| {
            vars.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn defaults_come_from_home_and_xdg() {
        assert_eq!(
            resolve(&[("HOME", "/h")]),
            [PathBuf::from("/h/.config/agent/projects"), PathBuf::from("/h/.agent/projects")]
        );
        assert_eq!(
            resolve(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "/x")])[0],
            PathBuf::from("/x/agent/projects")
        );
    }

    #[test]
    fn variable_is_a_list_and_may_name_the_folder_itself() {
        assert_eq!(
            resolve(&[("HOME", "/h"), ("AGENT_DIR", "/a, /b/projects,")]),
            [PathBuf::from("/a/projects"), PathBuf::from("/b/projects")]
        );
    }
}
