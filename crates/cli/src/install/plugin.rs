//! A plugin directory that Claude Code and Codex both load: manifests, hooks, the MCP server, a skill.

use super::command::{Hook, Program};
use super::server_json::{NAME, Written};
use backstory_model::Flavor;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

const DESCRIPTION: &str = "Remembers every coding-agent session on this machine: hands agents what \
                           they need, when they need it.";
const SKILL: &str = "\
---
name: backstory
description: Look up what earlier coding sessions on this machine asked, tried, decided and fixed. Use \
it when the user refers to earlier work, when an error looks familiar, or before repeating an \
investigation.
---

# Memory of earlier sessions

The MCP server `backstory` answers from an archive of every session of Claude Code, Codex and Grok on this
machine.

- `recall` with the user's request returns what is relevant to it, in a few lines.
- `search` finds moments by words, by meaning and by names: `sqlite busy timeout repo:app`.
- `errors` with the message of a failure tells whether it was seen before, and what helped.
- `sessions` lists sessions, `session` tells one of them, `decisions` and `patterns` tell what was decided
  and what happens again and again.
- `read` shows what stands behind a `backstory://` address.
- `remember` keeps something for later sessions; `forget` removes it.

What it returns tells about the past. Check it against the code before you rely on it.
";

const README: &str = "\
# Backstory

A plugin for Claude Code and Codex, written by `backstory install --plugin`. Its hooks tell Backstory what
an agent does and hand the agent what earlier sessions know: at the start of a session, at each prompt,
after compaction, and when a tool fails with an error that was seen before. Its MCP server lets the agent
search and read those sessions itself. Everything stays on this machine.

Hooks and server run the `backstory` that wrote this folder, where it lay then. Write the folder again after
moving it. Codex runs hooks only once you trust them: type /hooks there.
";

/// Writes the directory and tells the files. Files of another kind that are there stay.
pub(crate) fn write(dir: &Path, program: &Program) -> io::Result<Vec<PathBuf>> {
    let mut written = Vec::new();
    for (name, text) in files(program) {
        let path = dir.join(name);
        fs_err::create_dir_all(path.parent().unwrap_or(dir))?;
        fs_err::write(&path, text)?;
        written.push(path);
    }
    Ok(written)
}

fn files(program: &Program) -> [(&'static str, String); 9] {
    let author = json!({ "name": "Backstory" });
    let version = env!("CARGO_PKG_VERSION");
    let manifest = json!({
        "name": NAME, "version": version, "description": DESCRIPTION, "author": author,
        "license": "Apache-2.0 OR MIT",
    });
    // Codex is told where its own hooks are: it would take Claude Code's for its own otherwise.
    let mut codex = manifest.clone();
    codex["hooks"] = "./hooks/codex.json".into();
    codex["mcpServers"] = "./.mcp.json".into();
    codex["skills"] = "./skills/".into();
    let claude_market = json!({
        "name": NAME, "owner": author, "metadata": { "description": DESCRIPTION },
        "plugins": [{ "name": NAME, "source": "./", "description": DESCRIPTION }],
    });
    let codex_market = json!({
        "name": NAME,
        "plugins": [{
            "name": NAME, "source": { "source": "local", "path": "./" },
            "policy": { "installation": "AVAILABLE", "authentication": "ON_INSTALL" },
            "category": "Productivity",
        }],
    });
    let server = program.server();
    let servers = json!({ "mcpServers": { NAME: Written::new(&server) } });
    [
        (".claude-plugin/plugin.json", pretty(&manifest)),
        (".claude-plugin/marketplace.json", pretty(&claude_market)),
        (".codex-plugin/plugin.json", pretty(&codex)),
        (".agents/plugins/marketplace.json", pretty(&codex_market)),
        ("hooks/hooks.json", pretty(&hooks(&program.hooks(Flavor::Claude)))),
        ("hooks/codex.json", pretty(&hooks(&program.hooks(Flavor::Codex)))),
        (".mcp.json", pretty(&servers)),
        ("skills/backstory/SKILL.md", SKILL.to_owned()),
        ("README.md", README.to_owned()),
    ]
}

fn hooks(hooks: &[Hook]) -> Value {
    let group = |hook: &Hook| {
        let handler =
            json!({ "type": "command", "command": hook.command, "timeout": hook.timeout });
        (hook.event, json!([{ "hooks": [handler] }]))
    };
    json!({ "hooks": hooks.iter().map(group).collect::<BTreeMap<_, _>>() })
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
