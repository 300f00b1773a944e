//! A small archive, and a desk before it.

use backstory_engine::{Archive, Root, SyncOptions, sync};
use backstory_model::{Flavor, Timestamp};
use backstory_server::mcp::Desk;
use serde_json::{Value, json};
use std::sync::Arc;

/// The one session.
pub(crate) const SESSION: &str = "11111111-0000-4000-8000-000000000001";
/// What every tool takes for now.
pub(crate) const NOW: Timestamp = Timestamp(1_790_000_000_000);

/// A home with an archive in it, or without.
pub(crate) struct World {
    dir: tempfile::TempDir,
}

impl World {
    /// Nothing was taken in yet.
    pub(crate) fn empty() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    /// One session: a question, an error, its fix, a long answer.
    pub(crate) fn told() -> Self {
        let world = Self::empty();
        world.write_log();
        let root = Root { flavor: Flavor::Claude, dir: world.dir.path().join("projects") };
        let options = SyncOptions { index: true, ..SyncOptions::new(world.archive(), vec![root]) };
        let report = sync(&options, NOW, &mut |_| {}).unwrap();
        assert_eq!(report.problems, []);
        world
    }

    fn write_log(&self) {
        let run = |id: &str, command: &str| json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]);
        let failed = |id: &str, output: &str| json!([{"type": "tool_result", "tool_use_id": id, "is_error": true, "content": output}]);
        let went = |id: &str, output: &str| json!([{"type": "tool_result", "tool_use_id": id, "content": output}]);
        let long = format!("It begins.\n{}It ends with größe.", "line of output\n".repeat(3000));
        let messages: [(&str, Value); 8] = [
            ("user", json!("Why does the heron test fail on port 7411?")),
            ("assistant", run("toolu_1", "cargo test heron")),
            ("user", failed("toolu_1", "Exit code 101\nerror: address already in use: 7411")),
            ("assistant", run("toolu_2", "pkill heron-server")),
            ("user", went("toolu_2", "")),
            ("assistant", run("toolu_3", "cargo test heron")),
            ("user", went("toolu_3", "test result: ok. 3 passed; 0 failed")),
            ("assistant", json!([{"type": "text", "text": long}])),
        ];
        let mut text = String::new();
        let mut parent: Option<String> = None;
        for (at, (role, content)) in messages.iter().enumerate() {
            let uuid = format!("22222222-0000-4000-8000-{at:012}");
            let line = json!({
                "type": role, "uuid": uuid, "parentUuid": parent, "sessionId": SESSION,
                "timestamp": format!("2026-03-01T00:00:{at:02}.000Z"), "cwd": "/src/app",
                "isSidechain": false, "userType": "external", "version": "2.1.100",
                "gitBranch": "main",
                "message": {"role": role, "content": content, "id": format!("msg_{at}"),
                    "model": "claude-opus-4-8"},
            });
            text.extend([line.to_string(), "\n".into()]);
            parent = Some(uuid);
        }
        let folder = self.dir.path().join("projects/app");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::File::create_new(folder.join(format!("{SESSION}.jsonl")))
            .and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()))
            .unwrap();
    }

    /// Where everything lies.
    pub(crate) fn archive(&self) -> Archive {
        Archive::indexed_at_home(backstory_store_sqlite::home(self.dir.path().join("home")))
    }

    /// What tools work with.
    pub(crate) fn desk(&self) -> Arc<Desk> {
        Arc::new(Desk {
            archive: self.archive(),
            clock: Arc::new(|| NOW),
            read_moment: Arc::new(|text, _, _| Timestamp::parse(text)),
            project: None,
            handing: backstory_server::mcp::Handing::Paths,
            commit: Some(Arc::new(|| Ok("sealed 1 session".into()))),
        })
    }
}
