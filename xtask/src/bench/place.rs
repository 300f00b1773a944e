//! Where the benches build, keep their corpora and run things.

use super::measure::{self, Cost};
use fs_err as fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// The directories and binaries of a bench.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    release: PathBuf,
    bench: PathBuf,
}

/// Variables that would lead a reader to other logs than the corpus'.
const REDIRECTS: [&str; 6] = [
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "GROK_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
];

/// What the names of directories made for one run begin with.
const FRESH: &str = "run-";

impl Place {
    /// Builds what the benches run, optimised, and prepares a directory below the build's.
    pub(crate) fn prepare() -> io::Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        measure::run(Command::new("cargo").current_dir(&root).args([
            "build",
            "--release",
            "--quiet",
            "-p",
            "xtask",
            "-p",
            "backstory",
        ]))?;
        // …/target/<profile>/xtask
        let target = std::env::current_exe()?
            .parent()
            .and_then(Path::parent)
            .map(Path::to_path_buf)
            .ok_or_else(|| io::Error::other("the build directory cannot be found"))?;
        let place = Self { release: target.join("release"), bench: target.join("bench") };
        fs::create_dir_all(&place.bench)?;
        place.remove_leftovers()?;
        Ok(place)
    }

    /// The bench directory.
    pub(crate) fn bench(&self) -> &Path {
        &self.bench
    }

    /// This program, optimised.
    pub(crate) fn xtask(&self) -> Command {
        Command::new(self.release.join("xtask"))
    }

    /// The product, reading the logs under `home` into `store`.
    pub(crate) fn product(&self, home: &Path, store: &Path) -> Command {
        let mut command = Command::new(self.release.join("backstory"));
        isolate(&mut command, home);
        command.env("BACKSTORY_HOME", store);
        command
    }

    /// A directory that does not exist yet. Each call names another one: a file system that has just
    /// deleted thousands of files is slow to create new ones, which would be measured too.
    pub(crate) fn fresh(&self, name: &str) -> io::Result<PathBuf> {
        static CALLS: AtomicU32 = AtomicU32::new(0);
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        let path = self.bench.join(format!("{FRESH}{call}-{name}"));
        if path.exists() {
            fs::remove_dir_all(&path)?;
        }
        Ok(path)
    }

    fn remove_leftovers(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.bench)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(FRESH) {
                fs::remove_dir_all(entry.path())?;
            }
        }
        Ok(())
    }

    /// The corpus made with these arguments, made now or before.
    pub(crate) fn corpus(&self, name: &str, arguments: &[&str], seed: u64) -> io::Result<PathBuf> {
        let out = self.bench.join(format!("corpus-{name}-{seed}"));
        if out.join("truth.json").is_file() {
            return Ok(out);
        }
        if out.exists() {
            fs::remove_dir_all(&out)?;
        }
        super::say(&format!("generating the corpus {name} …"))?;
        // In a child, so that its memory is not counted as that of the processes started later.
        measure::run(
            self.xtask()
                .arg("corpus")
                .args(arguments)
                .args(["--seed", &seed.to_string()])
                .arg("--out")
                .arg(&out),
        )?;
        Ok(out)
    }
}

/// Makes a program see `home` only.
pub(crate) fn isolate(command: &mut Command, home: &Path) {
    for name in REDIRECTS {
        command.env_remove(name);
    }
    command.env("HOME", home);
}

/// Bytes of all files under a directory.
pub(crate) fn size_of(dir: &Path) -> u64 {
    walkdir::WalkDir::new(dir)
        .into_iter()
        .filter_map(Result::ok)
        .filter_map(|entry| entry.metadata().ok())
        .filter(std::fs::Metadata::is_file)
        .map(|metadata| metadata.len())
        .sum()
}

/// A sync into a store that did not exist.
pub(crate) struct ColdSync {
    /// What it cost.
    pub(crate) cost: Cost,
    /// The bytes it stored.
    pub(crate) stored: u64,
    /// Where.
    pub(crate) store: PathBuf,
}

/// Takes in everything, and only that.
pub(crate) fn cold_sync(place: &Place, home: &Path, store: &str) -> io::Result<ColdSync> {
    let store = place.fresh(store)?;
    let cost = measure::run(place.product(home, &store).args(["sync", "--no-distil"]))?;
    let stored = size_of(&store);
    // A sync that does nothing would win every comparison.
    if stored < size_of(home) / 100 {
        return Err(io::Error::other(format!("the sync stored {stored} bytes only")));
    }
    Ok(ColdSync { cost, stored, store })
}
