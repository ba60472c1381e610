"""GPT-2 mini against its golden values, by tools/dev/check-gpt2."""
import os
import re

from gpu_check.artefacts import MODEL, TOP
from gpu_check.running import run

# Name, program, maximum error of a logit, options.
CASES = [
    ("F32", "gpu", 2e-3, []),
    ("F32, plain loops", "generic", 2e-3, ["--logits-only"]),
    ("BF16", "gpu", 0.05, ["--logits-only", "--activations", "bf16"]),
]


def check(artefacts, report):
    for name, kind, allowed, options in CASES:
        check_gpt2 = os.path.join(TOP, "tools", "dev", "check-gpt2")
        program = artefacts.command("gpt2", kind)
        done = run([check_gpt2, MODEL, MODEL, "--tolerance", str(allowed), *options, "--", *program])
        wrong = [line for line in done.output.splitlines() if "FAILED" in line]
        report.check(f"GPT-2 mini golden, {name}", "; ".join(wrong) or done.problem(), done.seconds)
        errors = [float(x) for x in re.findall(r"logits differ by (\S+) at most", done.output)]
        if errors:
            report.figure(f"GPT-2 mini, {name}: error of a logit", max(errors), "", allowed, "allowed")
