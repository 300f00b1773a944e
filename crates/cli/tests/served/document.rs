//! Whatever is sent to the endpoints of the OpenAPI document, the server does not fail and answers as the
//! document says.

use crate::machine::Machine;
use backstory_testkit::schemathesis::Schemathesis;
use serde_json::json;

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
/// Requests per endpoint that are made up at random.
const EXAMPLES: &str = "15";
const SEED: &str = "20261117";
/// What is sent, and what must hold of every answer. Requests that use what earlier ones answered name
/// sessions `.`, which their client makes another address of; so only failures of the server count there.
const RUNS: [(&str, &str); 2] = [
    (
        "coverage,fuzzing",
        "not_a_server_error,status_code_conformance,content_type_conformance,\
         response_schema_conformance",
    ),
    ("stateful", "not_a_server_error"),
];

#[test]
fn no_request_makes_the_server_fail() {
    let schemathesis = Schemathesis::install().unwrap_or_else(|error| {
        panic!("schemathesis could not be installed, so nothing was tested: {error}")
    });
    let machine = Machine::with_history();
    let mut server = machine.serve();
    for session in ["cx-1", "cc-2", "oc-3"] {
        let path = format!("/api/v1/sessions/{session}/messages");
        let message = json!({"role": "user", "content": "Use SQLite WAL for the queue"});
        assert_eq!(server.post(&path, &message)["added"], 1);
        server.post(&format!("/api/v1/sessions/{session}/commit"), &json!({}));
    }
    for (phases, checks) in RUNS {
        let mut command = schemathesis.command();
        command.args([DOCUMENT, "--url", &server.url, "--phases", phases, "--checks", checks]);
        command.args(["--max-examples", EXAMPLES, "--seed", SEED, "--continue-on-failure"]);
        command.args(["--generation-database", "none", "--no-color"]);
        machine.at_home(&mut command);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let trouble = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}{trouble}");
        assert!(said.contains("Tested: 22") || phases == "stateful", "some were left out:\n{said}");
        assert!(server.is_running());
    }
}
