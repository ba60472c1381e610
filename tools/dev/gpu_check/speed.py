"""Measures GPT-2 124M, and PyTorch on the same GPU in the same run. The weights are random (weights.py)."""
import os
import re
import sys
import tempfile

from gpu_check import weights
from gpu_check.artefacts import MODEL, TOP
from gpu_check.running import run

# name, prompt's tokens, new tokens, repetitions of the prompt's pass, what is read, and the peer's name for the same.
# A context is the mean over the tokens that are made.
CASES = [
    ("decode, context 64", 32, 64, 1, "token", "decode 64"),
    ("decode, context 1000", 978, 46, 1, "token", "decode 1024"),
    ("prefill of 1024", 1024, 1, 20, "prompt", "prefill 1024"),
]


def peers():
    """{name: microseconds}; empty, after a message, without PyTorch."""
    done = run([sys.executable, os.path.join(TOP, "tools", "dev", "gpu-peers")])
    if done.status != 0:
        print(f"no peers: {done.errors.strip().splitlines()[-1] if done.errors.strip() else done.problem()}")
    found = (re.match(r"(.+): ([0-9.]+) us$", line) for line in done.output.splitlines())
    return {match[1]: float(match[2]) for match in found if match}


def microseconds(errors, what):
    """Parses a time in microseconds from the program's report.

    >>> text = "prompt: 1024 tokens in 0.001 s (1000000.0 tokens/s); first token 0.500 s after the start"
    >>> microseconds(text, "prompt")
    1024.0
    >>> microseconds("46 more tokens in 0.010 s (4600.0 tokens/s), median 217.4 us a token", "token")
    217.4
    """
    if what == "token":
        match = re.search(r"median ([0-9.]+) us a token", errors)
        return match and float(match[1])
    match = re.search(r"prompt: (\d+) tokens in .*?\(([0-9.]+) tokens/s\)", errors)
    return match and 1e6 * int(match[1]) / float(match[2])


def start(artefacts, report, known):
    """Measures the time to the first token of GPT-2 mini, with an empty and with a filled cache."""
    command = artefacts.command("gpt2", "gpu")
    if "run" not in command: # an executable has been compiled elsewhere
        return
    with tempfile.TemporaryDirectory() as cache:
        for name, peer in (("start, compiling", known.get("compile")), ("start, from the cache", None)):
            done = run(command + ["--model", MODEL, "--prompt", "Once upon a time", "--tokens", "1"],
                       LISPIER_CACHE_DIR=cache)
            if report.check(name, done.problem(), done.seconds):
                report.figure(name, done.seconds, "s", peer and peer / 1e6, "torch.compile, one step")


def measure(artefacts, report):
    dry = artefacts.target == "cpu"
    known = {} if dry else peers()
    start(artefacts, report, known)
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "random.bin")
        weights.write(model)
        for activations in ("bf16", "f32"):
            for case in CASES:
                measure_case(artefacts, report, model, activations, dry, known, case)


def measure_case(artefacts, report, model, activations, dry, known, case):
    name, prompt, tokens, repeat, what, peer = case
    ids = " ".join(str(100 + 7 * i % 5000) for i in range(prompt))
    done = run(artefacts.command("gpt2", "gpu") + [
        "--model", model, "--ids", "--no-echo", "--prompt", ids, "--tokens", str(tokens),
        "--repeat", str(1 if dry else repeat), "--activations", activations])
    name = f"{name}, {activations}"
    made, value = len(done.output.split()), microseconds(done.errors, what)
    problem = done.problem() or ("" if made == tokens else f"{made} tokens instead of {tokens}")
    if report.check(name, problem or ("" if value else f"no figure in: {done.errors.strip()[-300:]}"), done.seconds):
        report.figure(name, value, "us", known.get(peer), "torch.compile, bf16")
