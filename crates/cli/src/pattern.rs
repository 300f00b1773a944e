//! A pattern as people and programs read it.

use crate::context::Context;
use crate::figures::{local_day, plural, tokens};
use crate::ui::{BAD, BOLD, CODE, DIM, GOOD, WARN, paint};
use crate::untrusted::one_line;
use anstyle::Style;
use backstory_api as api;
use backstory_distill::patterns::{Pattern, Trend};
use backstory_model::{Flavor, address};

/// Repositories named before the rest is only counted.
const SHOWN_REPOS: usize = 4;

/// A block of lines about a pattern.
pub(crate) fn lines(pattern: &Pattern, context: &Context) -> Vec<String> {
    let (arrow, style) = match pattern.trend {
        Trend::New => ("✳", WARN),
        Trend::Rising => ("↗", BAD),
        Trend::Steady => ("→", Style::new()),
        Trend::Falling => ("↘", GOOD),
        Trend::Quiet => ("◦", DIM),
    };
    let mut lines = vec![
        paint(BOLD, one_line(&pattern.what)),
        format!(
            "  {} · {} · {} · {}{}",
            pattern.kind.name(),
            plural(pattern.count, "time"),
            plural(u64::from(pattern.sessions), "session"),
            paint(style, format_args!("{arrow} {}", pattern.trend.name())),
            span(pattern, context)
        ),
    ];
    let mut places = Vec::new();
    if !pattern.repos.is_empty() {
        let more = pattern.repos.len().saturating_sub(SHOWN_REPOS);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let named: Vec<String> =
            pattern.repos.iter().take(SHOWN_REPOS).map(|repo| one_line(repo)).collect();
        places.push(format!("{}{more}", named.join(", ")));
    }
    if !pattern.agents.is_empty() {
        places.push(pattern.agents.iter().map(|agent| agent.name()).collect::<Vec<_>>().join(", "));
    }
    if pattern.tokens > 0 {
        places.push(format!("about {} tokens spent on it", tokens(pattern.tokens)));
    }
    if !places.is_empty() {
        lines.push(paint(DIM, format_args!("  {}", places.join(" · "))));
    }
    if let Some(known) = &pattern.fix {
        for attempt in known.fix.tried.lines() {
            lines.push(format!("  {}  {}", paint(BAD, "tried"), one_line(attempt)));
        }
        lines.push(format!(
            "  {}  {}  {}",
            paint(GOOD, "fixed"),
            one_line(&known.fix.what),
            paint(
                DIM,
                format_args!(
                    "in {}, {}",
                    plural(u64::from(known.sessions), "session"),
                    address(&known.session_uid, known.fix.seq)
                )
            )
        ));
    }
    for place in &pattern.evidence {
        lines.push(format!("  {}", paint(CODE, address(&place.session_uid, place.seq))));
    }
    lines
}

fn span(pattern: &Pattern, context: &Context) -> String {
    let day = |at| local_day(at, context.zone());
    match (pattern.first.map(day), pattern.last.map(day)) {
        (Some(first), Some(last)) if first != last => format!(" · {first} → {last}"),
        (_, Some(last)) => format!(" · {last}"),
        _ => String::new(),
    }
}

/// As `--json` shows it.
pub(crate) fn shape(pattern: &Pattern) -> api::Pattern {
    api::Pattern {
        kind: pattern.kind.name(),
        fingerprint: api::fingerprint(pattern.fingerprint),
        what: pattern.what.clone(),
        count: pattern.count,
        sessions: pattern.sessions,
        first: pattern.first.map(|at| at.to_string()),
        last: pattern.last.map(|at| at.to_string()),
        repos: pattern.repos.clone(),
        agents: pattern.agents.iter().copied().map(Flavor::name).collect(),
        trend: pattern.trend.name(),
        tokens: pattern.tokens,
        fix: pattern.fix.as_ref().map(|known| api::KnownFix {
            fix: api::Fix::new(&known.session_uid, &known.fix),
            ts: known.ts.map(|at| at.to_string()),
            sessions: known.sessions,
        }),
        evidence: pattern
            .evidence
            .iter()
            .map(|place| address(&place.session_uid, place.seq))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cmd::Global;
    use crate::env::{BACKSTORY_NOW, Env};
    use backstory_distill::patterns::{Evidence, KnownFix};
    use backstory_model::{Fix, SessionUid, SignalKind, Timestamp};

    #[test]
    fn a_block_tells_what_helps_and_where_to_look() {
        let uid = SessionUid::new(Flavor::Codex, "0198");
        let pattern = Pattern {
            kind: SignalKind::Error,
            fingerprint: 7,
            what: "no such table: teas".into(),
            count: 40,
            sessions: 12,
            first: Timestamp::parse("2026-10-01T12:00:00Z"),
            last: Timestamp::parse("2026-11-14T12:00:00Z"),
            repos: ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec(),
            agents: vec![Flavor::Claude, Flavor::Codex],
            trend: Trend::Rising,
            tokens: 12_345,
            fix: Some(KnownFix {
                session_uid: uid.clone(),
                fix: Fix {
                    seq: 9,
                    what: "ran the migration".into(),
                    tried: "deleted the cache\nrestarted".into(),
                },
                ts: None,
                sessions: 3,
            }),
            evidence: vec![Evidence { session_uid: uid, seq: 4, ts: None }],
        };
        let env = Env::fixed([(BACKSTORY_NOW, "2026-11-15T12:00:00Z".into())]);
        let context = Context::new(env, Global::default()).unwrap();
        let text = lines(&pattern, &context).join("\n");
        insta::assert_snapshot!(anstream::adapter::strip_str(&text).to_string(), @r"
        no such table: teas
          error · 40 times · 12 sessions · ↗ rising · 2026-10-01 → 2026-11-14
          a, b, c, d and 1 more · claude, codex · about 12.3k tokens spent on it
          tried  deleted the cache
          tried  restarted
          fixed  ran the migration  in 3 sessions, backstory://codex:0198/9
          backstory://codex:0198/4
        ");
    }
}
