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
    let (mut squares, mut sizes) = (0.0, 0.0);
    for (byte, values) in code.iter_mut().zip(turned.as_chunks::<8>().0) {
        for (bit, value) in values.iter().enumerate() {
            *byte |= u8::from(*value > 0.0) << bit;
            squares += value * value;
            sizes += value.abs();
        }
    }
    (code, if sizes > 0.0 { squares / sizes } else { 0.0 })
}

/// What every byte of a code adds to how near a vector is to one query.
pub(super) struct Sums {
    of: [[i16; 256]; CODE],
    /// What a sum has to be multiplied by.
    pub(super) scale: f32,
}

impl Sums {
    pub(super) fn new(query: &[f32; DIMENSIONS]) -> Self {
        let turned = turned(*query);
        let largest = turned.iter().fold(f32::MIN_POSITIVE, |most, value| most.max(value.abs()));
        let scale = largest / 2047.0;
        let mut of = [[0_i16; 256]; CODE];
        for (sums, values) in of.iter_mut().zip(turned.as_chunks::<8>().0) {
            let steps = values.map(|value| (value / scale) as i16);
            sums[0] = -steps.iter().sum::<i16>();
            for byte in 1..256_usize {
                let bit = byte.trailing_zeros() as usize;
                sums[byte] = sums[byte & (byte - 1)] + 2 * steps[bit];
            }
        }
        Self { of, scale }
    }

    /// The sum over a code.
    #[inline(always)]
    pub(super) fn over(&self, code: &[u8; CODE]) -> i32 {
        code.iter().zip(&self.of).map(|(byte, sums)| i32::from(sums[usize::from(*byte)])).sum()
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
    fn the_sum_over_a_code_is_near_the_product() {
        let (query, vector) = (wave(0.1), wave(0.102));
        let (code, step) = code_of(&turned(vector));
        let sums = Sums::new(&query);
        let guess = sums.over(&code) as f32 * sums.scale * step;
        assert!((guess - product(&query, &vector)).abs() < 0.1, "{guess}");
        let expected: f32 = turned(query)
            .iter()
            .enumerate()
            .map(|(at, value)| if code[at / 8] >> (at % 8) & 1 == 1 { *value } else { -value })
            .sum();
        assert!((sums.over(&code) as f32 * sums.scale - expected).abs() < 0.03);
    }
}
