//! Cuts a shell line into its commands and a command into its words.

/// One simple command of a shell line.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Segment<'a> {
    /// As it was written, heredoc bodies left out.
    pub text: &'a str,
    /// Its words, quotes removed at both ends, without assignments and wrappers before it.
    pub words: Vec<&'a str>,
    /// Reads another command's output.
    pub after_pipe: bool,
    /// Runs only if the one before succeeded.
    pub after_and: bool,
    /// Runs only if the one before failed.
    pub after_or: bool,
}

/// Wrappers that run the command behind them, and how many of their own words to skip.
const WRAPPERS: &[(&[&str], usize)] = &[
    (&["sudo"], 0),
    (&["time"], 0),
    (&["timeout"], 1),
    (&["gtimeout"], 1),
    (&["env"], 0),
    (&["nice"], 0),
    (&["nohup"], 0),
    (&["exec"], 0),
    (&["rtk"], 0),
    (&["rtk", "proxy"], 0),
    (&["xvfb-run"], 0),
    (&["caffeinate"], 0),
    (&["direnv", "exec"], 1),
    (&["npx"], 0),
    (&["bunx"], 0),
    (&["pnpm", "exec"], 0),
    (&["pnpm", "dlx"], 0),
    (&["yarn", "exec"], 0),
    (&["poetry", "run"], 0),
    (&["uv", "run"], 0),
    (&["uvx"], 0),
    (&["pipenv", "run"], 0),
    (&["rye", "run"], 0),
    (&["hatch", "run"], 0),
    (&["bundle", "exec"], 0),
    (&["python", "-m"], 0),
    (&["python3", "-m"], 0),
    (&["mise", "exec"], 0),
    (&["mise", "x"], 0),
];

/// Programs whose first word says what they do.
const WITH_SUBCOMMAND: &[&str] = &[
    "git",
    "cargo",
    "go",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "deno",
    "docker",
    "docker-compose",
    "podman",
    "kubectl",
    "helm",
    "make",
    "mvn",
    "gradle",
    "gradlew",
    "gh",
    "uv",
    "pip",
    "pip3",
    "poetry",
    "terraform",
    "dotnet",
    "swift",
    "mix",
    "mise",
    "just",
    "task",
    "brew",
    "apt",
    "apt-get",
    "dnf",
    "apk",
    "rustup",
    "aws",
    "gcloud",
    "az",
    "rails",
    "rake",
    "bundle",
    "bazel",
    "composer",
    "nix",
    "systemctl",
    "cmake",
    "jj",
    "hg",
    "svn",
    "vitest",
    "playwright",
    "ruff",
    "alembic",
    "prisma",
    "flyctl",
    "vercel",
    "wrangler",
    "supabase",
    "conda",
];

const INTERPRETERS: &[&str] =
    &["python", "node", "ruby", "perl", "bash", "sh", "zsh", "php", "tsx"];

impl<'a> Segment<'a> {
    /// Program and subcommand, and the words behind them.
    pub(crate) fn family(&self) -> (String, &[&'a str]) {
        let Some(first) = self.words.first() else { return (String::new(), &[]) };
        let program = program_name(first);
        let rest = &self.words[1..];
        if INTERPRETERS.contains(&program) {
            let script = rest.iter().position(|word| !word.starts_with('-') || *word == "-");
            return match script.map(|at| rest[at]) {
                Some(script) if !has_inline_code(rest) && !script.starts_with(['-', '<']) => {
                    let behind = script_end(rest);
                    (format!("{program} {}", base(script)), behind)
                }
                _ => (format!("{program} -"), &[]),
            };
        }
        if WITH_SUBCOMMAND.contains(&program) {
            let Some(at) = subcommand_at(program, rest) else { return (program.to_owned(), rest) };
            let mut end = at + 1;
            let mut family = format!("{program} {}", rest[at]);
            if matches!(rest[at], "run" | "mod" | "pr" | "compose" | "issue" | "worktree")
                && let Some(what) = rest.get(end).filter(|word| !word.starts_with('-'))
            {
                family = format!("{family} {what}");
                end += 1;
            }
            return (family, &rest[end..]);
        }
        (program.to_owned(), rest)
    }
}

fn has_inline_code(words: &[&str]) -> bool {
    words.iter().take_while(|word| word.starts_with('-')).any(|word| {
        matches!(*word, "-c" | "-e" | "-" | "-lc" | "-ec" | "-p" | "--eval" | "-ne" | "-pe")
    })
}

fn script_end<'s, 'a>(words: &'s [&'a str]) -> &'s [&'a str] {
    let at = words.iter().position(|word| !word.starts_with('-'));
    at.map_or(&[], |at| &words[at + 1..])
}

/// Where the subcommand stands: behind options that may take a value.
fn subcommand_at(program: &str, words: &[&str]) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let takes_value = matches!(
            (program, *word),
            ("git", "-C" | "-c")
                | ("make", "-C" | "-f" | "-j")
                | ("npm" | "pnpm", "--prefix" | "-C")
                | ("kubectl", "-n")
                | ("mvn", "-f" | "-pl")
                | ("uv", "--directory")
                | ("pnpm", "--filter" | "-F")
                | ("terraform", "-chdir")
                | ("docker", "-H")
        );
        if takes_value {
            at += 2;
        } else if word.starts_with('-') || word.starts_with('+') {
            at += 1;
        } else {
            let plain = word.bytes().all(|byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b'.' | b'/')
            });
            return plain.then_some(at);
        }
    }
    None
}

