"""The text the teacher is shown: what is read, and from where.

Everything is returned as groups of short texts about one thing, such as a synset's words, its gloss and its
examples, or a function's name and the paragraphs of its documentation.
"""

import re
import subprocess
from pathlib import Path

import yaml

WORDNET = "wordnet-base=1:3.0-37"
# One verbose crate must not drown the others.
GROUPS_PER_CRATE = 450
LONGEST_WORDS = 60

_FENCE = re.compile(r"^\s*(```|~~~)")
_COMMENT = re.compile(r"^\s*//[/!] ?(.*)$")
_ITEM = re.compile(
    r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:async |const |unsafe )*(?:fn|struct|enum|trait|mod|type)\s+(\w+)"
)
_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])?")
_TAG = re.compile(r"<[^>]{1,200}>")
_ADDRESS = re.compile(r"\b\w+://\S+")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+\.)\s+")
_HEADING = re.compile(r"^#{1,6}\s+(.*)$")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+")


def plain(text):
    """Markup taken off, whitespace evened out, cut to a bounded length."""
    text = _ADDRESS.sub(" ", _TAG.sub(" ", _LINK.sub(r"\1", text)))
    words = re.sub(r"[`*|]+", " ", text).split()
    return " ".join(words[:LONGEST_WORDS])


def is_prose(text):
    """English words, not a table, a path or a licence."""
    words = text.split()
    if len(words) < 3 or not text.isascii() or "copyright" in text.lower():
        return False
    return sum(word.strip(".,;:()'\"").isalpha() for word in words) >= 0.7 * len(words)


def sentences(text):
    """The sentences of a paragraph."""
    return _SENTENCE_END.split(text)


def words_of_name(name):
    """`readToEnd`, `read_to_end` and `ReadToEnd` are all `read to end`."""
    return " ".join(_CAMEL.sub(" ", name).lower().split())


def _paragraphs(lines):
    """Headings and paragraphs of Markdown in order, as (is_heading, text); code is left out."""
    current, fenced = [], False

    def finished():
        text = plain(" ".join(current))
        current.clear()
        return [(False, text)] if is_prose(text) else []

    for line in lines:
        if _FENCE.match(line):
            fenced = not fenced
            yield from finished()
        elif fenced or line.startswith("    "):
            continue
        elif heading := _HEADING.match(line):
            yield from finished()
            yield (True, plain(heading.group(1)))
        elif not line.strip():
            yield from finished()
        else:
            if _BULLET.match(line):
                yield from finished()
            current.append(_BULLET.sub("", line))
    yield from finished()


def _markdown_groups(text):
    """A group per section: its heading and the paragraphs below it."""
    group = []
    for is_heading, text in _paragraphs(text.splitlines()):
        if is_heading:
            yield group
            # A version or a date heads a change log's section and says nothing about it.
            group = [text] if re.search(r"[A-Za-z]{4}", text) and len(text.split()) > 1 else []
        else:
            group.append(text)
    yield group


def _rust_groups(text):
    """A group per documented item: its name, then the paragraphs of its documentation."""
    block = []
    for line in text.splitlines():
        if comment := _COMMENT.match(line):
            block.append(comment.group(1))
            continue
        if not block or line.lstrip().startswith("#["):
            continue
        named = _ITEM.match(line)
        group = [words_of_name(named.group(1))] if named and len(named.group(1)) > 3 else []
        group += [text for is_heading, text in _paragraphs(block) if not is_heading]
        block = []
        yield group


def _crate_folder(name, version, cargo_home):
    """Where cargo keeps a crate's sources; cargo unpacks them there when asked about the crate."""
    pattern = f"registry/src/*/{name}-{version}"
    if not any(cargo_home.glob(pattern)):
        # Away from any workspace, which would have its own opinion of the version.
        ask = ["cargo", "info", "--quiet", f"{name}@{version}"]
        subprocess.run(ask, cwd=cargo_home, check=True, capture_output=True)
    return sorted(cargo_home.glob(pattern))[0]


def crate_groups(list_file, cargo_home, rng):
    """Documentation of the crates a pinned list names."""
    seen = set()
    for line in list_file.read_text().splitlines():
        name, version = line.split()
        groups = []
        for path in sorted(_crate_folder(name, version, cargo_home).rglob("*")):
            # What lies in tests is made for tests, and not written to be read.
            if path.suffix not in (".md", ".rs") or {"tests", "testsuite", "benches"} & set(path.parts):
                continue
            if not path.is_file() or path.stem.lower().startswith(("licen", "copying")):
                continue
            text = path.read_text(errors="replace")
            for group in (_markdown_groups if path.suffix == ".md" else _rust_groups)(text):
                fresh = [text for text in group[:8] if text not in seen]
                seen.update(fresh)
                if any(len(text.split()) > 5 for text in fresh):
                    groups.append(fresh)
        rng.shuffle(groups)
        yield from groups[:GROUPS_PER_CRATE]


def unpack_wordnet(work):
    """Debian's package of WordNet 3.0, unpacked without being installed."""
    folder = work / "wordnet"
    if not folder.exists():
        subprocess.run(["apt-get", "download", WORDNET], cwd=work, check=True)
        package = next(work.glob("wordnet-base_*.deb"))
        subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    return folder / "usr/share/wordnet"


def wordnet_groups(folder):
    """A group per synset: its words, its gloss, its examples and the words of the kinds it belongs to."""
    synsets = {}
    for kind in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{kind}").read_text(encoding="latin-1").splitlines():
            if line.startswith("  "):
                continue
            data, gloss = line.split(" | ", 1)
            fields = data.split()
            count = int(fields[3], 16)
            spelled = fields[4 : 4 + 2 * count : 2]
            words = [re.sub(r"\(\w+\)$", "", word).replace("_", " ") for word in spelled]
            pointers = fields[5 + 2 * count :]
            above = [(kind, pointers[at + 1]) for at, field in enumerate(pointers) if field == "@"]
            synsets[kind, fields[0]] = (words, gloss, above)
    for words, gloss, above in synsets.values():
        # A proper name's gloss is a date and a place.
        if words[0][0].isupper():
            continue
        parts = [part.strip(' "') for part in gloss.split("; ")]
        kinds = [word for key in above if key in synsets for word in synsets[key][0][:2]]
        yield {"words": words, "gloss": parts[0], "examples": parts[1:3], "above": kinds[:2]}


def dialogue_groups():
    """A group per exchange of the English dialogues: what was said and what was replied."""
    import chatterbot_corpus

    folder = Path(chatterbot_corpus.__file__).parent / "data/english"
    for path in sorted(folder.glob("*.yml")):
        for lines in yaml.safe_load(path.read_text())["conversations"]:
            lines = [plain(str(line)) for line in lines]
            yield from ([a, b] for a, b in zip(lines, lines[1:]) if a and b)
