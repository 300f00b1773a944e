//! Logs of our own below the home directory: one JSON object per line, appended and never changed, of
//! bounded size.

use backstory_store::{create_private_dir, private_file};
use fs_err as fs;
use serde::de::DeserializeOwned;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Files begun by this process.
static UNFINISHED: AtomicU64 = AtomicU64::new(0);

/// Enough of a log's end to hold its last line.
const TAIL_BYTES: u64 = 64 << 10;

/// One log: `<name>.jsonl`, and the one before it, `<name>.1.jsonl`.
#[derive(Clone, Debug)]
pub(crate) struct Journal {
    dir: PathBuf,
    name: &'static str,
    rotate_bytes: u64,
}

impl Journal {
    /// A log that is set aside once it has this size; one older log is kept.
    pub(crate) fn new(dir: &Path, name: &'static str, rotate_bytes: u64) -> Self {
        Self { dir: dir.to_owned(), name, rotate_bytes }
    }

    /// The present log.
    pub(crate) fn path(&self) -> PathBuf {
        self.dir.join(format!("{}.jsonl", self.name))
    }

    /// The log before the present one.
    pub(crate) fn rotated(&self) -> PathBuf {
        self.dir.join(format!("{}.1.jsonl", self.name))
    }

    /// Appends one line: one write, so that lines of several processes never mix.
    pub(crate) fn append(&self, line: &[u8]) -> io::Result<()> {
        create_private_dir(&self.dir)?;
        if self.is_outgrown(line) {
            let _lock = self.lock()?;
            self.make_room(line)?;
        }
        self.write(line)
    }

    /// Appends the line `make` makes of the last line, which nobody else appends to meanwhile.
    pub(crate) fn append_after<T: DeserializeOwned>(
        &self,
        make: impl FnOnce(Option<T>) -> io::Result<Vec<u8>>,
    ) -> io::Result<()> {
        create_private_dir(&self.dir)?;
        let _lock = self.lock()?;
        let last = match last_line(&self.path())? {
            Some(last) => Some(last),
            None => last_line(&self.rotated())?,
        };
        let line = make(last)?;
        self.make_room(&line)?;
        self.write(&line)
    }

    /// Every line, the oldest first. Lines this version does not understand are passed over: a newer one
    /// may have written them.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> io::Result<Vec<T>> {
        let mut found = Vec::new();
        for path in [self.rotated(), self.path()] {
            let Some(bytes) = read_if_there(&path)? else { continue };
            let lines = bytes.split(|byte| *byte == b'\n');
            found.extend(lines.filter_map(|line| serde_json::from_slice::<T>(line).ok()));
        }
        Ok(found)
    }

    /// Writes both logs anew with what `keep` leaves of each line; a line it leaves nothing of is gone.
    pub(crate) fn rewrite(&self, keep: impl Fn(&str) -> Option<String>) -> io::Result<()> {
        if !self.path().exists() && !self.rotated().exists() {
            return Ok(());
        }
        let _lock = self.lock()?;
        for path in [self.rotated(), self.path()] {
            let Some(bytes) = read_if_there(&path)? else { continue };
            let text = String::from_utf8_lossy(&bytes);
            let kept: Vec<Option<String>> = text.lines().map(&keep).collect();
            if text.lines().zip(&kept).all(|(line, kept)| kept.as_deref() == Some(line)) {
                continue;
            }
            let mut whole = String::with_capacity(text.len());
            for line in kept.into_iter().flatten() {
                whole.push_str(&line);
                whole.push('\n');
            }
            replace(&path, whole.as_bytes())?;
        }
        Ok(())
    }

    fn is_outgrown(&self, line: &[u8]) -> bool {
        let size = size(&self.path()).unwrap_or(0);
        size > 0 && size + line.len() as u64 > self.rotate_bytes
    }

    fn make_room(&self, line: &[u8]) -> io::Result<()> {
        // Another process may have rotated while this one waited.
        if self.is_outgrown(line) {
            fs::rename(self.path(), self.rotated())?;
        }
        Ok(())
    }

    fn write(&self, line: &[u8]) -> io::Result<()> {
        let mut options = private_file();
        let mut file = options.append(true).open(self.path())?;
        if is_torn(&mut file)? {
            return file.write_all(&[b"\n", line].concat());
        }
        file.write_all(line)
    }

    /// Held until it is dropped.
    fn lock(&self) -> io::Result<fs::File> {
        let lock = private_file().open(self.dir.join(format!("{}.lock", self.name)))?;
        lock.file().lock()?;
        Ok(lock)
    }
}

/// Puts a file in the place of another, complete or not at all.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut unfinished = path.as_os_str().to_owned();
    // Two writers of the same file, in one process or in two, must not write to the same place.
    let number = UNFINISHED.fetch_add(1, Ordering::Relaxed);
    unfinished.push(format!(".{}-{number}.tmp", std::process::id()));
    let unfinished = PathBuf::from(unfinished);
    let mut options = private_file();
    let mut file = options.truncate(true).open(&unfinished)?;
    let written = file.write_all(bytes);
    drop(file);
    if let Err(error) = written.and_then(|()| fs::rename(&unfinished, path)) {
        let _ = fs::remove_file(&unfinished);
        return Err(error);
    }
    Ok(())
}

/// The bytes of a file; nothing if there is none.
pub(crate) fn read_if_there(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The last line of a log that can be understood.
fn last_line<T: DeserializeOwned>(path: &Path) -> io::Result<Option<T>> {
    let mut file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(TAIL_BYTES)))?;
    let mut tail = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut tail)?;
    Ok(tail.rsplit(|byte| *byte == b'\n').find_map(|line| serde_json::from_slice(line).ok()))
}

fn size(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|meta| meta.len())
}

/// True when a crash left the last line without its end.
fn is_torn(file: &mut fs::File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(journal: &Journal) -> u64 {
        let mut number = 0;
        let make = |last: Option<u64>| {
            number = last.map_or(1, |last| last + 1);
            Ok(format!("{number}\n").into_bytes())
        };
        journal.append_after(make).unwrap();
        number
    }

    #[test]
    fn counting_goes_on_behind_a_full_log_and_a_torn_line() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::new(dir.path(), "numbers", 6);
        for expected in 1..=8 {
            assert_eq!(next(&journal), expected);
        }
        assert_eq!(journal.read::<u64>().unwrap(), [4, 5, 6, 7, 8]);
        fs::write(journal.path(), "7\n{\"torn").unwrap();
        assert_eq!(next(&journal), 8);
        // The torn log was full and was set aside; the number before it counts.
        fs::write(journal.path(), "").unwrap();
        assert_eq!(next(&journal), 8);
    }

    #[test]
    fn rewriting_touches_only_what_changes() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::new(dir.path(), "numbers", 6);
        journal.rewrite(|_| None).unwrap();
        assert!(!journal.path().exists());
        for _ in 1..=5 {
            next(&journal);
        }
        let written = || fs::metadata(journal.rotated()).unwrap().modified().unwrap();
        let before = written();
        journal.rewrite(|line| (line != "4").then(|| line.to_owned())).unwrap();
        assert_eq!(journal.read::<u64>().unwrap(), [1, 2, 3, 5]);
        assert_eq!(written(), before);
    }
}
