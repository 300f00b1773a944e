//! `backstory install`: let agents tell what they do, and be told what they need.

use crate::context::Context;
use crate::env::Env;
use crate::error::{Exit, Failure, Kind};
use crate::install::diff::{self, Line};
use crate::install::{Action, Agent, Change, Plan, Program, plugin};
use crate::settings::Settings;
use crate::ui::{BAD, BOLD, CODE, DIM, GOOD, Ui, paint};
use backstory_api as api;
use backstory_distill::Redactor;
use backstory_model::Flavor;
use clap::ValueEnum;
use std::path::{Path, PathBuf};

/// What Codex asks of its user.
const TRUST_STEP: &str = "Codex runs hooks only once you trust them: start `codex` and choose to trust \
                          them, or type /hooks there; `backstory doctor` tells whether it does";

/// Arguments of `install`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// Whose settings: hooks and the MCP server are added, everything else stays as it is
    #[arg(value_name = "AGENT", value_enum, required_unless_present = "plugin")]
    agents: Vec<Choice>,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
    /// Write a plugin for Claude Code and Codex into this folder instead
    #[arg(long, value_name = "DIR", conflicts_with_all = ["agents", "dry_run"])]
    plugin: Option<PathBuf>,
}

/// Which agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Choice {
    /// Claude Code
    Claude,
    /// Codex CLI
    Codex,
    /// Grok CLI
    Grok,
    /// Every agent that was used here
    All,
}

