//! Where in its cell a vector lies, in one bit per dimension, and what a query makes of such bits.
//!
//! The bits are the signs of vector minus centre, after a turn of space that spreads what is in the
//! first, strongest dimensions over all of them: a bit then tells as much as any other.

use crate::embedding::DIMENSIONS;

/// Bytes of a code.
pub(super) const CODE: usize = DIMENSIONS / 8;

/// Three rounds of signs that look random, each followed by a Hadamard transform, are as good as a
/// random turn and need no table.
#[inline(always)]
pub(super) fn turned(mut vector: [f32; DIMENSIONS]) -> [f32; DIMENSIONS] {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..3 {
        for word in vector.as_chunks_mut::<64>().0 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            for (bit, value) in word.iter_mut().enumerate() {
                let sign = ((random >> bit) as u32) << 31;
                *value = f32::from_bits(value.to_bits() ^ sign);
            }
        }
        hadamard(&mut vector);
    }
    vector
}

/// Keeps the length: every step is divided by the root of two, all eight of them by 16.
#[inline(always)]
fn hadamard(vector: &mut [f32; DIMENSIONS]) {
    let mut half = 1;
    while half < DIMENSIONS {
        for pair in vector.chunks_exact_mut(2 * half) {
            let (left, right) = pair.split_at_mut(half);
            for (left, right) in left.iter_mut().zip(right) {
                (*left, *right) = (*left + *right, *left - *right);
            }
        }
        half *= 2;
    }
    for value in vector {
        *value /= 16.0;
    }
}

/// The code of a turned vector, and the length of one of its 256 equal steps that fits it best.
#[inline(always)]
pub(super) fn code_of(turned: &[f32; DIMENSIONS]) -> ([u8; CODE], f32) {
    let mut code = [0; CODE];
    // Eight sums side by side, which a processor adds up at once.
    let (mut squares, mut sizes) = ([0_f32; 8], [0_f32; 8]);
    for (byte, values) in code.iter_mut().zip(turned.as_chunks::<8>().0) {
        for (bit, value) in values.iter().enumerate() {
            *byte |= u8::from(*value > 0.0) << bit;
            squares[bit] += value * value;
            sizes[bit] += value.abs();
        }
    }
    let (squares, sizes) = (squares.iter().sum::<f32>(), sizes.iter().sum::<f32>());
    (code, if sizes > 0.0 { squares / sizes } else { 0.0 })
}

/// Bits of how much a dimension of the query weighs; more would be finer than the codes are.
const PLANES: usize = 3;
const WORDS: usize = CODE / 8;
type Words = [u64; WORDS];

/// A query in the form that is compared with codes by counting bits: the signs of its dimensions, and
/// their weights, sliced into planes of equal bits.
pub(super) struct Weighed {
    signs: Words,
    planes: [Words; PLANES],
    /// The sum of all weights.
    total: u32,
    /// What one step of a weight is worth.
    scale: f32,
}

impl Weighed {
    pub(super) fn new(query: &[f32; DIMENSIONS]) -> Self {
        let turned = turned(*query);
        let largest = turned.iter().fold(f32::MIN_POSITIVE, |most, value| most.max(value.abs()));
        let scale = largest / ((1 << PLANES) as f32 - 0.5);
        let mut weighed = Self { signs: [0; WORDS], planes: [[0; WORDS]; PLANES], total: 0, scale };
        for (at, value) in turned.iter().enumerate() {
            let (word, bit) = (at / 64, at % 64);
            let weight = (value.abs() / scale).round() as u32;
            weighed.signs[word] |= u64::from(*value > 0.0) << bit;
            weighed.total += weight;
            for (plane, words) in weighed.planes.iter_mut().enumerate() {
                words[word] |= u64::from(weight >> plane & 1) << bit;
            }
        }
        weighed
    }

    /// The weight of all dimensions in which a code is on the other side than the query.
    #[inline(always)]
    pub(super) fn against(&self, code: &[u8; CODE]) -> u32 {
        let mut sums = [0_u64; WORDS];
        for (word, bytes) in code.as_chunks::<8>().0.iter().enumerate() {
            let differ = u64::from_le_bytes(*bytes) ^ self.signs[word];
            for (plane, words) in self.planes.iter().enumerate() {
                sums[word] += u64::from((differ & words[word]).count_ones()) << plane;
            }
        }
        let [first, second, third, fourth] = sums;
        (first + second + third + fourth) as u32
    }

    /// The most that may be against a vector for its balance to reach a value, or a little more.
    pub(super) fn most_against(&self, balance: f32) -> u32 {
        ((self.total as f32 - balance / self.scale) / 2.0 + 1.0) as u32
    }

    /// What is for a vector less what is against it, in the measure of the query.
    pub(super) fn balance(&self, against: u32) -> f32 {
        (i64::from(self.total) - 2 * i64::from(against)) as f32 * self.scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(step: f32) -> [f32; DIMENSIONS] {
        std::array::from_fn(|at| (at as f32 * step).sin() / 11.0)
    }

    fn product(left: &[f32; DIMENSIONS], right: &[f32; DIMENSIONS]) -> f32 {
        left.iter().zip(right).map(|(left, right)| left * right).sum()
    }

    #[test]
    fn a_turn_keeps_angles() {
        let (left, right) = (wave(0.1), wave(0.13));
        let before = product(&left, &right);
        assert!((product(&turned(left), &turned(right)) - before).abs() < 1e-4);
    }

    #[test]
    fn a_turn_spreads_one_dimension_over_all() {
        let mut one = [0.0; DIMENSIONS];
        one[0] = 1.0;
        let turned = turned(one);
        assert!(turned.iter().all(|value| value.abs() < 0.35));
        assert!(turned.iter().filter(|value| value.abs() > 0.01).count() > 200);
    }

    #[test]
    fn counted_bits_are_near_the_product() {
        let (query, vector) = (wave(0.1), wave(0.102));
        let (code, step) = code_of(&turned(vector));
        let weighed = Weighed::new(&query);
        let balance = weighed.balance(weighed.against(&code));
        let guess = balance * step;
        assert!((guess - product(&query, &vector)).abs() < 0.1, "{guess}");
        let expected: f32 = turned(query)
            .iter()
            .enumerate()
            .map(|(at, value)| if code[at / 8] >> (at % 8) & 1 == 1 { *value } else { -value })
            .sum();
        let against = weighed.against(&code);
        assert!((against..against + 3).contains(&weighed.most_against(balance)));
        assert!((balance - expected).abs() < 0.05 * expected.abs(), "{balance} {expected}");
    }
}
