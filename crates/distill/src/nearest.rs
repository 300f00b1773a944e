//! The known name a mistyped one was probably meant to be.

/// The known name with the fewest slips, if few enough to be one of them.
pub fn nearest<'a>(typed: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|name| (slips(typed, name), *name))
        .min()
        .filter(|(slips, name)| *slips <= (name.len() / 3).max(1))
        .map(|(_, name)| name)
}

/// Letters missing, too many, wrong, or exchanged with their neighbour.
fn slips(typed: &str, name: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (typed.chars().collect(), name.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let replaced = last[j] + usize::from(a[i] != b[j]);
            let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
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
        assert_eq!(nearest("agnet", &["agent", "tool"]), Some("agent"));
        assert_eq!(nearest("foo", &["agent", "tool"]), None);
        assert_eq!(nearest("", &["tool"]), None);
        assert_eq!(slips("kitten", "sitting"), 3);
        assert_eq!(slips("ab", "ba"), 1);
    }
}
