//! The labelled sessions are well mixed, and the logs written from them are taken in whole.

use backstory_model::{EventKind, Flavor, Outcome, Role, SessionEvent};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use xtask::eval::{Archive, Case, HELD_OUT, Options, Step, TUNING, Task, parse, take_in};

type Checked = Result<(), Box<dyn std::error::Error>>;

const SHELLS: [&str; 3] = ["Bash", "exec_command", "run_terminal_command"];
const EDITORS: [&str; 5] = ["Edit", "Write", "apply_patch", "search_replace", "write"];

fn cases(text: &str) -> Result<Vec<Case>, String> {
    parse(text).map_err(|misread| misread.to_string())
}

#[test]
fn the_sets_are_large_mixed_and_apart() -> Checked {
    let (tuning, held_out) = (cases(TUNING)?, cases(HELD_OUT)?);
    for (set, least) in [(&tuning, 60), (&held_out, 120)] {
        assert!(set.len() >= least, "{}", set.len());
        let share = |count: usize| 100.0 * count as f64 / set.len() as f64;
        for flavor in Flavor::LOGGED {
            let own = set.iter().filter(|case| case.flavor == flavor).count();
            assert!(share(own) >= 30.0, "{flavor}: {own}");
        }
        let shrugs = share(set.iter().filter(|case| case.label == Outcome::Unknown).count());
        assert!((10.0..=15.0).contains(&shrugs), "{shrugs} % unknown");
    }
    let names: BTreeSet<&str> = tuning.iter().map(|case| case.name.as_str()).collect();
    let shared: Vec<&Case> =
        held_out.iter().filter(|case| names.contains(case.name.as_str())).collect();
    assert!(shared.is_empty(), "{shared:?}");
    Ok(())
}

#[test]
fn every_session_is_taken_in_whole() -> Checked {
    for text in [TUNING, HELD_OUT] {
        let cases = cases(text)?;
        let folder = tempfile::tempdir()?;
        let archive = take_in(&cases, folder.path())?;
        let report = &archive.report;
        assert_eq!(report.problem_count, 0, "{:?}", report.problems);
        assert_eq!(report.total(|flavor| flavor.unknown), 0);
        assert_eq!(report.total(|flavor| flavor.bad), 0);
        for (at, case) in cases.iter().enumerate() {
            is_whole(case, &archive, at)?;
        }
    }
    Ok(())
}

/// Every step of the case is an event of the session.
fn is_whole(case: &Case, archive: &Archive, at: usize) -> Checked {
    let events = archive.vault.events(&archive.sessions[at].uid)?;
    let name = &case.name;
    assert!(!events.is_empty(), "{name}");
    let count =
        |is: &dyn Fn(&SessionEvent) -> bool| events.iter().filter(|event| is(event)).count();
    let steps = |is: &dyn Fn(&Step) -> bool| case.steps.iter().filter(|step| is(step)).count();

    let steers = steps(&|step| matches!(step, Step::Steer(_)));
    // Whether Codex takes words in a running turn for a prompt is the reader's matter.
    let spoken = count(&|event| {
        event.role == Role::User
            && (event.kind == EventKind::UserMsg
                || (event.kind == EventKind::HumanIntervention
                    && matches!(
                        event.tool.as_deref(),
                        None | Some("queued_command" | "interjection" | "steer")
                    )))
    });
    let prompts = steps(&|step| matches!(step, Step::User(_)));
    assert_eq!(spoken, prompts + steers, "prompts of {name}: {events:#?}");

    let calls = |tools: &[&str]| {
        count(&|event| {
            event.kind.is_call() && event.tool.as_deref().is_some_and(|tool| tools.contains(&tool))
        })
    };
    let runs = steps(&|step| matches!(step, Step::Run { .. } | Step::Deny { .. }));
    assert_eq!(calls(&SHELLS), runs, "runs of {name}: {events:#?}");
    let edits = steps(&|step| matches!(step, Step::Edit { .. } | Step::Write { .. }));
    assert_eq!(calls(&EDITORS), edits, "edits of {name}: {events:#?}");

    let failed = count(&|event| event.exit_code.is_some_and(|code| code != 0));
    let red = steps(&|step| matches!(step, Step::Run { exit: Some(code), .. } if *code != 0));
    assert_eq!(failed, red, "failed runs of {name}: {events:#?}");
    let said = count(&|event| event.kind == EventKind::AssistantMsg);
    let words = steps(&|step| matches!(step, Step::Say(_)));
    assert_eq!(said, words, "words of {name}: {events:#?}");
    let compacted = count(&|event| event.kind == EventKind::Compaction) > 0;
    assert_eq!(compacted, steps(&|step| matches!(step, Step::Compact(_))) > 0, "{name}");
    let intervened = count(&|event| event.kind == EventKind::HumanIntervention) > 0;
    let stopped = steps(&|step| matches!(step, Step::Interrupt)) > 0;
    assert!(intervened || !stopped, "interrupts of {name}: {events:#?}");
    Ok(())
}

/// A session in which everything happens that the format knows.
const ALL_OF_IT: &str = "user: begin\nthink: hm\nsay: I begin\nrun: make => 0\n| built\n\
    run: make test => 2\n| 1 failed\nedit: a.rs\n- old\n+ new\nwrite: b.rs\n+ all new\n\
    commit: Begin\nask: which? => this\nagent: look => seen\nsteer: faster\nretry: busy\n\
    deny: rm a\nsay: I stop\nend\nwait: 2h\nuser: go on\ncompact: so far\nrun: sleep 60\n\
    interrupt\nuser: again\ndeny: rm b\nuser: last\nerror: 500\n";

/// The events of a session, one per line.
fn story(flavor: Flavor) -> Result<String, Box<dyn std::error::Error>> {
    let cases = cases(&format!("=== all | {flavor} | unknown\n{ALL_OF_IT}"))?;
    let folder = tempfile::tempdir()?;
    let archive = take_in(&cases, folder.path())?;
    let mut story = String::new();
    for event in archive.vault.events(&archive.sessions[0].uid)? {
        let tool = event.tool.as_deref().unwrap_or("-");
        let exit = event.exit_code.map_or(String::new(), |code| format!(" [{code}]"));
        let (kind, role) = (event.kind.name(), event.role.name());
        writeln!(story, "{kind} {role} {tool}{exit}: {}", event.summary)?;
    }
    Ok(story)
}

#[test]
fn claude_tells_all_of_it() -> Checked {
    insta::assert_snapshot!(story(Flavor::Claude)?);
    Ok(())
}

#[test]
fn codex_tells_all_of_it() -> Checked {
    insta::assert_snapshot!(story(Flavor::Codex)?);
    Ok(())
}

#[test]
fn grok_tells_all_of_it() -> Checked {
    insta::assert_snapshot!(story(Flavor::Grok)?);
    Ok(())
}

#[test]
fn outcomes_are_judged_well_enough() -> Checked {
    let task = Task::Outcome(Options { verbose: false, tuning_only: false });
    let (scores, is_good) = xtask::eval::run(&task)?;
    assert!(is_good, "{scores}");
    Ok(())
}
