//! `backstory serve` and `backstory mcp` as programs nobody here wrote see them: a maker of requests, an
//! inspector of the protocol, and plugins as they are published.

mod document;
mod inspector;
mod machine;
mod plugins;
