//! What must hold when the world misbehaves: killed sweeps, full disks, damaged and hostile files.

mod history;
mod hostile;
mod interrupted;
mod sandbox;
mod sources_change;
