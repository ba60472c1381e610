"""installed.py FOLDER SOURCE: uses the wheel that is installed in FOLDER/env, with an empty PATH."""
import glob
import os
import subprocess
import sys

folder, source = sys.argv[1:]
tool = f"{folder}/env/bin/lispier"
package, = glob.glob(f"{folder}/env/lib/python3*/site-packages/lispier")
environment = {"PATH": folder + "/empty", "LISPIER_CACHE": "0", "HOME": folder + "/empty"}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout.strip()


print(run(tool, "--version"))
dynamic = subprocess.run(["readelf", "-d", package + "/bin/lispier"], capture_output=True, text=True, check=True).stdout
needed = [line.split("[")[1].rstrip("]") for line in dynamic.splitlines() if "NEEDED" in line]
print(*(f"the tool needs {name}" for name in sorted(needed) if name not in ("libm.so.6", "ld-linux-x86-64.so.2")), sep="\n")
print("licences", *sorted(map(os.path.basename, glob.glob(package + "-*.dist-info/licenses/*"))))
print("values:", run(tool, "run", folder + "/env/share/lispier/examples/tour/01-values.lisp").replace("\n", " "))
run(tool, "build", source + "/examples/kernels/matmul.lisp", "-o", folder + "/matmul")
print("executable:", run(folder + "/matmul"))
with open(folder + "/soft.lisp", "w", encoding="utf-8") as program:
    program.write("(defn soft [(: x (tensor n c f32))] (softmax x))")
run(tool, "build", "--shared", folder + "/soft.lisp", "-o", folder + "/libsoft.so")
with open(folder + "/soft.h", encoding="utf-8") as header:
    print("library:", *("soft_soft" for line in header if line.startswith("int32_t soft_soft(")))
code = "import lispier; print(lispier.source('(defn add [(: x f64) (: y f64)] (+ x y))').add(2.0, 3.0))"
print("Python:", run(f"{folder}/env/bin/python", "-I", "-c", code))
