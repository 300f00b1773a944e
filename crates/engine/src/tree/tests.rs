//! The tree over a small archive: what is where, what is told, and that nothing else can be reached.

use super::*;
use crate::{Archive, Root, SyncOptions, pushed, sync};
use backstory_model::Flavor;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const SESSION: &str = "11111111-0000-4000-8000-000000000001";
const NOW: Timestamp = Timestamp(1_790_000_000_000);

struct World {
    dir: tempfile::TempDir,
}

impl World {
    fn empty() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    /// One session with a sub-agent: a question, a failing command, a long answer.
    fn told() -> Self {
        let world = Self::empty();
        let long = format!("It begins.\n{}\nIt ends with größe.", "line of output\n".repeat(400));
        let said = |role: &str, content: Value| (role.to_owned(), content);
        world.log(
            &format!("{SESSION}.jsonl"),
            None,
            &[
                said("user", json!("Why does the heron test fail on port 7411?")),
                said(
                    "assistant",
                    json!([{"type": "tool_use", "id": "toolu_1", "name": "Bash",
                        "input": {"command": "cargo test heron"}}]),
                ),
                said(
                    "user",
                    json!([{"type": "tool_result", "tool_use_id": "toolu_1", "is_error": true,
                        "content": "Exit code 101\nerror: address already in use: 7411"}]),
                ),
                said("assistant", json!([{"type": "text", "text": long}])),
            ],
        );
        let folder = format!("{SESSION}/subagents");
        world.log(
            &format!("{folder}/agent-a1b2c3.jsonl"),
            Some("a1b2c3"),
            &[said("user", json!("Look for the heron config"))],
        );
        let archive = Archive::indexed_at_home(world.home());
        let root = Root { flavor: Flavor::Claude, dir: world.dir.path().join("projects") };
        let report = sync(&SyncOptions::new(archive, vec![root]), NOW, &mut |_| {}).unwrap();
        assert_eq!(report.problems, []);
        world
    }

    fn log(&self, name: &str, agent: Option<&str>, messages: &[(String, Value)]) {
        let mut text = String::new();
        let mut parent: Option<String> = None;
        for (at, (role, content)) in messages.iter().enumerate() {
            let uuid = format!("{}0000-0000-4000-8000-{at:012}", agent.unwrap_or("2222"));
            let line = json!({
                "type": role, "uuid": uuid, "parentUuid": parent, "sessionId": SESSION,
                "timestamp": format!("2026-03-01T00:00:{at:02}.000Z"), "cwd": "/src/app",
                "isSidechain": agent.is_some(), "agentId": agent, "userType": "external",
                "version": "2.1.100", "gitBranch": "main",
                "message": {"role": role, "content": content, "id": format!("msg_{uuid}"),
                    "model": "claude-opus-4-8"},
            });
            text.extend([line.to_string(), "\n".into()]);
            parent = Some(uuid);
        }
        let path = self.dir.path().join("projects/app").join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }

    fn home(&self) -> Home {
        backstory_store_sqlite::home(self.dir.path().join("home"))
    }

    fn tree(&self) -> Tree {
        Tree::open(&self.home(), NOW).unwrap()
    }

    fn memories(&self) -> PathBuf {
        self.dir.path().join("home/memories")
    }
}

fn read(tree: &Tree, address: &str) -> String {
    tree.read(address, Part::WHOLE).unwrap_or_else(|error| panic!("{address}: {error}")).text
}

fn names(entries: &[Entry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.name.as_str()).collect()
}

#[test]
fn every_name_of_a_session_leads_to_it() {
    let world = World::told();
    let tree = world.tree();
    let overview = read(&tree, &format!("backstory://sessions/claude:{SESSION}/overview.md"));
    assert!(overview.starts_with("# "), "{overview}");
    assert!(overview.contains(&format!("- session: claude:{SESSION}\n")), "{overview}");
    for address in [
        format!("viking://~/sessions/cc-{SESSION}/.overview.md"),
        format!("viking://user/ann/sessions/{SESSION}/overview.md"),
        format!("viking://session/cc-{SESSION}/overview.md"),
        "backstory://sessions/11111111/overview.md".to_owned(),
        "sessions/last/overview.md".to_owned(),
        format!("backstory://claude:{SESSION}/overview.md"),
        format!("backstory://claude:{SESSION}"),
    ] {
        assert_eq!(read(&tree, &address), overview, "{address}");
    }
    for address in [
        format!("backstory://claude:{SESSION}/a1b2c3/0"),
        format!("backstory://sessions/claude:{SESSION}/a1b2c3/0"),
        format!("viking://~/sessions/cc-{SESSION}__subagent-a1b2c3/0"),
    ] {
        assert!(read(&tree, &address).contains("Look for the heron config"), "{address}");
    }
}

