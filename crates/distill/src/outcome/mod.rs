//! How a session ended: success, failure, left in the middle, or nobody can tell.

mod score;
mod trail;

pub(crate) use score::judge;
pub(crate) use trail::Trail;

#[cfg(test)]
mod tests;
