import ctypes
import os
import platform
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(config.lispier_source, "test"))
import lispier_format

config.suffixes = [".lisp", ".mlir", ".test", ".md"]
config.excludes = ["Inputs", "CMakeLists.txt"]
sweep = lispier_format.Sweep(lit_config.params.get("sweep", "all"))

if getattr(config, "lispier_suite", "test") == "sources":
    config.name = "lispier-sources"
    config.test_format = lispier_format.OnlyWithRunLines(sweep)
    config.test_source_root = config.lispier_source
    config.test_exec_root = os.path.join(config.lispier_build, "sources")
    config.excludes += ["test", ".git", ".ci", "cmake", "include"] + [
        name for name in os.listdir(config.lispier_source) if name.startswith("build")]
else:
    config.name = "lispier"
    config.test_format = lispier_format.LispierTest(sweep)
    config.test_source_root = os.path.join(config.lispier_source, "test")
    config.test_exec_root = os.path.join(config.lispier_build, "test")
    config.excludes.append("README.md")

bin_dir = os.path.join(config.lispier_build, "bin")
config.environment["PATH"] = os.pathsep.join([bin_dir, config.llvm_tools, config.environment.get("PATH", "")])
for name in ("LISPIER_THREADS", "LISPIER_DEVICE", "HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# Disable the cache, so that tests run the compiler and do not write to the home directory. Tests of the cache set a
# directory of their own.
config.environment["LISPIER_CACHE"] = "0"

config.substitutions.append(("%lispier-source", config.lispier_source))
config.substitutions.append(("%lispier-build", config.lispier_build))
config.substitutions.append(("%{python}", sys.executable))
config.substitutions.append(("%llvm-libraries", os.path.join(config.llvm_tools, "..", "lib")))
# Prefix of a command that makes it load the drivers of test/Unit/FakeDriver.
config.substitutions.append(("%with-fake-drivers", "env LD_LIBRARY_PATH=" + os.path.join(config.lispier_build, "test", "fake-drivers")))
# In place of `lispier build`: makes a program that several tests run once, whichever comes first.
config.substitutions.append(("%{build-once}", " ".join([
    sys.executable, os.path.join(config.lispier_source, "test", "Inputs", "build-once.py"), config.lispier_build])))
config.substitutions.append(("%examples", os.path.join(config.lispier_source, "examples")))

# Features that a test can REQUIRE.
if platform.machine() == "x86_64":
    config.available_features.add("x86")
try:
    with open("/proc/cpuinfo") as f:
        flags = next((line for line in f if line.startswith("flags")), "").split()
    for feature, names in {"avx2": ["avx2", "fma"], "avx512": ["avx512f", "avx512bw", "avx512vl", "avx512dq"],
                           "avx512-bf16": ["avx512_bf16"]}.items():
        if all(n in flags for n in names):
            config.available_features.add(feature)
    # AMX needs permission from the system: arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILE_DATA).
    if all(n in flags for n in ("amx_tile", "amx_bf16")) and ctypes.CDLL(None).syscall(158, 0x1023, 18) == 0:
        config.available_features.add("amx")
    with open("/proc/meminfo") as f: # In KiB.
        memory = dict(line.split(":") for line in f)
    if int(memory["MemAvailable"].split()[0]) >= 4 << 20:
        config.available_features.add("memory-4g")
except OSError:
    pass
# A Python with NumPy, for programs that call Lispier: Debian's, or the one that runs the tests.
for python in ("/usr/bin/python3", sys.executable):
    if os.path.exists(python) and subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0:
        config.available_features.add("numpy")
        config.substitutions.append(("%{python-numpy}", python))
        break
# What `tools/check` builds beside the tool that uses LLVM's shared libraries, and Debian's Python with its package venv.
if os.path.exists(os.path.join(config.lispier_build, "bin", "lispier-portable")):
    config.available_features.add("portable")
if subprocess.run(["/usr/bin/python3", "-c", "import ensurepip"], capture_output=True).returncode == 0:
    config.available_features.add("venv")
# One with PyTorch: LISPIER_TORCH_PYTHON, or one of these.
for python in (os.environ.get("LISPIER_TORCH_PYTHON", ""), "/usr/bin/python3", sys.executable):
    finds = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
    if os.path.exists(python) and subprocess.run([python, "-c", finds], capture_output=True).returncode == 0:
        config.available_features.add("torch")
        config.substitutions.append(("%{python-torch}", python))
        break
if shutil.which("clang-format-22"):
    config.available_features.add("clang-format")
# MPI, for programs with ranks.
for feature, command in (("openmpi", "mpirun.openmpi"), ("mpich", "mpirun.mpich")):
    if shutil.which(command):
        config.available_features.add(feature)
if shutil.which("ptxas"):
    config.available_features.add("ptxas")
