//! How many tokens a text takes, estimated: plugins decide by it when to close a stretch.

/// Tokens of a text: one and a half per CJK character, two beyond the basic plane, else a quarter.
pub fn estimate(text: &str) -> u32 {
    // In quarters of a token, so that sums are exact.
    let quarters: u64 = text.chars().map(quarters).sum();
    u32::try_from(quarters.div_ceil(4)).unwrap_or(u32::MAX)
}

fn quarters(c: char) -> u64 {
    match c {
        '\u{10000}'.. => 8,
        '\u{2e80}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff00}'..='\u{ffef}' => 6,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_cheap_and_cjk_is_not() {
        for (text, tokens) in
            [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("记住", 3), ("记", 2), ("🙂", 2)]
        {
            assert_eq!(estimate(text), tokens, "{text}");
        }
    }
}
