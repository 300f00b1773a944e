//! Text a person gives on standard input instead of on the command line.

use crate::error::Failure;
use std::io::Read;

/// At most so many bytes of standard input, whatever they are.
pub(crate) fn from_stdin(most: u64) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .take(most)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::usage("stdin could not be read").cause(&error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
