//! What filters and rankings ask of a document, in columns.

use crate::schema::{self, Facts};
use crate::{IndexError, Place};
use backstory_model::Timestamp;
use tantivy::columnar::Column;
use tantivy::{DocId, SegmentReader};

/// The columns of one segment.
pub(crate) struct Columns {
    place: Column<u64>,
    ts: Column<i64>,
    kind: Column<u64>,
    exit: Column<i64>,
    tool: Column<u64>,
}

impl Columns {
    pub(crate) fn open(segment: &SegmentReader) -> Result<Self, IndexError> {
        let columns = segment.fast_fields();
        Ok(Self {
            place: columns.u64("place")?,
            ts: columns.i64("ts")?,
            kind: columns.u64("kind")?,
            exit: columns.i64("exit")?,
            tool: columns.u64("tool_name")?,
        })
    }

    /// The first and the last session of the segment.
    pub(crate) fn sessions(&self) -> (i64, i64) {
        (Place(self.place.min_value()).session(), Place(self.place.max_value()).session())
    }

    pub(crate) fn place(&self, doc: DocId) -> Place {
        Place(self.place.first(doc).unwrap_or_default())
    }

    pub(crate) fn facts(&self, doc: DocId) -> Facts {
        Facts {
            ts: Timestamp(self.ts.first(doc).unwrap_or_default()),
            kind: schema::kind_of(self.kind.first(doc).unwrap_or_default()),
            exit: schema::exit_of(self.exit.first(doc).unwrap_or(i64::MAX)),
            tool: self.tool.first(doc).unwrap_or_default(),
        }
    }

    pub(crate) fn read(&self, doc: DocId) -> (Place, Facts) {
        (self.place(doc), self.facts(doc))
    }
}
