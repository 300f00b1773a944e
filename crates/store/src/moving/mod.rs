//! Moving an archive into another, session by session and log by log. What has arrived is compared with
//! what was sent; what is there already and the same is left alone, so that a move that was cut short
//! goes on, and one that is run again does nothing.

mod print;
mod tables;

pub use print::Print;

use crate::database::{Value, values};
use crate::decisions::HUB;
use crate::rows::{LOST_BLOCK, native_id_value};
use crate::usage::USAGE_COLUMNS;
use crate::writer::EVENT_COLUMNS;
use crate::{BlockCompressor, Home, IndexDebt, StoreError, Vault, Writer};
use backstory_model::SessionUid;
use std::collections::HashMap;
use tables::{DECISIONS, OF_SESSION, OF_SOURCE, SESSION, SOURCE, Table, USAGE_MODEL, USAGE_SQL};

/// Raw bytes of payloads that are committed together.
const COMMIT_BYTES: u64 = 16 << 20;
/// Sessions or logs that are committed together.
const COMMIT_MANY: usize = 200;
/// Raw bytes of blocks handed to a pack at once.
const APPEND_BYTES: usize = 4 << 20;

/// What a move did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Sessions, and what they come to.
    pub sessions: u64,
    /// Sessions among them that were there already.
    pub sessions_there: u64,
    /// Logs.
    pub sources: u64,
    /// Logs among them that were there already.
    pub sources_there: u64,
    /// Everything that was compared.
    pub print: Print,
}

impl Moved {
    fn add(&mut self, print: Print) {
        self.print.rows += print.rows;
        self.print.events += print.events;
        self.print.payload_bytes += print.payload_bytes;
        // In whatever order they came.
        self.print.hash = self.print.hash.wrapping_add(print.hash);
    }
}

/// Moves all there is from one archive to another. Hold the sweep locks of both. `on_progress` gets
/// sessions done and sessions to do.
pub fn move_archive(
    from: &Home,
    to: &Home,
    on_progress: &mut dyn FnMut(u64, u64),
) -> Result<Moved, StoreError> {
    // Packs of evicted sessions go before anything is counted.
    drop(Writer::open(from)?);
    let writer = Writer::open(to)?;
    let mut mover =
        Mover { from: Vault::open(from)?, to: Vault::open(to)?, writer, moved: Moved::default() };
    mover.expect_no_others()?;
    mover.sessions(on_progress)?;
    mover.hub_decisions()?;
    mover.sources()?;
    if let Some(sweep) = mover.from.last_sweep()? {
        mover.writer.finish(&sweep)?;
    }
    Ok(mover.moved)
}

struct Mover {
    from: Vault,
    to: Vault,
    writer: Writer,
    moved: Moved,
}

impl Mover {
    /// An archive of other sessions is not moved into: the same numbers would mean different ones.
    fn expect_no_others(&self) -> Result<(), StoreError> {
        let sql = "SELECT id, session_uid FROM sessions ORDER BY id";
        let uids = |vault: &Vault| {
            vault.database.all(sql, &[], |row| Ok((row.get::<i64>(0)?, row.get::<String>(1)?)))
        };
        let ours: HashMap<i64, String> = uids(&self.from)?.into_iter().collect();
        match uids(&self.to)?.into_iter().find(|(id, uid)| ours.get(id) != Some(uid)) {
            None => Ok(()),
            Some((_, uid)) => Err(StoreError::Occupied {
                name: self.to.home().engine().name(),
                uid: SessionUid::from_stored(uid),
            }),
        }
    }

    fn sessions(&mut self, on_progress: &mut dyn FnMut(u64, u64)) -> Result<(), StoreError> {
        let ids = self.from.ids("SELECT id FROM sessions ORDER BY id")?;
        let mut sent = Vec::new();
        let mut bytes = 0;
        for (done, id) in ids.iter().enumerate() {
            on_progress(done as u64, ids.len() as u64);
            let Some(print) = self.from.session_print(*id)? else { continue };
            self.moved.sessions += 1;
            self.moved.add(print);
            let there = self.to.session_print(*id)?;
            if there == Some(print) {
                self.moved.sessions_there += 1;
                continue;
            }
            let mut debt = IndexDebt::EVENTS | IndexDebt::CARD;
            if there.is_some() {
                self.clear_session(*id)?;
                debt |= IndexDebt::REDO;
            }
            self.send_session(*id)?;
            self.writer.owe_index(*id, debt)?;
            sent.push((*id, print));
            bytes += print.payload_bytes;
            if bytes > COMMIT_BYTES || sent.len() >= COMMIT_MANY {
                self.commit(&mut sent, "session", Vault::session_print)?;
                bytes = 0;
            }
        }
        self.commit(&mut sent, "session", Vault::session_print)?;
        on_progress(ids.len() as u64, ids.len() as u64);
        Ok(())
    }

