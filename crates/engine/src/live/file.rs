//! `state/live/`: one small file per session, whole the moment it has its name.

use super::{LiveState, Mark};
use crate::stamp;
use backstory_model::{EventKey, Flavor, SealReason, Timestamp};
use backstory_store::{Home, create_private_dir, private_file};
use fs_err as fs;
use serde::{Deserialize, Serialize};
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::time::Duration;

/// The version this code writes.
const VERSION: u64 = 1;
/// Longer names are cut and told apart by a hash.
const NAME_BYTES: usize = 150;
/// Whoever holds the lock needs it for a moment only. A hook must not keep its agent waiting, whatever
/// became of the other one.
const PATIENCE: Duration = Duration::from_secs(1);

/// The folder of the files.
pub(super) struct Directory {
    dir: PathBuf,
}

/// A file as it lies there. What the OpenViking plugin for Codex writes is understood too.
#[derive(Deserialize, Serialize)]
struct Written {
    #[serde(default)]
    v: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(alias = "codexSessionId")]
    session_id: String,
    #[serde(alias = "createdAt", with = "moment")]
    created_at: Timestamp,
    #[serde(alias = "lastUpdatedAt", with = "moment")]
    touched_at: Timestamp,
    #[serde(default, with = "stamp::optional", skip_serializing_if = "Option::is_none")]
    prompted_at: Option<Timestamp>,
    #[serde(default)]
    prompts: u32,
    #[serde(default, alias = "capturedTurnCount")]
    turns: u32,
    #[serde(default)]
    position: u64,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_subagent: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    in_turn: bool,
    #[serde(default)]
    open: bool,
    #[serde(default, rename = "ovSessionId", skip_serializing)]
    open_elsewhere: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seal: Option<WrittenMark>,
}

#[derive(Deserialize, Serialize)]
struct WrittenMark {
    reason: String,
    #[serde(with = "stamp")]
    at: Timestamp,
}

/// RFC 3339 as we write it, or milliseconds as others do.
mod moment {
    use backstory_model::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Moment {
        Milliseconds(i64),
        Text(String),
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    pub(super) fn serialize<S: Serializer>(at: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(at)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
        match Moment::deserialize(from)? {
            Moment::Milliseconds(ms) => Ok(Timestamp(ms)),
            Moment::Text(text) => {
                Timestamp::parse(&text).ok_or_else(|| D::Error::custom("not an RFC 3339 time"))
            }
        }
    }
}

/// Keeps others from writing while it is held.
pub(super) struct Held {
    _file: Option<fs::File>,
}

impl Directory {
    pub(super) fn of(home: &Home) -> Self {
        Self { dir: home.state().join("live") }
    }

    pub(super) fn create(&self) -> io::Result<()> {
        create_private_dir(&self.dir)
    }

    /// Reading and writing belong together; without the lock, after a while, rather than never.
    pub(super) fn lock(&self) -> Held {
        let Ok(file) = private_file().open(self.dir.join("lock")) else {
            return Held { _file: None };
        };
        let mut waited = Duration::ZERO;
        let mut pause = Duration::from_micros(500);
        while file.file().try_lock().is_err() && waited < PATIENCE {
            std::thread::sleep(pause);
            waited += pause;
            pause = (pause * 2).min(Duration::from_millis(2));
        }
        Held { _file: Some(file) }
    }

    fn path(&self, agent: Flavor, session: &str) -> PathBuf {
        self.dir.join(format!("{agent}-{}.json", safe(session)))
    }

    /// What the OpenViking plugin calls the file; there is none but for Codex.
    fn legacy(&self, agent: Flavor, session: &str) -> Option<PathBuf> {
        (agent == Flavor::Codex).then(|| self.dir.join(format!("{}.json", safe(session))))
    }

    /// What is remembered of one session. A file nobody understands is as good as none.
    pub(super) fn read(&self, agent: Flavor, session: &str) -> Option<LiveState> {
        let legacy = self.legacy(agent, session);
        // Where the state of the plugin is ours too, its own files lie above: they stay its own.
        let above =
            legacy.as_ref().and_then(|file| Some(self.dir.parent()?.join(file.file_name()?)));
        let paths = [Some(self.path(agent, session)), legacy, above];
        let bytes = paths.into_iter().flatten().find_map(|path| fs::read(path).ok())?;
        parse(&bytes).filter(|state| state.agent == agent && state.session == session)
    }

    /// What is remembered of every session, in a stable order.
    pub(super) fn states(&self) -> Vec<LiveState> {
        let Ok(entries) = fs::read_dir(&self.dir) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .collect();
        paths.sort();
        paths.iter().filter_map(|path| parse(&fs::read(path).ok()?)).collect()
    }

