//! BM25 as the local engine counts it, for those who keep an index elsewhere: lists of hits are ranked
//! together with nearness and evidence, so they must weigh the same wherever they come from.

use crate::schema::TextField;
use tantivy::fieldnorm::FieldNormReader;

/// How soon more of a word adds nothing.
const SATURATION: f32 = 1.2;
/// How much the length of a text counts.
const LENGTH: f32 = 0.75;

/// How much it tells to be one of `some` among `all`.
pub fn rarity(some: u64, all: u64) -> f32 {
    let (some, all) = (some as f32, all.max(some) as f32);
    (1.0 + (all - some + 0.5) / (some + 0.5)).ln()
}

/// What a word that stands in a text so many times adds for each unit of its rarity. Lengths are as
/// coarse as the local engine stores them.
pub fn density(times: f32, length: u32, field: TextField) -> f32 {
    let length = FieldNormReader::id_to_fieldnorm(FieldNormReader::fieldnorm_to_id(length));
    let relative = length as f32 / field.usual_length() as f32;
    (1.0 + SATURATION) * times / (times + SATURATION * (1.0 - LENGTH + LENGTH * relative))
}