    /// Commits what was sent, and compares.
    fn commit(
        &mut self,
        sent: &mut Vec<(i64, Print)>,
        what: &str,
        print_of: fn(&Vault, i64) -> Result<Option<Print>, StoreError>,
    ) -> Result<(), StoreError> {
        self.writer.commit()?;
        for (id, print) in sent.drain(..) {
            if print_of(&self.to, id)? != Some(print) {
                return Err(StoreError::MovedWrong(format!("{what} {id}")));
            }
        }
        Ok(())
    }

    /// Takes away what an earlier move brought of a session that has changed since.
    fn clear_session(&mut self, id: i64) -> Result<(), StoreError> {
        self.writer.commit()?;
        self.writer.begin()?;
        let tables = OF_SESSION.iter().map(|table| (table.name, table.owner));
        let others = [("events", "session_id"), ("usage", "session_id"), ("sessions", "id")];
        for (table, owner) in tables.chain(others) {
            let sql = format!("DELETE FROM {table} WHERE {owner} = ?1");
            self.writer.database.run(&sql, values![id])?;
        }
        self.writer.commit()?;
        self.to.home().packs().remove(id)
    }

    fn send_session(&mut self, id: i64) -> Result<(), StoreError> {
        self.writer.begin()?;
        self.send_table(&SESSION, id)?;
        let blocks = self.send_blocks(id)?;
        self.send_events(id, &blocks)?;
        self.send_usage(id)?;
        OF_SESSION.iter().try_for_each(|table| self.send_table(table, id))
    }

