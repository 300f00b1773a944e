//! Sentence and code patterns. A `%` and a letter is a slot:
//! `%n` noun, `%a` adjective, `%v` verb, `%V` inflected verb, `%i` snake_case name, `%c` camelCase
//! name, `%T` type name, `%p` path below the project, `%d` small number, `%D` large number,
//! `%h` short hash, `%H` long hash, `%s` a few words, `%t` time of day, `%%` a percent sign.

/// What an assistant says.
pub(crate) const PROSE: &[&str] = &[
    "The %a %n in `%p` is %V before the %n is %V, so the %n never sees the %a %n.",
    "I'll %v the %n first, then %v `%c` so that the %a %n is no longer %V twice.",
    "Now let me %v the %n and %v how `%i` is %V by the %n.",
    "There are %d places where `%i` is %V: the %n, the %n and the %a %n in `%p`.",
    "That explains the %n: `%T::%i` returns the %a %n even when the %n was %V.",
    "All %d tests pass. The %n is now %V once per %n, and the %a %n is %V at the end.",
    "The %n failed because the %n expects a %a %n, but `%c` passes the %n of the %n.",
    "Let me %v `%p` to see how the %n is %V.",
    "I found the cause. `%i` holds the %n while the %n is %V, which makes the %a %n wait for %d ms.",
    "Good: the %n is %a. Next I %v the %n of `%T` and %v the %a %n.",
    "I've %V the %n, %V the %a %n and %V two tests that cover the %n with and without a %n.",
    "One more thing: `%p` still %v the old %n; without a %a %n it would %v the %n on every %n.",
    "The %n and the %n share one %n; %V it is safe because the %a %n is %V only here.",
    "This is a %a change: the %n keeps its %n, only the %n of the %n moves to `%i`.",
    "If the %n is %a, `%c` falls back to the %n; otherwise it is %V from the %n in `%p`.",
    "Before I %v anything I want to know who else depends on the %n of `%T`.",
    "The %n needs to be %V in %d steps: %v the %n, %v the %a %n, %v the %n again.",
    "Running the %n again shows %d %n and %d %n, which is what the %n predicts.",
];

/// What a person asks for.
pub(crate) const PROMPTS: &[&str] = &[
    "please %v the %n in %p, it is %V twice when the %n is %a",
    "why is the %n %V after the %n? look at %c and tell me what you would change",
    "add a test for the %a %n and %v the %n if it fails",
    "can you %v %i so that the %n is %a, and keep the %n as it is",
    "the build is broken since %h: %s. find out why and fix it",
    "refactor %p: the %n should not know about the %n. no behaviour change please",
    "continue",
    "yes, do that, but %v the %n first and use the %a %n",
    "run the whole suite and fix what is %a",
    "write a short %n about how the %n is %V, for the README",
    "the %n takes %d seconds on a %a %n. measure where the time goes and make it faster",
    "I get `%T: %s` when I %v the %n with a %a %n. What is going on?",
    "now %v the same for the %n and the %n",
    "commit this with a message that says why the %n is %V",
];

/// What an agent thinks.
pub(crate) const THOUGHTS: &[&str] = &[
    "The user wants the %n to be %V. Let me think about where the %n comes from.",
    "`%i` is called from `%c`, which holds the %n. If the %n is %a then the %n is %V too early.",
    "Maybe the %n is not the problem. The %n shows %d where I expected %d.",
    "I should check whether `%p` has a %a %n before I %v it.",
    "Wait, the %n in %T is %a. That means the %n is %V before the %n, and the %n is lost.",
    "Two options: %v the %n in place, or %v a new %n and %v the old one. The second is %a.",
    "The test expects the %n to be %a; my change makes it %a, so I need to %v the %n as well.",
    "Let me look at the %n again, line %d, to be sure about the %n.",
    "Actually that is fine: the %n is only %V when the %n is %a.",
];

