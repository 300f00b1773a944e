//! Adding to the index, and really removing from it.

use crate::analysis::{Analyst, Terms};
use crate::files::{Manifest, VectorFiles};
use crate::schema::{self, DIR_NAME, Fields};
use crate::{IndexError, Place, merging, tokens};
use backstory_distill::passages::{self, Voice};
use backstory_meaning::{Embedder, Table};
use backstory_model::{SessionEvent, Timestamp};
use fs_err as fs;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use tantivy::index::SegmentId;
use tantivy::indexer::{IndexWriterOptions, NoMergePolicy};
use tantivy::schema::{Field, TantivyDocument};
use tantivy::store::Compressor;
use tantivy::{Index, IndexSettings, SegmentMeta, Term};

/// Memory for documents not yet written as a segment.
const ARENA_BYTES: usize = 64_000_000;
/// Vectors held before a commit is due (some 270 bytes each).
const MAX_PENDING_VECTORS: usize = 60_000;
/// Documents added before a commit is due: so much is done again after a crash.
const MAX_PENDING_DOCUMENTS: u64 = 400_000;

/// What is known of a session as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionCard {
    /// Its title.
    pub title: String,
    /// Digest and signals in words.
    pub text: String,
    /// Its last activity.
    pub ts: Option<Timestamp>,
}

/// The one writer of an index.
pub struct IndexWriter {
    dir: PathBuf,
    fields: Fields,
    writer: tantivy::IndexWriter<TantivyDocument>,
    vectors: VectorFiles,
    embedder: Embedder<'static>,
    analyst: Analyst,
    spoken: String,
    /// Those of the document being made.
    terms: Terms,
    /// Whose events are being added.
    session: Option<i64>,
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

impl std::fmt::Debug for IndexWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IndexWriter").field("dir", &self.dir).finish_non_exhaustive()
    }
}

