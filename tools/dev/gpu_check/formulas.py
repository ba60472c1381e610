"""Formulas on tensors: right, and measured beside PyTorch on the same GPU in the same run (tools/dev/bench-tensors)."""
import os
import sys

from bench_tensors import figures
from gpu_check.artefacts import FORMULAS, TOP
from gpu_check.running import run

# Relative errors: of a softmax and of sums; of products, beside sums of F32 in the order of memory. Tensor cores add in
# F32 without rounding: 2^-23 for each of 4,096 steps of 16 in the longest sum, 4.9e-4.
LARGEST_ERROR = {"rows": 5e-5, "products": 1e-3}


def check(artefacts, report):
    dry = artefacts.target == "cpu"
    for section in FORMULAS:
        done = run(artefacts.command(f"formulas-{section}", "gpu") + ["cpu" if dry else "gpu"])
        errors = figures.errors(done.output)
        wrong = [error for error in errors if not error <= LARGEST_ERROR[section]]
        problem = done.problem() or ("" if errors and not wrong else f"errors are {errors}")
        if not report.check(f"formulas, {section}", problem, done.seconds) or dry:
            continue
        peers = run([sys.executable, os.path.join(TOP, "tools", "dev", "bench_tensors", "peers.py"), section, "gpu"])
        if peers.status != 0:
            print(f"no peers: {peers.errors.strip().splitlines()[-1] if peers.errors.strip() else peers.problem()}")
        theirs = figures.times(peers.output)
        for name, time in figures.times(done.output).items():
            known = figures.peers(theirs, name)
            best = min(known, key=known.get) if known else ""
            report.figure(name, time, "us", known.get(best), best)
