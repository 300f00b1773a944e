//! A few connections, used again: opening one costs more than most questions.

use crate::Speaker;
use crate::address::Address;
use crate::connection::Connection;
use crate::tls;
use backstory_store::{Fault, StoreError};
use postgres::Client;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Connections one process has at the most: a sweep's lock, writer and reader, and a thread or two
/// beside each. Whoever wants more waits.
const MOST: usize = 12;

/// The connections of one process to one archive.
#[derive(Debug)]
pub(crate) struct Pool {
    address: Address,
    speaker: Speaker,
    state: Mutex<State>,
    returned: Condvar,
}

#[derive(Debug, Default)]
struct State {
    idle: Vec<Connection>,
    seats: usize,
    /// The server's process that holds the sweep's lock for us, if we have it.
    lock_holder: Option<i32>,
}

impl Pool {
    pub(crate) fn new(address: Address, speaker: Speaker) -> Self {
        Self { address, speaker, state: Mutex::default(), returned: Condvar::new() }
    }

    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    pub(crate) fn speaker(&self) -> &Speaker {
        &self.speaker
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A seat; whoever finds all taken waits.
    pub(crate) fn seat(self: &Arc<Self>) -> Seat {
        let mut state = self.state();
        while state.seats == MOST {
            state = self.returned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.seats += 1;
        Seat { pool: Arc::clone(self), connection: None }
    }

    /// The server's process that holds the sweep's lock for us, if we have it.
    pub(crate) fn lock_holder(&self) -> Option<i32> {
        self.state().lock_holder
    }

    pub(crate) fn set_lock_holder(&self, process: Option<i32>) {
        self.state().lock_holder = process;
    }

    /// What an error says, with the server it is about.
    pub(crate) fn named(&self, error: StoreError) -> StoreError {
        match error {
            StoreError::Database { fault, reason } => {
                StoreError::Database { fault, reason: format!("{}: {reason}", self.address) }
            }
            error => error,
        }
    }

    fn connect(&self) -> Result<Connection, StoreError> {
        while let Some(connection) = { self.state().idle.pop() } {
            if !connection.client.is_closed() {
                return Ok(connection);
            }
        }
        self.open()
    }

    fn open(&self) -> Result<Connection, StoreError> {
        let tls = tls::connector(&self.address)?;
        Connection::open(&self.address.config, tls, &self.speaker)
    }

    /// A connection apart from the others, for whoever sets it up in a way of its own.
    pub(crate) fn client(&self) -> Result<Client, StoreError> {
        Ok(self.open()?.client)
    }
}

/// The right to one connection. It is opened when it is first asked for, and again when it was lost.
#[derive(Debug)]
pub(crate) struct Seat {
    pool: Arc<Pool>,
    connection: Option<Connection>,
}

impl Seat {
    pub(crate) fn connection(&mut self) -> Result<&mut Connection, StoreError> {
        let connection = match self.connection.take() {
            Some(connection) if !connection.client.is_closed() => connection,
            _ => self.pool.connect()?,
        };
        Ok(self.connection.insert(connection))
    }

    /// The connection there is: what was begun on one cannot be gone on with on another.
    pub(crate) fn same_connection(&mut self) -> Result<&mut Connection, StoreError> {
        match &mut self.connection {
            Some(connection) if !connection.client.is_closed() => Ok(connection),
            _ => Err(StoreError::Database {
                fault: Fault::Passing,
                reason: "the connection was lost".into(),
            }),
        }
    }

    /// Lets the connection go instead of keeping it for others: it may be in the middle of something.
    pub(crate) fn give_up(&mut self) {
        self.connection = None;
    }

    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut state = self.pool.state();
        state.seats -= 1;
        state.idle.extend(self.connection.take());
        self.pool.returned.notify_one();
    }
}
