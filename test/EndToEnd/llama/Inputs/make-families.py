#!/usr/bin/env python3
"""make-families.py FOLDER [NAME...]: makes a tiny random model of each family with what transformers computes from it.

Needs `pip install transformers torch safetensors numpy` (made with transformers 5.24, torch 2.15). FOLDER/NAME gets
config.json, spelled as published models have it; model.safetensors (BF16); golden.json and the logits of tools/dev/check-llama.
"""
import json
import os
import sys
import zlib

import numpy as np
import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM

SIZES = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
         "vocab_size": 96, "max_position_embeddings": 64, "torch_dtype": "bfloat16", "use_cache": True, "bos_token_id": 1,
         "eos_token_id": 2, "pad_token_id": 0, "initializer_range": 0.02}
YARN = {"factor": 4.0, "original_max_position_embeddings": 16, "type": "yarn"}
QWEN = {"hidden_act": "silu", "rms_norm_eps": 1e-6, "rope_theta": 10000.0, "rope_scaling": YARN, "use_sliding_window": False,
        "sliding_window": 8, "max_window_layers": 1, "attention_dropout": 0.0}
FAMILIES = {
    "gemma2": {"architectures": ["Gemma2ForCausalLM"], "head_dim": 16, "sliding_window": 5, "query_pre_attn_scalar": 24,
               "attn_logit_softcapping": 1.5, "final_logit_softcapping": 2.0, "hidden_act": "gelu_pytorch_tanh",
               "hidden_activation": "gelu_pytorch_tanh", "rms_norm_eps": 1e-6, "rope_theta": 10000.0, "cache_implementation": "hybrid"},
    "olmo2": {"architectures": ["Olmo2ForCausalLM"], "hidden_act": "silu", "rms_norm_eps": 1e-6, "rope_theta": 500000,
              "rope_scaling": None, "attention_bias": False, "tie_word_embeddings": False},
    "olmo3": {"architectures": ["Olmo3ForCausalLM"], "hidden_act": "silu", "rms_norm_eps": 1e-6, "rope_theta": 500000,
              "rope_scaling": {**{k: v for k, v in YARN.items() if k != "type"}, "rope_type": "yarn", "attention_factor": 1.2,
                               "beta_fast": 32.0, "beta_slow": 1.0}, "sliding_window": 5, "layer_types":
              ["sliding_attention", "full_attention"], "attention_bias": False, "tie_word_embeddings": False},
    "phi3-long": {"architectures": ["Phi3ForCausalLM"], "hidden_act": "silu", "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
                  "original_max_position_embeddings": 32, "sliding_window": 64, "tie_word_embeddings": False,
                  "rope_scaling": {"type": "longrope", "short_factor": [1.0, 1.1, 1.2, 1.3], "long_factor": [1.0, 1.5, 2.5, 4.0]}},
    "phi3-partial": {"architectures": ["Phi3ForCausalLM"], "hidden_act": "silu", "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
                     "original_max_position_embeddings": 64, "partial_rotary_factor": 0.75, "sliding_window": 64, "rope_scaling": None,
                     "tie_word_embeddings": True},
    "phi3": {"architectures": ["Phi3ForCausalLM"], "hidden_act": "silu", "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
             "rope_scaling": None, "sliding_window": 7, "original_max_position_embeddings": 64, "embd_pdrop": 0.0, "resid_pdrop": 0.0,
             "tie_word_embeddings": False, "auto_map": {"AutoConfig": "configuration_phi3.Phi3Config"}},
    "smollm3": {"architectures": ["SmolLM3ForCausalLM"], "hidden_act": "silu", "rms_norm_eps": 1e-6, "rope_theta": 5000000.0,
                "rope_scaling": None, "no_rope_layers": [1, 0], "no_rope_layer_interval": 4, "use_sliding_window": False,
                "sliding_window": None, "max_window_layers": 28, "attention_bias": False, "mlp_bias": False, "pretraining_tp": 2,
                "layer_types": ["full_attention", "full_attention"]},
    "qwen2": {"architectures": ["Qwen2ForCausalLM"], **QWEN, "use_mrope": False, "tie_word_embeddings": False},
    "qwen3": {"architectures": ["Qwen3ForCausalLM"], **QWEN, "head_dim": 16, "attention_bias": False, "tie_word_embeddings": True,
              "id2label": {"0": "LABEL_0"}, "label2id": {"LABEL_0": 0}},
}
torch.set_num_threads(1)
LENGTHS, GREEDY = (1, 7, 40), 20
# The long model's texts of 1 and 7 tokens stay below the 32 positions at which it changes, that of 40 begins above.
LEAST_MARGIN = 1e-3  # Of the best token before the second, so that rounding decides nothing.


