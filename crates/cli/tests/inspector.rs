//! The protocol's own inspector lists and calls every tool of `backstory mcp`.

use backstory_testkit::inspector::Inspector;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// What tools are called with; several need some of it, none minds the rest.
const ARGUMENTS: [&str; 8] = [
    "query=session test",
    "uris=[\"backstory://sessions/last/overview.md\"]",
    "pattern=[\"session\"]",
    "id=last",
    "content=The cart keeps its own clock.",
    "uri=backstory://memories/cart.md",
    "old_string=clock",
    "new_string=calendar",
];

#[test]
fn the_inspector_lists_and_calls_every_tool() {
    let inspector = Inspector::install().unwrap_or_else(|error| {
        panic!("the inspector could not be installed, so nothing was tested: {error}")
    });
    let home = tempfile::tempdir().unwrap();
    let backstory = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_backstory"));
        command.args(arguments).current_dir(home.path()).env("HOME", home.path());
        command.env_remove("BACKSTORY_HOME").env_remove("XDG_DATA_HOME");
        assert!(command.output().unwrap().status.success(), "{arguments:?}");
    };
    backstory(&["demo", "--keep", "."]);
    backstory(&["sync"]);
    let listed = ask(&inspector, home.path(), &["--method", "tools/list"]).unwrap();
    let tools = listed["tools"].as_array().unwrap();
    assert!(tools.len() >= 21, "{listed}");
    for tool in tools {
        let name = tool["name"].as_str().unwrap();
        let known = tool["inputSchema"]["properties"].as_object().unwrap();
        let mut arguments = vec!["--method", "tools/call", "--tool-name", name];
        // What is looked through is everything; only memories have an address of their own here.
        let is_looking = ["list", "tree", "grep", "glob"].contains(&name);
        for argument in ARGUMENTS {
            let own = argument.split('=').next().unwrap();
            if known.contains_key(own) && !(is_looking && own == "uri") {
                arguments.extend(["--tool-arg", argument]);
            }
        }
        let answer = ask(&inspector, home.path(), &arguments);
        let answer = answer.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!answer["content"][0]["text"].as_str().unwrap().is_empty(), "{name}: {answer}");
        assert_ne!(answer["isError"], true, "{name}: {answer}");
    }
    let resources = ask(&inspector, home.path(), &["--method", "resources/list"]).unwrap();
    assert!(!resources["resources"].as_array().unwrap().is_empty(), "{resources}");
}

fn ask(inspector: &Inspector, home: &Path, arguments: &[&str]) -> Result<Value, String> {
    let mut command = inspector.command();
    command.arg(env!("CARGO_BIN_EXE_backstory")).arg("mcp").args(arguments);
    command.current_dir(home).env("HOME", home);
    Inspector::ask(command)
}
