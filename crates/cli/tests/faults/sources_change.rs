//! Sources that grow, shrink, move, are rewritten, compressed or archived.

use crate::history::{Claude, codex, session_id};
use crate::sandbox::Sandbox;
use std::io::Write;
use std::path::PathBuf;

fn claude(sandbox: &Sandbox, number: usize, turns: std::ops::Range<usize>) -> PathBuf {
    let session = Claude::new(number, 20);
    let path = sandbox.projects().join(format!("{}.jsonl", session.id));
    sandbox.write(&path, session.turns(turns));
    path
}

fn append(path: &PathBuf, text: &str) {
    let mut file = fs_err::OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn bytes_read(sandbox: &Sandbox) -> u64 {
    sandbox.vault().last_sweep().unwrap().unwrap().bytes_read
}

#[test]
fn an_appended_turn_is_all_that_is_read() {
    let sandbox = Sandbox::new();
    let path = claude(&sandbox, 1, 0..50);
    claude(&sandbox, 2, 0..5);
    sandbox.sync();
    let turn = Claude::new(1, 20).turns(50..51);
    append(&path, &turn);
    sandbox.sync();
    assert_eq!(bytes_read(&sandbox), turn.len() as u64);
    let grown = sandbox.dump();

    // The same bytes read at once give the same archive.
    sandbox.store.remove(&sandbox.home());
    sandbox.sync();
    assert_eq!(sandbox.dump(), grown);
}

#[test]
fn a_torn_line_is_completed_later() {
    let sandbox = Sandbox::new();
    let path = claude(&sandbox, 1, 0..3);
    let turn = Claude::new(1, 20).turns(3..4);
    let (torn, rest) = turn.split_at(turn.len() - 40);
    append(&path, torn);
    sandbox.sync();
    assert_eq!(sandbox.events(&format!("claude:{}", session_id(1))), 3 * 4 + 3);
    append(&path, rest);
    sandbox.sync();
    assert_eq!(sandbox.events(&format!("claude:{}", session_id(1))), 4 * 4);
}

#[test]
fn rewritten_and_truncated_files_add_nothing_known_and_lose_nothing() {
    let sandbox = Sandbox::new();
    claude(&sandbox, 1, 0..20);
    sandbox.sync();
    let before = sandbox.events(&format!("claude:{}", session_id(1)));
    // Truncated: what is stored stays.
    claude(&sandbox, 1, 0..3);
    sandbox.sync();
    assert_eq!(sandbox.events(&format!("claude:{}", session_id(1))), before);
    // Rewritten with other leading bytes and two more turns.
    let path = claude(&sandbox, 1, 0..22);
    let text = fs_err::read_to_string(&path).unwrap();
    fs_err::write(&path, format!("\n{text}")).unwrap();
    sandbox.sync();
    assert_eq!(sandbox.events(&format!("claude:{}", session_id(1))), before + 2 * 4);
}

#[test]
fn moved_compressed_and_archived_rollouts_are_the_same_session() {
    let sandbox = Sandbox::new();
    let sessions = sandbox.user_home().join(".codex/sessions/2026/03/01");
    let name = format!("rollout-2026-03-01T00-00-00-{}.jsonl", session_id(7));
    let path = sessions.join(&name);
    sandbox.write(&path, codex(7, 10, 20));
    sandbox.sync();
    let uid = format!("codex:{}", session_id(7));
    let before = sandbox.events(&uid);
    let archived = sandbox.user_home().join(".codex/archived_sessions").join(&name);
    fs_err::create_dir_all(archived.parent().unwrap()).unwrap();
    fs_err::rename(&path, &archived).unwrap();
    sandbox.sync();
    assert_eq!(sandbox.events(&uid), before);
    assert_eq!(bytes_read(&sandbox), 0, "a moved file is recognised without reading it");

    let plain = fs_err::read(&archived).unwrap();
    let packed = zstd::encode_all(plain.as_slice(), 3).unwrap();
    fs_err::write(archived.with_extension("jsonl.zst"), packed).unwrap();
    fs_err::remove_file(&archived).unwrap();
    sandbox.sync();
    assert_eq!(sandbox.events(&uid), before);

    // Unpacked again and carried on.
    fs_err::remove_file(archived.with_extension("jsonl.zst")).unwrap();
    sandbox.write(&path, codex(7, 12, 20));
    sandbox.sync();
    assert_eq!(sandbox.events(&uid), before + 2 * 4);
}

#[test]
fn a_fork_owns_only_what_is_its_own() {
    let sandbox = Sandbox::new();
    claude(&sandbox, 1, 0..10);
    let fork = Claude { id: session_id(2), ..Claude::new(1, 20) };
    let path = sandbox.projects().join(format!("{}.jsonl", fork.id));
    sandbox.write(&path, fork.turns(0..12));
    sandbox.sync();
    assert_eq!(sandbox.events(&format!("claude:{}", session_id(1))), 40);
    assert_eq!(sandbox.events(&format!("claude:{}", session_id(2))), 8);
    let totals = sandbox.vault().totals().unwrap();
    // 12 turns of two responses each, however many files repeat them.
    assert_eq!(totals[0].cost.output_tokens, 12 * 2 * 7);
}

#[test]
fn reparse_changes_nothing_when_nothing_changed() {
    let sandbox = Sandbox::new();
    claude(&sandbox, 1, 0..10);
    sandbox.sync();
    let before = sandbox.dump();
    let output = sandbox.run(&["sync", "--reparse"]);
    assert!(output.status.success());
    assert_eq!(sandbox.dump(), before);
}
