//! Words that say nothing about what is looked for.

/// Sorted, for a binary search; folded and cut as [`super::for_each`] cuts them.
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at",
    "be", "been", "before", "being", "but", "by", "can", "could", "d", "did", "do", "does",
    "doing", "don", "during", "each", "for", "from", "get", "got", "had", "has", "have", "having",
    "he", "her", "here", "hers", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its",
    "just", "let", "ll", "m", "me", "might", "more", "most", "must", "my", "no", "nor", "not",
    "now", "of", "on", "once", "only", "or", "other", "our", "ours", "out", "over", "own",
    "please", "re", "s", "same", "shall", "she", "should", "so", "some", "such", "t", "than",
    "that", "the", "their", "theirs", "them", "then", "there", "these", "they", "this", "those",
    "through", "to", "too", "under", "until", "up", "us", "ve", "very", "was", "we", "were",
    "what", "when", "where", "which", "while", "who", "whom", "whose", "why", "will", "with",
    "would", "you", "your", "yours",
];

/// True for a folded word that carries no meaning of its own.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_list_is_sorted() {
        assert!(super::STOP_WORDS.is_sorted());
    }
}