#[test]
fn every_seal_is_a_document() {
    let world = World::told();
    let uid = backstory_model::SessionUid::from_stored(format!("claude:{SESSION}"));
    let choice = crate::live::SealChoice::Session(uid.clone());
    let seal = crate::live::SealOptions { choice, ..Default::default() };
    let options = SyncOptions::new(Archive::indexed_at_home(world.home()), Vec::new());
    crate::commit(&options, &seal, NOW, &mut |_| {}).unwrap();
    let tree = world.tree();
    assert_eq!(names(&tree.list(&format!("backstory://{uid}/seals")).unwrap()), ["001.md"]);
    let sealed = read(&tree, &format!("backstory://sessions/{uid}/seals/001.md"));
    assert!(sealed.starts_with("_Sealed ") && sealed.contains("## Open Issues"), "{sealed}");
    let history = format!("viking://~/sessions/cc-{SESSION}/history");
    assert_eq!(names(&tree.list(&history).unwrap()), ["archive_001"]);
    assert_eq!(read(&tree, &format!("{history}/archive_001/.overview.md")), sealed);
    assert!(read(&tree, &format!("{history}/archive_001/.abstract.md")).len() > 1);
    assert!(names(&tree.list(&format!("sessions/{uid}")).unwrap()).contains(&"seals"));
    for missing in ["seals/002.md", "history/archive_002", "history/archive_002/.overview.md"] {
        let address = format!("sessions/{uid}/{missing}");
        assert!(tree.read(&address, Part::WHOLE).is_err(), "{address}");
        assert!(tree.list(&address).is_err(), "{address}");
    }
}

#[test]
fn what_was_posted_has_its_own_history_before_it_is_taken_in_and_behind() {
    let world = World::empty();
    let journal = pushed::Journal::new(world.home(), pushed::Limits::default());
    let post = |id: &str, text: &str| {
        let part = pushed::Part { text: Some(text.into()), ..pushed::Part::default() };
        let said =
            pushed::Incoming { role: "user".into(), parts: vec![part], ..Default::default() };
        journal.append(id, &[said], NOW).unwrap();
        journal.seal(id, 0, "asked", NOW).unwrap();
    };
    post("oc-1", "Paint the lighthouse red");
    post("oc-1", "Then paint the door green");
    let history = "viking://user/default/sessions/oc-1/history";
    let first = format!("{history}/archive_001/.overview.md");
    let second = format!("{history}/archive_002/.overview.md");
    let check = || {
        let tree = world.tree();
        let archives = tree.list(history).unwrap();
        assert_eq!(names(&archives), ["archive_001", "archive_002"]);
        assert!(archives.iter().all(|entry| entry.is_folder && entry.about.is_some()));
        let files = tree.list(&archives[1].address).unwrap();
        assert_eq!(names(&files), [".abstract.md", ".overview.md", "messages.jsonl"]);
        assert!(!read(&tree, &files[0].address).is_empty());
        assert!(!read(&tree, &first).contains("door"), "{}", read(&tree, &first));
        let sealed = read(&tree, &second);
        assert!(sealed.starts_with("_Sealed ") && sealed.contains("door green"), "{sealed}");
        assert!(tree.list(&format!("{history}/archive_003")).is_err());
        assert!(tree.read(&format!("{history}/archive_003/.overview.md"), Part::WHOLE).is_err());
        assert!(tree.list("viking://~/sessions/oc-2/history").is_err());
    };
    check();
    // One sweep takes both in and seals once.
    let archive = Archive::indexed_at_home(world.home());
    let options = SyncOptions { spool: true, ..SyncOptions::new(archive, Vec::new()) };
    let choice = crate::live::SealChoice::Pending;
    let seal = crate::live::SealOptions { choice, ..Default::default() };
    crate::commit(&options, &seal, NOW, &mut |_| {}).unwrap();
    check();
    let tree = world.tree();
    assert_eq!(names(&tree.list("sessions/pushed:oc-1/seals").unwrap()), ["001.md"]);
    let of_session = tree.list("viking://~/sessions/oc-1").unwrap();
    assert!(names(&of_session).contains(&"history"), "{of_session:?}");
    assert_eq!(read(&tree, &second.replace("oc-1", "pushed:oc-1")), read(&tree, &second));
    // What was posted goes by its own name before it is the beginning of another.
    post("oc", "Repair the stairs");
    assert_eq!(names(&tree.list("viking://~/sessions/oc/history").unwrap()), ["archive_001"]);
    // Without the file the archive tells what it has.
    journal.remove("oc-1").unwrap();
    assert_eq!(names(&tree.list(history).unwrap()), ["archive_001"]);
    assert!(read(&tree, &first).contains("door green"));
}

