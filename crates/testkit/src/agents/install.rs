//! Fetching the pinned agent CLIs from npm into a directory shared by every test run.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use backstory_model::Flavor;
use walkdir::WalkDir;

use crate::sandbox::SEARCH_PATH;

/// One published CLI.
#[derive(Clone, Copy, Debug)]
pub struct Package {
    /// Whose it is.
    pub flavor: Flavor,
    /// The npm scope.
    pub scope: &'static str,
    /// The name within the scope. The native program is in a sibling `NAME-<system>-<machine>`.
    pub name: &'static str,
    /// The pinned version: npm would otherwise pick an older one that suits an older Node.
    pub version: &'static str,
    /// File name of the native program in that sibling.
    program: &'static str,
}

/// The CLIs the tests run.
pub const PACKAGES: [Package; 3] = [
    Package {
        flavor: Flavor::Claude,
        scope: "@anthropic-ai",
        name: "claude-code",
        version: "2.1.325",
        program: "claude",
    },
    Package {
        flavor: Flavor::Codex,
        scope: "@openai",
        name: "codex",
        version: "0.166.0",
        program: "codex",
    },
    Package {
        flavor: Flavor::Grok,
        scope: "@xai-official",
        name: "grok",
        version: "1.0.41",
        program: "grok.br",
    },
];

/// Written last: without it an installation was interrupted and starts over.
const COMPLETE: &str = "complete";
/// Unpacks a program that is published brotli-compressed.
const UNPACK: &str = "const fs = require('fs'), zlib = require('zlib'); \
    fs.writeFileSync(process.argv[2], zlib.brotliDecompressSync(fs.readFileSync(process.argv[1])), \
    { mode: 0o755 })";

/// Why the CLIs could not be installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// A file could not be written or read.
    #[error("the agent CLIs could not be put in place: {0}")]
    Io(#[from] io::Error),
    /// A program is not there and could not be added.
    #[error("`{program}` is needed to install the agent CLIs: {reason}. Install it and run again.")]
    Missing {
        /// The program.
        program: &'static str,
        /// What was tried.
        reason: String,
    },
    /// npm gave up.
    #[error(
        "npm could not install the agent CLIs: check that this machine reaches its npm registry \
         (proxy, certificates: npm sees your environment as it is), then run again.\n{output}"
    )]
    Npm {
        /// What npm said.
        output: String,
    },
    /// A package came without its native program.
    #[error(
        "{package} came without a native program for this machine: npm skips it silently when the \
         download fails or the machine is not supported. Run again, or delete {}", .place.display()
    )]
    NoProgram {
        /// The package with its version.
        package: String,
        /// The installation.
        place: PathBuf,
    },
    /// The program does not run here or is another version.
    #[error("{package} does not run here as pinned: {output}")]
    NotPinned {
        /// The package with its version.
        package: String,
        /// What it said instead of its version.
        output: String,
    },
}

/// The installed programs.
#[derive(Clone, Debug)]
pub struct Clis {
    place: PathBuf,
}

impl Clis {
    /// The program of an agent.
    pub fn program(&self, flavor: Flavor) -> PathBuf {
        self.place.join("bin").join(flavor.name())
    }
}

/// The directory shared by every test run of this workspace: below cargo's target directory.
pub fn cache() -> io::Result<PathBuf> {
    Ok(crate::target::directory()?.join("agents"))
}

/// Installs every CLI below `cache`, unless a former call did. Calls from several processes wait for
/// each other.
pub fn install(cache: &Path) -> Result<Clis, InstallError> {
    fs_err::create_dir_all(cache)?;
    let cache = fs_err::canonicalize(cache)?;
    let versions: Vec<String> =
        PACKAGES.iter().map(|p| format!("{}-{}", p.flavor, p.version)).collect();
    let versions = versions.join("_");
    let lock = fs_err::File::create(cache.join(format!("{versions}.lock")))?;
    lock.lock()?;
    let clis = Clis { place: cache.join(versions) };
    if !clis.place.join(COMPLETE).is_file() {
        provide_tools()?;
        fetch(&clis)?;
        fs_err::write(clis.place.join(COMPLETE), "")?;
    }
    Ok(clis)
}

fn fetch(clis: &Clis) -> Result<(), InstallError> {
    if clis.place.exists() {
        fs_err::remove_dir_all(&clis.place)?;
    }
    fs_err::create_dir_all(clis.place.join("bin"))?;
    npm(&clis.place, PACKAGES.iter().map(pinned))?;
    PACKAGES.iter().try_for_each(|package| place_program(clis, package))
}