/// Titles.
pub(crate) const TITLES: &[&str] = &[
    "Fix %a %n in %n",
    "%V the %n of `%T`",
    "Add %n %n tests",
    "Investigate %a %n",
    "Refactor %c %n",
];

/// Shell commands.
pub(crate) const COMMANDS: &[&str] = &[
    "cargo test -p %i %i 2>&1 | tail -40",
    "rg -n '%i' src tests",
    "git diff --stat && git status --short",
    "git log --oneline -%d -- %p",
    "sed -n '%d,%dp' %p",
    "npm run build 2>&1 | grep -v '%n'",
    "pytest -q tests/test_%i.py::test_%i -x",
    "ls -la $(dirname %p) && wc -l %p",
    "go build ./... && go test ./internal/%i/...",
    "cat %p | head -%d; echo ---; grep -rn '%T' src | wc -l",
    "curl -s localhost:%D/%i?%i=%d | jq '.%i[] | {%i, %i}'",
    "for f in $(git ls-files '*.rs'); do grep -c '%i' \"$f\"; done | sort -n | tail -5",
    "git add -A && git commit -m \"%V the %n of %T\"",
];

/// Functions of Rust, Python, TypeScript and Go files.
pub(crate) const CODE: [&[&str]; 4] = [RUST, PYTHON, TYPESCRIPT, GO];

const RUST: &[&str] = &[
    "/// %s.\npub fn %i(%i: &%T, %i: usize) -> Result<%T> {\n    let mut %i = %T::new(%i);\n    for %i in %i.iter().filter(|%i| %i.%i() > %d) {\n        %i.%i(%i.clone())?;\n    }\n    tracing::debug!(\"%s\");\n    Ok(%i)\n}\n\n",
    "impl %T {\n    /// %s.\n    pub fn %i(&self) -> Option<&%T> {\n        self.%i.get(&self.%i).filter(|%i| !%i.is_empty())\n    }\n\n    fn %i(&mut self, %i: %T) {\n        // %s\n        self.%i.push(%i);\n        self.%i = self.%i.max(%d);\n    }\n}\n\n",
    "#[derive(Debug, Clone)]\npub struct %T {\n    /// %s.\n    pub %i: Vec<%T>,\n    %i: HashMap<String, %T>,\n    %i: u64,\n}\n\n",
    "#[test]\nfn %i_%i_%i() {\n    let %i = %T::default();\n    assert_eq!(%i.%i(%d), Some(%d));\n    assert!(%i.%i().is_err(), \"%s\");\n}\n\n",
    "match %i.%i() {\n    %T::%T(%i) if %i.len() > %d => %i(%i)?,\n    %T::%T { %i, .. } => self.%i.insert(%i, %d),\n    _ => return Err(%T::%T(\"%s\".into())),\n}\n",
];

const PYTHON: &[&str] = &[
    "def %i(self, %i: %T, *, %i: int = %d) -> list[%T]:\n    \"\"\"%s.\"\"\"\n    %i = [%i for %i in self.%i if %i.%i >= %d]\n    if not %i:\n        raise %T(f\"%s: {%i!r}\")\n    return sorted(%i, key=lambda %i: %i.%i)\n\n",
    "class %T(%T):\n    \"\"\"%s.\"\"\"\n\n    %i: str = \"%n\"\n    %i: dict[str, %T] = field(default_factory=dict)\n\n    def __post_init__(self):\n        self.%i = self.%i or %T.%i(self.%i)\n\n",
    "with %i.%i(%i, timeout=%d) as %i:\n    for %i, %i in enumerate(%i):\n        log.info(\"%s %%s\", %i)\n        await self.%i(%i, %i=%i)\n\n",
    "@pytest.mark.parametrize(\"%i,%i\", [(%d, %d), (%d, %d)])\ndef test_%i_%i(%i, %i):\n    assert %i(%i) == %i\n\n",
];

