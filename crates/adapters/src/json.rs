//! Reading the agents' JSON tolerantly: broken UTF-8, stray control bytes, two objects on a line.

/// Whether a line without its newline is a whole JSON document, or torn in the middle of writing.
pub fn is_complete(line: &[u8]) -> bool {
    readable(line).is_some_and(|text| sonic_rs::from_str::<serde::de::IgnoredAny>(text).is_ok())
}

/// A line as text, if the parser can be trusted with it: it reads bytes as UTF-8 before checking them,
/// and skips nested values by recursion.
pub(crate) fn readable(line: &[u8]) -> Option<&str> {
    if is_too_deep(line) {
        return None;
    }
    std::str::from_utf8(line).ok()
}

/// The JSON documents a damaged line can still be read as: control bytes blanked, broken UTF-8
/// replaced, concatenated objects (`{…}{…}`) separated. Call it only when the line as it stands
/// did not parse.
pub(crate) fn recover(line: &[u8]) -> Vec<String> {
    let text: String = String::from_utf8_lossy(line)
        .chars()
        .map(|c| if c.is_control() && c != '\t' { ' ' } else { c })
        .collect();
    split_objects(&text)
}

/// The deepest nesting that is read. The parser skips values by recursion, so that a line of
/// brackets alone would exhaust the stack.
const DEPTH_MAX: u32 = 1000;

/// Whether a line is nested more deeply than is safe to read. Cheap: most lines are too short or
/// have too few brackets to be.
pub(crate) fn is_too_deep(line: &[u8]) -> bool {
    let limit = DEPTH_MAX as usize;
    line.len() > limit && opening_brackets(line) > limit && depth(line) > DEPTH_MAX
}

fn opening_brackets(line: &[u8]) -> usize {
    // Short runs of byte-wide sums: the shape the compiler turns into vector instructions.
    line.chunks(255)
        .map(|run| run.iter().map(|byte| u8::from(byte & 0xdf == b'[')).sum::<u8>())
        .map(usize::from)
        .sum()
}

fn depth(line: &[u8]) -> u32 {
    let (mut depth, mut deepest) = (0_u32, 0);
    let (mut in_string, mut escaped) = (false, false);
    for byte in line {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

fn split_objects(text: &str) -> Vec<String> {
    let mut documents = Vec::new();
    let (mut depth, mut start) = (0_u32, 0);
    let (mut in_string, mut escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            b'}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    documents.push(text[start..=at].to_owned());
                }
            }
            _ => {}
        }
    }
    documents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_objects_on_a_line_are_two_documents() {
        assert_eq!(recover(br#"{"a":"}{"}{"b":{"c":1}}"#), [r#"{"a":"}{"}"#, r#"{"b":{"c":1}}"#]);
    }

    #[test]
    fn only_real_nesting_is_too_deep() {
        assert!(is_too_deep("[".repeat(2000).as_bytes()));
        assert!(is_too_deep("{\"a\":".repeat(2000).as_bytes()));
        assert!(!is_too_deep("[".repeat(900).as_bytes()));
        assert!(!is_too_deep("[],".repeat(2000).as_bytes()));
        assert!(!is_too_deep(format!("\"\\\"{}\"", "[".repeat(2000)).as_bytes()));
    }

    #[test]
    fn broken_bytes_are_blanked() {
        assert_eq!(recover(b"\0{\"a\":\"x\xffy\0\"}"), ["{\"a\":\"x\u{fffd}y \"}"]);
        assert!(recover(b"{\"torn\":").is_empty());
    }
}