def weights(name, model):
    """Numbers that keep logits around 1, and that make what a family does differently tell."""
    state = {}
    for key, old in model.state_dict().items():
        rng = np.random.default_rng([20261127, zlib.crc32(name.encode()), zlib.crc32(key.encode())])
        drawn = rng.standard_normal(tuple(old.shape))
        tied = model.config.tie_word_embeddings  # A token must not be its own likeliest successor.
        if "norm" in key:
            last = 5 if tied and key == "model.norm.weight" else 1
            drawn = last * (0.2 * drawn + 1) - (1 if name == "gemma2" else 0)
        elif key.endswith("bias"):
            drawn *= 0.5
        elif tied and "embed" in key:
            drawn *= (0.2 if name == "gemma2" else 0.2) / np.sqrt(old.shape[1])
        else:
            drawn *= (1.5 if "self_attn" in key else 1) / np.sqrt(old.shape[1])
        state[key] = torch.tensor(drawn).to(torch.bfloat16)
    return state


def prompts(name, model):
    """Of each length, the first random ids whose greedy continuation is beyond doubt."""
    for length in LENGTHS:
        for attempt in range(200):
            rng = np.random.default_rng([attempt, length, zlib.crc32(name.encode())])
            ids = rng.integers(3, SIZES["vocab_size"], length).tolist()
            tokens, margins = [], []
            for _ in range(GREEDY):
                logits = model(input_ids=torch.tensor([ids + tokens]), use_cache=False).logits[0, -1]
                best = torch.topk(logits, 2)
                first = logits if not tokens else first
                margins.append(float(best.values[0] - best.values[1]))
                tokens.append(int(best.indices[0]))
            if min(margins) > LEAST_MARGIN and 2 not in tokens and len(set(tokens)) > GREEDY // 4:
                yield ids, tokens, margins, first.numpy().astype(np.float32)
                break
        else:
            sys.exit(f"{name}: no prompt of {length} tokens")


@torch.no_grad()
def make(folder, name):
    path = os.path.join(folder, name)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "config.json"), "w") as file:
        json.dump({"model_type": name.split("-")[0], **SIZES, **FAMILIES[name]}, file, indent=1, sort_keys=True)
        file.write("\n")
    from transformers import AutoConfig
    fresh = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(path))
    state = weights(name, fresh)
    if fresh.config.tie_word_embeddings:
        del state["lm_head.weight"]
    save_file(state, os.path.join(path, "model.safetensors"), metadata={"format": "pt"})
    model = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32, attn_implementation="eager").eval()
    cases = []
    for i, (ids, tokens, margins, logits) in enumerate(prompts(name, model)):
        np.save(os.path.join(path, f"golden_logits_{i}.npy"), logits)
        cases.append({"ids": ids, "logits_file": f"golden_logits_{i}.npy", "greedy_ids": tokens,
                      "greedy_margins": [round(m, 4) for m in margins]})
        print(name, len(ids), f"tokens: deviation of the logits {logits.std():.2f}, least margin {min(margins):.4f}", tokens)
    with open(os.path.join(path, "golden.json"), "w") as file:
        file.write('{"prompts": [\n' + ",\n".join(json.dumps(c) for c in cases) + "]}\n")


for each in sys.argv[2:] or FAMILIES:
    make(sys.argv[1], each)
