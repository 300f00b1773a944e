//! Reading the index: where it is open, what is in it, what is near in meaning.

use crate::columns::Columns;
use crate::files::{self, Manifest};
use crate::schema::{DIR_NAME, Fields};
use crate::{IndexError, Place, tokens};
use backstory_meaning::{Embedder, Embedding, Table, VectorFile, vectors};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tantivy::directory::OwnedBytes;
use tantivy::{Index, ReloadPolicy, Searcher};

/// An open index, as it was when it was opened.
pub struct IndexReader {
    pub(crate) searcher: Searcher,
    pub(crate) fields: Fields,
    vectors: Vec<OwnedBytes>,
    missing_vectors: Vec<String>,
    /// Those of every segment; opened by the first search.
    columns: OnceLock<Vec<Columns>>,
    dir: PathBuf,
}

impl std::fmt::Debug for IndexReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IndexReader").field("dir", &self.dir).finish_non_exhaustive()
    }
}

/// What an index holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stock {
    /// Passages.
    pub documents: u64,
    /// Vectors.
    pub vectors: u64,
    /// Segments of the full text.
    pub segments: u64,
}

impl IndexReader {
    /// Opens the index below a home.
    pub fn open(home: &Path) -> Result<Self, IndexError> {
        let dir = home.join(DIR_NAME);
        if !dir.join("meta.json").exists() {
            return Err(IndexError::Missing(dir));
        }
        let mut index = Index::open_in_dir(&dir)?;
        index.set_tokenizers(tokens::manager());
        let (schema, fields) = Fields::build();
        if index.schema() != schema {
            return Err(IndexError::Damaged("it has other fields".into()));
        }
        let manifest = Manifest::parse(index.load_metas()?.payload.as_deref())?;
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let (mut vectors, mut missing_vectors) = (Vec::new(), Vec::new());
        for name in manifest.vectors {
            match files::map(&dir, &name) {
                Ok(bytes) => vectors.push(bytes),
                Err(_) => missing_vectors.push(name),
            }
        }
        let searcher = reader.searcher();
        Ok(Self { searcher, fields, vectors, missing_vectors, columns: OnceLock::new(), dir })
    }

    pub(crate) fn columns(&self) -> Result<&[Columns], IndexError> {
        if let Some(columns) = self.columns.get() {
            return Ok(columns);
        }
        let all = self.searcher.segment_readers().iter().map(Columns::open);
        let all: Vec<Columns> = all.collect::<Result<_, _>>()?;
        Ok(self.columns.get_or_init(|| all))
    }

    /// Files of vectors that should be there and cannot be read.
    pub fn missing_vectors(&self) -> &[String] {
        &self.missing_vectors
    }

    /// True if there is any vector to compare with.
    pub fn has_vectors(&self) -> bool {
        !self.vectors.is_empty()
    }

    /// How much there is.
    pub fn stock(&self) -> Stock {
        Stock {
            documents: self.documents(),
            vectors: self.vectors().count(),
            segments: self.searcher.segment_readers().len() as u64,
        }
    }

    /// Passages.
    pub fn documents(&self) -> u64 {
        self.searcher.num_docs()
    }

    /// What a text is about; none if it has hardly a word.
    pub fn embed(text: &str) -> Option<Embedding> {
        Embedder::new(Table::shipped().ok()?).embed(text)
    }

    /// The vectors, ready to be compared with.
    pub fn vectors(&self) -> Vectors<'_> {
        // Those that do not open were sorted out before.
        let files = self.vectors.iter().filter_map(|bytes| VectorFile::open(bytes).ok());
        Vectors { files: files.collect() }
    }
}

/// The vectors of an index.
pub struct Vectors<'a> {
    files: Vec<VectorFile<'a>>,
}

impl Vectors<'_> {
    /// The places nearest in meaning, best first, each once.
    pub fn nearest(
        &self,
        query: &Embedding,
        limit: usize,
        accept: &mut dyn FnMut(Place) -> bool,
    ) -> Vec<(Place, f32)> {
        let found = vectors::nearest(&self.files, query, limit, &mut |place| accept(Place(place)));
        found.into_iter().map(|(place, cosine)| (Place(place), cosine)).collect()
    }

    /// How near a place is; none if it has no vector.
    pub fn nearness(&self, query: &Embedding, place: Place) -> Option<f32> {
        self.files.iter().filter_map(|file| file.cosine_of(query, place.0)).max_by(f32::total_cmp)
    }

    fn count(&self) -> u64 {
        self.files.iter().map(|file| file.len() as u64).sum()
    }
}
