//! Numbers and texts in few bytes. What cannot be read is `None`, whatever the bytes are.

/// Adds a number: seven bits a byte, the lowest first.
pub(super) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Adds a number that may be negative.
pub(super) fn put_signed(out: &mut Vec<u8>, number: i64) {
    put(out, ((number << 1) ^ (number >> 63)) as u64);
}

/// Adds bytes behind their number.
pub(super) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Bytes that are read from the front.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(number);
            }
            shift += 7;
        }
    }

    pub(super) fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    pub(super) fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    pub(super) fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    /// Bytes behind their number.
    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        let len = usize::try_from(self.number()?).ok()?;
        self.take(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_put_is_read(numbers: Vec<u64>, signed: Vec<i64>, text: Vec<u8>) {
            let mut out = Vec::new();
            for number in &numbers {
                put(&mut out, *number);
            }
            put_bytes(&mut out, &text);
            for number in &signed {
                put_signed(&mut out, *number);
            }
            let mut bytes = Bytes(&out);
            for number in numbers {
                prop_assert_eq!(bytes.number(), Some(number));
            }
            prop_assert_eq!(bytes.bytes(), Some(text.as_slice()));
            for number in signed {
                prop_assert_eq!(bytes.signed(), Some(number));
            }
            prop_assert!(bytes.0.is_empty() && bytes.number().is_none() && bytes.bytes().is_none());
        }

        #[test]
        fn anything_may_be_read(text: Vec<u8>) {
            let mut bytes = Bytes(&text);
            while !bytes.0.is_empty() {
                bytes.number();
                bytes.bytes();
                bytes.signed();
            }
        }
    }
}