impl Choice {
    const fn flavor(self) -> Option<Flavor> {
        match self {
            Self::Claude => Some(Flavor::Claude),
            Self::Codex => Some(Flavor::Codex),
            Self::Grok => Some(Flavor::Grok),
            Self::All => None,
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let settings = context.settings(ui)?;
    refuse_unseen(&settings)?;
    let program = Program::here(context, &settings)?;
    if let Some(dir) = &args.plugin {
        return write_plugin(&Env::absolute(dir), &program, context, ui);
    }
    let agents = chosen(&args.agents, context, ui)?;
    let mut plan = Plan::install(&agents, &program, &settings.home.value)?;
    if !args.dry_run {
        plan.carry_out(context.now)?;
    }
    let notes = |flavor: Flavor, changed: bool| -> Vec<String> {
        let trust = (changed && flavor == Flavor::Codex).then(|| TRUST_STEP.to_owned());
        trust.into_iter().chain(program.remark(flavor)).collect()
    };
    tell(&agents, &plan, args.dry_run, &notes, context, ui)?;
    let changed = plan.changes.iter().any(|(_, change)| change.action != Action::Unchanged);
    if !ui.json && !args.dry_run && changed {
        ui.status("Sessions that begin from now on use it; `backstory uninstall` undoes it.");
    }
    Ok(Exit::Success)
}

/// Agents start hooks without the flags and variables of this run.
fn refuse_unseen(settings: &Settings) -> Result<(), Failure> {
    let unseen: Vec<String> = settings.store.decisive().map(ToString::to_string).collect();
    if unseen.is_empty() {
        return Ok(());
    }
    let unseen = unseen.join(", ");
    Err(Failure::usage(format!("{unseen} would not reach what agents run"))
        .hint(format!("say the same in [store] of {}", settings.file.display())))
}

/// The agents that are meant; of all, those that were used here.
pub(super) fn chosen(
    choices: &[Choice],
    context: &Context,
    ui: &mut Ui,
) -> Result<Vec<Agent>, Failure> {
    let is_all = choices.contains(&Choice::All);
    let mut agents = Vec::new();
    for flavor in Flavor::LOGGED {
        let is_named = choices.iter().any(|choice| choice.flavor() == Some(flavor));
        if !is_all && !is_named {
            continue;
        }
        let agent = Agent::find(flavor, &context.env)?;
        if is_named || agent.is_here() {
            agents.push(agent);
        } else if !ui.json {
            let dir = context.short_path(&agent.dir.display().to_string());
            ui.status(format!("{flavor} was not used here: there is no {dir}"));
        }
    }
    if agents.is_empty() {
        return Err(Failure::not_found("none of the agents was used here")
            .hint("name one to install it all the same, e.g. `backstory install claude`"));
    }
    Ok(agents)
}

/// Tells what was done to each agent's files, or would be.
pub(super) fn tell(
    agents: &[Agent],
    plan: &Plan,
    dry_run: bool,
    notes: &dyn Fn(Flavor, bool) -> Vec<String>,
    context: &Context,
    ui: &mut Ui,
) -> Result<(), Failure> {
    for agent in agents {
        let own = plan.changes.iter().filter(|(flavor, _)| *flavor == agent.flavor);
        let changes: Vec<&Change> = own.map(|(_, change)| change).collect();
        let changed = changes.iter().any(|change| change.action != Action::Unchanged);
        let notes = notes(agent.flavor, changed);
        if ui.json {
            ui.json_line(&shape(agent, &changes, dry_run, notes))?;
            continue;
        }
        ui.line(paint(BOLD, agent.flavor))?;
        for change in changes {
            write_change(change, dry_run, context, ui)?;
        }
        for note in notes {
            ui.line(format!("  {note}"))?;
        }
    }
    Ok(())
}

fn write_change(
    change: &Change,
    dry_run: bool,
    context: &Context,
    ui: &mut Ui,
) -> Result<(), Failure> {
    let short = |path: &Path| context.short_path(&path.display().to_string());
    let action = match (dry_run, change.action) {
        (true, Action::Created) => "would be created",
        (true, Action::Changed) => "would change",
        (true, Action::Restored) => "would be restored",
        (true, Action::Removed) => "would be removed",
        (_, action) => action.name(),
    };
    ui.line(format!("  {action:<9}  {}", short(&change.path)))?;
    let is_news = !dry_run && change.action != Action::Unchanged;
    if let Some(backup) = change.backup.as_deref().filter(|_| is_news) {
        ui.line(paint(DIM, format_args!("             what it was: {}", short(backup))))?;
    }
    if !dry_run {
        return Ok(());
    }
    for line in difference(change) {
        ui.line(match line {
            Line::Gap(at) => paint(DIM, format_args!("    @@ line {at}")),
            Line::Same(line) => format!("      {line}"),
            Line::Removed(line) => paint(BAD, format_args!("    - {line}")),
            Line::Added(line) => paint(GOOD, format_args!("    + {line}")),
        })?;
    }
    Ok(())
}

fn difference(change: &Change) -> Vec<Line> {
    if change.action == Action::Unchanged {
        return Vec::new();
    }
    // The neighbours of our lines may hold keys of other servers.
    let redactor = Redactor::new();
    let mut lines = diff::of(
        change.now.as_deref().unwrap_or_default(),
        change.after.as_deref().unwrap_or_default(),
    );
    for line in &mut lines {
        if let Line::Same(line) | Line::Removed(line) | Line::Added(line) = line {
            *line = redactor.redact(line).into_owned();
        }
    }
    lines
}

fn shape(
    agent: &Agent,
    changes: &[&Change],
    dry_run: bool,
    notes: Vec<String>,
) -> api::AgentSettings {
    let path = |path: &Path| path.display().to_string();
    let file = |change: &&Change| api::SettingsFile {
        path: path(&change.path),
        action: change.action.name(),
        backup: change.backup.as_deref().map(path),
        diff: dry_run.then(|| difference(change).iter().map(marked).collect()),
    };
    api::AgentSettings {
        agent: agent.flavor.name(),
        dry_run,
        files: changes.iter().map(file).collect(),
        notes,
    }
}

fn marked(line: &Line) -> String {
    match line {
        Line::Gap(at) => format!("@@ line {at}"),
        Line::Same(line) => format!(" {line}"),
        Line::Removed(line) => format!("-{line}"),
        Line::Added(line) => format!("+{line}"),
    }
}

fn write_plugin(
    dir: &Path,
    program: &Program,
    context: &Context,
    ui: &mut Ui,
) -> Result<Exit, Failure> {
    let files = plugin::write(dir, program).map_err(|error| {
        Failure::new(Kind::Problems, "the plugin cannot be written").cause(&error)
    })?;
    let path = |file: &PathBuf| file.display().to_string();
    if ui.json {
        ui.json_line(&api::Plugin {
            dir: dir.display().to_string(),
            files: files.iter().map(path).collect(),
        })?;
        return Ok(Exit::Success);
    }
    let shown = context.short_path(&dir.display().to_string());
    ui.line(format!("a plugin for Claude Code and Codex is in {shown}"))?;
    for command in ["claude plugin marketplace add", "codex plugin marketplace add"] {
        let agent = command.split(' ').next().unwrap_or_default();
        let add = if agent == "claude" { "install" } else { "add" };
        ui.line(format!(
            "  {}",
            paint(
                CODE,
                format_args!("{command} {shown} && {agent} plugin {add} backstory@backstory")
            )
        ))?;
    }
    ui.line(format!("  {TRUST_STEP}"))?;
    Ok(Exit::Success)
}
