"""GPT-2 from Python: the formulas of examples/gpt2 on a dict of NumPy's arrays, with a cache that this program owns.

    PYTHONPATH=python python3 examples/python/gpt2.py [tokens]

It reads the small model of the repository, goes on with each of its prompts, and compares the tokens with those that
PyTorch has chosen. Weights are BF16, which NumPy lacks: arrays of uint16 are their bits. Where transformers is
installed, its logits are compared too.
"""
import json
import os
import struct
import sys

import lispier
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL = os.path.join(HERE, "..", "gpt2", "mini")


def read_safetensors(path):
    data = np.memmap(path, np.uint8)
    header = json.loads(bytes(data[8:8 + struct.unpack("<Q", data[:8])[0]]))
    begin = 8 + struct.unpack("<Q", data[:8])[0]
    return {name: data[begin + a["data_offsets"][0]:begin + a["data_offsets"][1]].view(np.uint16).reshape(a["shape"])
            for name, a in header.items() if name != "__metadata__"}


config = json.load(open(os.path.join(MODEL, "config.json"), encoding="utf-8"))
golden = json.load(open(os.path.join(MODEL, "golden.json"), encoding="utf-8"))
weights = read_safetensors(os.path.join(MODEL, "model.safetensors"))
layers, heads = config["n_layer"], config["n_head"]


def stacked(name, transposes=False):
    """A weight of all layers. Those of GPT-2's products are stored [inputs outputs]."""
    parts = [weights[f"transformer.h.{i}.{name}"] for i in range(layers)]
    return np.ascontiguousarray(np.stack([part.T if transposes else part for part in parts]))


def norm(name):
    return {"weight": stacked(name + ".weight"), "bias": stacked(name + ".bias")}


def linear(name):
    return {"weight": stacked(name + ".weight", transposes=True), "bias": stacked(name + ".bias")}


model = {
    "tokens": weights["transformer.wte.weight"],
    "positions": weights["transformer.wpe.weight"],
    "h": {"norm1": norm("ln_1"), "qkv": linear("attn.c_attn"), "attention": linear("attn.c_proj"),
          "norm2": norm("ln_2"), "expand": linear("mlp.c_fc"), "contract": linear("mlp.c_proj")},
    "norm": {"weight": weights["transformer.ln_f.weight"], "bias": weights["transformer.ln_f.bias"]},
}
generator = {"model": model, "output": model["tokens"], "epsilon": config["layer_norm_epsilon"]}
gpt2 = lispier.load(os.path.join(HERE, "gpt2.lisp"))

wanted = int(sys.argv[1]) if len(sys.argv) > 1 else golden["n_greedy"]
cache = np.zeros((2, layers, heads, config["n_positions"], config["n_embd"] // heads), np.float32)
logits = np.empty(config["vocab_size"], np.float32)
for prompt in golden["prompts"]:
    tokens, position, chosen = prompt["ids"], 0, []
    while len(chosen) < wanted:
        gpt2.next_logits(generator, cache[0], cache[1], np.array(tokens, np.int32), np.array([position], np.int32),
                         out=logits)
        position += len(tokens)
        tokens = [int(logits.argmax())]
        chosen += tokens
    same = chosen == prompt["greedy_ids"][:wanted]
    print(f"{prompt['prompt'][:40]!r}: {'the tokens that PyTorch chooses' if same else 'other tokens'}")


def beside_transformers():
    """The logits of transformers' GPT-2 in F32, of the first prompt."""
    import torch  # pylint: disable=import-outside-toplevel
    from transformers import GPT2Config, GPT2LMHeadModel  # pylint: disable=import-outside-toplevel
    peer = GPT2LMHeadModel(GPT2Config.from_json_file(os.path.join(MODEL, "config.json"))).eval()
    state = {name: torch.from_numpy(bits.copy()).view(torch.bfloat16).float() for name, bits in weights.items()}
    assert not peer.load_state_dict(state, strict=False).unexpected_keys
    tokens = golden["prompts"][0]["ids"]
    with torch.no_grad():
        want = peer(torch.tensor([tokens])).logits[0, -1].numpy()
    gpt2.next_logits(generator, cache[0], cache[1], np.array(tokens, np.int32), np.zeros(1, np.int32), out=logits)
    print(f"transformers: its logits, up to {abs(logits - want).max():.0e} of {abs(want).max():.0f}")


try:
    import transformers  # noqa: F401 pylint: disable=unused-import
except ImportError:
    pass
else:
    beside_transformers()
