"""Wheels, which pip installs: a zip file of the package `lispier` with the tool in it."""
import base64
import hashlib
import re
import time
import zipfile
from pathlib import Path

from . import tree

# Replaces itself by the tool, without loading the package. pip writes the interpreter's path in the first line.
_SCRIPT = """#!python
import os
import sys
from importlib.machinery import PathFinder

package = PathFinder.find_spec("lispier")
if not package:
    sys.exit("lispier: the Python package `lispier` is not where this program's interpreter looks; set PYTHONPATH")
tool = os.path.join(package.submodule_search_locations[0], "bin", "lispier")
os.execv(tool, [tool, *sys.argv[1:]])
"""

_METADATA = """Metadata-Version: 2.1
Name: lispier
Version: {version}
Summary: A compiler for formulas on tensors and for kernels, based on MLIR, called from Python, C and C++
License: Apache-2.0 WITH LLVM-exception
{licences}Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Software Development :: Compilers
Requires-Python: >=3.9
Provides-Extra: fast
Requires-Dist: apache-tvm-ffi<0.2,>=0.1.12; extra == "fast"
Description-Content-Type: text/markdown

{readme}"""


def _readme():
    """python/README.md without its tests."""
    return re.sub(r"<!--.*?-->\n*", "", (tree.ROOT / "python" / "README.md").read_text(encoding="utf-8"), flags=re.S)


def _information():
    """Contents of the folder .dist-info, but for WHEEL and RECORD."""
    licences = "".join(f"License-File: {name}\n" for name, _ in tree.licences())
    text = _METADATA.format(version=tree.version(), licences=licences, readme=_readme())
    return {"METADATA": text.encode(), **{f"licenses/{name}": path.read_bytes() for name, path in tree.licences()}}


def _base():
    return f"lispier-{tree.version()}"


def write_metadata(folder):
    """Writes the folder .dist-info, and returns its name."""
    name = _base() + ".dist-info"
    for file, content in _information().items():
        path = Path(folder) / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return name


def _tag(tool):
    """By the newest symbol of glibc that the tool needs, and by 2.36, with which the runtime is tested."""
    minor = max([36, *(int(found) for found in re.findall(rb"\0GLIBC_2\.(\d+)(?=\0)", tool))])
    return f"py3-none-manylinux_2_{minor}_x86_64"


def _place(name):
    """Where a file below a prefix is in the wheel: what the tool needs lies in the package, beside its Python files,
    and what others look for below the prefix that the wheel is installed to."""
    return f"{_base()}.data/data/{name}" if name.startswith("share/") else f"lispier/{name}"


def _contents(staged):
    """Names and contents of all files but RECORD, with whether they are executed."""
    for path in (tree.ROOT / "python" / "lispier").rglob("*.py"):
        yield "lispier/" + path.relative_to(tree.ROOT / "python" / "lispier").as_posix(), path.read_bytes(), False
    for name, path in staged.files():
        yield _place(name), path.read_bytes(), bool(path.stat().st_mode & 0o100)
    yield f"{_base()}.data/scripts/lispier", _SCRIPT.encode(), True
    for name, content in _information().items():
        yield f"{_base()}.dist-info/{name}", content, False


def write(staged, folder, compression=6):
    """Writes the wheel, and returns its name. Its bytes depend on nothing but the files and tree.timestamp()."""
    contents = sorted(_contents(staged))
    tool = next(content for name, content, _ in contents if name == "lispier/bin/lispier")
    tag = _tag(tool)
    about = f"Wheel-Version: 1.0\nGenerator: lispier_dist\nRoot-Is-Purelib: false\nTag: {tag}\n"
    contents.append((f"{_base()}.dist-info/WHEEL", about.encode(), False))
    record = ""
    for name, content, _ in contents:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    contents.append((f"{_base()}.dist-info/RECORD", f"{record}{_base()}.dist-info/RECORD,,\n".encode(), False))
    name = f"{_base()}-{tag}.whl"
    date = time.gmtime(max(tree.timestamp(), 315532800))[:6]
    with zipfile.ZipFile(Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content, is_executed in contents:
            entry = zipfile.ZipInfo(path, date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, for the modes.
            entry.external_attr = (0o100755 if is_executed else 0o100644) << 16
            archive.writestr(entry, content, compresslevel=compression)
    return name
