//! Reading a log line by line: bounded memory, torn last lines left alone, oversized lines skipped.

use std::io::{self, Read};

/// Longest line that is read; a longer one is reported and passed over.
pub(crate) const LINE_LIMIT: usize = 64 << 20;
const READ_BYTES: usize = 1 << 20;

/// One step through a file.
pub(crate) enum Step<'a> {
    /// A complete line, newline removed.
    Line(&'a [u8]),
    /// A line longer than [`LINE_LIMIT`] was skipped; its first bytes.
    Oversized(&'a [u8]),
}

/// Splits a byte stream into lines.
pub(crate) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    /// Unconsumed bytes are `buffer[start..end]`.
    start: usize,
    end: usize,
    /// Bytes of `buffer[start..end]` already searched for a newline.
    searched: usize,
    ended: bool,
    /// Set while an oversized line is being passed over.
    skipping: bool,
    /// Stream position of `buffer[start]`.
    position: u64,
    /// Lines consumed.
    line: u64,
}

impl<R: Read> Lines<R> {
    /// Starts at a position of the stream, which the input must already be at.
    pub(crate) fn new(input: R, buffer: Vec<u8>, position: u64, line: u64) -> Self {
        Self {
            input,
            buffer,
            start: 0,
            end: 0,
            searched: 0,
            ended: false,
            skipping: false,
            position,
            line,
        }
    }

    /// Consumed bytes: everything up to the end of the last line handed out.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Consumed lines; also the 1-based number of the line handed out last.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// Bytes read from the stream and not handed out yet.
    pub(crate) fn buffered(&self) -> usize {
        self.end - self.start
    }

    /// Gives the buffer back for the next file.
    pub(crate) fn into_buffer(mut self) -> Vec<u8> {
        if self.buffer.len() > READ_BYTES {
            self.buffer.truncate(READ_BYTES);
            self.buffer.shrink_to_fit();
        }
        self.buffer
    }

    /// The first bytes of the stream, up to `most`; call before the first line.
    pub(crate) fn head(&mut self, most: usize) -> io::Result<&[u8]> {
        while self.end - self.start < most && !self.ended {
            self.fill()?;
        }
        Ok(&self.buffer[self.start..self.end.min(self.start + most)])
    }

