//! What a home holds, to the last byte; and accounts written into one by hand, so that tests of what
//! is told of a digest do not depend on the rules that make digests.

use crate::sandbox::Sandbox;
use backstory_model::{SessionUid, Timestamp};
use backstory_store::{Account, Home, PendingSession, StoreError, SweepLock, Vault, Writer};
use std::path::{Path, PathBuf};
use std::time::Duration;

impl Sandbox {
    /// The archive of a sandbox with a history.
    pub(crate) fn archive(&self) -> Home {
        self.archive_in("archive")
    }

    /// Replaces what is distilled of a session.
    pub(crate) fn put_account(&self, uid: &str, account: &Account) {
        let home = self.archive();
        let _lock = lock(&home);
        let uid = SessionUid::from_stored(uid.to_owned());
        let head = Vault::open(&home).unwrap().session_head(&uid).unwrap().unwrap();
        let session = PendingSession { id: head.id, uid, from_seq: 0, next_seq: head.next_seq };
        let mut writer = Writer::open(&home).unwrap();
        let now = Timestamp::parse(crate::sandbox::NOW).unwrap();
        writer.put_account(&session, account, now).unwrap();
        writer.commit().unwrap();
    }

    /// Sets caps of the retention, in bytes.
    pub(crate) fn set_caps(&self, soft: u64, hard: u64, distilled: u64) {
        let text = format!(
            "[session_memory.retention]\nraw_soft_cap_bytes = {soft}\n\
             raw_hard_cap_bytes = {hard}\ndistilled_cap_bytes = {distilled}\n"
        );
        self.write("archive/config.toml", &text);
    }

    /// Files of the archive that hold a text, packs unpacked, and whether any row does, compressed
    /// values included.
    pub(crate) fn holders(&self, text: &str) -> Vec<String> {
        let home = self.archive();
        let has = |bytes: &[u8]| bytes.windows(text.len()).any(|part| part == text.as_bytes());
        let mut holders = Vec::new();
        if self.rows_hold(home.dir(), text) {
            holders.push("rows".to_owned());
        }
        for path in files_below(home.dir()) {
            if path.file_name().is_some_and(|name| name == "archive.db") {
                continue;
            }
            let bytes = fs_err::read(&path).unwrap();
            let is_pack = path.extension().is_some_and(|extension| extension == "pack");
            if has(&bytes) || (is_pack && unpacked(&bytes).iter().any(|block| has(block))) {
                holders.push(path.display().to_string());
            }
        }
        let vault = Vault::open(&home).unwrap();
        for uid in vault.find_sessions("", usize::MAX >> 1).unwrap() {
            if let Some(account) = vault.account(&uid).unwrap()
                && (has(account.text().as_bytes()) || has(&account.state))
            {
                holders.push(format!("account of {uid}"));
            }
        }
        for path in files_below(&self.home().join(".claude")) {
            let cursor = vault.cursor(backstory_store::path_key(&path)).unwrap();
            if cursor.is_some_and(|cursor| has(&cursor.state) || has(cursor.path.as_bytes())) {
                holders.push(format!("cursor of {}", path.display()));
            }
        }
        holders
    }
}

/// A child that another test has just forked holds our files until it becomes its own program.
fn lock(home: &Home) -> SweepLock {
    for _ in 0..100 {
        match SweepLock::acquire(home) {
            Err(StoreError::Busy(_)) => std::thread::sleep(Duration::from_millis(20)),
            other => return other.unwrap(),
        }
    }
    panic!("the lock is never free");
}

/// Every file below a folder.
pub(crate) fn files_below(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs_err::read_dir(dir).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

/// The blocks of a pack: a magic word, then per block its two lengths, a checksum and the bytes.
fn unpacked(pack: &[u8]) -> Vec<Vec<u8>> {
    let mut blocks = Vec::new();
    let mut rest = &pack[8..];
    while let [a, b, c, d, e, f, g, h, more @ ..] = rest {
        let len = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
        let raw_len = u32::from_le_bytes([*e, *f, *g, *h]) as usize;
        let (body, after) = more[8..].split_at(len);
        let is_plain = len == raw_len;
        let unpacked = |body| zstd::bulk::decompress(body, raw_len).unwrap();
        blocks.push(if is_plain { body.to_vec() } else { unpacked(body) });
        rest = after;
    }
    blocks
}
