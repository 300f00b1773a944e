//! Where everything lies.

use backstory_index::{LocalShelf, Shelf};
use backstory_store::{Home, StoreError, Tiers, Vault};
use std::sync::Arc;

/// An archive and the search index over it.
#[derive(Clone, Debug)]
pub struct Archive {
    /// Rows and payloads.
    pub home: Home,
    /// The index.
    pub index: Arc<dyn Shelf>,
}

impl Archive {
    /// An archive whose index lies in its home directory.
    pub fn indexed_at_home(home: Home) -> Self {
        let index = Arc::new(LocalShelf::new(home.dir()));
        Self { home, index }
    }

    /// Bytes per tier.
    pub fn tiers(&self, vault: &Vault) -> Result<Tiers, StoreError> {
        let raw_posted = crate::pushed::bytes(&self.home);
        Ok(Tiers { raw_posted, ..vault.tiers(self.index.bytes())? })
    }
}
