//! The generated history is the same for the same seed, and its numbers can be found in its files
//! by simple means of their own.

use fs_err as fs;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use xtask::corpus::{Options, Tokens, Truth, run};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn options(out: PathBuf, size: u64) -> Options {
    Options { size, many: None, single: None, seed: 7, threads: 2, out }
}

/// Every file below a directory: name, content, time of change.
fn tree(dir: &Path) -> io::Result<BTreeMap<String, (Vec<u8>, std::time::SystemTime)>> {
    let mut files = BTreeMap::new();
    for entry in walkdir::WalkDir::new(dir) {
        let entry = entry.map_err(io::Error::other)?;
        if entry.file_type().is_file() {
            let name = entry.path().strip_prefix(dir).map_err(io::Error::other)?;
            let changed = fs::metadata(entry.path())?.modified()?;
            files.insert(name.display().to_string(), (fs::read(entry.path())?, changed));
        }
    }
    Ok(files)
}

fn text_of(path: &Path) -> io::Result<String> {
    let bytes = fs::read(path)?;
    let plain = if path.extension().is_some_and(|extension| extension == "zst") {
        zstd::decode_all(bytes.as_slice())?
    } else {
        bytes
    };
    Ok(String::from_utf8_lossy(&plain).into_owned())
}

/// The JSON documents of a file.
fn documents(path: &Path) -> Result<Vec<Value>, Box<dyn std::error::Error>> {
    let text = text_of(path)?;
    let name = path.display().to_string();
    if name.contains(".jsonl") {
        Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
    } else if name.contains(".json") {
        Ok(vec![serde_json::from_str(&text)?])
    } else {
        Ok(Vec::new())
    }
}

