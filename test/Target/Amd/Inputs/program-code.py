"""program-code.py CHIP FILE...: compiles tile programs for an AMD chip and prints a line for each file: how many of its
kernels have matrix instructions, how many 16-byte loads of global memory, and how many access scratch memory."""
import os
import re
import subprocess
import sys
import tempfile


def output(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.stderr}")
    return done.stdout


for program in sys.argv[2:]:
    with tempfile.TemporaryDirectory() as folder:
        code = os.path.join(folder, "kernels.hsaco")
        output("lispier", f"--target=rocm:{sys.argv[1]}", "--emit=hsaco", program, "-o", code)
        kernels = re.split(r"^[0-9a-f]+ <.*>:$", output("llvm-objdump", "-d", code), flags=re.MULTILINE)[1:]
    count = [sum(bool(re.search(pattern, kernel)) for kernel in kernels)
             for pattern in (r"v_mfma_|v_wmma_", r"global_load_(dwordx4|b128)", r"scratch_|buffer_store.* offen")]
    print(f"{os.path.basename(program)}: {len(kernels)} kernels, {count[0]} with matrix instructions, "
          f"{count[1]} with 16-byte loads, {count[2]} with scratch")