    /// Not forced to the disk: after a power cut the sweep finds the logs themselves.
    pub(super) fn write(&self, state: &LiveState) -> io::Result<()> {
        let path = self.path(state.agent, &state.session);
        let unfinished = path.with_extension(format!("{}.tmp", std::process::id()));
        let mut options = private_file();
        let mut file = options.truncate(true).open(&unfinished)?;
        let done = file.write_all(&serde_json::to_vec(&written(state))?);
        drop(file);
        let done = done.and_then(|()| fs::rename(&unfinished, path));
        if done.is_err() {
            // What could not be finished is of no use to anybody.
            let _ = fs::remove_file(&unfinished);
            return done;
        }
        self.legacy(state.agent, &state.session).map_or(Ok(()), remove)
    }

    /// Removes what killed hooks left; whoever holds the lock is alone.
    pub(super) fn clear_unfinished(&self) {
        let Ok(entries) = fs::read_dir(&self.dir) else { return };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            if path.extension().is_some_and(|extension| extension == "tmp") {
                // If it cannot go now, the next one tries again.
                let _ = fs::remove_file(path);
            }
        }
    }

    pub(super) fn remove(&self, agent: Flavor, session: &str) -> io::Result<()> {
        self.legacy(agent, session).map_or(Ok(()), remove)?;
        remove(self.path(agent, session))
    }
}

fn remove(path: PathBuf) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A session's id as part of a file's name.
pub(crate) fn safe(session: &str) -> String {
    let keep = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let mut name: String = session.chars().map(|c| if keep(c) { c } else { '_' }).collect();
    if name.len() > NAME_BYTES {
        name.truncate(NAME_BYTES);
        name = format!("{name}-{:016x}", EventKey::of(session).0);
    }
    name
}

fn written(state: &LiveState) -> Written {
    Written {
        v: VERSION,
        agent: Some(state.agent.name().to_owned()),
        session_id: state.session.clone(),
        created_at: state.created_at,
        touched_at: state.touched_at,
        prompted_at: state.prompted_at,
        prompts: state.prompts,
        turns: state.turns,
        position: state.position,
        is_subagent: state.is_subagent,
        in_turn: state.in_turn,
        open: state.open,
        open_elsewhere: None,
        seal: state
            .mark
            .map(|mark| WrittenMark { reason: mark.reason.name().to_owned(), at: mark.at }),
    }
}

fn parse(bytes: &[u8]) -> Option<LiveState> {
    let written: Written = serde_json::from_slice(bytes).ok()?;
    let agent = match &written.agent {
        Some(name) => Flavor::logged_from_name(name)?,
        // Only the plugin for Codex leaves it out.
        None => Flavor::Codex,
    };
    let mark = written
        .seal
        .and_then(|mark| Some(Mark { reason: SealReason::from_name(&mark.reason)?, at: mark.at }));
    Some(LiveState {
        agent,
        session: written.session_id,
        created_at: written.created_at,
        touched_at: written.touched_at,
        prompted_at: written.prompted_at,
        prompts: written.prompts,
        turns: written.turns,
        position: written.position,
        is_subagent: written.is_subagent,
        in_turn: written.in_turn,
        open: written.open || written.open_elsewhere.is_some(),
        mark,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_and_short() {
        for (session, name) in [
            ("0193af-x.Y_z", "0193af-x.Y_z"),
            ("../../etc/passwd", ".._.._etc_passwd"),
            ("a b\u{0}ä", "a_b__"),
            ("", ""),
        ] {
            assert_eq!(safe(session), name);
        }
        let (a, b) =
            (safe(&format!("{}a", "x".repeat(300))), safe(&format!("{}b", "x".repeat(300))));
        assert_ne!(a, b);
        assert!(a.len() < 200);
    }

    #[test]
    fn the_plugins_own_files_are_understood() {
        let legacy = r#"{"codexSessionId":"0193af","ovSessionId":"5d0c8f0e-uuid",
            "capturedTurnCount":7,"createdAt":1715000000000,"lastUpdatedAt":1715000300000}"#;
        let state = parse(legacy.as_bytes()).unwrap();
        let expected = LiveState {
            touched_at: Timestamp(1_715_000_300_000),
            turns: 7,
            open: true,
            ..LiveState::new(Flavor::Codex, "0193af", Timestamp(1_715_000_000_000))
        };
        assert_eq!(state, expected);
        let sealed = legacy.replace("\"5d0c8f0e-uuid\"", "null");
        assert_eq!(parse(sealed.as_bytes()).unwrap(), LiveState { open: false, ..expected });
    }

    #[test]
    fn a_state_comes_back_as_it_was_written() {
        let state = LiveState {
            prompted_at: Some(Timestamp(5)),
            prompts: 2,
            turns: 3,
            position: u64::MAX >> 1,
            is_subagent: true,
            open: true,
            mark: Some(Mark { reason: SealReason::Orphaned, at: Timestamp(9) }),
            ..LiveState::new(Flavor::Grok, "a/b", Timestamp(1))
        };
        assert_eq!(parse(&serde_json::to_vec(&written(&state)).unwrap()), Some(state));
        for odd in ["", "{", "[]", "{\"v\":1}", "null"] {
            assert_eq!(parse(odd.as_bytes()), None, "{odd:?}");
        }
    }
}
