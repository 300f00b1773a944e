//! Outlasting what passes: a server that restarts, a line that breaks, another transaction in the way.
//! A sweep that is cut short goes on from what it committed, so it is simply begun again.

use super::SyncError;
use std::time::{Duration, Instant};

/// How long to go on trying to get the archive back: about as long as a server takes to restart.
const PATIENCE: Duration = Duration::from_secs(30);
/// Before the first try; doubles with each.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(4);
/// Interruptions one sweep puts up with.
const MOST: u32 = 20;

/// Runs under a lock, again and again as long as it is only interrupted. Returns how often it was.
/// An archive that cannot be reached in the first place is not waited for.
pub(super) fn outlast<L, T>(
    mut lock: impl FnMut() -> Result<L, SyncError>,
    mut run: impl FnMut(L) -> Result<T, SyncError>,
) -> Result<(T, u32), SyncError> {
    let mut held = lock()?;
    let mut interruptions = 0;
    loop {
        match run(held) {
            Ok(done) => return Ok((done, interruptions)),
            Err(error) if passes(&error) && interruptions < MOST => interruptions += 1,
            Err(error) => return Err(error),
        }
        held = lock_again(&mut lock)?;
    }
}

fn lock_again<L>(lock: &mut impl FnMut() -> Result<L, SyncError>) -> Result<L, SyncError> {
    let began = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        std::thread::sleep(pause);
        match lock() {
            Err(error) if passes(&error) && began.elapsed() < PATIENCE => {
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            locked => return locked,
        }
    }
}

fn passes(error: &SyncError) -> bool {
    matches!(error, SyncError::Store(error) if error.is_passing())
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_store::{Fault, StoreError};

    fn refused(fault: Fault) -> SyncError {
        StoreError::Database { fault, reason: "away".into() }.into()
    }

    #[test]
    fn what_passes_is_outlasted_and_counted() {
        let (mut locks, mut runs) = (0, 0);
        let done = outlast(
            || {
                locks += 1;
                if locks == 2 { Err(refused(Fault::Passing)) } else { Ok(()) }
            },
            |()| {
                runs += 1;
                if runs < 3 { Err(refused(Fault::Passing)) } else { Ok(runs) }
            },
        );
        assert_eq!(done.unwrap(), (3, 2));
        assert_eq!(locks, 4);
    }

    #[test]
    fn what_stays_is_told_at_once() {
        let mut runs = 0;
        let failed: Result<((), u32), _> = outlast(
            || Ok(()),
            |()| {
                runs += 1;
                Err(refused(Fault::Other))
            },
        );
        assert!(failed.is_err());
        assert_eq!(runs, 1);
        let failed: Result<((), u32), _> =
            outlast(|| Err::<(), _>(refused(Fault::Passing)), |()| Ok(()));
        assert!(failed.is_err(), "who is not there in the first place is not waited for");
    }
}
