//! What is cut out, what stays, and what must hold for any text.

use super::*;
use backstory_model::Role;
use proptest::prelude::*;

const OWN: &str = "<backstory-context source=\"auto-recall\" format=\"digest\">\n\
    Backstory memory digest:\n- [fix] planted (backstory://claude:1/2)\n\
    More detail: use the backstory MCP tools read and search with these addresses.\n\
    </backstory-context>";

fn left(text: &str) -> String {
    without_memories(text).words.into_owned()
}

#[test]
fn blocks_of_memory_tools_are_cut_out() {
    for (text, wanted) in [
        (OWN.to_owned(), ""),
        (format!("{OWN}\n\nfix it"), "fix it"),
        (format!("fix it\n{OWN}"), "fix it"),
        (format!("hel{OWN}lo"), "hello"),
        (format!("one\n{OWN}\n{OWN}two"), "one\n\ntwo"),
        ("<openviking-context source=\"startup\">\nx\n</openviking-context>\nfix".into(), "fix"),
        ("<openviking-context>x</openviking-context>fix".into(), "fix"),
        ("<relevant-memory>x</relevant-memory> fix".into(), "fix"),
        ("fix\n<RELEVANT-MEMORIES uri=\"v\">\nx\n</relevant-memories>".into(), "fix"),
        ("<claude-mem-context>\nx\n</claude-mem-context>\nfix".into(), "fix"),
        ("before <hindsight_memories>x</hindsight_memories> after".into(), "before  after"),
        ("<supermemory-context>x</supermemory-context>\nfix".into(), "fix"),
        ("fix\n<backstory-context source=\"session-resume\">\ntorn off".into(), "fix"),
        ("fix\n<relevant-memories>\ntorn off".into(), "fix"),
        ("a <backstory-context source=\"x\"/> b".into(), "a  b"),
        (
            "fix\nOpenViking memory digest:\n- a (viking://x)\n  more\n* b\nnow".into(),
            "fix\nnow",
        ),
        (
            "OpenViking session archive digest:\n## Title\n\ntext\nMore detail: use the OpenViking \
             MCP tools.\nfix"
                .into(),
            "fix",
        ),
        ("Backstory memory digest:\n- a\n\n- mine".into(), "- mine"),
        ("fix\nMore detail: use the OpenViking MCP read tool.".into(), "fix"),
    ] {
        let own = without_memories(&text);
        assert_eq!(own.words, wanted, "{text}");
        assert!(!own.injected.is_empty(), "{text}");
    }
}

#[test]
fn what_is_only_spoken_of_stays() {
    for text in [
        "what is <backstory-context> for?",
        "why does `<openviking-context source=\"startup\">` pass through?",
        "the regex `<relevant-memory>` and `</relevant-memory>` are wrong",
        "put it between <relevant-memories> and </relevant-memories> please",
        "<memory-context> is the tag to look for",
        "</backstory-context> is never opened",
        "<backstory-contexts>\nx\n</backstory-contexts>",
        "<relevant-memory\n>x</relevant-memory>",
        "the line OpenViking memory digest: is left",
        "OpenViking memory digest: what is it?",
        "More detail, please",
        "<environment_context> is the tag I ask about",
        "  keeps its\n\n white space  ",
        "",
    ] {
        assert_eq!(without_memories(text), Own { words: text.into(), injected: vec![] });
        assert!(matches!(own_words(text).words, Cow::Borrowed(whole) if whole == text), "{text}");
    }
}

#[test]
fn the_blocks_are_given_back_whole() {
    let text = format!("a\n{OWN}\nb");
    let own = without_memories(&text);
    assert_eq!(own.injected, [Injected { name: "backstory-context", text: OWN.into() }]);
    assert!(matches!(own.injected[0].text, Cow::Borrowed(_)));
}

#[test]
fn wrappers_of_every_agent_are_known() {
    for (text, wanted) in [
        ("<environment_context>\n<cwd>/w</cwd>\n</environment_context>", ""),
        ("<environment_context>x</environment_context>\n\nfix it", "fix it"),
        ("# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>\nfix it", "fix it"),
        ("# AGENTS.md instructions for /w\nx", ""),
        (
            "<system-reminder>x</system-reminder>fix it<system-reminder>y</system-reminder>",
            "fix it",
        ),
        ("<user_info>x</user_info>\n<user_query>\nfix it\n</user_query>", "fix it"),
        ("<command-name>/clear</command-name>", ""),
        ("<local-command-stdout>x</local-command-stdout>", ""),
        ("<hook_context>x</hook_context>\nfix it", "fix it"),
        ("# Context\n## My request for Codex:\nfix it", "fix it"),
        ("[Request interrupted by user]", ""),
        (
            "<user_query><system-reminder>x</system-reminder>\n<relevant-memory>y</relevant-memory>\n\
             fix it</user_query>",
            "fix it",
        ),
    ] {
        assert_eq!(own_words(text).words, wanted, "{text}");
    }
}