#[test]
fn a_transcript_tells_all_and_leads_to_the_rest() {
    let world = World::told();
    let tree = world.tree();
    let text = read(&tree, "sessions/last/transcript.md");
    assert!(text.contains("\n## 0 user · 2026-03-01 00:00:00Z\n"), "{text}");
    assert!(text.contains("heron test fail on port 7411"), "{text}");
    assert!(text.contains("cargo test heron") && text.contains("already in use: 7411"), "{text}");
    assert!(text.contains("It begins.") && text.contains("It ends with größe."), "{text}");
    let cut = text.lines().find(|line| line.starts_with("… ")).unwrap();
    let address = cut.split_whitespace().find(|word| word.starts_with("backstory://")).unwrap();
    let event = read(&tree, address);
    assert_eq!(event.matches("line of output").count(), 400);
    assert!(event.contains(&format!("\n- this: {address}\n")), "{event}");
    // Whoever reads on where a part ended has read everything.
    let (mut parts, mut offset) = (String::new(), 0);
    loop {
        let part = tree.read("sessions/last/transcript.md", Part::chars(offset, 1000)).unwrap();
        assert!(part.text.chars().count() <= 1000);
        parts.push_str(&part.text);
        match part.next {
            Some(next) => offset = next,
            None => break,
        }
    }
    assert_eq!(parts, text);
}

#[test]
fn folders_list_what_can_be_read() {
    let world = World::told();
    let tree = world.tree();
    tree.write("memories/preferences/tea.md", "# Tea\n\nGreen.", WriteMode::Create).unwrap();
    let top = ["sessions", "memories", "errors", "decisions", "patterns", "skills"];
    assert_eq!(names(&tree.list("backstory://").unwrap()), top);
    assert_eq!(names(&tree.list("viking://").unwrap()), ["agent", "resources", "user"]);
    assert_eq!(names(&tree.list("viking://user").unwrap()), ["default"]);
    assert_eq!(names(&tree.list("viking://user/default").unwrap()), top);
    assert_eq!(tree.list("viking://resources").unwrap(), []);
    let uid = format!("claude:{SESSION}");
    assert_eq!(names(&tree.list("sessions").unwrap()), [uid.as_str()]);
    let session = tree.list(&format!("sessions/{uid}")).unwrap();
    assert_eq!(names(&session), ["overview.md", "digest.md", "transcript.md", "a1b2c3"]);
    let walked = tree.walk("viking://", 16, 1000).unwrap();
    assert!(!walked.is_cut);
    let mut files = 0;
    for (_, entry) in walked.entries {
        if entry.is_folder {
            tree.list(&entry.address).unwrap();
        } else {
            assert!(!read(&tree, &entry.address).is_empty(), "{}", entry.address);
            files += 1;
        }
    }
    // Six documents of two sessions, one error, one memory.
    assert!(files >= 8, "{files}");
    assert_eq!(tree.walk("backstory://", 16, 3).unwrap().entries.len(), 3);
    assert!(tree.walk("backstory://", 16, 3).unwrap().is_cut);
    let tea = &tree.list("memories/preferences").unwrap()[0];
    assert_eq!((tea.about.as_deref(), tea.bytes), (Some("Tea: Green."), Some(13)));
}

#[test]
fn an_error_is_a_file_of_its_own() {
    let world = World::told();
    let tree = world.tree();
    let errors = tree.list("errors").unwrap();
    assert_eq!(errors.len(), 1, "{errors:?}");
    let text = read(&tree, &errors[0].address);
    assert!(text.contains("address already in use: 7411"), "{text}");
    assert!(text.contains(&format!("backstory://claude:{SESSION}/2")), "{text}");
    let known = tree.known_errors("error: address already in use: 7411", None).unwrap();
    assert!(known[0].is_same);
}

