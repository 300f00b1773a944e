//! The known key a mistyped one was probably meant to be.

/// The known name with the fewest edits, if few enough to be a slip.
pub(super) fn nearest<'a>(typed: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|name| (edits(typed, name), *name))
        .min()
        .filter(|(edits, name)| *edits <= name.len().div_ceil(3))
        .map(|(_, name)| name)
}

/// Levenshtein distance.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_strangers_are_not() {
        let known = ["cadence", "raw_soft_cap_bytes", "raw_hard_cap_bytes"];
        assert_eq!(nearest("cadance", &known), Some("cadence"));
        assert_eq!(nearest("raw_soft_cap", &known), Some("raw_soft_cap_bytes"));
        assert_eq!(nearest("colour", &known), None);
        assert_eq!(edits("kitten", "sitting"), 3);
    }
}
