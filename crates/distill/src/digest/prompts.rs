//! The goal: the first prompt that says what is wanted.

use super::GOAL_MAX;
use crate::clip;
use backstory_model::{Digest, Remark, Snippet, remark};

/// Takes a prompt as the goal if there is none yet, or only noise.
pub(super) fn goal(digest: &mut Digest, seq: u32, text: &str) {
    let known = digest.goal.as_ref().map(|goal| is_noise(&goal.text));
    let better = match known {
        None => true,
        Some(noise) => noise && !is_noise(text),
    };
    if better {
        digest.goal = Some(Snippet { seq, why: "goal".into(), text: clip::words(text, GOAL_MAX) });
    }
}

/// Greetings, slash commands, bare encouragement, pasted dumps.
fn is_noise(text: &str) -> bool {
    let start = clip::head(text.trim(), GOAL_MAX);
    let lower = start.to_lowercase();
    let bare = lower.trim_matches(|c: char| !c.is_alphanumeric());
    let empty_words = matches!(
        bare,
        "" | "continue"
            | "go on"
            | "go ahead"
            | "resume"
            | "hi"
            | "hello"
            | "hey"
            | "test"
            | "y"
            | "next"
            | "proceed"
            | "weiter"
            | "hallo"
            | "start"
            | "ping"
    );
    let command = start.starts_with('/') && !start.contains(' ') && !start[1..].contains('/');
    let tagged = start.starts_with('<') && start.contains('>') || start.starts_with("Caveat:");
    let dump = ["{", "[{", "diff --git", "#!/", "<?xml", "<!doctype", "-----begin", "traceback ("]
        .iter()
        .any(|opening| lower.starts_with(opening));
    let ack = remark(text) == Remark::Ack;
    empty_words || ack || command || tagged || dump
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_passed_over_for_the_first_real_prompt() {
        let mut digest = Digest::default();
        for (seq, text) in
            ["/clear", "hi", "Thanks!", "好的", "<x>y</x>", "fix the login", "continue"]
                .iter()
                .enumerate()
        {
            goal(&mut digest, seq as u32, text);
        }
        assert_eq!(digest.goal.unwrap().text, "fix the login");
    }

    #[test]
    fn noise_is_better_than_nothing() {
        let mut digest = Digest::default();
        goal(&mut digest, 4, "continue");
        assert_eq!(digest.goal.unwrap().seq, 4);
    }
}
