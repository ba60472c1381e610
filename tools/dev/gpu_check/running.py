"""Runs programs and reports results."""
import os
import re
import subprocess
import time

from gpu_check.artefacts import TOP

TIME_LIMIT = 300
TOLERANCE = 1e-4
NUMBER = re.compile(r"[-+]?0x[01]\.?[0-9a-f]*p[-+]?\d+|[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")


class Outcome:
    def __init__(self, status, output, errors, seconds):
        self.status, self.output, self.errors, self.seconds = status, output, errors, seconds

    def problem(self):
        """Empty if the program succeeded."""
        return "" if self.status == 0 else f"status {self.status}: {self.errors.strip()[-400:]}"


def run(command, **environment):
    start = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, cwd=TOP,
                              env={**os.environ, **environment})
    except subprocess.TimeoutExpired:
        return Outcome(None, "", f"still running after {TIME_LIMIT} s", TIME_LIMIT)
    except OSError as error:
        return Outcome(None, "", str(error), 0.0)
    return Outcome(done.returncode, done.stdout, done.stderr, time.monotonic() - start)


def number(text):
    return float.fromhex(text) if "0x" in text else float(text)


def difference(gpu, cpu):
    """Describes how two outputs differ; empty if they agree: equal text, numbers within 1e-4 of each other.

    >>> difference("sum 1.00001 ok", "sum 1 ok")
    ''
    >>> difference("sum 0x1.8p+1 ok", "sum 3.0 ok")
    ''
    >>> difference("sum 1.1 ok", "sum 1 ok")
    '1.1, on the CPU 1'
    >>> difference("sum nan ok", "sum 1 ok")
    "other text: 'sum nan ok', on the CPU 'sum 1 ok'"
    >>> difference("", "")
    'the program prints nothing'
    """
    if not cpu.strip():
        return "the program prints nothing"
    if NUMBER.sub("#", gpu) != NUMBER.sub("#", cpu):
        return f"other text: {gpu.strip()[:200]!r}, on the CPU {cpu.strip()[:200]!r}"
    for ours, theirs in zip(NUMBER.findall(gpu), NUMBER.findall(cpu)):
        a, b = number(ours), number(theirs)
        if abs(a - b) > TOLERANCE * max(1.0, abs(b)):
            return f"{ours}, on the CPU {theirs}"
    return ""


class Report:
    """Prints a line per finished check, and collects the rows of the final table."""

    def __init__(self):
        self.passed = self.failed = 0
        self.rows = []

    def check(self, name, problem, seconds):
        self.passed += not problem
        self.failed += bool(problem)
        line = f"{'FAIL' if problem else 'ok':5} {name:40} {seconds:7.2f} s  {' '.join(problem.split())}"
        print(line.rstrip(), flush=True)
        return not problem

    def figure(self, name, value, unit, peer=None, whose=""):
        self.rows.append((name, value, unit, peer, whose))

    def table(self):
        """The rows as text. The ratio is the other's time divided by ours.

        >>> report = Report()
        >>> report.figure("decode", 223.0, "us", 446.0, "torch.compile")
        >>> report.figure("start", 0.5, "s")
        >>> print(report.table())
        name    value   peer                ratio
        decode  223 us  446 torch.compile    2.00
        start   0.5 s   -                       -
        """
        lines = [("name", "value", "peer", "ratio")]
        for name, value, unit, peer, whose in self.rows:
            known = peer is not None
            lines.append((name, f"{value:.4g} {unit}", f"{peer:.4g} {whose}" if known else "-",
                          f"{peer / value:.2f}" if known else "-"))
        widths = [max(len(line[i]) for line in lines) for i in range(3)]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)) + "  " + line[3].rjust(6)
                         for line in lines)
