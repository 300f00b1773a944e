//! A small, fast random source. Its own code, so that a seed gives the same bytes for ever.

/// Random numbers from a seed.
#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    /// A source for a seed and a lane; lanes are independent of each other.
    pub(crate) fn new(seed: u64, lane: u64) -> Self {
        let mut rng = Self(
            seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ lane.wrapping_mul(0xd134_2543_de82_ef95),
        );
        rng.next();
        rng.next();
        rng
    }

    /// The next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0xa076_1d64_78bd_642f);
        let wide = u128::from(self.0) * u128::from(self.0 ^ 0xe703_7ed1_a0b4_28db);
        (wide >> 64) as u64 ^ wide as u64
    }

    /// A number below `limit`, 0 for 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    /// A number in `low..high`.
    pub(crate) fn range(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low) as usize) as u64
    }

    /// True in `percent` of 100 cases.
    pub(crate) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of a list.
    pub(crate) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// Roughly normal with mean 0 and deviation 1, bounded by 6.
    fn normal(&mut self) -> f64 {
        let sum: f64 = (0..12).map(|_| (self.next() >> 11) as f64 / (1_u64 << 53) as f64).sum();
        sum - 6.0
    }

    /// Log-normal sizes: most near the median, few very large.
    pub(crate) fn log_normal(&mut self, median: f64, sigma: f64) -> f64 {
        median * (self.normal() * sigma).exp()
    }

    /// A log-normal size within bounds.
    pub(crate) fn size(&mut self, median: f64, sigma: f64, low: usize, high: usize) -> usize {
        (self.log_normal(median, sigma) as usize).clamp(low, high)
    }

    /// Appends characters of an alphabet of 16 or 64 letters.
    fn letters<const N: usize>(&mut self, out: &mut String, count: usize, alphabet: &[u8; N]) {
        let bits = N.trailing_zeros();
        let per_word = 64 / bits as usize;
        let mut left = count;
        while left > 0 {
            let mut word = self.next();
            for _ in 0..per_word.min(left) {
                out.push(char::from(alphabet[word as usize & (N - 1)]));
                word >>= bits;
            }
            left -= per_word.min(left);
        }
    }

    /// Appends hexadecimal digits.
    pub(crate) fn hex_into(&mut self, out: &mut String, count: usize) {
        self.letters(out, count, b"0123456789abcdef");
    }

    /// Hexadecimal digits.
    pub(crate) fn hex(&mut self, count: usize) -> String {
        let mut out = String::with_capacity(count);
        self.hex_into(&mut out, count);
        out
    }

    /// Appends base64 characters: bytes no compressor shrinks by more than a quarter.
    pub(crate) fn base64_into(&mut self, out: &mut String, count: usize) {
        self.letters(
            out,
            count,
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        );
    }

    /// A string of base64 characters.
    pub(crate) fn base64(&mut self, count: usize) -> String {
        let mut out = String::with_capacity(count);
        self.base64_into(&mut out, count);
        out
    }

    /// Letters and digits.
    pub(crate) fn alnum(&mut self, count: usize) -> String {
        let mut out = String::with_capacity(count);
        self.letters(
            &mut out,
            count,
            b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789xyzXY",
        );
        out
    }

    /// A random UUID.
    pub(crate) fn uuid4(&mut self) -> String {
        let mut id = self.hex(36);
        id.replace_range(14..15, "4");
        id.replace_range(19..20, ["8", "9", "a", "b"][self.below(4)]);
        dashed(id)
    }

    /// A UUID that begins with a time in milliseconds.
    pub(crate) fn uuid7(&mut self, ms: u64) -> String {
        let mut id = format!("{:08x}-{:04x}", (ms >> 16) & 0xffff_ffff, ms & 0xffff);
        self.hex_into(&mut id, 23);
        id.replace_range(14..15, "7");
        id.replace_range(19..20, ["8", "9", "a", "b"][self.below(4)]);
        dashed(id)
    }
}

fn dashed(mut id: String) -> String {
    for at in [8, 13, 18, 23] {
        id.replace_range(at..=at, "-");
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_same_numbers_other_lane_other_numbers() {
        let take = |seed, lane| {
            let mut rng = Rng::new(seed, lane);
            [rng.next(), rng.next(), rng.next()]
        };
        assert_eq!(take(1, 2), take(1, 2));
        assert_ne!(take(1, 2), take(1, 3));
        assert_ne!(take(1, 2), take(2, 2));
    }

    #[test]
    fn ids_have_their_shape() {
        let mut rng = Rng::new(1, 1);
        for _ in 0..50 {
            let id = rng.uuid7(1_760_000_000_000);
            assert_eq!(id.len(), 36);
            assert!(id.starts_with("0199c82c-c000-7"), "{id}");
            assert_eq!(rng.uuid4().split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
        }
    }

    #[test]
    fn sizes_spread_around_the_median() {
        let mut rng = Rng::new(7, 0);
        let mut sizes: Vec<usize> =
            (0..2_001).map(|_| rng.size(50e3, 1.9, 1, 48_000_000)).collect();
        sizes.sort_unstable();
        assert!((40_000..60_000).contains(&sizes[1_000]), "{}", sizes[1_000]);
        assert!(sizes[1_990] > 2_000_000);
    }
}