/// Installs packages into a directory of their own.
pub(crate) fn npm(
    place: &Path,
    packages: impl Iterator<Item = String>,
) -> Result<(), InstallError> {
    let output = Command::new("npm")
        .args(["install", "--prefix"])
        .arg(place)
        // The programs are native and run as published: no package code runs at installation.
        .args(["--ignore-scripts", "--include=optional", "--no-fund", "--no-audit"])
        .args(["--no-package-lock", "--no-update-notifier"])
        .args(packages)
        .output()
        .map_err(|e| InstallError::Missing { program: "npm", reason: e.to_string() })?;
    if !output.status.success() {
        let said = [output.stdout, output.stderr].concat();
        return Err(InstallError::Npm { output: String::from_utf8_lossy(&said).into_owned() });
    }
    Ok(())
}

fn pinned(package: &Package) -> String {
    format!("{}/{}@{}", package.scope, package.name, package.version)
}

/// Puts the first published program in place that runs on this machine: an older npm also fetches
/// the one for another C library.
fn place_program(clis: &Clis, package: &Package) -> Result<(), InstallError> {
    let place = clis.place.clone();
    let mut result = Err(InstallError::NoProgram { package: pinned(package), place });
    for published in published_programs(&clis.place, package) {
        result = try_program(clis, package, &published);
        if result.is_ok() {
            break;
        }
    }
    result
}

fn published_programs(place: &Path, package: &Package) -> impl Iterator<Item = PathBuf> {
    let prefix = format!("{}-", package.name);
    let scope = place.join("node_modules").join(package.scope);
    WalkDir::new(scope)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(move |e| {
            e.depth() != 1 || e.file_name().to_string_lossy().starts_with(&prefix)
        })
        .filter_map(Result::ok)
        .filter(|e| e.file_type().is_file() && e.file_name() == package.program)
        .map(walkdir::DirEntry::into_path)
}

fn try_program(clis: &Clis, package: &Package, published: &Path) -> Result<(), InstallError> {
    let program = clis.program(package.flavor);
    if program.is_symlink() || program.exists() {
        fs_err::remove_file(&program)?;
    }
    if published.extension().is_some_and(|e| e == "br") {
        unpack(published, &program)?;
    } else {
        make_executable(published)?;
        // Some programs look for companions next to themselves, so the file stays where it is.
        link(published, &program)?;
    }
    check_version(clis, package)
}

fn unpack(published: &Path, program: &Path) -> Result<(), InstallError> {
    let output = Command::new("node")
        .args(["-e", UNPACK])
        .args([published, program])
        .env_remove("NODE_OPTIONS")
        .output()
        .map_err(|e| InstallError::Missing { program: "node", reason: e.to_string() })?;
    if output.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    Err(io::Error::other(format!("{} did not unpack: {complaint}", published.display())).into())
}

fn check_version(clis: &Clis, package: &Package) -> Result<(), InstallError> {
    let home = clis.place.join("first-home");
    fs_err::create_dir_all(&home)?;
    let not_pinned = |output| InstallError::NotPinned { package: pinned(package), output };
    let output = Command::new(clis.program(package.flavor))
        .arg("--version")
        .env_clear()
        .env("HOME", &home)
        .env("PATH", SEARCH_PATH)
        .output()
        .map_err(|error| not_pinned(error.to_string()))?;
    let said = String::from_utf8_lossy(&output.stdout);
    if said.split_whitespace().any(|word| word == package.version) {
        return Ok(());
    }
    Err(not_pinned(format!("{said}{}", String::from_utf8_lossy(&output.stderr))))
}

#[cfg(unix)]
fn make_executable(program: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs_err::set_permissions(program, std::fs::Permissions::from_mode(0o755))
}

#[cfg(unix)]
fn link(program: &Path, name: &Path) -> io::Result<()> {
    fs_err::os::unix::fs::symlink(program, name)
}

#[cfg(not(unix))]
fn make_executable(_program: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn link(program: &Path, name: &Path) -> io::Result<()> {
    fs_err::copy(program, name).map(|_| ())
}

/// npm, node and git, from the distribution where we may add them.
pub(crate) fn provide_tools() -> Result<(), InstallError> {
    let missing = |program: &&str| Command::new(program).arg("--version").output().is_err();
    let Some(program) = ["npm", "node", "git"].into_iter().find(missing) else { return Ok(()) };
    let script = "set -e; test \"$(id -u)\" = 0 || { echo 'not root' >&2; exit 1; }; export DEBIAN_FRONTEND=noninteractive; \
        apt-get update; apt-get install -y --no-install-recommends nodejs npm git ca-certificates";
    let tried = Command::new("/bin/sh").args(["-c", script]).output();
    match tried {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(InstallError::Missing {
            program,
            reason: format!(
                "it is not on PATH, and only root on Debian can add it from here ({})",
                String::from_utf8_lossy(&output.stderr).trim()
            ),
        }),
        Err(error) => Err(InstallError::Missing { program, reason: error.to_string() }),
    }
}