fn program_name(word: &str) -> &str {
    match base(word) {
        "python3" | "python3.10" | "python3.11" | "python3.12" | "python3.13" => "python",
        "pip3" => "pip",
        "ts-node" => "tsx",
        other => other,
    }
}

fn base(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

/// The commands of a line, in order.
pub(crate) fn segments(line: &str) -> Vec<Segment<'_>> {
    let mut found = Vec::new();
    let bytes = line.as_bytes();
    let (mut at, mut from) = (0, 0);
    let mut quote = 0_u8;
    let mut next = Segment::default();
    while at < bytes.len() {
        let byte = bytes[at];
        if byte == b'\\' && quote != b'\'' {
            at += 2;
            continue;
        }
        if quote != 0 {
            if byte == quote {
                quote = 0;
            }
            at += 1;
            continue;
        }
        let two = bytes.get(at + 1).copied();
        let ends = match byte {
            b'\'' | b'"' => {
                quote = byte;
                0
            }
            b'&' if two == Some(b'&') => 2,
            b'|' if two == Some(b'|') => 2,
            b'|' | b';' | b'\n' => 1,
            // A background job, but not the `&` of a redirection.
            b'&' if two != Some(b'>') && (at == 0 || bytes[at - 1] != b'>') => 1,
            b'<' if two == Some(b'<') && bytes.get(at + 2) != Some(&b'<') => {
                // The body of a heredoc is data; what follows it is rarely more than its end.
                let end = line[at..].find('\n').map_or(line.len(), |end| at + end);
                push(&mut found, next, &line[from..end]);
                return found;
            }
            _ => 0,
        };
        if ends == 0 {
            at += 1;
            continue;
        }
        push(&mut found, next, &line[from..at]);
        next = Segment {
            after_pipe: byte == b'|' && ends == 1,
            after_and: byte == b'&' && ends == 2,
            after_or: byte == b'|' && ends == 2,
            ..Segment::default()
        };
        at += ends;
        from = at;
    }
    push(&mut found, next, line.get(from..).unwrap_or_default());
    found
}

fn push<'a>(found: &mut Vec<Segment<'a>>, mut segment: Segment<'a>, text: &'a str) {
    let text = text.trim().trim_start_matches(['(', '{', '!']).trim_start();
    // The end of a subshell is no part of its last command.
    let closed = text.ends_with(')') && !text.contains('(');
    let text = if closed { text.trim_end_matches(')').trim_end() } else { text };
    if text.is_empty() || text.starts_with('#') || found.len() == 32 {
        return;
    }
    segment.text = text;
    segment.words = words(text);
    unwrap(&mut segment);
    let inner = match segment.words.as_slice() {
        [shell, flag, script, ..]
            if matches!(program_name(shell), "bash" | "sh" | "zsh")
                && matches!(*flag, "-c" | "-lc" | "-ec" | "-ic") =>
        {
            Some(*script)
        }
        _ => None,
    };
    match inner {
        Some(script) if found.is_empty() => found.extend(segments(script)),
        _ => found.push(segment),
    }
}

fn unwrap(segment: &mut Segment<'_>) {
    loop {
        let assignments = segment.words.iter().take_while(|word| is_assignment(word)).count();
        segment.words.drain(..assignments);
        let wrapper = WRAPPERS.iter().rev().find(|(names, _)| {
            segment.words.len() > names.len()
                && base(segment.words[0]) == names[0]
                && names[1..].iter().zip(&segment.words[1..]).all(|(name, word)| name == word)
        });
        let Some((names, own)) = wrapper else { return };
        segment.words.drain(..names.len());
        let flags = segment.words.iter().take_while(|word| word.starts_with('-')).count();
        let skip = (flags + own).min(segment.words.len());
        segment.words.drain(..skip);
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// The words of a command, a quoted word without its quotes.
pub(crate) fn words(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() && found.len() < 64 {
        if bytes[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let from = at;
        let mut quote = 0_u8;
        while at < bytes.len() && (quote != 0 || !bytes[at].is_ascii_whitespace()) {
            match bytes[at] {
                b'\\' if quote != b'\'' => at += 1,
                b'\'' | b'"' if quote == 0 => quote = bytes[at],
                byte if byte == quote => quote = 0,
                _ => {}
            }
            at += 1;
        }
        let word = text.get(from..at.min(text.len())).unwrap_or_default();
        found.push(word.trim_matches(['\'', '"', ')', '}']));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_at_operators_outside_quotes() {
        let texts = |line| segments(line).iter().map(|segment| segment.text).collect::<Vec<_>>();
        assert_eq!(texts("a 'x && y' && b | c; d"), ["a 'x && y'", "b", "c", "d"]);
        assert_eq!(texts("make 2>&1 | tail"), ["make 2>&1", "tail"]);
        assert_eq!(texts("cat > f <<'E'\nrm -rf /\nE"), ["cat > f <<'E'"]);
        assert_eq!(texts("\\"), ["\\"]);
    }

    #[test]
    fn any_bytes_are_cut_without_panic() {
        for line in ["'", "\"ä", "\\ä", "a\\", "<<", "&", "|&;", "ä'ö\"ü && ß", "bash -lc"] {
            let _ = segments(line);
        }
    }
}
