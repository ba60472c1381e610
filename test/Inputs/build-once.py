"""build-once.py BUILD FILE.lisp -o PROGRAM: `lispier build` for a program that several tests run.

The first test that wants it builds it, to BUILD/test/programs; PROGRAM becomes a link to it. It is built again when the
compiler, the libraries that it links or any example has changed since. Tests may call this at the same time.
"""
import fcntl
import glob
import hashlib
import os
import subprocess
import sys


def stamp(paths):
    """What identifies the present state of files."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        state = os.stat(path)
        digest.update(f"{path} {state.st_mtime_ns} {state.st_size}\n".encode())
    return digest.hexdigest()


def main():
    build, source, _, program = sys.argv[1:]
    source = os.path.realpath(source)
    examples = glob.glob(os.path.join(os.path.dirname(source), "..", "**", "*.lisp"), recursive=True)
    libraries = glob.glob(os.path.join(build, "lib", "*Runtime.a")) + glob.glob(os.path.join(build, "lib", "*Checkpoint*.a"))
    folder = os.path.join(build, "test", "programs")
    os.makedirs(folder, exist_ok=True)
    built = os.path.join(folder, os.path.basename(source).removesuffix(".lisp"))
    with open(built + ".lock", "a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = stamp([os.path.join(build, "bin", "lispier"), *libraries, *examples])
        lock.seek(0)
        if lock.read() != wanted or not os.path.exists(built):
            # Another test may be running the old one, so it is replaced, not written to.
            done = subprocess.run(["lispier", "build", source, "-o", built + ".new"])
            if done.returncode:
                return done.returncode
            os.replace(built + ".new", built)
            lock.truncate(0)
            lock.write(wanted)
    if os.path.lexists(program):
        os.remove(program)
    os.symlink(built, program)
    return 0


sys.exit(main())
