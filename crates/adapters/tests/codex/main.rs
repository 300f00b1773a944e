//! The Codex adapter, seen from outside: lines in, records out.

#[cfg(test)]
mod dialects;
#[cfg(test)]
mod lineage;
#[cfg(test)]
mod mapping;
#[cfg(test)]
mod mirrors;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod support;
#[cfg(test)]
mod tokens;
