//! One sweep at a time.

use backstory_store::{StoreError, SweepLock, private_file};
use fs4::{FileExt, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

/// Takes the lock, or says who holds it. The file is unlocked when it is closed or the process dies.
pub(crate) fn acquire(path: &Path) -> Result<SweepLock, StoreError> {
    let mut file = private_file().open(path)?.into_file();
    match FileExt::try_lock(&file) {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            file.read_to_string(&mut holder)?;
            return Err(StoreError::Busy(match holder.trim().parse::<u32>() {
                Ok(pid) => format!(" (process {pid})"),
                Err(_) => String::new(),
            }));
        }
        Err(TryLockError::Error(error)) => return Err(error.into()),
    }
    file.set_len(0)?;
    file.rewind()?;
    write!(file, "{}", std::process::id())?;
    Ok(SweepLock::new(file))
}

#[cfg(test)]
mod tests {
    use backstory_store::SweepLock;

    #[test]
    fn a_second_sweep_is_told_who_runs() {
        let dir = tempfile::tempdir().unwrap();
        let home = crate::home(dir.path());
        let held = SweepLock::acquire(&home).unwrap();
        let refused = SweepLock::acquire(&home).unwrap_err();
        assert_eq!(
            refused.to_string(),
            format!("another sync is already running (process {})", std::process::id())
        );
        drop(held);
        SweepLock::acquire(&home).unwrap();
    }
}