#[test]
fn without_an_archive_there_are_memories() {
    let world = World::empty();
    let tree = world.tree();
    assert_eq!(tree.list("sessions").unwrap(), []);
    assert_eq!(tree.list("errors").unwrap(), []);
    assert_eq!(tree.list("memories").unwrap(), []);
    let missing = tree.read("sessions/last/overview.md", Part::WHOLE);
    assert!(matches!(missing, Err(TreeError::Store(StoreError::Missing(_)))));
    let note = Note { text: "The staging host is heron-7.".into(), ..Note::default() };
    let address = tree.remember(&note).unwrap();
    assert!(read(&tree, &address).ends_with("The staging host is heron-7.\n"));
    assert_eq!(tree.remember(&note).unwrap(), address, "the same note is one note");
    let found = tree.find_memories("memories", "which host is staging?", 5).unwrap();
    assert_eq!(found.iter().map(|found| &found.address).collect::<Vec<_>>(), [&address]);
    assert_eq!(tree.find_memories("memories", "nothing alike", 5).unwrap(), []);
    assert_eq!(tree.forget(&address, false).unwrap(), 1);
    assert!(matches!(tree.read(&address, Part::WHOLE), Err(TreeError::NotFound(_))));
}

#[test]
fn memories_are_written_whole_private_and_without_secrets() {
    let tree_of = World::empty();
    let tree = tree_of.tree();
    let secret = ["ghp_", "R7bq2LmX9wKe4TzV", "n8YcJ5sHd3GfPa1U", "Qo60"].concat();
    tree.write("viking://~/memories/a/b.md", &format!("key {secret}"), WriteMode::Replace).unwrap();
    tree.write("memories/a/b.md", "größe", WriteMode::Append).unwrap();
    let text = read(&tree, "memories/a/b.md");
    assert!(!text.contains(&secret) && text.ends_with("\ngröße"), "{text}");
    assert!(tree.write("memories/a/b.md", "x", WriteMode::Create).is_err());
    assert_eq!(tree.edit("memories/a/b.md", "größe", "size", false).unwrap(), 1);
    assert!(tree.edit("memories/a/b.md", "größe", "x", false).is_err(), "it is gone");
    tree.write("memories/a/b.md", "e e e", WriteMode::Replace).unwrap();
    assert!(tree.edit("memories/a/b.md", "e", "x", false).is_err(), "three of them");
    assert_eq!(tree.edit("memories/a/b.md", "e", "x", true).unwrap(), 3);
    assert_eq!(read(&tree, "memories/a/b.md"), "x x x");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&tree_of.memories().join("a/b.md")), 0o600);
        assert_eq!(mode(&tree_of.memories().join("a")), 0o700);
    }
    assert!(tree.forget("memories/a", false).is_err(), "a folder");
    assert_eq!(tree.forget("memories/a", true).unwrap(), 1);
    assert_eq!(tree.list("memories").unwrap(), []);
}