impl IndexWriter {
    /// Opens or creates the index below a home. `batch` is the last commit the archive knows of;
    /// what came after it is undone. [`IndexError::Damaged`] if there is less than that.
    pub fn open(home: &Path, batch: u64) -> Result<Self, IndexError> {
        let dir = home.join(DIR_NAME);
        let (schema, fields) = Fields::build();
        let index = if dir.join("meta.json").exists() {
            let mut index = Index::open_in_dir(&dir)?;
            index.set_tokenizers(tokens::manager());
            index
        } else {
            fs::create_dir_all(&dir)?;
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
        if index.schema() != schema {
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
        let writer: tantivy::IndexWriter<TantivyDocument> = index.writer_with_options(options)?;
        writer.set_merge_policy(Box::new(merging::policy()));
        // What a killed writer left would stand in the way of files of the same name.
        writer.garbage_collect_files().wait()?;
        for orphan in batch + 1..=manifest.batch {
            writer.delete_term(Term::from_field_u64(fields.batch, orphan));
        }
        let table = Table::shipped().map_err(|error| IndexError::Damaged(error.to_string()))?;
        Ok(Self {
            vectors: VectorFiles::new(&dir, manifest.vectors),
            dir,
            fields,
            writer,
            embedder: Embedder::new(table),
            analyst: Analyst::default(),
            spoken: String::new(),
            terms: Terms::default(),
            session: None,
            batch: manifest.batch,
            added: 0,
            gone_events: HashMap::new(),
            gone_cards: HashSet::new(),
            is_recovering: manifest.batch > batch,
            must_purge: false,
        })
    }

    /// Adds an event with its content.
    pub fn add_event(
        &mut self,
        session: i64,
        event: &SessionEvent,
        text: &str,
    ) -> Result<(), IndexError> {
        let Some(voice) = passages::voice(event.kind) else { return Ok(()) };
        if self.session.replace(session) != Some(session) {
            self.analyst.begin_session();
        }
        let place = Place::event(session, event.seq);
        if self.is_recovering {
            self.gone_events.entry(session).or_insert(event.seq);
        }
        if voice == Voice::Tool {
            return self.add_tool(session, place, event, text);
        }
        let field = if voice == Voice::Prompt { self.fields.prompt } else { self.fields.prose };
        for passage in passages::prose(text) {
            if let Some(embedding) = self.embedder.embed(passage) {
                self.vectors.add(place.0, embedding);
            }
            self.terms.clear();
            self.analyst.add_prose(passage, &mut self.terms);
            let document = self.event_document(session, place, event);
            self.put(document, field)?;
        }
        Ok(())
    }

    fn add_tool(
        &mut self,
        session: i64,
        place: Place,
        event: &SessionEvent,
        text: &str,
    ) -> Result<(), IndexError> {
        let mut terms = std::mem::take(&mut self.terms);
        terms.clear();
        let mut spoken = std::mem::take(&mut self.spoken);
        passages::spoken(text, &mut spoken);
        let cut = passages::tool(&spoken);
        for part in &cut.told {
            Analyst::add_tool(part, &mut terms);
        }
        self.analyst.add_names(cut.rest, &mut terms);
        for file in &event.files {
            Analyst::add_tool(file, &mut terms);
        }
        (self.spoken, self.terms) = (spoken, terms);
        let document = self.event_document(session, place, event);
        self.put(document, self.fields.tool)
    }

    fn event_document(&self, session: i64, place: Place, event: &SessionEvent) -> TantivyDocument {
        let mut document = TantivyDocument::new();
        document.add_u64(self.fields.session, session as u64);
        document.add_u64(self.fields.place, place.0);
        document.add_i64(self.fields.ts, event.ts.map_or(0, |ts| ts.0));
        document.add_u64(self.fields.kind, schema::kind_code(Some(event.kind)));
        document.add_i64(self.fields.exit, schema::exit_code(event.exit_code));
        let tool = event.tool.as_deref().map_or(0, schema::tool_key);
        document.add_u64(self.fields.tool_name, tool);
        document
    }

    /// Adds or replaces what is known of a session as a whole.
    pub fn put_card(&mut self, session: i64, card: &SessionCard) -> Result<(), IndexError> {
        self.void_card(session);
        let place = Place::session_card(session);
        let mut is_first = true;
        for passage in passages::prose(&card.text).chain(std::iter::once("")) {
            if passage.is_empty() && !is_first {
                break;
            }
            self.terms.clear();
            self.analyst.add_prose(passage, &mut self.terms);
            let mut document = TantivyDocument::new();
            if is_first {
                let mut title = Terms::default();
                self.analyst.add_prose(&card.title, &mut title);
                document.add_text(self.fields.title, &title.words);
                self.terms.names.push(' ');
                self.terms.names.push_str(&title.names);
            }
            let embedded = if is_first {
                self.embedder.embed(&format!("{}\n{passage}", card.title))
            } else {
                self.embedder.embed(passage)
            };
            if let Some(embedding) = embedded {
                self.vectors.add(place.0, embedding);
            }
            document.add_u64(self.fields.card, session as u64);
            document.add_u64(self.fields.place, place.0);
            document.add_i64(self.fields.ts, card.ts.map_or(0, |ts| ts.0));
            document.add_u64(self.fields.kind, schema::kind_code(None));
            document.add_i64(self.fields.exit, schema::exit_code(None));
            document.add_u64(self.fields.tool_name, 0);
            self.put(document, self.fields.prose)?;
            is_first = false;
        }
        Ok(())
    }

    /// Adds a document with the terms at hand.
    fn put(&mut self, mut document: TantivyDocument, field: Field) -> Result<(), IndexError> {
        if !self.terms.words.is_empty() {
            document.add_text(field, &self.terms.words);
        }
        if !self.terms.names.is_empty() {
            document.add_text(self.fields.names, &self.terms.names);
        }
        document.add_u64(self.fields.batch, self.batch + 1);
        self.writer.add_document(document)?;
        self.added += 1;
        Ok(())
    }

    /// Removes a session's events.
    pub fn remove_events(&mut self, session: i64) {
        self.writer.delete_term(Term::from_field_u64(self.fields.session, session as u64));
        self.gone_events.insert(session, 0);
        self.session = None;
        self.must_purge = true;
    }

    /// Removes what is known of a session as a whole.
    pub fn remove_card(&mut self, session: i64) {
        self.void_card(session);
        self.must_purge = true;
    }

    fn void_card(&mut self, session: i64) {
        self.writer.delete_term(Term::from_field_u64(self.fields.card, session as u64));
        self.gone_cards.insert(session);
    }

    /// True when so much is pending that it should be committed.
    pub fn is_full(&self) -> bool {
        self.vectors.pending() >= MAX_PENDING_VECTORS || self.added >= MAX_PENDING_DOCUMENTS
    }

    /// Makes everything so far durable and visible, in one step; returns the number of the commit.
    pub fn commit(&mut self) -> Result<u64, IndexError> {
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

    /// Ends writing: if anything was removed, segments that hold removed text are written anew without
    /// it before this returns. A card that was replaced stays in its segment until that is merged: the
    /// session is still known, and a live one changes its card with every sweep. Files of no commit go.
    /// Call [`IndexWriter::commit`] before.
    pub fn finish(self) -> Result<(), IndexError> {
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
        let mut writer: tantivy::IndexWriter<TantivyDocument> =
            index.writer_with_options(options)?;
        writer.set_merge_policy(Box::new(NoMergePolicy));
        for segment in holed {
            writer.merge(&[segment]).wait()?;
        }
        writer.garbage_collect_files().wait()?;
        writer.wait_merging_threads()?;
        Ok(())
    }
}
