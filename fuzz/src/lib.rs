//! What the fuzz targets do with their input.

mod readers;
mod vectors;

pub use readers::read;
pub use vectors::search;
