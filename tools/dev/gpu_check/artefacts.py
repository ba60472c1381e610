"""The files to copy to the machine with the GPU: executables, or the portable tool, which compiles there."""
import glob
import json
import os
import re
import shutil
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
MODEL = os.path.join(TOP, "examples", "gpt2", "mini")
GPT2 = "examples/gpt2/gpt2.lisp"
RECOMPUTE = "examples/gpt2/recompute.lisp"
EXAMPLES = [
    "examples/kernels/vector-add.lisp",
    "examples/kernels/layer-norm/3-warp-a-row.lisp",
    "examples/kernels/matmul.lisp",
    "examples/tour/07-parallel.lisp",
    "examples/tour/08-linalg.lisp",
    "examples/tour/10-nn.lisp",
]
COOKBOOK = sorted(os.path.relpath(path, TOP) for path in glob.glob(os.path.join(TOP, "examples", "cookbook", "*.lisp"))
                  if "(defn main " in open(path).read())
# Tests that need a device: source, expected output on it, and the architecture prefix that it requires.
FEATURES = [
    ("test/Runtime/Inputs/fills-and-copies.lisp", None, ""), # None: as on the CPU
    ("test/Runtime/Inputs/steps.lisp", None, ""),
    ("test/Target/Sim/doubles.lisp", None, ""),
    ("test/IRGen/Tensors/random-numbers.lisp", None, ""),
    ("test/Runtime/Inputs/clusters.lisp", "303", "sm_9"),
    ("test/Runtime/Inputs/tensor-map.lisp", "8032 8047 15032 15047", "sm_9"),
    ("test/Runtime/Inputs/two-devices.lisp", "6 42\n4 28", "two devices"),
]
# Formulas on tensors, of which the first argument says the kind of the machine.
FORMULAS = ["rows", "products"]
# A program whose kernels are timed, the kernel, and how often it runs.
TIMED = ("test/Session/kernel-times.lisp", "main_0", 4)
# The processor of the machine that runs them may differ from this one's.
PROCESSOR = "--cpu=x86-64-v3"


def name_of(source):
    """Unique: a program of the cookbook may have the name of a ladder's."""
    return ("cookbook-" if source in COOKBOOK else "") + os.path.splitext(os.path.basename(source))[0]


def kernel_tests():
    """Each compares a kernel of the library with the loops of its op.

    One without a main only shows its code, and what a processor must have for one is nothing to a GPU.
    """
    sources = sorted(glob.glob(os.path.join(TOP, "test", "Kernels", "*.lisp")))
    texts = {os.path.relpath(source, TOP): open(source).read() for source in sources}
    return [source for source, text in texts.items()
            if "(defn main " in text and not re.search("REQUIRES: (amx|avx)", text)]


def variants(target):
    """Every program to run: (name, source, {kind: options of the compiler})."""
    both = {"gpu": ["--target=" + target, PROCESSOR], "cpu": [PROCESSOR]}
    for source in EXAMPLES + COOKBOOK + [RECOMPUTE] + kernel_tests():
        yield name_of(source), source, both
    for source, says, needs in FEATURES:
        if needs != "sm_9" or needs in target:
            yield name_of(source), source, both if says is None else {"gpu": both["gpu"]}
    yield name_of(TIMED[0]), TIMED[0], {"gpu": both["gpu"] + ["--explain", "--trace={folder}/kernel-times.json"]}
    for section in FORMULAS:
        yield f"formulas-{section}", f"tools/dev/bench_tensors/{section}.lisp", {"gpu": both["gpu"]}
    yield "gpt2", GPT2, {**both, "generic": ["--target=" + target, PROCESSOR, "--templates=false"]}


def make(folder, portable):
    """Creates a new folder with the tool and the runtime's tests, or with the portable tool."""
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        subprocess.run(["cmake", "--preset", "default", "-B", folder], check=True, cwd=TOP)
    subprocess.run(["ninja", "-C", folder, "lispier", "LispierRuntime", "LispierCheckpointStandalone", "runtime-tests"],
                   check=True, stdout=subprocess.DEVNULL)
    if portable and not glob.glob(os.path.join(folder, "dist", "*.tar.xz")):
        subprocess.run([os.path.join(TOP, "tools", "dev", "portable"), folder], check=True, cwd=TOP)


def build(folder, target, portable):
    folder = os.path.abspath(folder)
    make(folder, portable)
    out = os.path.join(folder, "gpu-check")
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    commands = {}
    for name, source, kinds in variants(target):
        for kind, options in kinds.items():
            if portable:
                commands[f"{name}.{kind}"] = ["{folder}/lispier/bin/lispier", "run", *options, source]
                continue
            options = [option.replace("{folder}", out) for option in options]
            subprocess.run([os.path.join(folder, "bin", "lispier"), "build", source, *options,
                            "-o", os.path.join(out, f"{name}.{kind}")], check=True, cwd=TOP)
            commands[f"{name}.{kind}"] = ["{folder}/" + f"{name}.{kind}"]
    if portable:
        archive, = glob.glob(os.path.join(folder, "dist", "*.tar.xz"))
        shutil.copy(archive, os.path.join(out, "lispier.tar.xz"))
    shutil.copy(os.path.join(folder, "bin", "runtime-tests"), out)
    with open(os.path.join(out, "commands.json"), "w") as file:
        json.dump({"target": target, "commands": commands}, file, indent=1)
    print(f"{len(commands)} programs for {target} in {out}")
    return 0


class Artefacts:
    """The folder that `build` created."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        with open(os.path.join(self.folder, "commands.json")) as file:
            made = json.load(file)
        self.target, self.commands = made["target"], made["commands"]
        archive = os.path.join(self.folder, "lispier.tar.xz")
        if os.path.exists(archive) and not os.path.exists(os.path.join(self.folder, "lispier")):
            os.mkdir(os.path.join(self.folder, "lispier"))
            subprocess.run(["tar", "-C", os.path.join(self.folder, "lispier"), "--strip-components=1", "-xf", archive],
                           check=True)

    def has(self, name, kind):
        return f"{name}.{kind}" in self.commands

    def command(self, name, kind):
        return [word.replace("{folder}", self.folder) for word in self.commands[f"{name}.{kind}"]]

    def kind_of_device(self):
        """As runtime-tests calls it."""
        return {"cuda": "cuda", "rocm": "hip", "cpu": "cpu"}[self.target.split(":")[0]]
