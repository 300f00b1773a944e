//! What every engine has to do for an archive, told as stories that run on each of them unchanged.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

/// Tells stories on every engine: one test per story and engine.
macro_rules! on_every_engine {
    ($($story:ident),+ $(,)?) => {
        mod sqlite {
            $(#[test]
            fn $story() {
                super::$story(&crate::archive::Archive::sqlite());
            })+
        }

        #[cfg(unix)]
        mod postgres {
            $(#[test]
            fn $story() {
                super::$story(&crate::archive::Archive::postgres());
            })+
        }
    };
}

mod answers;
mod archive;
mod chunks;
mod decisions;
mod distilled;
mod events;
mod failures;
mod finding;
mod indexing;
mod leaving;
#[cfg(unix)]
mod random;
mod seals;
mod sessions;
mod sources;
mod transfer;
mod usage;
mod verify;
