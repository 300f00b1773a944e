//! One sweep at a time.

use crate::home::private_file;
use crate::{Home, StoreError};
use fs4::{FileExt, TryLockError};
use std::io::{Read, Seek, Write};

/// Held while a sweep runs; released when dropped or when the process dies.
#[derive(Debug)]
pub struct SweepLock {
    _file: std::fs::File,
}

impl SweepLock {
    /// Takes the lock, or says who holds it.
    pub fn acquire(home: &Home) -> Result<Self, StoreError> {
        home.create()?;
        let path = home.lock();
        let mut file = private_file().open(&path)?.into_file();
        match FileExt::try_lock(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                file.read_to_string(&mut holder)?;
                let holder = holder.trim();
                return Err(StoreError::Busy(match holder.parse::<u32>() {
                    Ok(pid) => format!(" (process {pid})"),
                    Err(_) => String::new(),
                }));
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        file.set_len(0)?;
        file.rewind()?;
        write!(file, "{}", std::process::id())?;
        Ok(Self { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_sweep_is_told_who_runs() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::new(dir.path());
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
