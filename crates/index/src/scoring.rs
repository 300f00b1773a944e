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

/// A length as coarse as the local engine stores it.
pub fn coarse(length: u32) -> u8 {
    FieldNormReader::fieldnorm_to_id(length)
}

/// What words add in the texts of a field, by the coarse length of these.
#[derive(Clone, Debug)]
pub struct Densities([f32; 256]);

impl Densities {
    /// Those of a field.
    pub fn of(field: TextField) -> Self {
        let usual = field.usual_length() as f32;
        Self(std::array::from_fn(|length| {
            let relative = FieldNormReader::id_to_fieldnorm(length as u8) as f32 / usual;
            SATURATION * (1.0 - LENGTH + LENGTH * relative)
        }))
    }

    /// What a word that stands in a text so many times adds for each unit of its rarity.
    pub fn density(&self, times: u32, length: u8) -> f32 {
        let times = times as f32;
        (1.0 + SATURATION) * times / (times + self.0[usize::from(length)])
    }
}
