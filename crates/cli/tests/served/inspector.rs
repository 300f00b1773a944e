//! The protocol's own inspector lists and calls every tool, of `backstory mcp` and of `backstory serve`.

use crate::machine::Machine;
use backstory_testkit::inspector::Inspector;
use serde_json::Value;

/// What tools are called with; several need some of it, none minds the rest.
const ARGUMENTS: [&str; 9] = [
    "query=session test",
    "uris=[\"backstory://sessions/last/overview.md\"]",
    "pattern=[\"session\"]",
    "id=last",
    "content=The cart keeps its own clock.",
    "uri=backstory://memories/cart.md",
    "old_string=clock",
    "new_string=calendar",
    "to_uri=backstory://memories/resources/cart.md",
];

fn inspector() -> Inspector {
    Inspector::install().unwrap_or_else(|error| {
        panic!("the inspector could not be installed, so nothing was tested: {error}")
    })
}

#[test]
fn the_inspector_lists_and_calls_every_tool_on_standard_input() {
    let (inspector, machine) = (inspector(), Machine::with_history());
    let document = machine.home().join("cart.md");
    fs_err::write(&document, "The cart has two wheels.").unwrap();
    list_and_call_all(&format!("path={}", document.display()), &|arguments| {
        let mut command = inspector.command();
        command.arg(env!("CARGO_BIN_EXE_backstory")).arg("mcp").args(arguments);
        machine.at_home(&mut command);
        Inspector::ask(command)
    });
}

#[test]
fn the_inspector_lists_and_calls_every_tool_over_http() {
    let (inspector, machine) = (inspector(), Machine::with_history());
    let server = machine.serve();
    let uploaded = server.post("/api/v1/resources/temp_upload?name=cart.md", &"two wheels".into());
    let document = format!("temp_file_id={}", uploaded["temp_file_id"].as_str().unwrap());
    list_and_call_all(&document, &|arguments| {
        let mut command = inspector.command();
        command.arg(format!("{}/mcp", server.url)).args(["--transport", "http"]).args(arguments);
        machine.at_home(&mut command);
        Inspector::ask(command)
    });
}

fn list_and_call_all(document: &str, ask: &dyn Fn(&[&str]) -> Result<Value, String>) {
    let listed = ask(&["--method", "tools/list"]).unwrap();
    let tools = listed["tools"].as_array().unwrap();
    assert!(tools.len() >= 24, "{listed}");
    for tool in tools {
        let name = tool["name"].as_str().unwrap();
        let known = tool["inputSchema"]["properties"].as_object().unwrap();
        let mut arguments = vec!["--method", "tools/call", "--tool-name", name];
        // What is looked through is everything; only memories have an address of their own here.
        let is_looking = ["list", "tree", "grep", "glob"].contains(&name);
        for argument in ARGUMENTS.into_iter().chain([document]) {
            let own = argument.split('=').next().unwrap();
            if known.contains_key(own) && !(is_looking && own == "uri") {
                arguments.extend(["--tool-arg", argument]);
            }
        }
        let answer = ask(&arguments).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!answer["content"][0]["text"].as_str().unwrap().is_empty(), "{name}: {answer}");
        assert_ne!(answer["isError"], true, "{name}: {answer}");
    }
    let resources = ask(&["--method", "resources/list"]).unwrap();
    assert!(!resources["resources"].as_array().unwrap().is_empty(), "{resources}");
}
