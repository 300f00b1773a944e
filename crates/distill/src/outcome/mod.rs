//! How a session ended: success, failure, left in the middle, or nobody can tell.

mod rules;
mod story;
mod trail;

pub(crate) use rules::judge;
pub(crate) use trail::Trail;

#[cfg(test)]
mod tests;
