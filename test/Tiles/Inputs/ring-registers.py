"""ring-registers.py PTX: compiles the kernels with a ring; prints those that keep registers in memory, and how many registers
they have."""
import os
import re
import subprocess
import sys
import tempfile

with open(sys.argv[1]) as file:
    text = file.read()
head = "\n".join(re.findall(r"^\.(?:version|target|address_size|extern \.shared).*$", text, re.MULTILINE))
kernels = [k for k in re.findall(r"\.visible \.entry .*?\n}\n", text, re.DOTALL) if "cp.async.bulk.tensor" in k]
kernels = [re.sub(r"^\s*\.loc.*\n", "", kernel, flags=re.MULTILINE) for kernel in kernels] # Of files that the head names.
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "rings.ptx")
    with open(path, "w") as file:
        file.write("\n".join(dict.fromkeys(head.split("\n"))) + "\n" + "\n".join(kernels))
    done = subprocess.run(["ptxas", "-v", "-arch=sm_90a", path, "-o", os.path.join(folder, "rings.cubin")],
                          capture_output=True, text=True)
if done.returncode:
    sys.exit(done.stderr)
for kernel, stack, stores in re.findall(
        r"entry function '(\S+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores", done.stderr, re.DOTALL):
    if int(stack) + int(stores):
        print(f"{kernel}: {int(stack) + int(stores)} bytes")
if "serialized" in done.stderr:
    print("products of warpgroups are serialized, of 0 bytes")
registers = [int(count) for count in re.findall(r"Used (\d+) registers", done.stderr)]
print(f"{len(registers)} kernels with a ring, at most {max(registers)} registers")
