"""seed-mistakes.py LISPIER TARGET PROGRAM.lisp PART [warpgroups|rings|turns]: seeds mistakes in a distributed tile program, one at a time.

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
# Of a ring, and of results that are written through memory of the block.
RING_MISTAKES = [
    ("barrier behind the start of the ring removed", r"gpu\.barrier$", 0, None, "sim-race"),
    ("start removed", r"tile\.ring_start", 0, None, "sim-barrier"),
    ("a consumer too many", r"tile\.ring_start", 0, (", 8 :", ", 9 :"), "sim-barrier"),
    ("a consumer too few", r"tile\.ring_start", 0, (", 8 :", ", 7 :"), "sim-barrier"),
    ("wait for a fill removed", r"tile\.filled", 0, None, "sim-unwritten"),
    ("wait for the first fill only", r"tile\.filled", 0, (r"\[%\w+\]", r"[%c0_i32]"), "sim-unwritten"),
    ("wait for a slot removed", r"tile\.vacant", 0, None, "sim-barrier"),
    ("parity of the wait for a slot flipped", r"tile\.vacant", 0, (", 1 :", ", 4 :"), "sim-barrier"),
    ("wait for an earlier release", r"tile\.vacant", 0, (", 1 :", ", 0 :"), "sim-race"),
    ("a byte less", r"tile\.vacant", 0, ("32768", "32767"), "sim-barrier"),
    ("a byte more", r"tile\.vacant", 0, ("32768", "32769"), "sim-barrier"),
    ("a fill removed", r"tile\.fill ", 1, None, "sim-barrier"),
    ("fills of one slot", r"tile\.fill ", 0, (r"\[%\w+\] :", "[%c0_i32] :"), "sim-barrier"),
    ("fill of transposed places", r"tile\.fill ", 0, (r"\[(%\w+), (%\w+)\] to", r"[\2, \1] to")),
    ("release removed", r"tile\.release", 0, None, "sim-barrier"),
    ("release of what the product in flight reads", r"tile\.release", 0, (", 1 :", ", 0 :"), "sim-race"),
    ("release before the product has ended", r"tile\.warpgroup_wait .*, 1 :", 0, (", 1 :", ", 3 :"), "sim-race"),
    ("release by all lanes", r"arith\.cmpi eq, .*: i32", 1, ("cmpi eq", "cmpi sge")),
    ("wait behind the loop for too few", r"tile\.warpgroup_wait .*, 0 :", 0, (", 0 :", ", 1 :"), "sim-unwritten"),
    ("wait for a buffer removed", r"tile\.drained 1", 2, None, "sim-race"),
    ("wait for a buffer that leaves two copies", r"tile\.drained 1", 3, ("drained 1", "drained 2"), "sim-race"),
    ("wait at the end removed", r"tile\.drained 0", 0, None, "sim-race"),
    ("barrier behind the wait for a buffer removed", r"tile\.join %\w+, 128$", 2, None, "sim-race"),
    ("barrier before a bulk copy removed", r"tile\.join %\w+, 128 publishes", 0, None, "sim-race"),
    ("fence before a bulk copy removed", r"tile\.join %\w+, 128 publishes", 1, (" publishes", ""), "sim-race"),
    ("barrier of more threads than come", r"tile\.join %\w+, 128$", 0, ("128", "160"), "sim-barrier"),
    ("part of a result not stored", r"tile\.store_matrix", 1, None),
    ("matrices at another place", r"tile\.store_matrix", 4, (r"\[%\w+\]", "[%c0]")),
    ("bulk copy removed", r"tile\.copy_bulk", 3, None),
    ("bulk copy of half of the rows", r"tile\.copy_bulk", 0, (", 64 :", ", 32 :")),
]

# Of loops that compute between products, whose factors each have a ring, and in which groups take turns.
TURN_MISTAKES = [
    ("first turn not given", r"tile\.join %\w+, 256 passes", 0, None, "sim-barrier"),
    ("wait for a turn removed", r"tile\.join %\w+, 256$", 0, None, "sim-barrier"),
    ("end of a turn removed", r"tile\.join %\w+, 256 passes", 1, None, "sim-barrier"),
    ("turn of fewer threads", r"tile\.join %\w+, 256$", 0, ("256", "224"), "sim-barrier"),
    ("wait for what all steps read removed", r"tile\.filled", 0, None, "sim-unwritten"),
    ("wait for a factor removed", r"tile\.filled", 1, None, "sim-unwritten"),
    ("wait for the second product's factor removed", r"tile\.filled", 2, None, "sim-unwritten"),
    ("release removed", r"tile\.release", 0, None, "sim-barrier"),
    ("release of the second product's factor removed", r"tile\.release", 1, None, "sim-barrier"),
    ("first product used before it has ended", r"tile\.warpgroup_wait .*, 1 :", 0, (", 1 :", ", 2 :"), "sim-unwritten"),
    ("release before the second product has ended", r"tile\.warpgroup_wait .*, 0 keeping", 0, (", 0 keeping", ", 1 keeping"),
     "sim-race"),
    ("wait for a slot removed", r"tile\.vacant", 1, None, "sim-barrier"),
    ("wait for a release that does not come", r"tile\.vacant", 1, (", 0 :", ", 1 :"), "sim-barrier"),
    ("a byte less", r"tile\.vacant", 1, ("16384", "16383"), "sim-barrier"),
    ("a fill removed", r"tile\.fill ", 2, None, "sim-barrier"),
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
    mistakes = {"warpgroups": WARPGROUP_MISTAKES, "rings": RING_MISTAKES, "turns": TURN_MISTAKES}.get(which, MISTAKES)[part - 1::parts]
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