const TYPESCRIPT: &[&str] = &[
    "export async function %c(%c: %T, %c?: number): Promise<%T[]> {\n  const { %c, %c } = await %c.%c(%c.%c);\n  if (!%c?.length) throw new %T(`%s: ${%c}`);\n  return %c.map((%c) => ({ ...%c, %c: %c.%c ?? %d }));\n}\n\n",
    "export interface %T extends %T {\n  /** %s. */\n  %c: string;\n  %c?: Record<string, %T>;\n  %c: Array<%T | null>;\n}\n\n",
    "const [%c, set%T] = useState<%T | undefined>();\nuseEffect(() => {\n  // %s\n  const %c = %c.%c(%c);\n  return () => %c.%c();\n}, [%c, %c]);\n\n",
    "describe(\"%s\", () => {\n  it(\"%V the %n\", async () => {\n    const %c = await %c({ %c: %d, %c: \"%n\" });\n    expect(%c.%c).toEqual(%d);\n  });\n});\n\n",
];

const GO: &[&str] = &[
    "// %T %s.\nfunc (%c *%T) %T(ctx context.Context, %c string) (*%T, error) {\n\t%c, err := %c.%c.%T(ctx, %c)\n\tif err != nil {\n\t\treturn nil, fmt.Errorf(\"%s: %%w\", err)\n\t}\n\tif len(%c.%T) == %d {\n\t\treturn nil, %T\n\t}\n\treturn %c, nil\n}\n\n",
    "type %T struct {\n\t%T string `json:\"%i\"`\n\t%T map[string]%T `json:\"%i,omitempty\"`\n\tmu sync.Mutex\n}\n\n",
    "for %c, %c := range %c.%T {\n\tif !%c.%T(%c) {\n\t\tcontinue // %s\n\t}\n\tgo %c.%c(%c, %d)\n}\n\n",
];

/// Lines of command output.
pub(crate) const OUTPUT: &[&[&str]] = &[
    &[
        "test %i::%i::%i_%i ... ok\n",
        "test %i::%i_%i_%i ... ok\n",
        "test %i::tests::%i ... FAILED\n",
    ],
    &["%p:%d:    let %i = self.%i.%i(%i)?;\n", "%p:%d:use crate::%i::{%T, %T};\n", "%p:%d:// %s\n"],
    &["-rw-r--r--  1 dev dev %D Mar %d %t %i.rs\n", "drwxr-xr-x  %d dev dev %D Oct %d %t %i\n"],
    &["%h %V the %n of the %n\n", "%h %i: %v the %a %n\n", "%h Merge branch '%i/%i'\n"],
    &[
        "warning: unused variable: `%i`\n  --> %p:%d:%d\n   |\n%d |     let %i = %i.%i();\n   |         ^^ help: %s\n",
        "error[E0%d]: mismatched types\n  --> %p:%d:%d\n   |\n   = note: expected struct `%T`, found `%T`\n",
    ],
    &[
        "2026-03-1%d %t.%d INFO  %i::%i request_id=%h %i=%D %s\n",
        "2026-03-1%d %t.%d WARN  %i::%i request_id=%h %s\n",
        "2026-03-1%d %t.%d DEBUG %i::%i span=%h elapsed_ms=%d\n",
    ],
    &[
        "  File \"/srv/app/%p\", line %d, in %i\n    %i = self.%i(%i, %i=%d)\n",
        "    at %T.%c (/srv/app/%p:%d:%d)\n",
        "Traceback (most recent call last):\n",
        "%T: %s\n",
    ],
    &[
        "{\"%i\":%D,\"%i\":\"%n\",\"%i\":[%d,%d],\"id\":\"%H\"}\n",
        "  \"%i\": { \"%i\": \"%s\", \"%i\": %d },\n",
    ],
    &[" %p | %d ++++---\n", "M\t%p\n", "A\t%p\n", "?? %p\n"],
    &[
        "src/%i/%i.ts(%d,%d): error TS2%d: Property '%c' does not exist on type '%T'.\n",
        "✓ %s (%d ms)\n",
    ],
];