    /// The next line. At the end of the stream a last line without a newline is handed out only if
    /// `is_whole` says it is complete; otherwise it is left for a later read.
    pub(crate) fn next(
        &mut self,
        is_whole: impl Fn(&[u8]) -> bool,
    ) -> io::Result<Option<Step<'_>>> {
        loop {
            let unsearched = &self.buffer[self.start + self.searched..self.end];
            if let Some(at) = memchr::memchr(b'\n', unsearched) {
                let len = self.searched + at;
                return Ok(Some(self.take(len, len + 1)));
            }
            self.searched = self.end - self.start;
            if self.ended {
                let rest = &self.buffer[self.start..self.end];
                if rest.is_empty() || self.skipping || !is_whole(rest) {
                    return Ok(None);
                }
                let len = rest.len();
                return Ok(Some(self.take(len, len)));
            }
            if self.searched > LINE_LIMIT {
                self.drop_searched();
            }
            self.fill()?;
        }
    }

    fn take(&mut self, len: usize, consumed: usize) -> Step<'_> {
        let from = self.start;
        self.start += consumed;
        self.position += consumed as u64;
        self.searched = 0;
        self.line += 1;
        if std::mem::take(&mut self.skipping) {
            return Step::Oversized(&self.buffer[..SAMPLE.min(self.start)]);
        }
        let line = &self.buffer[from..from + len];
        Step::Line(line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// Forgets the searched part of an oversized line, keeping its beginning as a sample.
    fn drop_searched(&mut self) {
        let dropped = self.end - self.start;
        if !self.skipping {
            self.buffer.copy_within(self.start..self.start + SAMPLE, 0);
        }
        self.skipping = true;
        self.position += dropped as u64;
        self.start = SAMPLE;
        self.end = SAMPLE;
        self.searched = 0;
    }

    fn fill(&mut self) -> io::Result<()> {
        let keep_sample = if self.skipping { SAMPLE } else { 0 };
        if self.start > keep_sample {
            self.buffer.copy_within(self.start..self.end, keep_sample);
            self.end -= self.start - keep_sample;
            self.start = keep_sample;
        }
        if self.end == self.buffer.len() {
            let more = if self.buffer.is_empty() { READ_BYTES } else { self.buffer.len() };
            // Exact growth: a line of many megabytes must not cost twice its size.
            self.buffer.reserve_exact(more.min(8 << 20));
            self.buffer.resize(self.buffer.capacity(), 0);
        }
        let read = loop {
            match self.input.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.end += read;
        self.ended = read == 0;
        Ok(())
    }
}

const SAMPLE: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Hands out a few bytes at a time, as a pipe would.
    struct Trickle<'a>(&'a [u8], usize);

    impl Read for Trickle<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let len = self.1.min(self.0.len()).min(out.len());
            out[..len].copy_from_slice(&self.0[..len]);
            self.0 = &self.0[len..];
            Ok(len)
        }
    }

    fn read_all(bytes: &[u8], step: usize, whole: bool) -> (Vec<Vec<u8>>, u64) {
        let mut lines = Lines::new(Trickle(bytes, step), Vec::new(), 0, 0);
        let mut out = Vec::new();
        while let Some(step) = lines.next(|_| whole).unwrap() {
            match step {
                Step::Line(line) => out.push(line.to_vec()),
                Step::Oversized(_) => out.push(b"OVERSIZED".to_vec()),
            }
        }
        (out, lines.position())
    }

    #[test]
    fn a_torn_last_line_is_left() {
        let (lines, position) = read_all(b"one\r\n\ntwo\nthr", 3, false);
        assert_eq!(lines, [b"one".as_slice(), b"", b"two"]);
        assert_eq!(position, 10);
        assert_eq!(read_all(b"one\ntwo", 3, true).0, [b"one", b"two"]);
    }

    #[test]
    fn an_oversized_line_is_passed_over_in_bounded_memory() {
        let mut bytes = b"{\"first\":1}\n".to_vec();
        bytes.resize(bytes.len() + LINE_LIMIT + (9 << 20), b'x');
        bytes.extend_from_slice(b"\n{\"last\":1}\n");
        let mut lines = Lines::new(bytes.as_slice(), Vec::new(), 0, 0);
        assert!(matches!(lines.next(|_| true).unwrap(), Some(Step::Line(b"{\"first\":1}"))));
        match lines.next(|_| true).unwrap() {
            Some(Step::Oversized(sample)) => assert!(sample.starts_with(b"xxx")),
            _ => panic!("the long line must be reported"),
        }
        assert!(matches!(lines.next(|_| true).unwrap(), Some(Step::Line(b"{\"last\":1}"))));
        assert!(lines.next(|_| true).unwrap().is_none());
        assert_eq!(lines.position(), bytes.len() as u64);
        assert!(lines.buffer.len() < LINE_LIMIT + (12 << 20));
    }

    proptest! {
        #[test]
        fn lines_equal_a_plain_split(bytes in proptest::collection::vec(
            prop_oneof![3 => Just(b'\n'), 10 => any::<u8>()], 0..400), step in 1_usize..50) {
            let (lines, _) = read_all(&bytes, step, true);
            let mut plain: Vec<Vec<u8>> = bytes
                .split(|byte| *byte == b'\n')
                .map(|line| line.strip_suffix(b"\r").unwrap_or(line).to_vec())
                .collect();
            if bytes.is_empty() || bytes.ends_with(b"\n") {
                plain.pop();
            }
            prop_assert_eq!(lines, plain);
        }
    }
}
