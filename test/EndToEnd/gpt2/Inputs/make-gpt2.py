"""make-gpt2.py OUT [option ...]: writes a GPT-2 of 2 layers, 64 channels, 8 positions and 5 tokens in 6 rows.

  --format F       safetensors (the default), shards, llmc3 (F32), llmc5 (BF16); all hold the same numbers
  --prefix P       before the names of the tensors ("transformer.")
  --config JSON    what config.json says besides or instead; none: no config.json
  --own-output     an lm_head.weight that is not the token embedding; --tied-output: one that is
  --drop NAME      leave a tensor out
  --twice NAME     hold a tensor under its name without the prefix, too
  --shape NAME A,B say that a tensor has another shape of the same size
  --type NAME T    say that a tensor is of another type of the same size
  --nan NAME       fill a tensor with NaN; --nan-row NAME R: one row of it
  --tail N         N bytes after the last tensor
  --header I N     set word I of an llm.c header to N
"""
import argparse, json, os, struct

L, C, P, V, ROWS = 2, 64, 8, 5, 6
parser = argparse.ArgumentParser()
parser.add_argument("out")
parser.add_argument("--format", default="safetensors")
parser.add_argument("--prefix", default="")
parser.add_argument("--config", default="{}")
parser.add_argument("--own-output", action="store_true")
parser.add_argument("--tied-output", action="store_true")
parser.add_argument("--drop")
parser.add_argument("--twice")
parser.add_argument("--shape", nargs=2)
parser.add_argument("--type", nargs=2)
parser.add_argument("--nan")
parser.add_argument("--nan-row", nargs=2)
parser.add_argument("--tail", type=int, default=0)
parser.add_argument("--header", nargs=2, type=int)
options = parser.parse_args()

LAYER = [("ln_1.weight", 1, C), ("ln_1.bias", 1, C), ("attn.c_attn.weight", 3 * C, C), ("attn.c_attn.bias", 1, 3 * C),
         ("attn.c_proj.weight", C, C), ("attn.c_proj.bias", 1, C), ("ln_2.weight", 1, C), ("ln_2.bias", 1, C),
         ("mlp.c_fc.weight", 4 * C, C), ("mlp.c_fc.bias", 1, 4 * C), ("mlp.c_proj.weight", C, 4 * C), ("mlp.c_proj.bias", 1, C)]
# (name, rows, columns) in llm.c's order: all layers of a kind together.
TENSORS = [("wte.weight", ROWS, C), ("wpe.weight", P, C)]
TENSORS += [(f"h.{layer}.{name}", rows, columns) for name, rows, columns in LAYER for layer in range(L)]
TENSORS += [("ln_f.weight", 1, C), ("ln_f.bias", 1, C)]
if options.own_output or options.tied_output:
    TENSORS.append(("lm_head.weight", ROWS, C))


def numbers(index, name, count):
    """Exact in BF16, and another row for each tensor."""
    if name == "lm_head.weight" and options.tied_output:
        index = 0
    if name == options.nan:
        return [float("nan")] * count
    values = [((index * 7 + i * 37 + i // 11) % 251 - 125) / 256 for i in range(count)]
    if options.nan_row and options.nan_row[0] == name:
        row = int(options.nan_row[1]) * C
        values[row:row + C] = [float("nan")] * C
    return values


def packed(values, half=False):
    whole = struct.pack(f"<{len(values)}f", *values)
    return b"".join(whole[i + 2:i + 4] for i in range(0, len(whole), 4)) if half else whole


def safetensors(path, tensors):
    header, data = {}, b""
    for name, dtype, shape, content in tensors:
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data + b"x" * options.tail)


def hugging_face():
    for index, (name, rows, columns) in enumerate(TENSORS):
        if name == options.drop:
            continue
        values = numbers(index, name, rows * columns)
        shape = [rows, columns] if rows > 1 else [columns]
        if name.startswith("h.") and rows > 1:  # projections are (in, out)
            values = [values[row * columns + column] for column in range(columns) for row in range(rows)]
            shape = [columns, rows]
        if options.shape and options.shape[0] == name:
            shape = [int(size) for size in options.shape[1].split(",")]
        dtype = options.type[1] if options.type and options.type[0] == name else "F32"
        full = name if name == "lm_head.weight" else options.prefix + name
        yield full, dtype, shape, packed(values)
        if name == options.twice:
            yield name, dtype, shape, packed(values)


os.makedirs(options.out, exist_ok=True)
place = lambda name: os.path.join(options.out, name)
if options.format.startswith("llmc"):
    header = [0] * 256
    header[:8] = [20240326, int(options.format[4:]), P, V, L, 1, C, ROWS]
    if options.header:
        header[options.header[0]] = options.header[1]
    with open(place("model.bin"), "wb") as file:
        file.write(struct.pack("<256i", *header))
        for index, (name, rows, columns) in enumerate(TENSORS):
            file.write(packed(numbers(index, name, rows * columns), options.format == "llmc5"))
else:
    tensors = list(hugging_face())
    if options.format == "shards":
        half = len(tensors) // 2
        shards = {"model-1.safetensors": tensors[:half], "model-2.safetensors": tensors[half:]}
        for name, part in shards.items():
            safetensors(place(name), part)
        where = {tensor[0]: name for name, part in shards.items() for tensor in part}
        with open(place("model.safetensors.index.json"), "w") as file:
            json.dump({"weight_map": where}, file)
    else:
        safetensors(place("model.safetensors"), tensors)
    if options.config != "none":
        with open(place("config.json"), "w") as file:
            json.dump({"vocab_size": V, "n_head": 1} | json.loads(options.config), file)
