"""seed-mistakes.py LISPIER TARGET PROGRAM.lisp PART [warpgroups]: seeds mistakes in a distributed tile program, one at a time.

Lowers the program for TARGET, changes one line of the kernel, and runs the result under the simulator. A mistake is found if
the simulator reports an error (of the kind that the mistake's row names), or a number differs. PART, such as --part=3/8, chooses
among the mistakes. Prints a line for each; fails if one is not found, if the program is wrong without a mistake, or if a
mistake has no line to change.
"""
import re
import subprocess
import sys
import tempfile

# What is changed: the n-th line of the kernels that matches, by a substitution; an empty one removes the line. The last, if
# given, is what the simulator must report.
MISTAKES = [
    ("barrier before a step removed", r"gpu\.barrier$", 0, None, "sim-unwritten"),
    ("barrier before the sums of warps removed", r"gpu\.barrier$", -1, None),
    ("wait for the copies removed", r"nvvm\.cp\.async\.wait\.group", 0, None),
    ("wait that leaves a group in flight", r"nvvm\.cp\.async\.wait\.group", 0, ("group 0", "group 1"), "sim-unwritten"),
    ("copies of a step without a group", r"nvvm\.cp\.async\.commit\.group", 0, None),
    ("half of a copy", r"nvgpu\.device_async_copy .*, 8 \{", 0, (", 8 {bypassL1}", ", 4")),
    ("a copy removed", r"nvgpu\.device_async_copy .*, 8 \{", 1, None),
    ("rows of a not transposed", r"nvgpu\.ldmatrix .*transpose = false", 0, ("false", "true")),
    ("columns of b transposed twice", r"nvgpu\.ldmatrix .*transpose = true", 0, ("true", "false")),
    ("registers of a in another order", r"nvvm\.mma\.sync", 0, (r"A\[(%\w+), (%\w+)", r"A[\2, \1")),
    ("halves of a exchanged", r"nvvm\.mma\.sync", 1, (r"A\[(%\w+), (%\w+), (%\w+), (%\w+)\]", r"A[\3, \4, \1, \2]")),
    ("registers of b in another order", r"nvvm\.mma\.sync", 2, (r"B\[(%\w+), (%\w+)\]", r"B[\2, \1]")),
    ("sums in another order", r"nvvm\.mma\.sync", 3, (r"C\[(%[\w#]+), (%[\w#]+), (%[\w#]+)", r"C[\1, \3, \2")),
    ("result's row of another lane", r"llvm\.extractvalue .*\[1\]", -1, (r"\[1\]", "[2]")),
    ("shuffle of another lane", r"gpu\.shuffle +xor", 0, (r"xor (%[\w#]+), (%\w+), ", r"xor \1, %c0_i32, ")),
    ("shuffle of a part of the group", r"gpu\.shuffle +xor", 1, (r"xor (%[\w#]+), (%\w+), (%\w+)", r"up \1, \2, \3")),
    ("place in shared memory without its permutation", r"arith\.xori", 0, ("xori", "andi")),
    ("two writers of one place", r"arith\.andi .*: i32", 0, ("andi", "ori"), "sim-race"),
    ("lanes of the wrong warp", r"arith\.shrui .*: i32", 0, ("shrui", "shli")),
    ("place in shared memory of another row", r"arith\.xori", 1, ("xori", "andi")),
    ("slot of another step", r"arith\.remui .*: index", 0, ("remui", "divui")),
    ("sum replaced by a difference", r"arith\.addf", 0, ("addf", "subf")),
    ("store removed", r"(vector|memref)\.store .*memref<\?x\?xf32", 0, None),
]
# Of products of four warps.
WARPGROUP_MISTAKES = [
    ("fence of registers removed", r"tile\.warpgroup_fence", 0, None, "sim-matrix"),
    ("products without a group", r"tile\.warpgroup_commit", 0, None, "sim-race"),
    ("product in flight when its slot is written", r"tile\.warpgroup_wait .*, 1 :", 0, (", 1 :", ", 3 :"), "sim-race"),
    ("wait behind the loop for too few", r"tile\.warpgroup_wait .*, 0 :", 0, (", 0 :", ", 1 :"), "sim-unwritten"),
    ("scores used before they are complete", r"tile\.warpgroup_wait .*, 1 keeping", 0, (", 1 keeping", ", 2 keeping")),
    ("sums used before they are complete", r"tile\.warpgroup_wait .*, 0 keeping", 0, (", 0 keeping", ", 1 keeping")),
    ("fence of shared memory removed", r"nvvm\.fence\.proxy", 0, None, "sim-race"),
    ("fence of shared memory of late products removed", r"nvvm\.fence\.proxy", 1, None),
    ("barrier before a step removed", r"gpu\.barrier$", 0, None),
    ("wait that leaves a group of copies in flight", r"nvvm\.cp\.async\.wait\.group", 0, ("group 1", "group 2"), "sim-unwritten"),
    ("values not transposed", r"tile\.warpgroup_mma .*transposed", 0, (", transposed", "")),
    ("scores of transposed keys", r"tile\.warpgroup_mma .*n = 64 : i64}", 1, ("n = 64 : i64}", "n = 64 : i64, transposed}")),
    ("slot of another step", r"arith\.remui .*: index", 0, ("remui", "divui"), "sim-unwritten"),
]


def changed(lines, kernel, pattern, number, change):
    matching = [i for i in kernel if re.search(pattern, lines[i])]
    if not matching or (number >= len(matching)):
        return None
    i = matching[number]
    line = "" if change is None else re.sub(change[0], change[1], lines[i]) if "\\" in change[0] else lines[i].replace(*change)
    return None if line == lines[i] else lines[:i] + [line] + lines[i + 1 :]


def main(tool, target, program, chosen, which=""):
    part, parts = map(int, chosen.removeprefix("--part=").split("/"))
    mistakes = (WARPGROUP_MISTAKES if which == "warpgroups" else MISTAKES)[part - 1::parts]
    lowered = subprocess.run([tool, "--emit=loops", f"--target={target}", program], capture_output=True, text=True, check=True)
    lines = lowered.stdout.splitlines()
    starts = [i for i, line in enumerate(lines) if "gpu.func" in line]
    kernel = [j for i, end in zip(starts, starts[1:] + [len(lines)]) if "unaligned" not in lines[i] for j in range(i, end)]

    def run(text):
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write("\n".join(text))
            file.flush()
            return subprocess.run([tool, "run", "--from=loops", f"--target={target}", file.name], capture_output=True, text=True)

    right = run(lines)
    expected = subprocess.run([tool, "run", "--target=cpu", program], capture_output=True, text=True, check=True).stdout
    if right.returncode or right.stdout != expected:
        sys.exit(f"wrong without a mistake: {right.stderr}")
    missed = 0
    for name, pattern, number, change, *kind in mistakes:
        text = changed(lines, kernel, pattern, number, change)
        done = text and run(text)
        if not done:
            how = "NO SUCH LINE"
        elif done.returncode:
            how = (re.search(r"error\[([\w-]+)\]", done.stderr) or ["", "error"])[1]
        else:
            how = "other numbers" if done.stdout != expected else "NOT FOUND"
        found = not how.isupper() and how in (kind or [how])
        missed += not found
        print(f"{name}: {how}" + ("" if found or how.isupper() else f", NOT {kind[0]}"))
    print(f"{len(mistakes) - missed} of {len(mistakes)} found")
    return missed > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
