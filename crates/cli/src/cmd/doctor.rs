//! `backstory doctor`: is everything read, private and whole?

use crate::checkup::{self, SECTIONS};
use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::figures::{count, plural};
use crate::ui::{BAD, BOLD, DIM, GOOD, Ui, WARN, paint};
use crate::untrusted::one_line;
use backstory_api::{Check, Level};

/// Findings shown per section before the rest is only counted.
const SHOWN: usize = 12;
/// Lines named per finding.
const SHOWN_LINES: usize = 8;

/// Runs the command.
pub(crate) fn run(context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let settings = context.settings(ui)?;
    let checks = checkup::all(&settings, context)?;
    let troubles = checks.iter().filter(|check| check.level == Level::Attention).count() as u64;
    let exit = if troubles > 0 { Exit::Problems } else { Exit::Success };
    if ui.json {
        checks.iter().try_for_each(|check| ui.json_line(check))?;
        return Ok(exit);
    }
    for (section, title) in SECTIONS {
        let mut found: Vec<&Check> = checks.iter().filter(|c| c.section == section).collect();
        if found.is_empty() {
            continue;
        }
        // Trouble first, so that it is never among what is left out.
        found.sort_by_key(|check| std::cmp::Reverse(check.level == Level::Attention));
        ui.line(paint(BOLD, title))?;
        write_section(&found, context, ui)?;
        ui.line("")?;
    }
    ui.line(match troubles {
        0 => paint(GOOD.bold(), "All is well."),
        1 => paint(BAD.bold(), "1 thing needs attention."),
        _ => paint(BAD.bold(), format_args!("{} things need attention.", count(troubles))),
    })?;
    Ok(exit)
}

fn write_section(found: &[&Check], context: &Context, ui: &mut Ui) -> Result<(), Failure> {
    let shown = if ui.is_verbose() { found.len() } else { SHOWN };
    let mut last_hint = None;
    let mut last_path = None;
    for check in found.iter().take(shown) {
        write_check(check, &mut last_path, context, ui)?;
        // The same advice is given once, behind the last finding it is about.
        let next_differs = check.hint != last_hint;
        last_hint.clone_from(&check.hint);
        if let Some(hint) = check.hint.as_ref().filter(|_| next_differs) {
            ui.line(paint(DIM, format_args!("      {}", context.short_path(hint))))?;
        }
    }
    if found.len() > shown {
        let rest = plural((found.len() - shown) as u64, "more finding");
        ui.line(paint(DIM, format_args!("    and {rest}; --verbose lists them")))?;
        let hint = found.last().and_then(|check| check.hint.as_ref());
        if let Some(hint) = hint.filter(|hint| Some(*hint) != last_hint.as_ref()) {
            ui.line(paint(DIM, format_args!("      {hint}")))?;
        }
    }
    Ok(())
}

fn write_check<'a>(
    check: &'a Check,
    last_path: &mut Option<&'a str>,
    context: &Context,
    ui: &mut Ui,
) -> Result<(), Failure> {
    let mark = match check.level {
        Level::Ok => paint(GOOD, "✓"),
        Level::Note => paint(WARN, "•"),
        Level::Attention => paint(BAD, "✗"),
    };
    let path = check.path.as_deref();
    let shown_path = path.map(|path| one_line(&context.short_path(path)));
    let what = one_line(&check.what);
    // Secrets come several to a file: the file is named once.
    if check.section == "secrets" {
        if path.is_some() && *last_path != path {
            ui.line(format!("  {mark} {}", shown_path.unwrap_or_default()))?;
        }
        *last_path = path;
        return match check.lines.as_slice() {
            [] => ui.line(format!("  {mark} {what}")),
            lines => ui.line(format!("      {what}  {}", line_list(lines))),
        };
    }
    let times = if check.count > 1 && check.section == "records" {
        format!(" ×{}", count(check.count))
    } else {
        String::new()
    };
    match (shown_path, check.lines.as_slice()) {
        (None, _) => ui.line(format!("  {mark} {what}{times}")),
        (Some(path), []) => ui.line(format!("  {mark} {path}  {}", paint(DIM, what))),
        (Some(path), lines) => {
            let example = paint(DIM, format_args!("e.g. {path}:{}", lines[0]));
            ui.line(format!("  {mark} {what}{times}  {example}"))
        }
    }
}

fn line_list(lines: &[u64]) -> String {
    let word = if lines.len() == 1 { "line" } else { "lines" };
    let named: Vec<String> = lines.iter().take(SHOWN_LINES).map(u64::to_string).collect();
    let more = if lines.len() > SHOWN_LINES {
        format!(" and {} more", lines.len() - SHOWN_LINES)
    } else {
        String::new()
    };
    format!("{word} {}{more}", named.join(", "))
}