#[test]
fn pushed_texts_are_cleaned() {
    let clean = |text: &str| pushed(Role::User, text, PUSHED_MAX_CHARS);
    for (text, wanted, remark) in [
        ("ok", "ok", Remark::Ack),
        ("/compact", "/compact", Remark::Command),
        ("[2026-05-01 10:00] fix\0 the\n\n\n\nlogin\n", "fix the\n\nlogin", Remark::Words),
        ("[openviking-memory] stored 3", "", Remark::Nothing),
        ("<openviking-context source=\"x\">y</openviking-context>", "", Remark::Nothing),
        (
            "Sender (x):\n```\na\n```\n<system-reminder>b</system-reminder>\n[2026-05-01] fix login",
            "fix login",
            Remark::Words,
        ),
    ] {
        let told = clean(text);
        assert_eq!((told.text.as_str(), told.remark), (wanted, remark), "{text}");
    }
    let long = pushed(Role::User, &"ä".repeat(50), 10);
    assert_eq!(long.text, format!("{}…\n[truncated]", "ä".repeat(10)));
    let tool = pushed(Role::Tool, OWN, PUSHED_MAX_CHARS);
    assert_eq!((tool.text.as_str(), tool.is_empty()), (OWN, false));
    assert_eq!(pushed(Role::Assistant, "ok", PUSHED_MAX_CHARS).remark, Remark::Words);
}

#[test]
fn a_long_text_of_tags_is_read_in_linear_time() {
    for unit in ["<relevant-memory>", "<relevant-memory a=b> ", "</memory-context>", "<<<<"] {
        let text = unit.repeat(200_000);
        own_words(&text);
    }
}

/// Words no marker can come of.
fn prose() -> impl Strategy<Value = String> {
    "[a-zA-ZäöÜ好 .,:;!?()#/*_=0-9\n-]{0,60}"
}

/// Pieces of markers, whole and broken.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<backstory-context source=\"a\">",
        "<backstory-context",
        "</backstory-context>",
        "<relevant-memory>",
        "<relevant-memory/>",
        "</relevant-memory>",
        "<memory-context a=b>",
        "</memory-context>",
        "OpenViking memory digest:",
        "More detail: use the OpenViking MCP",
        "- x",
        "\n",
        " ",
        "`",
        ">",
        "<",
        "word",
        "ä",
    ]);
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn cutting_twice_is_cutting_once(text in soup()) {
        let once = left(&text);
        prop_assert_eq!(left(&once), once);
    }

    #[test]
    fn text_without_markers_is_unchanged(text in "[^<]{0,80}") {
        prop_assume!(!text.contains("digest:") && !text.contains("More detail"));
        let own = without_memories(&text);
        prop_assert!(own.injected.is_empty());
        prop_assert_eq!(&*own.words, &*text);
    }

    #[test]
    fn what_we_inject_never_survives(
        before in prose(),
        after in prose(),
        body in "[^<]{0,60}",
        source in "[a-z-]{1,12}",
    ) {
        let block = format!("<backstory-context source=\"{source}\">\nZQX{body}ZQX\n</backstory-context>");
        for text in [
            format!("{before}{block}{after}"),
            format!("{before}\n{block}\n{after}"),
            format!("{before}\n{block}"),
            format!("{before}\n{}", &block[..block.len() - "</backstory-context>".len()]),
        ] {
            for words in [left(&text), own_words(&text).words.into_owned()] {
                prop_assert!(!words.contains("ZQX") && !words.contains("backstory-context"), "{words:?}");
            }
            let told = pushed(Role::User, &text, PUSHED_MAX_CHARS);
            prop_assert!(!told.text.contains("ZQX"), "{told:?}");
        }
        let around = left(&format!("{before}{block}{after}"));
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        prop_assert_eq!(squeezed(&around), squeezed(&format!("{before}{after}")));
    }

    #[test]
    fn nothing_that_is_cut_is_lost(text in soup()) {
        let own = without_memories(&text);
        let letters = |text: &str| text.matches("word").count();
        let cut: usize = own.injected.iter().map(|block| letters(&block.text)).sum();
        prop_assert_eq!(cut + letters(&own.words), letters(&text));
    }

    #[test]
    fn any_text_can_be_cleaned(text in "\\PC{0,80}|[\\s\\S]{0,80}") {
        let own = own_words(&text);
        prop_assert!(own.words.len() <= text.len());
        pushed(Role::User, &text, 20);
    }
}
