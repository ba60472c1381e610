"""spilling-kernels.py CHIP FILE...: compiles each program for an NVIDIA (sm_...) or AMD (gfx...) chip, and prints the kernels
that keep registers in memory, as ptxas -v or the notes of the AMD object say, and then how many kernels there are."""
import os
import re
import subprocess
import sys
import tempfile


def output(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.stderr}")
    return done.stdout + done.stderr


def stage(program):
    return ["--from=tiles"] if program.endswith(".mlir") else []


def of_nvidia(chip, program, out):
    """Yields (kernel, bytes of scratch memory)."""
    output("lispier", *stage(program), f"--target=cuda:{chip}", "--emit=ptx", program, "-o", out)
    text = output("ptxas", "-v", f"-arch={chip}", out, "-o", out + ".cubin")
    for kernel, stack, stores in re.findall(
            r"entry function '(\S+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores", text, re.DOTALL):
        yield kernel, int(stack) + int(stores)


def of_amd(chip, program, out):
    output("lispier", *stage(program), f"--target=rocm:{chip}", "--emit=hsaco", program, "-o", out)
    text = output("llvm-readobj", "--notes", out)
    for kernel, scratch in re.findall(r"\.name: +(\S+)\n\s+\.private_segment_fixed_size: (\d+)", text):
        yield kernel, int(scratch)


count = 0
for program in sys.argv[2:]:
    with tempfile.TemporaryDirectory() as folder:
        for kernel, scratch in (of_nvidia if sys.argv[1].startswith("sm_") else of_amd)(
                sys.argv[1], program, os.path.join(folder, "kernels")):
            count += 1
            if scratch:
                print(f"{os.path.basename(program)}: {kernel}: {scratch} bytes")
print(f"{count} kernels")
