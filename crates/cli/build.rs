//! Links the program at a fixed address on Linux. Agents start it at every hook, and writing forty thousand
//! addresses into memory first takes longer than most hooks do.

#[expect(clippy::disallowed_methods, reason = "this is how Cargo tells")]
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |what| std::env::var(what).unwrap_or_default();
    if target("CARGO_CFG_TARGET_OS") == "linux" && target("CARGO_CFG_TARGET_ENV") == "gnu" {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
