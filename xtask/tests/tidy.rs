//! Runs the repository's own rules as a test.

use std::path::Path;

#[test]
fn the_repository_keeps_its_rules() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let findings = xtask::tidy::check(&root)?;
    let list: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(list.is_empty(), "\n{}", list.join("\n"));
    Ok(())
}
