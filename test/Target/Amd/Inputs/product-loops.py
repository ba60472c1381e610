"""product-loops.py CHIP FILE KERNEL[:BAR,...]...: compiles FILE for an AMD chip, and prints a row of the table in
lib/Target/Amd/README.md for the loop of products of each kernel: what a step of a tile that is inside of memory
executes. That is, of the ways through a step, the one that moves most in accesses of 8 or 16 bytes, and of these the
shortest. Fails if a step has moves of accumulation registers or scratch memory, or misses one of the bars: `few`, at
most three instructions for each matrix instruction; `ahead`, a wait for loads that leaves some under way; `busy`, a
share of 0.75.

The last column is the share of a step's cycles in which the matrix unit works, of one wave, by llvm-mca, which knows no
memory. It takes a load of global memory for one of shared memory, too, so that a wait for the latter would be one for
both; a buffer load stands for it, which is as long."""
import os
import re
import subprocess
import sys
import tempfile

MATRIX, WIDE = r"v_(mfma|wmma)_", r"global_load_(dwordx[24]|b128|b64)|ds_(write|store)_b(64|128)"
COUNTED = "global_load", "ds_(read|load)", "ds_(write|store)"
NONE = "v_accvgpr", r"scratch_|buffer_(load|store).* offen"
MOST_INSTRUCTIONS, LEAST_SHARE = 3, 0.75


def output(*words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.stderr}")
    return done.stdout


def instructions_of(code):
    """[text, where it branches to or None], by llvm-objdump; a target is the number of an instruction."""
    found = re.findall(r"^\s+(\S+)(.*?)\s*// ([0-9A-F]+):[^<\n]*(?:<\S+?\+0x([0-9a-f]+)>)?$", code, re.MULTILINE)
    first = int(found[0][2], 16)
    numbers = {int(address, 16) - first: i for i, (_, _, address, _) in enumerate(found)}
    return [(name + operands, numbers.get(int(to, 16)) if to and name.startswith(("s_cbranch", "s_branch")) else None)
            for name, operands, _, to in found]


class Flow:
    """Basic blocks, by their first instructions."""

    def __init__(self, all):
        self.all = all
        targets = {to for _, to in all if to is not None}
        ends = {i + 1 for i, (text, to) in enumerate(all) if to is not None or text.startswith("s_endpgm")}
        first = sorted(({0} | targets | ends) - {len(all)})
        self.end = dict(zip(first, first[1:] + [len(all)]))
        self.next = {}
        for begin, end in self.end.items():
            text, to = all[end - 1]
            falls = not text.startswith(("s_branch", "s_endpgm")) and end < len(all)
            self.next[begin] = ([to] if to is not None else []) + ([end] if falls else [])
        self.order = self.postorder()[::-1]
        self.before = {n: [p for p in self.order if n in self.next[p]] for n in self.order}
        self.dominators = self.find_dominators()

    def postorder(self):
        done, seen, stack = [], {0}, [(0, iter(self.next[0]))]
        while stack:
            block, rest = stack[-1]
            following = next((n for n in rest if n not in seen), None)
            if following is None:
                done.append(block)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(self.next[following])))
        return done

    def find_dominators(self):
        found = {n: set(self.order) for n in self.order}
        found[0] = {0}
        changed = True
        while changed:
            changed = False
            for n in self.order[1:]:
                new = set.intersection(*(found[p] for p in self.before[n])) | {n}
                changed |= new != found[n]
                found[n] = new
        return found

    def loops(self):
        """{head: (blocks, blocks that branch back)}"""
        found = {}
        for latch in self.order:
            for head in self.next[latch]:
                if head in self.dominators[latch]:
                    body, latches = found.setdefault(head, ({head}, set()))
                    latches.add(latch)
                    open = [latch]
                    while open:
                        block = open.pop()
                        if block not in body:
                            body.add(block)
                            open += self.before[block]
        return found

    def count(self, blocks, pattern):
        return sum(bool(re.match(pattern, self.all[i][0])) for b in blocks for i in range(b, self.end[b]))

    def step(self, head, body, latches):
        best = {}
        for block in (n for n in self.order if n in body):
            before = [((0, 0), [])] if block == head else [best[p] for p in self.before[block] if p in best]
            (wide, length), path = max(before, key=lambda way: way[0])
            best[block] = (wide + self.count([block], WIDE), length + block - self.end[block]), path + [block]
        path = max((best[n] for n in latches), key=lambda way: way[0])[1]
        return [self.all[i][0] for b in path for i in range(b, self.end[b])]


def step_of_products(code):
    flow = Flow(instructions_of(code))
    loops = {head: loop for head, loop in flow.loops().items() if flow.count(loop[0], MATRIX)}
    inner = [head for head, (body, _) in loops.items() if not any(other in body for other in loops if other != head)]
    return flow.step(inner[0], *loops[inner[0]])


def share(step, chip):
    text = "\n".join(each for each in step if not each.startswith(("s_cbranch", "s_branch")))
    text = re.sub(r"global_load_(\w+) (\S+) v\[?(\d+)\S* (off|s\S+)", r"buffer_load_\1 \2 v\3, s[0:3], 0 offen", text)
    with tempfile.NamedTemporaryFile("w", suffix=".s") as file:
        file.write(text + "\n")
        file.flush()
        report = output("llvm-mca", "-mtriple=amdgcn-amd-amdhsa", f"-mcpu={chip}", "-iterations=10", file.name)
    units = re.findall(r"^\[(\d+)\]\s+- (\w+)", report, re.MULTILINE)
    pressure = re.search(r"Resource pressure per iteration:\n.*\n(.*)", report)[1].split()
    busy = 10 * float(dict(zip((name for _, name in units), pressure))["HWXDL"])
    return busy / int(re.search(r"Total Cycles:\s+(\d+)", report)[1])


chip, program, *names = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    binary = os.path.join(folder, "kernels.hsaco")
    output("lispier", f"--target=rocm:{chip}", "--emit=hsaco", program, "-o", binary)
    for name, _, bars in (each.partition(":") for each in names):
        step = step_of_products(output("llvm-objdump", "-d", f"--disassemble-symbols={name}", binary)
                                .split(f"<{name}>:\n")[1])
        count = lambda pattern: sum(bool(re.match(pattern, each)) for each in step)
        matrix, busy = count(MATRIX), share(step, chip)
        waits = [int(n) for each in step for n in re.findall(r"s_waitcnt.*vmcnt\((\d+)\)", each)]
        moves, scratch = map(count, NONE)
        print("| " + " | ".join(map(str, [
            name, chip, matrix, f"{len(step) / matrix:.2f}", *map(count, COUNTED), " ".join(map(str, waits)), moves,
            scratch, f"{busy:.2f}"])) + " |")
        reached = {"few": len(step) <= MOST_INSTRUCTIONS * matrix, "ahead": any(waits), "busy": busy >= LEAST_SHARE}
        missed = [bar for bar in bars.split(",") if bar and not reached[bar]]
        if missed or moves or scratch:
            sys.exit(f"{name} on {chip} misses: {' '.join(missed)}")
