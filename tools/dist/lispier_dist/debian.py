"""Debian's packages, made by dpkg-deb, which every Debian has."""
import gzip
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from . import tree

_CONTROL = """Package: lispier
Version: {version}
Architecture: amd64
Maintainer: The Lispier maintainers <maintainers@users.noreply.a-seed-7980c4e0.example>
Installed-Size: {kilobytes}
Depends: libc6 (>= 2.36)
Recommends: python3, python3-numpy
Section: devel
Priority: optional
Description: compiler for formulas on tensors and for kernels
 Lispier compiles formulas on tensors, and kernels as programs on tiles or
 threads, for CPUs and for GPUs of NVIDIA and AMD. It contains LLVM, MLIR and
 their linker. The Python module lispier calls compiled functions on arrays.
"""


def _fill(staged, root):
    """Copies what the package has to `root`, which stands for /."""
    for name, path in staged.files():
        target = root / "usr" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    page = root / "usr/share/man/man1/lispier.1"
    page.with_suffix(".1.gz").write_bytes(gzip.compress(page.read_bytes(), mtime=0))
    page.unlink()
    module = root / "usr/lib/python3/dist-packages/lispier"
    shutil.copytree(tree.ROOT / "python" / "lispier", module, ignore=shutil.ignore_patterns("__pycache__"))
    documents = root / "usr/share/doc/lispier"
    documents.mkdir(parents=True)
    (documents / "copyright").write_bytes(b"\n\n".join(path.read_bytes() for _, path in tree.licences()))
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
    (root / "DEBIAN").mkdir()
    (root / "DEBIAN" / "control").write_text(_CONTROL.format(version=tree.version(), kilobytes=size >> 10))


def write(staged, folder, compression="xz"):
    """Writes the package, and returns its name."""
    name = f"lispier_{tree.version()}_amd64.deb"
    with tempfile.TemporaryDirectory(prefix="lispier-deb-") as temporary:
        root = Path(temporary) / "root"
        root.mkdir()
        _fill(staged, root)
        for path in [root, *root.rglob("*")]:
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
            os.utime(path, (tree.timestamp(), tree.timestamp()))
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Z" + compression, "--build", root, Path(folder) / name],
                       stdout=subprocess.DEVNULL, check=True,
                       env={**os.environ, "SOURCE_DATE_EPOCH": str(tree.timestamp())})
    return name