#[test]
fn only_memories_can_be_changed() {
    let world = World::told();
    let tree = world.tree();
    for address in [
        "sessions/last/overview.md",
        "viking://~/sessions/last/digest.md",
        "errors/x.md",
        "skills/a/SKILL.md",
        "memories/skills/a/SKILL.md",
        "memories",
        "viking://",
        "memories/../archive.db",
        "memories/a.sh",
        "memories/.hidden.md",
        "memories/no-extension",
        "backstory://",
    ] {
        assert!(tree.write(address, "x", WriteMode::Replace).is_err(), "{address}");
        assert!(
            tree.forget(address, true).is_err() || address.starts_with("memories/"),
            "{address}"
        );
    }
    assert!(tree.list("sessions").unwrap().len() == 1, "nothing went");
    assert!(matches!(tree.forget("sessions/last", true), Err(TreeError::ReadOnly { .. })));
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out_of_the_memories() {
    let world = World::empty();
    let tree = world.tree();
    let outside = world.dir.path().join("outside");
    fs_err::create_dir_all(&outside).unwrap();
    fs_err::write(outside.join("secret.md"), "secret").unwrap();
    fs_err::create_dir_all(world.memories()).unwrap();
    let link =
        |from: PathBuf, to: &str| fs_err::os::unix::fs::symlink(from, world.memories().join(to));
    link(outside.clone(), "folder").unwrap();
    link(outside.join("secret.md"), "file.md").unwrap();
    link(outside.join("new.md"), "dangling.md").unwrap();
    for address in ["memories/folder/secret.md", "memories/file.md", "memories/dangling.md"] {
        assert!(tree.read(address, Part::WHOLE).is_err(), "{address}");
        assert!(tree.write(address, "x", WriteMode::Replace).is_err(), "{address}");
        assert!(tree.forget(address, true).is_err(), "{address}");
    }
    assert!(tree.list("memories/folder").is_err());
    let grepped = tree.grep("memories", &any("secret")).unwrap();
    assert_eq!(grepped.hits, []);
    assert_eq!(fs_err::read_to_string(outside.join("secret.md")).unwrap(), "secret");
    assert!(!outside.join("new.md").exists());
}

fn any(pattern: &str) -> GrepOptions {
    GrepOptions { patterns: vec![pattern.into()], ignore_case: true, limit: 10, from: None }
}

#[test]
fn lines_are_found_wherever_they_stand() {
    let world = World::told();
    let tree = world.tree();
    tree.write("memories/ports.md", "# Ports\n\nHeron: 7411\n", WriteMode::Create).unwrap();
    let at = |address: &str, pattern: &str| -> Vec<(String, usize)> {
        let hits = tree.grep(address, &any(pattern)).unwrap().hits.into_iter();
        hits.map(|hit| (hit.address, hit.line)).collect()
    };
    let event = |seq: u32| format!("backstory://claude:{SESSION}/{seq}");
    assert_eq!(at("memories", "heron"), [("backstory://memories/ports.md".into(), 3)]);
    assert_eq!(
        at("viking://~/memories/ports.md", "741\\d"),
        [("viking://~/memories/ports.md".into(), 3)]
    );
    assert_eq!(at("sessions", "already in use"), [(event(2), 2)]);
    assert_eq!(
        at("sessions/last", "config"),
        [(format!("backstory://claude:{SESSION}/a1b2c3/0"), 1)]
    );
    assert_eq!(at("backstory://", "7411").len(), 3);
    // What is no expression is taken as it stands.
    assert_eq!(at("memories", "Heron: ("), []);
    let many = tree.grep("sessions", &any("line of output")).unwrap();
    assert!(many.next.is_some() && many.hits.len() == 10);
    assert!(tree.grep("sessions", &any("")).is_err());
}

#[test]
fn pages_of_lines_are_together_what_one_answer_would_be() {
    let world = World::told();
    let tree = world.tree();
    for (name, text) in [("a.md", "a test\n\na test\n"), ("b.md", "no line"), ("c.md", "tests")] {
        tree.write(&format!("memories/{name}"), text, WriteMode::Create).unwrap();
    }
    let options = |limit: usize, from: Option<String>| GrepOptions {
        limit,
        from,
        ..any("test|line of output")
    };
    for at in ["backstory://", "memories", "sessions", "viking://~/memories"] {
        let whole = tree.grep(at, &options(10_000, None)).unwrap();
        assert!(whole.hits.len() >= 3 && whole.next.is_none(), "{at}");
        for limit in [1, 2, 7, 500] {
            let few = whole.hits.len().min(limit * 40);
            let (mut hits, mut from) = (Vec::new(), None);
            while hits.len() < few {
                let page = tree.grep(at, &options(limit, from.take())).unwrap();
                assert!(!page.hits.is_empty(), "{at} {limit}");
                hits.extend(page.hits);
                from = page.next;
            }
            assert_eq!(hits, whole.hits[..hits.len()], "{at} {limit}");
            assert_eq!(from.is_none(), hits.len() == whole.hits.len(), "{at} {limit}");
        }
    }
    assert!(
        tree.grep("memories", &options(1, Some("backstory://memories/x.md#L1".into()))).is_err()
    );
}

#[test]
fn names_are_found_by_a_pattern() {
    let world = World::told();
    let tree = world.tree();
    tree.write("memories/a/b.md", "x", WriteMode::Create).unwrap();
    let found = |address: &str, pattern: &str| tree.glob(address, pattern, (0, 10)).unwrap().0;
    assert_eq!(found("backstory://", "memories/**/*.md"), ["backstory://memories/a/b.md"]);
    assert_eq!(found("viking://~/memories", "**/*.md"), ["viking://~/memories/a/b.md"]);
    assert_eq!(found("backstory://", "sessions/*/digest.md").len(), 1);
    assert_eq!(found("backstory://", "**/digest.md").len(), 2);
    assert_eq!(found("backstory://memories", "*.md"), [""; 0]);
    assert!(tree.glob("backstory://", "**", (0, 2)).unwrap().1);
    assert!(tree.glob("backstory://", "[", (0, 2)).is_err());
    let whole = tree.glob("backstory://", "**", (0, 100)).unwrap().0;
    for at in 0..=whole.len() {
        let (page, has_more) = tree.glob("backstory://", "**", (at, 2)).unwrap();
        assert_eq!(page, whole[at..(at + 2).min(whole.len())]);
        assert_eq!(has_more, at + 2 < whole.len());
    }
}
