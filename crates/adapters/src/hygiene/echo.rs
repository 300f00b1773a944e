//! What memory servers, Backstory's above all, told an agent and its log hands back as the answer of a
//! tool: kept, but no evidence of anything. Whoever took it for what happened would be told their own words
//! again, as if they had been found twice.

use super::without_memories;
use memchr::memmem;

/// Servers of tools that tell what is remembered: our own, and those of plugins we serve. Some agents
/// know no hyphens.
const SERVERS: [&str; 4] = ["backstory", "openviking", "openviking-memory", "openviking_memory"];
/// What stands between a server and its tool.
const BETWEEN: &str = "__";
/// How the element begins that all we hand over stands in.
const OPENING: &[u8] = b"<backstory-context";

/// True for a tool of a memory server: `mcp__backstory__search` (Claude Code, Codex),
/// `mcp__plugin_backstory_backstory__search` (from a plugin), `backstory__search` (Grok).
pub fn is_memory_tool(name: &str) -> bool {
    let name = name.strip_prefix("mcp__").unwrap_or(name);
    let Some((server, _)) = name.split_once(BETWEEN) else { return false };
    let is_of_plugin = |known: &&str| {
        let plugin = server.strip_prefix("plugin_").and_then(|rest| rest.strip_suffix(*known));
        plugin.is_some_and(|plugin| plugin.ends_with('_'))
    };
    SERVERS.contains(&server) || SERVERS.iter().any(is_of_plugin)
}

/// A tool's answer without what we told in it, and that; nothing if we told nothing.
pub(crate) fn without_told(answer: &str) -> Option<(String, String)> {
    memmem::find(answer.as_bytes(), OPENING)?;
    let own = without_memories(answer);
    let told: Vec<&str> = own.injected.iter().map(|block| &*block.text).collect();
    (!told.is_empty()).then(|| (own.words.clone().into_owned(), told.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_of_memory_servers_are_known_in_every_spelling() {
        for name in [
            "mcp__backstory__search",
            "backstory__recall",
            "mcp__plugin_backstory_backstory__read",
            "mcp__openviking-memory__search",
            "mcp__openviking_memory__search",
            "mcp__plugin_openviking-memory_openviking__read",
        ] {
            assert!(is_memory_tool(name), "{name}");
        }
        for name in [
            "",
            "Bash",
            "backstory",
            "mcp__docs__find",
            "mcp__docs__backstory__search",
            "mcp__mybackstory__search",
            "mcp__plugin_backstory__search",
            "mcp__plugin_backstory_docs__find",
            "mcp__backstory_search",
        ] {
            assert!(!is_memory_tool(name), "{name}");
        }
    }

    #[test]
    fn what_is_told_in_an_answer_is_taken_out_of_it() {
        let block = "<backstory-context source=\"error\">\nplanted\n</backstory-context>";
        let apart = |answer: &str| without_told(answer);
        assert_eq!(apart("make: *** [all] Error 2"), None);
        assert_eq!(apart("grep: <backstory-context is a tag"), None);
        assert_eq!(apart(block), Some((String::new(), block.into())));
        let both = format!("make: *** [all] Error 2\n{block}\n");
        assert_eq!(apart(&both), Some(("make: *** [all] Error 2".into(), block.into())));
    }
}
