"""The teacher: all-MiniLM-L6-v2, run from its published weights."""

import json
import warnings

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch.nn import functional as F

# Short texts teach most per second: which token carries what is plainest where there are few of them.
LONGEST = 32

# The version of torch is pinned, so what a later one removes is no concern.
warnings.filterwarnings("ignore", message=".*quantized tensor creation.*")
torch.backends.quantized.engine = "fbgemm"


def _pack(weight, bias):
    """A linear layer in int8, a scale per output channel.

    Twice as fast as float32, and the sentence vectors keep a cosine of 0.99 with the exact ones; a single
    scale for the whole matrix would leave 0.94.
    """
    scales = (weight.abs().amax(1) / 127).double()
    quantized = torch.quantize_per_channel(
        weight, scales, torch.zeros(len(scales), dtype=torch.long), 0, torch.qint8
    )
    return torch.ops.quantized.linear_prepack(quantized, bias)


class Teacher:
    """A BERT encoder with mean pooling, as the model's card describes it."""

    def __init__(self, folder):
        config = json.loads((folder / "config.json").read_text())
        self.layers = config["num_hidden_layers"]
        self.heads = config["num_attention_heads"]
        self.epsilon = config["layer_norm_eps"]
        self.weights = load_file(folder / "model.safetensors")
        self.packed = {
            name: _pack(self.weights[name + ".weight"], self.weights[name + ".bias"])
            for name in (key.removesuffix(".weight") for key in self.weights)
            if name.startswith("encoder.") and "LayerNorm" not in name and not name.endswith(".bias")
        }
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(LONGEST)

    def _linear(self, x, name):
        return torch.ops.quantized.linear_dynamic(x, self.packed[name], False)

    def _norm(self, x, name):
        weight, bias = self.weights[name + ".weight"], self.weights[name + ".bias"]
        return F.layer_norm(x, weight.shape, weight, bias, self.epsilon)

    def _attend(self, x, mask, name):
        def split(part):
            projected = self._linear(x, f"{name}.self.{part}")
            return projected.view(*x.shape[:2], self.heads, -1).transpose(1, 2)

        mixed = F.scaled_dot_product_attention(
            split("query"), split("key"), split("value"), attn_mask=mask[:, None, None, :]
        )
        mixed = mixed.transpose(1, 2).reshape(x.shape)
        return self._norm(x + self._linear(mixed, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def states(self, ids, mask):
        """The last layer's vector of every token of a padded batch."""
        words = self.weights["embeddings.word_embeddings.weight"][ids]
        places = self.weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
        kinds = self.weights["embeddings.token_type_embeddings.weight"][0]
        x = self._norm(words + places + kinds, "embeddings.LayerNorm")
        for layer in range(self.layers):
            name = f"encoder.layer.{layer}"
            x = self._attend(x, mask, f"{name}.attention")
            wide = F.gelu(self._linear(x, f"{name}.intermediate.dense"))
            x = self._norm(x + self._linear(wide, f"{name}.output.dense"), f"{name}.output.LayerNorm")
        return x

    @torch.inference_mode()
    def sentence_vectors(self, texts, batch=64):
        """One unit vector per text, in the texts' order."""
        tokens = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        # Texts of one length together need no padding.
        order = sorted(range(len(texts)), key=lambda at: len(tokens[at]))
        vectors = np.empty((len(texts), 384), np.float16)
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            width = max(len(tokens[at]) for at in chosen)
            ids = torch.zeros(len(chosen), width, dtype=torch.long)
            mask = torch.zeros(len(chosen), width, dtype=torch.bool)
            for row, at in enumerate(chosen):
                ids[row, : len(tokens[at])] = torch.tensor(tokens[at])
                mask[row, : len(tokens[at])] = True
            kept = self.states(ids, mask) * mask[:, :, None]
            vectors[chosen] = F.normalize(kept.sum(1), dim=1).numpy()
        return vectors

    def vocabulary(self):
        """All tokens in the order of their numbers."""
        numbers = self.tokenizer.get_vocab()
        return sorted(numbers, key=numbers.get)

    @torch.inference_mode()
    def token_vectors(self, tokens, batch=512):
        """The vector of each token read alone: mean pooling over [CLS] token [SEP]."""
        number = self.tokenizer.token_to_id
        parts = []
        for start in range(0, len(tokens), batch):
            some = tokens[start : start + batch]
            ids = torch.tensor([[number("[CLS]"), number(token), number("[SEP]")] for token in some])
            parts.append(self.states(ids, torch.ones_like(ids, dtype=torch.bool)).mean(1))
        return torch.cat(parts).numpy()
