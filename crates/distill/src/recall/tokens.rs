//! How many tokens a text takes, roughly: the same estimate for every model.

/// An estimate: a quarter of a token per letter, more for scripts that write words in a sign or two.
pub fn tokens(text: &str) -> u32 {
    let quarters: u64 = text.chars().map(quarters).sum();
    quarters.div_ceil(4).try_into().unwrap_or(u32::MAX)
}

/// How many characters of a text take no more than so many tokens.
pub fn chars_within(text: &str, most: u32) -> usize {
    let room = u64::from(most) * 4;
    let mut taken = 0;
    text.chars()
        .take_while(|c| {
            taken += quarters(*c);
            taken <= room
        })
        .count()
}

fn quarters(c: char) -> u64 {
    match c {
        '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' => 6,
        '\u{10000}'.. => 8,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_signs_and_pictures_count_differently() {
        for (text, many) in [("", 0), ("a", 1), ("four", 1), ("fives", 2), ("茶壶", 3), ("🫖", 2)]
        {
            assert_eq!(tokens(text), many, "{text}");
        }
    }

    #[test]
    fn so_much_of_a_text_fits_into_a_budget() {
        for (text, most, chars) in [
            ("four", 1, 4),
            ("fives", 1, 4),
            ("茶壶 pot", 3, 2),
            ("茶壶 pot", 4, 6),
            ("🫖🫖", 3, 1),
            ("anything", 0, 0),
            ("", 9, 0),
        ] {
            assert_eq!(chars_within(text, most), chars, "{text} {most}");
            let fitting: String = text.chars().take(chars).collect();
            assert!(tokens(&fitting) <= most, "{text} {most}");
        }
    }
}
