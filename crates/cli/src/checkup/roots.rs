//! Do the agents' folders exist, can they be read, how much is in them and how much is new?

use super::check;
use crate::context::Context;
use crate::figures::plural;
use crate::settings::{Origin, Settings};
use crate::sweep;
use backstory_api::{Check, Level};
use backstory_engine::Root;
use std::io::ErrorKind;
use std::path::Path;

/// Looks at every configured folder.
pub(super) fn check_all(settings: &Settings, context: &Context) -> Vec<Check> {
    let mut checks = Vec::new();
    for (flavor, folders) in &settings.sources {
        for dir in &folders.value {
            let root = Root { flavor: *flavor, dir: dir.clone() };
            let mut found = match fs_err::read_dir(dir) {
                Ok(_) => readable(root, settings, context),
                Err(error) => vec![unreadable(&error, dir, &folders.origin)],
            };
            for check in &mut found {
                check.flavor = Some(flavor.name().to_owned());
                check.path.get_or_insert_with(|| dir.display().to_string());
            }
            checks.extend(found);
        }
    }
    checks
}

fn readable(root: Root, settings: &Settings, context: &Context) -> Vec<Check> {
    let swept = sweep::options(settings, vec![root]).and_then(|mut options| {
        options.dry_run = true;
        Ok(backstory_engine::sync(&options, context.now, &mut |_| ())?)
    });
    let report = match swept {
        Ok(report) => report,
        Err(error) => {
            return vec![check(
                "roots",
                Level::Attention,
                format!("cannot be searched: {}", error.message),
            )];
        }
    };
    let files = report.total(|agent| agent.files);
    let pending = report.planned.len() as u64;
    let what = match (files, pending) {
        (0, _) => "no logs in it".to_owned(),
        (files, 0) => format!("{}, all read", plural(files, "file")),
        (files, pending) => format!("{}, {pending} not read yet", plural(files, "file")),
    };
    let mut whole = check("roots", if pending > 0 { Level::Note } else { Level::Ok }, what);
    whole.count = files;
    whole.hint = (pending > 0).then(|| "run `backstory sync`".to_owned());
    let mut checks = vec![whole];
    checks.extend(report.problems.into_iter().map(|problem| {
        let mut trouble = check("roots", Level::Attention, problem.what);
        trouble.path = Some(problem.path);
        trouble.lines = problem.line.into_iter().collect();
        trouble
    }));
    checks
}

fn unreadable(error: &std::io::Error, dir: &Path, origin: &Origin) -> Check {
    let configured = !matches!(origin, Origin::Default);
    match error.kind() {
        ErrorKind::NotFound if !configured => check("roots", Level::Ok, "no such folder"),
        ErrorKind::NotFound => {
            let mut missing = check("roots", Level::Attention, "no such folder");
            missing.hint = Some(format!("it is named by {origin}"));
            missing
        }
        _ => {
            let mut refused = check("roots", Level::Attention, "cannot be read");
            refused.what = format!("cannot be read: {error}");
            refused.hint = Some(format!("give yourself access: chmod u+rx {}", dir.display()));
            refused
        }
    }
}
