//! Claude Code logs, read through the public seam.

mod damage;
mod injected;
mod kinds;
mod lineage;
mod log;
mod resume;
mod sessions;
mod usage;