#[test]
fn threads_do_not_matter_and_seeds_do() -> Outcome {
    let dir = tempfile::tempdir()?;
    for (name, threads, seed) in [("one", 1, 7), ("three", 3, 7), ("other", 2, 8)] {
        let mut options = options(dir.path().join(name), 3_000_000);
        options.threads = threads;
        options.seed = seed;
        run(&options)?;
    }
    let [one, three, other] = ["one", "three", "other"].map(|name| tree(&dir.path().join(name)));
    let one = one?;
    assert!(one.len() > 20, "{}", one.len());
    let same = three?;
    assert_eq!(one.keys().collect::<Vec<_>>(), same.keys().collect::<Vec<_>>());
    // The ground truth is written now; everything else carries the time of the history.
    for (name, file) in &one {
        assert_eq!(file.0, same[name].0, "{name}");
        assert!(name == "truth.json" || file.1 == same[name].1, "{name}");
    }
    assert_ne!(one.keys().collect::<Vec<_>>(), other?.keys().collect::<Vec<_>>());
    Ok(())
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

/// Claude: the last record of a response is right, and a response counts once over all files.
fn claude_tokens(home: &Path, truth: &Truth) -> Result<Tokens, Box<dyn std::error::Error>> {
    let mut responses: HashMap<String, Tokens> = HashMap::new();
    for session in truth.sessions.iter().filter(|session| session.uid.starts_with("claude:")) {
        for record in documents(&home.join(&session.file))? {
            let (message, usage) = (&record["message"], &record["message"]["usage"]);
            if record["type"] != "assistant" || record["requestId"].is_null() {
                continue;
            }
            let created = number(&usage["cache_creation_input_tokens"]);
            let hour = number(&usage["cache_creation"]["ephemeral_1h_input_tokens"]);
            let tokens = Tokens {
                input: number(&usage["input_tokens"]),
                output: number(&usage["output_tokens"]),
                cache_read: number(&usage["cache_read_input_tokens"]),
                cache_write_5m: created - hour,
                cache_write_1h: hour,
                reasoning: number(&usage["output_tokens_details"]["thinking_tokens"]),
            };
            let id = message["id"].as_str().unwrap_or_default().to_owned();
            let known = responses.entry(id).or_default();
            if tokens.output >= known.output {
                *known = tokens;
            }
        }
    }
    Ok(responses.into_values().fold(Tokens::default(), |mut sum, tokens| {
        sum.input += tokens.input;
        sum.output += tokens.output;
        sum.cache_read += tokens.cache_read;
        sum.cache_write_5m += tokens.cache_write_5m;
        sum.cache_write_1h += tokens.cache_write_1h;
        sum.reasoning += tokens.reasoning;
        sum
    }))
}

#[test]
fn totals_are_what_the_files_say() -> Outcome {
    let dir = tempfile::tempdir()?;
    let truth = run(&options(dir.path().join("c"), 12_000_000))?;
    let home = dir.path().join("c/home");
    assert_eq!(claude_tokens(&home, &truth)?, truth.agents["claude"].tokens);
    let mut grok = 0;
    let mut calls = 0;
    for session in &truth.sessions {
        let path = home.join(&session.file);
        if session.uid.starts_with("grok:") {
            let usage = documents(&path.with_file_name("usage.json"))?;
            assert_eq!(number(&usage[0]["session"]["outputTokens"]), session.tokens.output);
            grok += if session.in_parent { 0 } else { session.tokens.output };
        }
        if session.dialect == "codex-legacy" || session.dialect == "codex-paginated" {
            codex_session(&path, session)?;
        }
        if session.fork_of.is_none() && session.uid.starts_with("claude:") {
            let text = text_of(&path)?;
            let found = text.matches("[{\"type\":\"tool_use\"").count() as u64;
            assert_eq!(found, session.records.tool_calls, "{}", session.uid);
            calls += found;
        }
    }
    assert_eq!(grok, truth.agents["grok"].tokens.output);
    assert!(calls > 50);
    Ok(())
}

/// Codex: the last counter minus what was inherited before the first own response.
fn codex_session(path: &Path, session: &xtask::corpus::Session) -> Outcome {
    let mut counters = Vec::new();
    let mut own_from = 0;
    for record in documents(path)? {
        let payload = &record["payload"];
        if payload["type"] == "thread_settings_applied" {
            own_from = counters.len();
        }
        if payload["type"] == "token_count" && !payload["info"].is_null() {
            let info = &payload["info"];
            let output = |key: &str| number(&info[key]["output_tokens"]);
            counters.push((output("total_token_usage"), output("last_token_usage")));
        }
    }
    let own = &counters[own_from..];
    let (first, last) =
        (own.first().copied().unwrap_or_default(), own.last().copied().unwrap_or_default());
    assert_eq!(last.0 - (first.0 - first.1), session.tokens.output, "{}", session.file);
    Ok(())
}

/// Whether a text is in a value, also inside strings that are JSON themselves.
fn holds(value: &Value, wanted: &str) -> bool {
    match value {
        Value::String(text) => {
            text.contains(wanted)
                || text.lines().any(|line| {
                    // A terminal's colours may stand before the document.
                    let inner = line.find('{').map(|at| serde_json::from_str(&line[at..]));
                    inner.is_some_and(|inner| inner.is_ok_and(|inner| holds(&inner, wanted)))
                })
        }
        Value::Array(list) => list.iter().any(|value| holds(value, wanted)),
        Value::Object(map) => map.values().any(|value| holds(value, wanted)),
        _ => false,
    }
}

#[test]
fn every_planted_secret_is_in_its_file() -> Outcome {
    let dir = tempfile::tempdir()?;
    let truth = run(&options(dir.path().join("c"), 12_000_000))?;
    assert!(truth.secrets.len() >= 200, "{}", truth.secrets.len());
    let kinds: std::collections::BTreeSet<_> = truth.secrets.iter().map(|s| &s.kind).collect();
    assert!(kinds.len() >= 25, "{kinds:?}");
    let mut parsed: HashMap<&str, Vec<Value>> = HashMap::new();
    for secret in &truth.secrets {
        let file = secret.file.as_str();
        if !parsed.contains_key(file) {
            parsed.insert(file, documents(&dir.path().join("c/home").join(file))?);
        }
        assert!(
            parsed[file].iter().any(|value| holds(value, &secret.secret)),
            "{} in {} of {file}",
            secret.kind,
            secret.position
        );
    }
    Ok(())
}

#[test]
fn many_and_single() -> Outcome {
    let dir = tempfile::tempdir()?;
    let mut many = options(dir.path().join("many"), 0);
    many.many = Some(60);
    let truth = run(&many)?;
    assert_eq!(truth.sessions.len(), 60);
    assert!(truth.bytes / 60 < 20_000, "{}", truth.bytes);
    let mut single = options(dir.path().join("single"), 0);
    single.single = Some(50_000_000);
    let truth = run(&single)?;
    assert_eq!(truth.files, 1);
    let main = dir.path().join("single/home").join(&truth.sessions[0].file);
    assert!((50_000_000..51_000_000).contains(&fs::metadata(main)?.len()));
    Ok(())
}
