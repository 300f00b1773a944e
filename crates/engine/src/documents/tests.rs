//! Documents handed in, brought up to date, watched and forgotten.

use super::*;
use crate::tree::{Part, Tree};
use fs_err as fs;
use std::os::unix::fs::PermissionsExt;

const NOW: Timestamp = Timestamp(1_790_000_000_000);
const MINUTE: i64 = 60_000;

struct Desk {
    dir: tempfile::TempDir,
    home: Home,
}

impl Desk {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = backstory_store_sqlite::home(dir.path().join("home"));
        Self { dir, home }
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn hand_in(&self, path: &str, to: Option<&str>, every: u32) -> Result<HandedIn, TreeError> {
        let handover = Handover {
            origin: Origin::Path(self.dir.path().join(path)),
            to: to.map(str::to_owned),
            parent: None,
            every_minutes: every,
        };
        hand_in(&self.home, &handover, NOW)
    }

    fn read(&self, address: &str) -> Option<String> {
        let tree = Tree::open(&self.home, NOW).unwrap();
        tree.read(address, Part::WHOLE).ok().map(|reading| reading.text)
    }
}

#[test]
fn a_file_is_copied_redacted_and_private() {
    let desk = Desk::new();
    let key = ["sk-ant-api03-", &"Ab3dE6gH9k".repeat(9), "-AA"].concat();
    desk.write("docs/runbook.md", &format!("# Runbook\n\nRestart heron.\nkey = \"{key}\"\n"));
    let done = desk.hand_in("docs/runbook.md", None, 0).unwrap();
    assert_eq!(
        (done.address.as_str(), done.files),
        ("backstory://memories/resources/runbook.md", 1)
    );
    let text = desk.read("viking://resources/runbook.md").unwrap();
    assert!(text.contains("Restart heron.") && !text.contains(&key), "{text}");
    let copy = desk.home.dir().join("memories/resources/runbook.md");
    assert_eq!(fs::metadata(copy).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_folder_is_copied_without_what_is_hidden_made_secret_or_no_text() {
    let desk = Desk::new();
    for (path, text) in [
        ("app/a.md", "one"),
        ("app/src/b.rs", "two"),
        ("app/.env", "three"),
        ("app/.git/config", "four"),
        ("app/node_modules/x.js", "five"),
        ("app/server.pem", "six"),
        ("app/picture.png", "\0\u{1}"),
    ] {
        desk.write(path, text);
    }
    std::os::unix::fs::symlink("/etc/hostname", desk.dir.path().join("app/link.md")).unwrap();
    let done = desk.hand_in("app", None, 0).unwrap();
    assert_eq!((done.files, done.bytes, done.is_cut), (2, 6, false));
    let passed: Vec<_> = done.passed_over.iter().map(|passed| passed.why).collect();
    assert_eq!(passed, ["it is no text", "files of that name hold keys or passwords"]);
    assert_eq!(desk.read("viking://resources/app/src/b.rs").as_deref(), Some("two"));
    assert_eq!(desk.read("viking://resources/app/link.md"), None);
}

#[test]
fn the_same_again_brings_the_copy_up_to_date() {
    let desk = Desk::new();
    let (one, two) = (desk.write("app/a.md", "one"), desk.write("app/b.md", "two"));
    desk.hand_in("app", Some("notes"), 0).unwrap();
    fs::write(one, "changed").unwrap();
    fs::remove_file(two).unwrap();
    desk.hand_in("app", Some("backstory://memories/resources/notes"), 0).unwrap();
    assert_eq!(desk.read("viking://resources/notes/a.md").as_deref(), Some("changed"));
    assert_eq!(desk.read("viking://resources/notes/b.md"), None);
}

#[test]
fn what_is_not_its_own_is_never_written_over() {
    let desk = Desk::new();
    desk.write("a.md", "new");
    let tree = Tree::open(&desk.home, NOW).unwrap();
    let other = "backstory://memories/resources/a.md";
    tree.write(other, "mine", crate::tree::WriteMode::Create).unwrap();
    assert!(desk.hand_in("a.md", None, 0).is_err());
    assert_eq!(desk.read(other).as_deref(), Some("mine"));
    for to in ["../x.md", "backstory://memories/x.md", "backstory://sessions/x", ".hidden", "/"] {
        assert!(desk.hand_in("a.md", Some(to), 0).is_err(), "{to}");
    }
    assert!(desk.hand_in("missing.md", None, 0).is_err());
    let relative =
        Handover { origin: Origin::Path("a.md".into()), to: None, parent: None, every_minutes: 0 };
    assert!(hand_in(&desk.home, &relative, NOW).is_err());
}

#[test]
fn a_watched_document_is_copied_when_it_is_due() {
    let desk = Desk::new();
    let path = desk.write("a.md", "one");
    desk.hand_in("a.md", None, 10).unwrap();
    let address = "backstory://memories/resources/a.md";
    let later = |minutes: i64| Timestamp(NOW.0 + minutes * MINUTE);
    fs::write(&path, "two").unwrap();
    refresh(&desk.home, later(9)).unwrap();
    assert_eq!(desk.read(address).as_deref(), Some("one"));
    refresh(&desk.home, later(10)).unwrap();
    assert_eq!(desk.read(address).as_deref(), Some("two"));
    // What cannot be read keeps its copy, and says so.
    fs::remove_file(&path).unwrap();
    refresh(&desk.home, later(20)).unwrap();
    assert_eq!(desk.read(address).as_deref(), Some("two"));
    let [watch] = watches(&desk.home).unwrap().try_into().unwrap();
    assert_eq!((watch.address.as_str(), watch.read_at), (address, later(20)));
    assert_eq!(watch.error, Some(format!("nothing is at {}", path.display())));
    assert!(cancel_watch(&desk.home, "viking://resources/a.md").unwrap());
    assert!(!cancel_watch(&desk.home, address).unwrap());
    assert_eq!(watches(&desk.home).unwrap(), []);
    assert_eq!(desk.read(address).as_deref(), Some("two"));
}

#[test]
fn whoever_forgets_the_copy_ends_the_watch() {
    let desk = Desk::new();
    desk.write("app/a.md", "one");
    desk.hand_in("app", None, 1).unwrap();
    let tree = Tree::open(&desk.home, NOW).unwrap();
    tree.forget("viking://resources/app", true).unwrap();
    refresh(&desk.home, Timestamp(NOW.0 + MINUTE)).unwrap();
    assert_eq!(watches(&desk.home).unwrap(), []);
    assert_eq!(desk.read("viking://resources/app/a.md"), None);
}

#[test]
fn an_upload_is_handed_in_once_and_expires() {
    let desk = Desk::new();
    let key = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
    let id = keep_upload(&desk.home, "a.md", format!("one {key}").into_bytes()).unwrap();
    let kept = fs::read_to_string(desk.home.dir().join("state/uploads").join(&id)).unwrap();
    assert!(kept.starts_with("one ") && !kept.contains(&key), "{kept}");
    let upload = |id: &str| Handover {
        origin: Origin::Upload(id.to_owned()),
        to: None,
        parent: Some("inbox".into()),
        every_minutes: 5,
    };
    let done = hand_in(&desk.home, &upload(&id), NOW).unwrap();
    assert_eq!(done.address, "backstory://memories/resources/inbox/a.md");
    assert_eq!(watches(&desk.home).unwrap(), []);
    for id in [id.as_str(), "", "../../../etc/passwd", "0123456789abcdef-../x", "ü"] {
        assert!(hand_in(&desk.home, &upload(id), NOW).is_err(), "{id}");
    }
    for name in ["", ".env", "a/b.md", "id_rsa", "ü.md"] {
        assert!(keep_upload(&desk.home, name, b"text".to_vec()).is_err(), "{name}");
    }
    let id = keep_upload(&desk.home, "b.md", b"two".to_vec()).unwrap();
    refresh(&desk.home, Timestamp(i64::MAX / 2)).unwrap();
    assert!(hand_in(&desk.home, &upload(&id), NOW).is_err());
}
