"""Runs the compiler in a child process, and keeps the libraries that it makes."""
import atexit
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Diagnostic:
    severity: str
    code: str
    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    notes: list = field(default_factory=list)


class CompileError(Exception):
    """A program that does not compile. `diagnostics` has what is wrong, place by place; the text is the compiler's."""

    def __init__(self, text):
        super().__init__(text.rstrip())
        self.diagnostics = parse_diagnostics(text)


_LINE = re.compile(r"^(?:(?P<file>.*?):(?P<line>\d+):(?P<column>\d+): )?"
                   r"(?P<severity>error|warning|note|hint)(?:\[(?P<code>[^\]]*)\])?: (?P<message>.*)$")


def parse_diagnostics(text):
    found = []
    for line in text.splitlines():
        match = _LINE.match(line.strip())
        if not match:
            continue
        if match["severity"] in ("note", "hint"):
            if found:
                found[-1].notes.append(match["message"])
            continue
        found.append(Diagnostic(match["severity"], match["code"] or "", match["message"], match["file"] or "",
                                int(match["line"] or 0), int(match["column"] or 0)))
    return found


def find_tool():
    """The path of `lispier`."""
    if os.environ.get("LISPIER"):
        return os.environ["LISPIER"]
    for folder in (Path(__file__).parent / "bin", Path(__file__).parents[2] / "build" / "bin"):
        if (folder / "lispier").exists():
            return str(folder / "lispier")
    tool = shutil.which("lispier")
    if not tool:
        raise FileNotFoundError("the compiler `lispier` is neither in this source tree's build/bin nor in $PATH; "
                                "set $LISPIER to its path")
    return tool


def run_tool(arguments):
    """Standard output and error; CompileError unless the status is 0."""
    environment = {**os.environ, "LISPIER_CACHE": "0"}
    done = subprocess.run([find_tool(), *arguments], capture_output=True, text=True, env=environment)
    if done.returncode:
        raise CompileError(done.stderr or f"lispier ended with status {done.returncode}")
    return done.stdout, done.stderr


@functools.lru_cache(maxsize=None)
def _temporary_folder():
    folder = tempfile.mkdtemp(prefix="lispier-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def cache_folder():
    """Where libraries are kept, and programs that are texts."""
    if os.environ.get("LISPIER_CACHE") == "0":
        return _temporary_folder()
    base = os.environ.get("LISPIER_CACHE_DIR")
    base = Path(base) if base else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lispier"
    folder = base / "libraries"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if folder.stat().st_uid != os.getuid() or folder.stat().st_mode & 0o022:
        raise PermissionError(f"{folder} has code that this process would run, and others can write to it")
    return folder


def _processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line for line in file if line.startswith("flags")), "")


def _digest(path):
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return ""


def _is_fresh(record):
    return all(_digest(path) == digest for path, digest in record["files"])


def build(path, options):
    """The path of the library of a program. It is made again when a file that it was read from, the compiler, the
    processor or an option is another one."""
    tool = find_tool()
    status = os.stat(tool)
    identity = [tool, status.st_size, status.st_mtime_ns, _processor(), str(path), options]
    key = hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:40]
    folder = cache_folder()
    library, record = folder / (key + ".so"), folder / (key + ".json")
    try:
        if library.exists() and _is_fresh(json.loads(record.read_text())):
            return str(library)
    except (OSError, ValueError):
        pass
    with tempfile.TemporaryDirectory(dir=folder) as made:
        # All libraries of a process have one runtime: one set of threads, and one pool of memory of a device.
        run_tool(["build", "--shared", "--runtime=shared", "--header=none", "--prefix=lispier",
                  f"--dependencies={made}/files", *options, "-o", f"{made}/lib.so", str(path)])
        with open(f"{made}/files", encoding="utf-8") as files:
            names = [os.path.abspath(name) for name in files.read().splitlines()]
        with open(f"{made}/record", "w", encoding="utf-8") as file:
            json.dump({"files": [[name, _digest(name)] for name in names]}, file)
        # A process that has the old library open keeps it.
        os.replace(f"{made}/lib.so", library)
        os.replace(f"{made}/record", record)
    return str(library)
