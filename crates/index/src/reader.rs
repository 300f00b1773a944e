//! Reading the local index: where it is open, what is in it, what is near in meaning.

use crate::asked::LocalAsked;
use crate::columns::Columns;
use crate::directory::IndexDirectory;
use crate::files::{Manifest, OpenVectors};
use crate::schema::{DIR_NAME, Fields};
use crate::{Asked, Hit, IndexError, Lexical, Place, Reader, Stay, Stock, Wanted, tokens};
use backstory_meaning::{Embedding, VectorFile, vectors};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tantivy::{Index, ReloadPolicy, Searcher};

/// Among so many vectors all are compared sooner than the best are picked out by their codes.
const MOST_COMPARED: usize = 30_000;

/// An open index, as it was when it was opened.
pub(crate) struct LocalReader {
    pub(crate) searcher: Searcher,
    pub(crate) fields: Fields,
    vectors: Vec<OpenVectors>,
    missing_vectors: Vec<String>,
    /// Those of every segment; opened by the first search.
    columns: OnceLock<Vec<Columns>>,
    dir: PathBuf,
}

impl std::fmt::Debug for LocalReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalReader").field("dir", &self.dir).finish_non_exhaustive()
    }
}

impl LocalReader {
    /// Opens the index below a home.
    pub(crate) fn open(home: &Path, stay: Stay) -> Result<Self, IndexError> {
        let dir = home.join(DIR_NAME);
        if !dir.join("meta.json").exists() {
            return Err(IndexError::Missing(dir.display().to_string()));
        }
        let files = IndexDirectory::open(&dir, stay).map_err(tantivy::TantivyError::from)?;
        let mut index = Index::open(files)?;
        index.set_tokenizers(tokens::manager());
        let fields = *Fields::known();
        if index.schema() != *Fields::schema() {
            return Err(IndexError::Damaged("it has other fields".into()));
        }
        let manifest = Manifest::parse(index.load_metas()?.payload.as_deref())?;
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let (mut vectors, mut missing_vectors) = (Vec::new(), Vec::new());
        for name in manifest.vectors {
            match OpenVectors::open(&dir, &name, stay) {
                Ok(file) => vectors.push(file),
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

    fn files(&self) -> Vec<VectorFile<'_>> {
        self.vectors.iter().filter_map(OpenVectors::file).collect()
    }
}

impl Reader for LocalReader {
    fn documents(&self) -> u64 {
        self.searcher.num_docs()
    }

    fn has_vectors(&self) -> bool {
        !self.vectors.is_empty()
    }

    fn stock(&self) -> Stock {
        Stock {
            documents: self.documents(),
            vectors: self.files().iter().map(|file| file.len() as u64).sum(),
            segments: self.searcher.segment_readers().len() as u64,
        }
    }

    fn missing_vectors(&self) -> &[String] {
        &self.missing_vectors
    }

    fn ask<'a>(&'a self, wanted: &'a Wanted) -> Result<Box<dyn Asked + 'a>, IndexError> {
        Ok(Box::new(LocalAsked::new(self, wanted)?))
    }

    fn newest(&self, search: &Lexical<'_>) -> Result<Vec<Hit>, IndexError> {
        self.newest_of(search)
    }

    fn nearest(
        &self,
        query: &Embedding,
        limit: usize,
        accept: &mut dyn FnMut(Place) -> bool,
    ) -> Result<Vec<(Place, f32)>, IndexError> {
        let found =
            vectors::nearest(&self.files(), query, limit, &mut |place| accept(Place(place)));
        Ok(found.into_iter().map(|(place, cosine)| (Place(place), cosine)).collect())
    }

    fn nearest_within(
        &self,
        query: &Embedding,
        limit: usize,
        sessions: &[i64],
    ) -> Result<Option<Vec<(Place, f32)>>, IndexError> {
        let ranges: Vec<_> = sessions.iter().map(|session| Place::all_of(*session)).collect();
        let files = self.files();
        if vectors::count_within(&files, &ranges) > MOST_COMPARED {
            return Ok(None);
        }
        let found = vectors::nearest_within(&files, query, limit, &ranges);
        Ok(Some(found.into_iter().map(|(place, cosine)| (Place(place), cosine)).collect()))
    }

    fn nearness(
        &self,
        query: &Embedding,
        places: &[Place],
    ) -> Result<Vec<Option<f32>>, IndexError> {
        let places: Vec<u64> = places.iter().map(|place| place.0).collect();
        Ok(vectors::nearness(&self.files(), query, &places))
    }
}
