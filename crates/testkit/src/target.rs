//! Cargo's target directory: what belongs to this checkout and its test runs alone.

use std::io;
use std::path::PathBuf;

/// The target directory this program was built into.
pub(crate) fn directory() -> io::Result<PathBuf> {
    let program = std::env::current_exe()?;
    let target = program.ancestors().find(|a| a.join("CACHEDIR.TAG").is_file());
    target.map(PathBuf::from).ok_or_else(|| {
        io::Error::new(io::ErrorKind::NotFound, "this test does not run from a target directory")
    })
}
