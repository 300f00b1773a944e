"""Pairs of texts that mean much the same or answer one another, made from the groups of the corpus."""

import corpus


def of_crates(groups):
    """A name or heading with what is said under it, and a sentence with the rest of its paragraph."""
    for group in groups:
        for other in group[1:4]:
            yield group[0], other
        if len(group) > 2:
            yield group[1], group[2]
        for text in group:
            parts = corpus.sentences(text)
            if len(parts) > 1:
                at = len(text) % len(parts)
                yield parts[at], " ".join(parts[:at] + parts[at + 1 :])


def of_wordnet(synsets):
    """A word with its gloss, its synonyms, its example and the kind of thing it is."""
    for synset in synsets:
        words, gloss = synset["words"], synset["gloss"]
        yield ", ".join(words[:3]), gloss
        if len(words) > 1:
            yield words[0], words[1]
        for example in synset["examples"]:
            yield example, ", ".join(words[:2]) + ": " + gloss
        if synset["above"]:
            yield gloss, ", ".join(synset["above"])


def of_dialogue(groups):
    """What was said and what was replied."""
    return dict.fromkeys(map(tuple, groups))
