//! What a search found, told for people and for programs.

mod commands;
mod files;
mod json;
mod lines;
mod sessions;
#[cfg(test)]
mod tests;

pub(crate) use commands::{Ran, gather as commands, write as write_commands};
pub(crate) use files::{gather as files, write as write_files};
pub(crate) use json::{command, head, session};
pub(crate) use sessions::write as write_sessions;
