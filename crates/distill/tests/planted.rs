//! Every made-up secret vanishes from every position, and is named and counted.

use std::collections::{BTreeMap, BTreeSet};

use backstory_distill::Redactor;
use backstory_testkit::secrets::{Planted, Position, planted};

fn leaks(redactor: &Redactor, secret: &Planted, text: &str) -> Option<String> {
    let mut out = String::new();
    let mut findings = Vec::new();
    let replaced = redactor.redact_into(text, &mut out, &mut findings);
    let leak = secret.needles().into_iter().find(|needle| out.contains(needle.as_str()));
    let silent = !replaced || findings.is_empty();
    (silent || leak.is_some()).then(|| format!("{text:?}\n -> {out:?}"))
}

#[test]
fn there_are_enough_secrets_of_enough_kinds() {
    let secrets = planted(1);
    let kinds: BTreeSet<_> = secrets.iter().map(|secret| secret.kind).collect();
    assert!(secrets.len() >= 250, "{}", secrets.len());
    assert!(kinds.len() >= 30, "{}", kinds.len());
}

#[test]
fn every_secret_vanishes_from_every_position() {
    let redactor = Redactor::new();
    let mut failures: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut placed = 0;
    for seed in 0..3 {
        for secret in planted(seed) {
            for position in Position::ALL {
                let Some(text) = position.place(&secret) else { continue };
                placed += 1;
                if let Some(leak) = leaks(&redactor, &secret, &text) {
                    failures.entry(format!("{} {position:?}", secret.kind)).or_default().push(leak);
                }
            }
        }
    }
    assert!(placed > 10_000, "{placed}");
    let total: usize = failures.values().map(Vec::len).sum();
    let sample: Vec<_> = failures
        .iter()
        .map(|(what, leaks)| format!("{what}: {} × {}", leaks.len(), leaks[0]))
        .collect();
    assert!(failures.is_empty(), "{total} of {placed} leak:\n{}", sample.join("\n"));
}

#[test]
fn a_secret_of_its_own_form_keeps_kind_and_fingerprint_in_every_position() {
    let redactor = Redactor::new();
    for secret in planted(7).iter().filter(|secret| secret.self_evident) {
        let mut seen = BTreeSet::new();
        // In a path the slash may belong to the secret's alphabet, so that more is taken.
        for position in Position::ALL.into_iter().filter(|&position| position != Position::Path) {
            let Some(text) = position.place(secret) else { continue };
            let mut findings = Vec::new();
            redactor.redact_into(&text, &mut String::new(), &mut findings);
            seen.extend(findings.into_iter().map(|finding| (finding.kind, finding.fingerprint)));
        }
        let kinds: Vec<_> = seen.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, [secret.kind], "{}: {seen:?}", secret.secret);
    }
}

#[test]
fn every_rule_finds_its_own_example_and_none_other() {
    let redactor = Redactor::new();
    for rule in Redactor::rules().iter().filter(|rule| rule.kind != "basic-auth") {
        for seed in 0..20 {
            let example = rule.example(seed);
            let mut findings = Vec::new();
            let mut out = String::new();
            redactor.redact_into(&example, &mut out, &mut findings);
            let kinds: Vec<_> = findings.iter().map(|finding| finding.kind).collect();
            assert_eq!(kinds, [rule.kind], "{example} -> {out}");
        }
    }
}

#[test]
fn rules_are_sorted_and_at_least_thirty() {
    let kinds: Vec<_> = Redactor::rules().iter().map(|rule| rule.kind).collect();
    assert!(kinds.is_sorted());
    assert!(kinds.len() >= 30);
    assert!(Redactor::rules().iter().all(|rule| !rule.description.is_empty()));
}