    /// Sends the rows of a table as they are.
    fn send_table(&self, table: &Table, id: i64) -> Result<(), StoreError> {
        let columns = table.columns.len();
        self.writer.database.insert(table.name, table.columns, &mut |take| {
            self.from.database.each(&table.select(), values![id], |row| {
                let row = (0..columns).map(|column| row.value(column));
                take(&row.collect::<Result<Vec<Value<'_>>, _>>()?)
            })
        })
    }

    /// Sends a session's blocks; returns where each lies now. Those that cannot be read are lost there
    /// as they are here.
    fn send_blocks(&mut self, id: i64) -> Result<HashMap<i64, i64>, StoreError> {
        let sql = "SELECT DISTINCT block FROM events WHERE session_id = ?1 AND block >= 0
            ORDER BY block";
        let blocks: Vec<i64> = self.from.database.all(sql, values![id], |row| row.get(0))?;
        let mut compressor = BlockCompressor::default();
        let mut places = HashMap::new();
        let (mut waiting, mut bytes) = (Vec::new(), 0);
        for block in blocks {
            let Some(raw) = self.from.readable_block(id, block)? else { continue };
            bytes += raw.len();
            waiting.push((block, compressor.block(&raw)));
            drop(raw);
            if bytes > APPEND_BYTES {
                self.append(id, &mut waiting, &mut places)?;
                bytes = 0;
            }
        }
        self.append(id, &mut waiting, &mut places)?;
        Ok(places)
    }

    fn append(
        &mut self,
        id: i64,
        waiting: &mut Vec<(i64, Vec<u8>)>,
        places: &mut HashMap<i64, i64>,
    ) -> Result<(), StoreError> {
        if waiting.is_empty() {
            return Ok(());
        }
        let blocks: Vec<&[u8]> = waiting.iter().map(|(_, block)| block.as_slice()).collect();
        let written = self.writer.append_to_pack(id, &blocks)?;
        places.extend(waiting.drain(..).zip(written).map(|((old, _), new)| (old, new as i64)));
        Ok(())
    }

    fn send_events(&self, id: i64, blocks: &HashMap<i64, i64>) -> Result<(), StoreError> {
        let sql = format!(
            "SELECT {} FROM events WHERE session_id = ?1 ORDER BY seq",
            EVENT_COLUMNS.join(", ")
        );
        let place_of = |name: &str| EVENT_COLUMNS.iter().position(|column| *column == name);
        let (native_id, block) = (place_of("native_id"), place_of("block"));
        self.writer.database.insert("events", &EVENT_COLUMNS, &mut |take| {
            self.from.database.each(&sql, values![id], |row| {
                let mut uuid = [0; 16];
                let mut values = Vec::with_capacity(EVENT_COLUMNS.len());
                for column in 0..EVENT_COLUMNS.len() {
                    values.push(row.value(column)?);
                }
                if let Some(at) = block
                    && let Value::Integer(old) = values[at]
                {
                    values[at] = Value::Integer(blocks.get(&old).copied().unwrap_or(LOST_BLOCK));
                }
                if let Some(at) = native_id
                    && let Value::Text(id) = values[at]
                {
                    values[at] = native_id_value(id, &mut uuid);
                }
                take(&values)
            })
        })
    }

    fn send_usage(&mut self, id: i64) -> Result<(), StoreError> {
        let names = "SELECT DISTINCT name FROM models JOIN usage ON model_id = models.id
            WHERE session_id = ?1 ORDER BY name";
        let names: Vec<String> = self.from.database.all(names, values![id], |row| row.get(0))?;
        for name in &names {
            self.writer.model_id(name)?;
        }
        self.writer.database.insert("usage", &USAGE_COLUMNS, &mut |take| {
            self.from.database.each(USAGE_SQL, values![id], |row| {
                let row = (0..USAGE_COLUMNS.len()).map(|column| row.value(column));
                let mut row = row.collect::<Result<Vec<Value<'_>>, StoreError>>()?;
                if let Value::Text(name) = row[USAGE_MODEL] {
                    row[USAGE_MODEL] = self.writer.models.get(name).copied().into();
                }
                take(&row)
            })
        })
    }

    /// Decisions hubs recorded are of no session, and few: all of them go at once.
    fn hub_decisions(&mut self) -> Result<(), StoreError> {
        let print = self.from.hub_print()?;
        self.moved.add(print);
        if self.to.hub_print()? == print {
            return Ok(());
        }
        self.writer.begin()?;
        let sql = "DELETE FROM decisions WHERE session_id = ?1";
        self.writer.database.run(sql, values![HUB])?;
        self.send_table(&DECISIONS, HUB)?;
        self.writer.commit()?;
        if self.to.hub_print()? != print {
            return Err(StoreError::MovedWrong("the decisions of hubs".into()));
        }
        Ok(())
    }

    fn sources(&mut self) -> Result<(), StoreError> {
        let ids = self.from.ids("SELECT id FROM sources ORDER BY id")?;
        let mut sent = Vec::new();
        for id in ids {
            let Some(print) = self.from.source_print(id)? else { continue };
            self.moved.sources += 1;
            self.moved.add(print);
            if self.to.source_print(id)? == Some(print) {
                self.moved.sources_there += 1;
                continue;
            }
            self.send_source(id)?;
            sent.push((id, print));
            if sent.len() >= COMMIT_MANY {
                self.commit(&mut sent, "log", Vault::source_print)?;
            }
        }
        self.commit(&mut sent, "log", Vault::source_print)
    }

    fn send_source(&mut self, id: i64) -> Result<(), StoreError> {
        self.writer.begin()?;
        for (table, owner) in
            [("quarantine", "source_id"), ("secrets", "source_id"), ("sources", "id")]
        {
            let sql = format!("DELETE FROM {table} WHERE {owner} = ?1");
            self.writer.database.run(&sql, values![id])?;
        }
        let key = "SELECT path_key FROM sources WHERE id = ?1";
        let key: Option<i64> = self.from.database.one(key, values![id], |row| row.get(0))?;
        let key = self.free_path_key(key.unwrap_or_default())?;
        let columns: Vec<&str> = ["path_key"].iter().chain(SOURCE.columns).copied().collect();
        self.writer.database.insert(SOURCE.name, &columns, &mut |take| {
            self.from.database.each(&SOURCE.select(), values![id], |row| {
                let row = (0..SOURCE.columns.len()).map(|column| row.value(column));
                let row = std::iter::once(Ok(Value::Integer(key))).chain(row);
                take(&row.collect::<Result<Vec<Value<'_>>, StoreError>>()?)
            })
        })?;
        OF_SOURCE.iter().try_for_each(|table| self.send_table(table, id))
    }

    /// Logs of several machines may have the same path; on one machine the later ones are only
    /// remembered.
    fn free_path_key(&self, mut key: i64) -> Result<i64, StoreError> {
        let taken = "SELECT count(*) FROM own_sources WHERE path_key = ?1";
        loop {
            let taken = self.writer.database.one(taken, values![key], |row| row.count(0))?;
            if taken.unwrap_or(0) == 0 {
                return Ok(key);
            }
            key = key.wrapping_add(1);
        }
    }
}

impl Vault {
    fn ids(&self, sql: &str) -> Result<Vec<i64>, StoreError> {
        self.database.all(sql, &[], |row| row.get(0))
    }
}
