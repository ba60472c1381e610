"""damage-model.py PROGRAM FOLDER ROUNDS [--part=K/M]: damages each file of a model and runs the program on it.

Of config.json, tokenizer.json, the index and a file of weights ROUNDS damaged versions each, always the same ones, or the
K-th of M parts of them. The program either ends with status 1 and one line "error: ..." on standard error (or a line for each tensor that is
missing), or with status 0 and a token. A signal, a hang, anything else is a failure, which is printed; the folder KEEP
gets its file.
"""
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

TELLING = b"{}[]\",:0123456789-.eE \x00\x7f\x80\xff"
VALUES = [None, True, False, -1, 0, 1, 7, 4000000000, 1e308, 0.5, "", "a\nb", "llama", [], {}, [1, "x"]]
SECONDS = 60  # A run takes less than one; others may need the machine.


def damaged_bytes(data, rng, end):
    """Changes some of the bytes before `end`."""
    data = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        at, kind = rng.randrange(min(len(data), end)), rng.randrange(5)
        if kind == 0:
            data[at] = rng.choice(TELLING)
        elif kind == 1:
            data[at] = rng.randrange(256)
        elif kind == 2:
            del data[at:at + rng.randint(1, 16)]
        elif kind == 3:
            data[at:at] = data[at:at + rng.randint(1, 16)]
        else:
            del data[at:]
            break
    return bytes(data)


def altered_json(text, rng):
    """Changes a value somewhere; the text stays JSON."""
    root = json.loads(text)
    for _ in range(rng.randint(1, 2)):
        parent, key, here = None, None, root
        while isinstance(here, (dict, list)) and here and (parent is None or rng.random() < 0.8):
            parent = here
            key = rng.choice(list(here)) if isinstance(here, dict) else rng.randrange(len(here))
            here = parent[key]
        if parent is None:
            continue
        kind = rng.randrange(3)
        if kind == 0:
            parent[key] = rng.choice(VALUES)
        elif kind == 1 and isinstance(here, (int, float)) and not isinstance(here, bool):
            parent[key] = here * rng.choice([-1, 2, 1000]) + rng.choice([0, 1])
        elif kind == 1 and isinstance(here, str):
            parent[key] = here + rng.choice(["?", "\u0000", "9", here])
        elif isinstance(parent, dict):
            del parent[key]
        else:
            parent[key:key + 1] = rng.choice([[], [here, here]])
    return json.dumps(root).encode()


def damaged(name, data, rng):
    if name.endswith(".safetensors"):  # The header; the numbers after it may have any value.
        end = 8 + struct.unpack("<Q", data[:8])[0]
        if rng.random() < 0.5:
            header = altered_json(data[8:end], rng)
            return struct.pack("<Q", len(header)) + header + data[end:]
        return damaged_bytes(data, rng, end)
    return altered_json(data, rng) if rng.random() < 0.6 else damaged_bytes(data, rng, len(data))


def problem(program, folder):
    """Runs the program; returns what is wrong with its end, and whether it refused the model."""
    command = [program, "--model", folder, "--prompt", "The sea", "--tokens", "1", "--no-echo"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"runs for more than {SECONDS} s", False
    lines = done.stderr.decode(errors="replace").splitlines()
    if done.returncode == 0:
        return (None if len(lines) == 1 and done.stdout.endswith(b"\n") else f"prints {done.stdout} and {lines}"), False
    if done.returncode != 1:
        return f"ends with status {done.returncode}: {lines}", True
    clean = lines and re.match(r"([^ ]+:\d+:\d+: )?error(\[tensor-file\])?: ", lines[0])
    further = r"/[^ ]+: has no tensor |[^ ]+:\d+:\d+: note: called from here$"
    clean = clean and all(re.match(further, line) for line in lines[1:])
    clean = clean and not re.search(r"[\x00-\x1f\x7f]", "".join(lines))
    return (None if clean else f"prints {lines}"), True


def main():
    program, model, rounds = sys.argv[1], os.path.abspath(sys.argv[2]), int(sys.argv[3])
    part, parts = map(int, sys.argv[4].removeprefix("--part=").split("/")) if len(sys.argv) > 4 else (1, 1)
    files = [name for name in sorted(os.listdir(model)) if name in ("config.json", "tokenizer.json") or
             name.endswith((".index.json", "1-of-00003.safetensors"))]
    failures = 0
    for name in files:
        with open(os.path.join(model, name), "rb") as f:
            data = f.read()
        refused = 0
        for seed in range(part - 1, rounds, parts):
            with tempfile.TemporaryDirectory() as folder:
                for other in os.listdir(model):
                    if other != name and not other.startswith("golden"):
                        os.symlink(os.path.join(model, other), os.path.join(folder, other))
                with open(os.path.join(folder, name), "wb") as f:
                    f.write(damaged(name, data, random.Random(f"{name} {seed}")))
                wrong, isRefused = problem(program, folder)
                refused += isRefused
                if wrong:
                    failures += 1
                    print(f"{name}, seed {seed}: {wrong}", flush=True)
                    if keep := os.environ.get("KEEP"):
                        shutil.copy(os.path.join(folder, name), os.path.join(keep, f"{seed}-{name}"))
        print(f"{name}: {len(range(part - 1, rounds, parts))} of {rounds} damaged versions, {refused} refused", flush=True)
    print(f"{failures} failures")
    sys.exit(1 if failures else 0)


main()
