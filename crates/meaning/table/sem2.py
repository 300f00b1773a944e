"""The file layout of the table, and how a text becomes a vector with it."""

import struct

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

MAGIC = b"SEM2"


def write(path, tokens, rows):
    """Stores float rows as int8 with one scale per row; what weighs a token is its row's length."""
    order = sorted(range(len(tokens)), key=lambda at: tokens[at].encode())
    names = [tokens[at].encode() for at in order]
    rows = np.asarray(rows, np.float32)[order]
    scales = np.maximum(np.abs(rows).max(axis=1), 1e-12) / 127
    whole = np.rint(rows / scales[:, None]).astype(np.int8)
    offsets = np.cumsum([0] + [len(name) for name in names]).astype("<u4")
    vocabulary = b"".join(names)
    header = MAGIC + struct.pack("<III", len(names), rows.shape[1], len(vocabulary))
    padding = b"\0" * (-len(vocabulary) % 4)
    path.write_bytes(
        header + offsets.tobytes() + scales.astype("<f4").tobytes() + vocabulary + padding + whole.tobytes()
    )


def read(path):
    """The tokens and their rows, scaled back to floats."""
    data = path.read_bytes()
    if data[:4] != MAGIC:
        raise ValueError(f"{path} is not a {MAGIC.decode()} table")
    count, width, size = struct.unpack_from("<III", data, 4)
    at = 16
    offsets = np.frombuffer(data, "<u4", count + 1, at)
    at += offsets.nbytes
    scales = np.frombuffer(data, "<f4", count, at)
    at += scales.nbytes
    names = [data[at + a : at + b].decode() for a, b in zip(offsets, offsets[1:])]
    at += size + -size % 4
    whole = np.frombuffer(data, np.int8, count * width, at).reshape(count, width)
    return names, whole * scales[:, None]


def tokenizer_of(tokens):
    """BERT's lower-case splitting and greedy word pieces over these tokens, which are numbered in order."""
    vocabulary = {token: number for number, token in enumerate(tokens)}
    vocabulary["[UNK]"] = len(tokens)
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True, strip_accents=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


class Table:
    """Texts to unit vectors."""

    def __init__(self, path):
        tokens, self.rows = read(path)
        self.unknown = len(tokens)
        self.tokenizer = tokenizer_of(tokens)

    def vectors(self, texts):
        """The sum of the rows of a text's tokens, at unit length; all zero if it has no known token."""
        result = np.zeros((len(texts), self.rows.shape[1]), np.float32)
        for at, encoding in enumerate(self.tokenizer.encode_batch(texts)):
            known = [token for token in encoding.ids if token != self.unknown]
            total = self.rows[known].sum(axis=0)
            result[at] = total / max(np.linalg.norm(total), 1e-9)
        return result
