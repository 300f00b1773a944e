//! Adding to the local index, and really removing from it.

use crate::files::{Manifest, VectorFiles};
use crate::handed::Handed;
use crate::handing::Handing;
use crate::preparing::Prepared;
use crate::schema::{DIR_NAME, Fields};
use crate::{IndexError, Place, Writer, merging, tokens};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use tantivy::index::SegmentId;
use tantivy::indexer::{IndexWriterOptions, NoMergePolicy, UserOperation};
use tantivy::schema::Field;
use tantivy::store::Compressor;
use tantivy::{Index, IndexSettings, SegmentMeta, Term};

/// Memory for documents not yet written as a segment.
const ARENA_BYTES: usize = 64_000_000;
/// Vectors held before a commit is due (some 270 bytes each).
const MAX_PENDING_VECTORS: usize = 100_000;
/// Documents added before a commit is due: so much is done again after a crash.
const MAX_PENDING_DOCUMENTS: u64 = 400_000;

/// The one writer of an index.
pub(crate) struct LocalWriter {
    dir: PathBuf,
    fields: Fields,
    writer: tantivy::IndexWriter<Handed>,
    vectors: VectorFiles,
    handing: Handing,
    batch: u64,
    added: u64,
    /// Sessions whose events left, and from which one on.
    gone_events: HashMap<i64, u32>,
    gone_cards: HashSet<i64>,
    /// A commit the archive did not hear of is being done again.
    is_recovering: bool,
    /// Something left the archive: its text must be gone from the files before this ends.
    must_purge: bool,
}

impl std::fmt::Debug for LocalWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalWriter").field("dir", &self.dir).finish_non_exhaustive()
    }
}

impl LocalWriter {
    /// Opens or creates the index below a home, as [`crate::Shelf::writer`] says.
    pub(crate) fn open(home: &Path, batch: u64) -> Result<Self, IndexError> {
        let dir = home.join(DIR_NAME);
        let (schema, fields) = (Fields::schema(), *Fields::known());
        let index = if dir.join("meta.json").exists() {
            let mut index = Index::open_in_dir(&dir)?;
            index.set_tokenizers(tokens::manager());
            index
        } else {
            create_private_dir(&dir)?;
            let settings = IndexSettings {
                docstore_compression: Compressor::None,
                docstore_compress_dedicated_thread: false,
                ..IndexSettings::default()
            };
            Index::builder()
                .schema(schema.clone())
                .settings(settings)
                .tokenizers(tokens::manager())
                .create_in_dir(&dir)?
        };
        if index.schema() != *schema {
            return Err(IndexError::Damaged("it has other fields".into()));
        }
        let manifest = Manifest::parse(index.load_metas()?.payload.as_deref())?;
        if manifest.batch < batch {
            return Err(IndexError::Damaged(format!(
                "it ends at commit {}, not {batch}",
                manifest.batch
            )));
        }
        let options = IndexWriterOptions::builder()
            .num_worker_threads(1)
            .num_merge_threads(1)
            .memory_budget_per_thread(ARENA_BYTES)
            .build();
        let writer: tantivy::IndexWriter<Handed> = index.writer_with_options(options)?;
        writer.set_merge_policy(Box::new(merging::policy()));
        // What a killed writer left would stand in the way of files of the same name.
        writer.garbage_collect_files().wait()?;
        for orphan in batch + 1..=manifest.batch {
            writer.delete_term(Term::from_field_u64(fields.batch, orphan));
        }
        Ok(Self {
            vectors: VectorFiles::new(&dir, manifest.vectors),
            dir,
            fields,
            writer,
            handing: Handing::default(),
            batch: manifest.batch,
            added: 0,
            gone_events: HashMap::new(),
            gone_cards: HashSet::new(),
            is_recovering: manifest.batch > batch,
            must_purge: false,
        })
    }

    fn delete(&mut self, field: Field, session: i64) -> Result<(), IndexError> {
        let term = Term::from_field_u64(field, session as u64);
        self.handing.push(&self.writer, UserOperation::Delete(term))
    }
}

/// A directory only its owner may look into.
fn create_private_dir(dir: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

impl Writer for LocalWriter {
    fn add(&mut self, prepared: Prepared) -> Result<(), IndexError> {
        for (place, embedding) in prepared.vectors {
            self.vectors.add(place.0, embedding);
        }
        for passage in prepared.passages {
            let place = passage.place;
            if self.is_recovering
                && let Some(seq) = place.seq()
            {
                self.gone_events.entry(place.session()).or_insert(seq);
            }
            let handed = Handed { passage, batch: self.batch + 1, line: None };
            self.handing.push(&self.writer, UserOperation::Add(handed))?;
            self.added += 1;
        }
        Ok(())
    }

    fn remove_events(&mut self, session: i64) -> Result<(), IndexError> {
        self.gone_events.insert(session, 0);
        self.must_purge = true;
        self.delete(self.fields.session, session)
    }

    fn remove_card(&mut self, session: i64, for_good: bool) -> Result<(), IndexError> {
        self.must_purge |= for_good;
        self.gone_cards.insert(session);
        self.delete(self.fields.card, session)
    }

    fn is_full(&self) -> bool {
        self.vectors.pending() >= MAX_PENDING_VECTORS || self.added >= MAX_PENDING_DOCUMENTS
    }

    fn commit(&mut self) -> Result<u64, IndexError> {
        self.handing.flush(&self.writer)?;
        self.batch += 1;
        let (gone_events, gone_cards) = (&self.gone_events, &self.gone_cards);
        let mut is_gone = |place: u64| {
            let place = Place(place);
            match place.seq() {
                Some(seq) => gone_events.get(&place.session()).is_some_and(|from| seq >= *from),
                None => gone_cards.contains(&place.session()),
            }
        };
        let any_gone = !(gone_events.is_empty() && gone_cards.is_empty());
        let vectors = self.vectors.settle(self.batch, &mut is_gone, any_gone)?;
        let payload = Manifest { batch: self.batch, vectors }.payload()?;
        let mut commit = self.writer.prepare_commit()?;
        commit.set_payload(&payload);
        commit.commit()?;
        self.vectors.remove_others()?;
        self.gone_events.clear();
        self.gone_cards.clear();
        self.is_recovering = false;
        self.added = 0;
        Ok(self.batch)
    }

    /// If anything was removed, segments that hold removed text are written anew without it. A card that
    /// was replaced stays in its segment until that is merged: the session is still known, and a live one
    /// changes its card with every sweep. Files of no commit go.
    fn finish(self: Box<Self>) -> Result<(), IndexError> {
        let index = self.writer.index().clone();
        self.vectors.remove_others()?;
        self.writer.garbage_collect_files().wait()?;
        self.writer.wait_merging_threads()?;
        if !self.must_purge {
            return Ok(());
        }
        let metas = index.searchable_segment_metas()?;
        let holed: Vec<SegmentId> =
            metas.iter().filter(|meta| meta.has_deletes()).map(SegmentMeta::id).collect();
        if holed.is_empty() {
            return Ok(());
        }
        let options = IndexWriterOptions::builder().num_merge_threads(1).build();
        let mut writer: tantivy::IndexWriter<Handed> = index.writer_with_options(options)?;
        writer.set_merge_policy(Box::new(NoMergePolicy));
        for segment in holed {
            writer.merge(&[segment]).wait()?;
        }
        writer.garbage_collect_files().wait()?;
        writer.wait_merging_threads()?;
        Ok(())
    }
}
