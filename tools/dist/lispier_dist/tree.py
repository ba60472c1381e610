"""The source tree and its build: what all packages contain."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def version():
    """The project's version: that of CMakeLists.txt."""
    return re.search(r"^project\(lispier VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]


def licences():
    """(name, path) of each licence of what packages contain."""
    return [("LICENSE", ROOT / "LICENSE"),
            *sorted((path.name, path) for path in (ROOT / "tools" / "dist" / "licences").glob("*.txt"))]


def timestamp():
    """The time of all files in packages, in seconds: of the commit, so that each build of it has the same bytes."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    done = subprocess.run(["git", "-C", str(ROOT), "log", "-1", "--format=%ct"], capture_output=True, text=True)
    return int(done.stdout) if done.returncode == 0 and done.stdout.strip() else 315532800  # The first day of zip.


def check_packages():
    """Ends the process with one message if packages are missing that the build needs. Installs nothing."""
    if not shutil.which("dpkg-query"):
        return
    done = subprocess.run([ROOT / "tools" / "dev" / "packages", "--missing"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr.strip())


class _Progress:
    """A line on the terminal, past pip, which shows nothing of what it runs."""

    def __init__(self):
        try:
            self._terminal = open("/dev/tty", "w", encoding="utf-8")
        except OSError:
            self._terminal = None
        self._last = 0.0

    def show(self, text):
        if self._terminal and time.monotonic() - self._last > 0.2:
            self._last = time.monotonic()
            self._terminal.write(f"\r\033[Klispier: {text}")
            self._terminal.flush()

    def end(self):
        if self._terminal:
            self._terminal.write("\r\033[K")
            self._terminal.close()


def _run(command, progress, what):
    """Runs it; ends this process with its last lines if it fails."""
    lines = []
    environment = {**os.environ, "NINJA_STATUS": "[%f/%t] "}
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", env=environment) as process:
        for line in process.stdout:
            lines.append(line)
            step = re.match(r"\[(\d+/\d+)\]", line)
            progress.show(f"{what} {step[1]}" if step else what)
    if process.returncode:
        sys.exit("".join(lines[-40:]) + f"error: {what} failed; these are the last lines of `{command[0]} "
                 f"{command[1]}`")


def build(folder=None):
    """Builds what packages contain, which is quick where all else is built. Returns the build folder."""
    progress = _Progress()
    folder = Path(folder or ROOT / "build")
    try:
        if not (folder / "CMakeCache.txt").exists():
            _run(["cmake", "--preset", "portable", "-S", ROOT, "-B", folder], progress, "configuring")
        _run(["cmake", "--build", folder, "--target", "lispier-packaged"], progress, "building")
    finally:
        progress.end()
    return folder


class Staged:
    """A temporary folder with the files as they are below a prefix such as /usr. Used with `with`; `path` is the
    folder."""

    def __init__(self, build_folder=None):
        self._build = build_folder

    def __enter__(self):
        check_packages()
        folder = build(self._build)
        self.path = Path(tempfile.mkdtemp(prefix="lispier-dist-"))
        subprocess.run(["cmake", "--install", folder, "--component", "portable", "--prefix", self.path],
                       stdout=subprocess.DEVNULL, check=True)
        self._add("share/man/man1/lispier.1", "--man")
        self._add("share/bash-completion/completions/lispier", "--completions=bash")
        self._add("share/fish/vendor_completions.d/lispier.fish", "--completions=fish")
        return self

    def _add(self, name, option):
        """A file that the tool itself prints."""
        path = self.path / name
        path.parent.mkdir(parents=True)
        done = subprocess.run([self.path / "bin" / "lispier", option], capture_output=True, check=True)
        path.write_bytes(done.stdout)

    def __exit__(self, *error):
        shutil.rmtree(self.path)

    def files(self):
        """(name, path) of each file, sorted."""
        return sorted((path.relative_to(self.path).as_posix(), path) for path in self.path.rglob("*")
                      if path.is_file())
