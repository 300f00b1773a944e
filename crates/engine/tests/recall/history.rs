//! A made-up history of two projects, taken in.

use backstory_engine::search::Searcher;
use backstory_engine::{Archive, Root, SyncOptions, sync};
use backstory_model::{Flavor, SessionUid, Timestamp};
use backstory_store::Vault;
use serde_json::{Value, json};
use std::path::PathBuf;

pub(crate) const NOW: Timestamp = Timestamp(1_790_000_000_000);
pub(crate) const SHOP: &str = "/src/teashop";
pub(crate) const BREWERY: &str = "/src/brewery";

/// What happens in a session.
pub(crate) enum Step<'a> {
    /// The user says something.
    Asks(&'a str),
    /// The agent answers.
    Answers(&'a str),
    /// A command that works.
    Runs(&'a str, &'a str),
    /// A command that fails with these words.
    Fails(&'a str, &'a str),
    /// The agent asks our own server, which answers this.
    LooksUp(&'a str, &'a str),
    /// A file is changed.
    Edits(&'a str, &'a str, &'a str),
}

/// An archive in a folder of its own.
pub(crate) struct History {
    pub(crate) archive: Archive,
    logs: PathBuf,
    _dir: tempfile::TempDir,
}

impl History {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = backstory_store_sqlite::home(dir.path().join("home"));
        let logs = dir.path().join("projects/a");
        fs_err::create_dir_all(&logs).unwrap();
        Self { archive: Archive::indexed_at_home(home), logs, _dir: dir }
    }

    /// Writes a session of the agent; day 1 is the first of March.
    pub(crate) fn session(&self, id: &str, cwd: &str, day: u32, steps: &[Step<'_>]) {
        let mut lines = Vec::new();
        let mut add = |role: &str, content: Value, more: Value| {
            let at = lines.len();
            let mut record = json!({
                "type": role, "uuid": format!("{id}-{at}"),
                "parentUuid": at.checked_sub(1).map(|at| format!("{id}-{at}")),
                "sessionId": id, "timestamp": format!("2026-03-{day:02}T10:{:02}:{:02}.000Z", at / 60, at % 60),
                "isSidechain": false, "userType": "external", "cwd": cwd, "version": "2.1.100",
                "message": {"role": role, "content": content},
            });
            if let (Some(record), Value::Object(more)) = (record.as_object_mut(), more) {
                record.extend(more);
            }
            lines.push(format!("{record}\n"));
        };
        for (number, step) in steps.iter().enumerate() {
            let call = format!("{id}-call-{number}");
            let mut tool = |name: &str, input: Value, output: &str, failed: bool| {
                add(
                    "assistant",
                    json!([{"type": "tool_use", "id": call, "name": name, "input": input}]),
                    json!({}),
                );
                add(
                    "user",
                    json!([{"type": "tool_result", "tool_use_id": call, "is_error": failed, "content": output}]),
                    json!({}),
                );
            };
            match step {
                Step::Asks(text) => add("user", json!(text), json!({})),
                Step::Answers(text) => {
                    add("assistant", json!([{"type": "text", "text": text}]), json!({}));
                }
                Step::Runs(command, output) => {
                    tool("Bash", json!({"command": command}), output, false);
                }
                Step::Fails(command, output) => {
                    tool(
                        "Bash",
                        json!({"command": command}),
                        &format!("Exit code 1\n{output}"),
                        true,
                    );
                }
                Step::LooksUp(query, answer) => {
                    tool("mcp__backstory__recall", json!({"query": query}), answer, false);
                }
                Step::Edits(file, old, new) => tool(
                    "Edit",
                    json!({"file_path": file, "old_string": old, "new_string": new}),
                    "The file has been updated",
                    false,
                ),
            }
        }
        fs_err::write(self.logs.join(format!("{id}.jsonl")), lines.concat()).unwrap();
    }

    /// Takes everything in.
    pub(crate) fn sweep(&self) {
        let root = Root { flavor: Flavor::Claude, dir: self.logs.clone() };
        let options =
            SyncOptions { index: true, ..SyncOptions::new(self.archive.clone(), vec![root]) };
        sync(&options, NOW, &mut |_| {}).unwrap();
    }

    /// The history most tests look at.
    pub(crate) fn told() -> Self {
        let history = Self::new();
        history.plant();
        history.fill();
        history.sweep();
        history
    }

    fn plant(&self) {
        self.session("deploy", SHOP, 2, &[
            Step::Asks("How do we deploy the shop to staging? Write it down somewhere."),
            Step::Answers("Deploys to staging go through the host heron-7: run ./ship.sh --canary from the release branch. The health check listens on port 7411."),
            Step::Asks("thanks"),
            Step::Answers("You are welcome."),
        ]);
        self.session("migrate", SHOP, 3, &[
            Step::Asks("The import of the tea catalogue is broken, please repair it"),
            Step::Fails("cargo run --bin import", "error: no such table: teas"),
            Step::Edits("/src/teashop/migrations/0007.sql", "", "CREATE TABLE teas (id INTEGER);"),
            Step::Runs("cargo run --bin import", "imported 214 teas"),
            Step::Answers("The catalogue import works again: the migration that creates the table was missing."),
        ]);
        self.session(
            "prefer",
            SHOP,
            4,
            &[
                Step::Asks("Add a price column to the order export"),
                Step::Answers("Done, I used floats for the prices."),
                Step::Asks(
                    "No, that's wrong. Never use floats for prices, always use integer cents.",
                ),
                Step::Answers("I changed the price column to integer cents."),
            ],
        );
        self.session("kettle", BREWERY, 5, &[
            Step::Asks("Where is the kettle controller deployed?"),
            Step::Answers("The kettle controller is deployed to staging on otter-3, port 8822, by the nightly job."),
            Step::Fails("go build ./...", "main.go:12:4: undefined: BrewKettle"),
            Step::Edits("/src/brewery/main.go", "BrewKettle", "NewKettle"),
            Step::Runs("go build ./...", "ok"),
        ]);
    }

    /// Sessions about other things, as archives are full of.
    fn fill(&self) {
        for (number, (asked, answered)) in FILLER.iter().enumerate() {
            let cwd = if number % 3 == 0 { BREWERY } else { SHOP };
            self.session(
                &format!("filler-{number}"),
                cwd,
                6 + number as u32 % 20,
                &[
                    Step::Asks(asked),
                    Step::Runs("ls src", "cart.rs\nlib.rs\nmain.rs\norders.rs"),
                    Step::Answers(answered),
                ],
            );
        }
    }

    pub(crate) fn vault(&self) -> Vault {
        Vault::open(&self.archive.home).unwrap()
    }

    pub(crate) fn searcher<'a>(&self, vault: &'a Vault) -> Searcher<'a> {
        Searcher::open(vault, &*self.archive.index).unwrap()
    }
}

