"""The checks, ordered so that a fault shows first in the simplest one: the device first, a language model last."""
import json
import os

from gpu_check import formulas, golden, speed
from gpu_check.artefacts import COOKBOOK, EXAMPLES, FEATURES, MODEL, TIMED, kernel_tests, name_of
from gpu_check.running import Report, difference, run as run_program


def find_device(artefacts, report):
    kind = artefacts.kind_of_device()
    listed = run_program([os.path.join(artefacts.folder, "runtime-tests"), "--gtest_list_tests"])
    found = f"/{kind}0" in listed.output
    problem = "" if found else f"no {kind} device was found {listed.errors.strip()[-300:]}"
    return report.check("device", problem, listed.seconds)


def conformance(artefacts, report):
    tests = f"*DeviceTest*/{artefacts.kind_of_device()}*"
    done = run_program([os.path.join(artefacts.folder, "runtime-tests"), "--gtest_brief=1", "--gtest_filter=" + tests])
    failures = [line for line in done.output.splitlines() if "FAILED" in line or "Failure" in line]
    problem = done.problem() and f"{' | '.join(failures)[:600]} {done.problem()}"
    if not report.check("conformance", problem, done.seconds):
        print(done.output[-4000:])


def compare(artefacts, report, name, arguments=(), placements=("",)):
    """Compares a program on the GPU with the CPU; `placements`: the values of LISPIER_SHARED_MEMORY to test."""
    cpu = run_program(artefacts.command(name, "cpu") + list(arguments))
    if cpu.problem():
        report.check(name + " on the CPU", cpu.problem(), cpu.seconds)
        return
    for placement in placements:
        environment = {"LISPIER_SHARED_MEMORY": placement} if placement else {}
        gpu = run_program(artefacts.command(name, "gpu") + list(arguments), **environment)
        problem = gpu.problem() or difference(gpu.output, cpu.output)
        report.check(name + (f" ({placement} memory)" if placement else ""), problem, gpu.seconds)


def programs(artefacts, report):
    both = ("", "host")
    for source in EXAMPLES + COOKBOOK:
        compare(artefacts, report, name_of(source), placements=both)
    compare(artefacts, report, "gpt2", ["--model", MODEL, "--prompt", "Once upon a time", "--tokens", "16"], both)
    compare(artefacts, report, "recompute", ["Once upon a time", MODEL, "16"], both)


def kernels(artefacts, report):
    for source in kernel_tests():
        compare(artefacts, report, name_of(source))


def kernel_times(artefacts, report):
    """The runs of a kernel of tensor ops that a trace has, in steps, too; each has a time of its own."""
    source, kernel, runs = TIMED
    trace = os.path.join(artefacts.folder, "kernel-times.json")
    done = run_program(artefacts.command(name_of(source), "gpu"), LISPIER_TRACE=trace)
    problem = done.problem()
    if not problem:
        with open(trace) as file:
            found = [bar for bar in json.load(file) if bar.get("cat") == "kernel run" and bar["name"] == kernel]
        ends = [bar["ts"] + bar["dur"] for bar in found]
        in_order = all(end <= bar["ts"] for end, bar in zip(ends, found[1:]))
        if len(found) != runs or not in_order or not all(bar["dur"] > 0 for bar in found):
            problem = f"the trace has these runs of {kernel}: {[(bar['ts'], bar['dur']) for bar in found]}"
    report.check(name_of(source), problem, done.seconds)


def features(artefacts, report):
    kernel_times(artefacts, report)
    listed = run_program([os.path.join(artefacts.folder, "runtime-tests"), "--gtest_list_tests"]).output
    for source, says, needs in FEATURES:
        name = name_of(source)
        if needs == "two devices" and f"/{artefacts.kind_of_device()}1" not in listed:
            print(f"      {name}: there is one device only")
        elif says is None:
            compare(artefacts, report, name)
        elif artefacts.has(name, "gpu"):
            done = run_program(artefacts.command(name, "gpu"))
            said = done.output.strip()
            problem = done.problem() or ("" if said == says else f"says {said!r}, not {says!r}")
            report.check(name, problem, done.seconds)


CHECKS = {"conformance": conformance, "programs": programs, "features": features, "kernels": kernels,
          "golden": golden.check, "formulas": formulas.check, "speed": speed.measure}


def run(artefacts, names):
    report = Report()
    if find_device(artefacts, report):
        for name in names:
            CHECKS[name](artefacts, report)
    if report.rows:
        print("\n" + report.table() + "\n")
    print(f"{report.passed} of {report.passed + report.failed} checks passed, {artefacts.target}")
    return 1 if report.failed else 0
