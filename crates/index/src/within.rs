//! Finding by words in some sessions alone. Their documents are few and lie together, so the lists of words are
//! skipped through: read from end to end, most of what they name would be of others.

use crate::IndexError;
use crate::asked::LocalAsked;
use crate::lexical::{Accept, Best, Hit, Lexical, Top};
use crate::reader::LocalReader;
use tantivy::query::{EnableScoring, Query};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, Score, TERMINATED, Term};

/// Of more sessions, looking up whose every document is costs more than it saves.
const MOST_SESSIONS: usize = 500;

/// The documents of some sessions in every segment, in order.
#[derive(Debug)]
pub(crate) struct Own(Vec<Vec<DocId>>);

impl Own {
    /// Those of a segment.
    pub(crate) fn of_segment(&self, at: usize) -> &[DocId] {
        &self.0[at]
    }
}

/// Hands over the place of every document that is in the list too, with the list standing at it.
pub(crate) fn each_own<L: DocSet + ?Sized>(
    list: &mut L,
    own: &[DocId],
    mut each: impl FnMut(usize, &mut L),
) {
    let mut at = 0;
    while let Some(wanted) = own.get(at) {
        let doc = if list.doc() < *wanted { list.seek(*wanted) } else { list.doc() };
        if doc == TERMINATED {
            return;
        }
        if doc == *wanted {
            each(at, list);
            at += 1;
        } else {
            at += own[at..].partition_point(|own| *own < doc);
        }
    }
}

impl LocalAsked<'_> {
    /// The documents of the sessions that count, where only some do and they are not too many. All questions
    /// to one query are about the same sessions.
    pub(crate) fn own(&self, accept: Option<Accept<'_>>) -> Result<Option<&Own>, IndexError> {
        let Some(sessions) = accept.and_then(|accept| accept.sessions) else { return Ok(None) };
        if sessions.len() > MOST_SESSIONS {
            return Ok(None);
        }
        if let Some(own) = self.own.get() {
            return Ok(Some(own));
        }
        let own = self.index.documents_of(sessions)?;
        Ok(Some(self.own.get_or_init(|| own)))
    }
}

impl LocalReader {
    fn documents_of(&self, sessions: &[i64]) -> Result<Own, IndexError> {
        let mut own = Vec::new();
        for (segment, columns) in self.searcher.segment_readers().iter().zip(self.columns()?) {
            let (first, last) = columns.sessions();
            let from = sessions.partition_point(|session| *session < first);
            let to = sessions.partition_point(|session| *session <= last);
            let mut docs = Vec::new();
            for field in [self.fields.session, self.fields.card] {
                let inverted = segment.inverted_index(field)?;
                for session in sessions.get(from..to).unwrap_or_default() {
                    let term = Term::from_field_u64(field, *session as u64);
                    let postings = inverted.read_postings(&term, IndexRecordOption::Basic)?;
                    let Some(mut postings) = postings else { continue };
                    while postings.doc() != TERMINATED {
                        docs.push(postings.doc());
                        postings.advance();
                    }
                }
            }
            docs.sort_unstable();
            own.push(docs);
        }
        Ok(Own(own))
    }

    /// The best of some documents for any of the terms.
    pub(crate) fn best_own(
        &self,
        terms: &[Box<dyn Query>],
        asked: &LocalAsked<'_>,
        own: &Own,
        search: &Lexical<'_>,
    ) -> Result<Vec<Hit>, IndexError> {
        let scoring =
            EnableScoring::enabled_from_statistics_provider(&asked.statistics, &self.searcher);
        let weights =
            terms.iter().map(|term| term.weight(scoring)).collect::<Result<Vec<_>, _>>()?;
        let mut top = Top::new(search.limit);
        let all_columns = self.columns()?;
        let mut scores: Vec<Score> = Vec::new();
        for (at, segment) in self.searcher.segment_readers().iter().enumerate() {
            let own = own.of_segment(at);
            if own.is_empty() {
                continue;
            }
            scores.clear();
            scores.resize(own.len(), 0.0);
            for weight in &weights {
                let mut list = weight.scorer(segment, 1.0)?;
                each_own(list.as_mut(), own, |place, list| scores[place] += list.score());
            }
            for (doc, score) in own.iter().zip(&scores).filter(|(_, score)| **score > 0.0) {
                if *score > top.threshold()
                    && !segment.is_deleted(*doc)
                    && search.lets(&all_columns[at], *doc)
                {
                    top.add(Best { score: *score, at, doc: *doc });
                }
            }
        }
        Ok(top.into_hits(all_columns))
    }
}
