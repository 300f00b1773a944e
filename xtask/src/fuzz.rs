//! Fuzzes the log readers, the hooks, posted files, the query language, briefs with their answers and the files of
//! vectors with libFuzzer, on the stable toolchain. Needs a C++ compiler (`c++`).

use std::path::{Path, PathBuf};
use std::process::Command;

/// The fuzz targets: one per agent, what agents tell hooks, what plugins posted, queries with the
/// snippets they pick, briefs with their answers, and files of vectors.
const TARGETS: [&str; 8] =
    ["claude", "codex", "decisions", "grok", "hooks", "pushed", "query", "vectors"];

/// Coverage instrumentation, in the flags that need no nightly toolchain.
const INSTRUMENTATION: &str = "-Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares \
    --cfg fuzzing";

/// Builds every target and runs each for a number of seconds. Inputs that reached new code are kept
/// in `fuzz/corpus`, inputs that broke something in `fuzz/artifacts`.
pub fn run(seconds: u64) -> Result<(), String> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let host = host_triple()?;
    build(&fuzz, &host)?;
    for target in TARGETS {
        fuzz_one(&fuzz, &host, target, seconds)?;
    }
    Ok(())
}

fn host_triple() -> Result<String, String> {
    let output =
        Command::new("rustc").arg("-vV").output().map_err(|error| format!("rustc: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc -vV names no host".to_owned())
}

fn target_dir(fuzz: &Path) -> PathBuf {
    fuzz.join("target")
}

fn build(fuzz: &Path, host: &str) -> Result<(), String> {
    let mut cargo = Command::new("cargo");
    cargo
        .args(["build", "--release", "--bins", "--locked"])
        .arg("--manifest-path")
        .arg(fuzz.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target_dir(fuzz))
        // Naming the host keeps the instrumentation out of build scripts, which cannot link it.
        .args(["--target", host])
        .env("RUSTFLAGS", INSTRUMENTATION);
    succeed(&mut cargo, "building the fuzz targets (a C++ compiler is needed)")
}

fn fuzz_one(fuzz: &Path, host: &str, target: &str, seconds: u64) -> Result<(), String> {
    let corpus = fuzz.join("corpus").join(target);
    let artifacts = fuzz.join("artifacts").join(target);
    for dir in [&corpus, &artifacts] {
        std::fs::create_dir_all(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    }
    let mut fuzzer = Command::new(target_dir(fuzz).join(host).join("release").join(target));
    fuzzer
        .arg(&corpus)
        .arg(fuzz.join("seeds").join(target))
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .arg(format!("-max_total_time={seconds}"))
        .args(["-max_len=8192", "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1"]);
    succeed(&mut fuzzer, &format!("fuzzing {target}"))
}

fn succeed(command: &mut Command, what: &str) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{what}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{what}: {status}")) }
}
