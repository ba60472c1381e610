"""torch_llama.py MODEL TYPE IDS LOGITS [--compiled]: Llama's prefill in PyTorch, the peer of tools/dev/bench-llama.

MODEL is a folder of one safetensors file with BF16 weights, which are converted to TYPE (f32 or bf16), that of the
whole computation. Prints {"eager": tokens/s, "compiled": tokens/s} as JSON; LOGITS gets those after the last token.
"""
import json
import math
import struct
import sys
import time

import numpy
import torch
import torch.nn.functional as F


def read_weights(path, kind):
    with open(path, "rb") as f:
        length = struct.unpack("<Q", f.read(8))[0]
        header = json.loads(f.read(length))
    data = torch.from_file(path, shared=True, size=8 + length + max(e["data_offsets"][1] for n, e in header.items()
                                                                     if n != "__metadata__"), dtype=torch.uint8)
    found = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = (8 + length + at for at in entry["data_offsets"])
            found[name] = data[begin:end].view(torch.bfloat16).reshape(entry["shape"]).to(kind, copy=True)
    return found


def rotation(c, count):
    """Cosines and sines of each position's angles; llama3's scaling as transformers has it."""
    head = c["head_dim"]
    f = c["rope_theta"] ** (-torch.arange(0, head, 2, dtype=torch.float64) / head)
    if scaling := c.get("rope_scaling"):
        low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
        kept = ((scaling["original_max_position_embeddings"] * f / (2 * math.pi) - low) / (high - low)).clamp(0, 1)
        f = kept * f + (1 - kept) * f / scaling["factor"]
    angles = torch.outer(torch.arange(count, dtype=torch.float64), f)
    return angles.cos(), angles.sin()


def prefill_of(c, w, kind, count):
    heads, groups, head = c["num_attention_heads"], c["num_key_value_heads"], c["head_dim"]
    joined = lambda *names: torch.cat([w.pop(name) for name in names])
    layers = []
    for i in range(c["num_hidden_layers"]):
        at = f"model.layers.{i}."
        layers.append((w[at + "input_layernorm.weight"], w[at + "post_attention_layernorm.weight"],
                       joined(*(at + f"self_attn.{x}_proj.weight" for x in "qkv")), w[at + "self_attn.o_proj.weight"],
                       joined(*(at + f"mlp.{x}_proj.weight" for x in ("gate", "up"))), w[at + "mlp.down_proj.weight"]))
    embedding, last, epsilon = w["model.embed_tokens.weight"], w["model.norm.weight"], c["rms_norm_eps"]
    output = w.get("lm_head.weight", embedding)
    cosines, sines = (x.to(kind) for x in rotation(c, count))

    def norm(x, weight):
        return F.rms_norm(x, (x.shape[-1],), weight, epsilon)

    def rotated(x):
        a, b = x.chunk(2, -1)
        return torch.cat((a * cosines - b * sines, b * cosines + a * sines), -1)

    def prefill(ids):
        x = embedding[ids]
        for first, second, qkv, out, gate_up, down in layers:
            q, k, v = F.linear(norm(x, first), qkv).view(count, -1, head).transpose(0, 1).split([heads, groups, groups])
            y = F.scaled_dot_product_attention(rotated(q)[None], rotated(k)[None], v[None], is_causal=True,
                                               enable_gqa=True)[0]
            x = x + F.linear(y.transpose(0, 1).reshape(count, -1), out)
            gate, up = F.linear(norm(x, second), gate_up).chunk(2, -1)
            x = x + F.linear(F.silu(gate) * up, down)
        return F.linear(norm(x[-1:], last), output)

    return prefill


def tokens_a_second(prefill, ids):
    taken = []
    for _ in range(4):  # The first is slower.
        begin = time.perf_counter()
        prefill(ids)
        taken.append(time.perf_counter() - begin)
    return len(ids) / min(taken)


def main():
    folder, kind, ids, path = sys.argv[1:5]
    kind = {"f32": torch.float32, "bf16": torch.bfloat16}[kind]
    with open(folder + "/config.json") as f:
        config = json.load(f)
    ids = torch.tensor([int(word) for word in ids.split()])
    with torch.inference_mode():
        prefill = prefill_of(config, read_weights(folder + "/model.safetensors", kind), kind, len(ids))
        numpy.save(path, prefill(ids)[0].float().numpy())
        found = {"eager": tokens_a_second(prefill, ids)}
        if "--compiled" in sys.argv:
            found["compiled"] = tokens_a_second(torch.compile(prefill), ids)
    print(json.dumps(found))


main()
