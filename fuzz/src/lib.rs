//! What the fuzz targets do with their input.

mod hooks;
mod readers;
mod vectors;

pub use hooks::hear;
pub use readers::read;
pub use vectors::search;
