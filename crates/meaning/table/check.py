#!/usr/bin/env python3
"""Compares tables: `python check.py TABLE [TABLE] [--locomo locomo10.json]`.

Two checks, neither of which the table is trained on: the turns that answer LoCoMo's questions, and pairs
of sentences about programming that mean the same in other words.
"""

import argparse
import json
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
import snowballstemmer

from sem2 import Table

HERE = Path(__file__).parent
STOP_WORDS = set(
    """a about after all also am an and any are as at be because been before being between both but by can
    could d did do does doing don down during each few for from further had has have having he her here hers
    him his how i if in into is it its just ll m me more most my no nor not now of off on once only or other
    our out over own re s same she should so some such t than that the their them then there these they this
    those through to too under until up ve very was we were what when where which while who whom why will
    with would you your yours""".split()
)
_WORD = re.compile(r"[^\W_]+")


class Lexical:
    """BM25 over stemmed words."""

    K1, B = 1.2, 0.75
    STEM = snowballstemmer.stemmer("porter").stemWord

    def __init__(self, texts):
        counts = [Counter(self.terms(text)) for text in texts]
        lengths = np.array([sum(count.values()) for count in counts], np.float32)
        norm = self.K1 * (1 - self.B + self.B * lengths / lengths.mean())
        self.size = len(texts)
        self.postings = {}
        for at, count in enumerate(counts):
            for term, often in count.items():
                weight = often * (self.K1 + 1) / (often + norm[at])
                self.postings.setdefault(term, []).append((at, weight))

    @classmethod
    def terms(cls, text):
        return [cls.STEM(word) for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]

    def scores(self, query):
        result = np.zeros(self.size, np.float32)
        for term in set(self.terms(query)):
            found = self.postings.get(term, [])
            rarity = math.log(1 + (self.size - len(found) + 0.5) / (len(found) + 0.5))
            for at, weight in found:
                result[at] += rarity * weight
        return result


def fused(lexical, cosine):
    """Half the words, half the meaning, each on a scale from 0 to 1."""
    spread = max(float(np.ptp(cosine)), 1e-9)
    return 0.5 * lexical / max(float(lexical.max()), 1e-9) + 0.5 * (cosine - cosine.min()) / spread


class Score:
    """Collects the ranks of what should have been found."""

    def __init__(self):
        self.rows = []

    def add(self, scores, wanted):
        place = np.empty(len(scores), int)
        place[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
        ranks = place[wanted]
        best = ranks.min()
        shares = (ranks <= 5).mean(), (ranks <= 10).mean()
        self.rows.append((best == 1, best <= 5, best <= 10, *shares, 1 / best))

    NAMES = ("any@1", "any@5", "any@10", "rec@5", "rec@10", "MRR")

    def means(self):
        return 100 * np.array(self.rows, float).mean(axis=0)


def locomo(path):
    """Per conversation: what was said, and the questions with the turns that answer them."""
    for sample in json.loads(path.read_text()):
        talk, texts, place = sample["conversation"], [], {}
        sessions = [key for key in talk if re.fullmatch(r"session_\d+", key)]
        for key in sorted(sessions, key=lambda key: int(key[8:])):
            for turn in talk[key]:
                place[turn["dia_id"]] = len(texts)
                caption = turn.get("blip_caption")
                texts.append(f"{turn['speaker']}: {turn['text']}" + (f" [{caption}]" if caption else ""))
        questions = []
        for asked in sample["qa"]:
            named = re.findall(r"D\d+:\d+", " ".join(asked.get("evidence", [])))
            wanted = sorted({place[name] for name in named if name in place})
            if wanted:
                questions.append((asked["question"], wanted))
        yield texts, questions


def check_locomo(tables, conversations):
    scores = {"words alone": Score()}
    for texts, questions in conversations:
        lexical = Lexical(texts)
        found = [lexical.scores(question) for question, _ in questions]
        for score, (_, wanted) in zip(found, questions):
            scores["words alone"].add(score, wanted)
        for name, table in tables.items():
            alone = scores.setdefault(f"{name}, meaning alone", Score())
            both = scores.setdefault(f"{name}, words and meaning", Score())
            cosines = table.vectors([question for question, _ in questions]) @ table.vectors(texts).T
            for score, cosine, (_, wanted) in zip(found, cosines, questions):
                alone.add(cosine, wanted)
                both.add(fused(score, cosine), wanted)
    return scores


def check_pairs(tables, pairs):
    """Each sentence must find its partner among all partners, in both directions."""
    scores = {"words alone": Score()}
    left, right = zip(*pairs)
    for asked, said in ((left, right), (right, left)):
        lexical = Lexical(said)
        cosines = {name: table.vectors(asked) @ table.vectors(said).T for name, table in tables.items()}
        for at, text in enumerate(asked):
            words = lexical.scores(text)
            scores["words alone"].add(words, [at])
            for name, cosine in cosines.items():
                scores.setdefault(f"{name}, meaning alone", Score()).add(cosine[at], [at])
                scores.setdefault(f"{name}, words and meaning", Score()).add(fused(words, cosine[at]), [at])
    return scores


def show(title, scores):
    width = max(map(len, scores))
    count = len(next(iter(scores.values())).rows)
    print(f"\n{title} ({count} questions)\n{'':{width}}  " + " ".join(f"{name:>6}" for name in Score.NAMES))
    for name in sorted(scores, key=lambda name: (name != "words alone", name.rpartition(", ")[2])):
        print(f"{name:{width}}  " + " ".join(f"{value:6.1f}" for value in scores[name].means()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="+", type=Path)
    parser.add_argument("--locomo", type=Path, help="locomo10.json, which may be used but not redistributed")
    options = parser.parse_args()
    tables = {str(path): Table(path) for path in options.tables}
    lines = (HERE / "paraphrases.tsv").read_text().splitlines()
    show("Paraphrases", check_pairs(tables, [line.split("\t") for line in lines]))
    if options.locomo:
        show("LoCoMo, turns", check_locomo(tables, list(locomo(options.locomo))))


if __name__ == "__main__":
    main()
