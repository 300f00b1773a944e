//! The index that is open, one for all threads that read it: every one more would be mapped into memory
//! once more.

use backstory_engine::search::{OpenedIndex, Stay, open_index};
use backstory_engine::{Archive, SyncError};
use backstory_store::{IndexState, Vault};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Pages of files stay mapped once they were looked at. With more of them than this, the index is opened
/// anew, which lets them go: the system keeps what it has room for, and it is not counted as ours.
const MOST_MAPPED_KB: u64 = 80 << 10;
/// Opening takes as long as some answers do, and asking the system is not free either, so both are done
/// once in so many answers.
const ANSWERS: u32 = 4;
/// How long those who read the old index are waited for, and how often they are looked for.
const PATIENCE: Duration = Duration::from_millis(200);
const GLANCE: Duration = Duration::from_millis(1);

/// The index that is open, if one is.
#[derive(Debug, Default)]
pub(crate) struct SharedIndex(Mutex<Option<Kept>>);

#[derive(Debug)]
struct Kept {
    state: Option<IndexState>,
    index: OpenedIndex,
    answers: u32,
}

impl SharedIndex {
    /// The index an archive is in step with now.
    pub(crate) fn of(&self, archive: &Archive, vault: &Vault) -> Result<OpenedIndex, SyncError> {
        let state = vault.index_state()?;
        let mut kept = self.locked();
        if let Some(kept) = kept.as_mut().filter(|kept| kept.state == state) {
            kept.answers += 1;
            if !kept.answers.is_multiple_of(ANSWERS) || mapped_kb() <= MOST_MAPPED_KB {
                return Ok(kept.index.clone());
            }
        }
        // The old one goes first, or both would be mapped for a while.
        if let Some(old) = kept.take() {
            let_go(old.index);
        }
        let index = open_index(&*archive.index, Stay::Long)?;
        *kept = Some(Kept { state, index: index.clone(), answers: 0 });
        Ok(index)
    }

    /// Closes it once nobody reads it any more.
    pub(crate) fn close(&self) {
        *self.locked() = None;
    }

    fn locked(&self) -> MutexGuard<'_, Option<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits until nobody reads an index any more, or for a while.
fn let_go(index: OpenedIndex) {
    let (ends, readers) = (Instant::now() + PATIENCE, Arc::downgrade(&index));
    drop(index);
    while readers.strong_count() > 0 && Instant::now() < ends {
        std::thread::sleep(GLANCE);
    }
}

/// How much of files is mapped into this process; nothing where the system does not tell.
fn mapped_kb() -> u64 {
    let status = fs_err::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssFile:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(0)
}
