//! What hooks leave behind, and what a sweep makes of it.