pub(crate) fn uid(id: &str) -> SessionUid {
    SessionUid::new(Flavor::Claude, id)
}

const FILLER: &[(&str, &str)] = &[
    (
        "Rename the function total_weight to gross_weight everywhere",
        "Renamed it in four files and ran the tests, they pass.",
    ),
    (
        "Write unit tests for the cart",
        "I added six tests for the cart: empty, one item, many items, discounts, removal, overflow.",
    ),
    (
        "Explain what the orders module does",
        "The orders module turns a cart into an order, checks the stock and writes an invoice.",
    ),
    (
        "The page is slow when there are many orders",
        "The list was sorted on every request; I moved the sorting into the query and added an index.",
    ),
    (
        "Set up a linter for the JavaScript files",
        "I configured eslint with the recommended rules and fixed the warnings it found.",
    ),
    (
        "Make the login form accessible",
        "Labels and focus order are in place, and errors are announced to screen readers.",
    ),
    (
        "Upgrade serde to the newest version",
        "serde is upgraded; two derive attributes had to change.",
    ),
    (
        "Add dark mode to the website",
        "The colours are variables now, and the theme follows the system setting.",
    ),
    (
        "Write a README for the command line tool",
        "The README explains installation, the commands and three examples.",
    ),
    (
        "Refactor the mailer so that it can be tested",
        "The mailer takes a transport now; tests use one that only remembers what was sent.",
    ),
    (
        "Translate the error messages into German",
        "All messages are in a catalogue; the German one is complete.",
    ),
    (
        "Create a Dockerfile for the worker",
        "The image builds in two stages and runs as a user without rights.",
    ),
    (
        "Why does the build take so long?",
        "Most of the time went into linking; with the other linker it takes half as long.",
    ),
    (
        "Remove the unused dependencies",
        "Five crates were not used any more and are gone from the manifest.",
    ),
    (
        "Add pagination to the customer list",
        "Twenty customers are shown per page, with links to the next and the previous page.",
    ),
    (
        "Use a connection pool for the database",
        "The pool holds eight connections and waits two seconds for a free one.",
    ),
];
