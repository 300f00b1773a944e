//! Waiting for the agents to write something.

mod lookout;
mod pace;

pub(crate) use lookout::{Lookout, News};
pub(crate) use pace::Pace;
