"""bank_conflicts.py FILE.ptx KERNEL: how many accesses of 128 bytes the loads of a warp from shared memory take.

Executes the integer instructions of the kernel for each lane of the first warp of the first block, up to its first 64
loads from shared memory, and prints `N accesses for M loads`: 4 of each are the least of loads of 16 bytes by 32 lanes.
"""
import re
import sys

LOADS = 64
ALL = (1 << 64) - 1
BINARY = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "and": lambda a, b: a & b, "or": lambda a, b: a | b,
          "xor": lambda a, b: a ^ b, "shl": lambda a, b: a << b, "shr": lambda a, b: a >> b,
          "mul": lambda a, b: a * b, "min": min, "max": max}
COMPARE = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
           "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}


def instructions(text, kernel):
    """[(predicate or None, op, operands)], {label: index}."""
    body = re.search(r"\.entry " + kernel + r"\((.*?)\n\}", text, re.S).group(1)
    code, labels = [], {}
    for line in body.splitlines():
        line = line.split("//")[0].strip()
        if re.fullmatch(r"\$?\w+:", line):
            labels[line[:-1]] = len(code)
        match = re.fullmatch(r"(?:@(!?%\w+)\s+)?([a-z][\w.]*)\s*(.*);", line)
        if match:
            operands = [word.strip() for word in re.split(r",(?![^{\[]*[}\]])", match.group(3))]
            code.append((match.group(1), match.group(2), operands))
    return code, labels


def loads(code, labels, lane):
    """[(bytes, address)] of a lane's loads from shared memory."""
    values, found, at = {"%tid.x": lane}, [], 0

    def value(word):
        return values.get(word, int(word, 0) & ALL if re.fullmatch(r"-?(0x[\da-fA-F]+|\d+)", word) else 0)

    while at < len(code) and len(found) < LOADS:
        (predicate, op, words), at = code[at], at + 1
        if predicate and bool(values.get(predicate.lstrip("!"), 0)) == predicate.startswith("!"):
            continue
        name = op.split(".")[0]
        bits = ALL if "64" in op or "wide" in op else 0xFFFF if op.endswith("16") else 0xFFFFFFFF
        if name == "bra":
            at = labels[words[0]]
        elif name == "ld" and "shared" in op:
            base, offset = re.fullmatch(r"\[(\S+?)([+-]-?\d+)?\]", words[1]).groups()
            size = 16 if "v4" in op else 8 if "v2" in op else 4
            found.append((size, value(base) + int((offset or "0").replace("+-", "-"))))
        elif name in ("mov", "cvt", "cvta") and not words[0].startswith("{"):
            values[words[0]] = value(words[1]) & bits
        elif name in BINARY:
            values[words[0]] = BINARY[name](value(words[1]), value(words[2])) & bits
        elif name == "mad":
            values[words[0]] = value(words[1]) * value(words[2]) + value(words[3]) & bits
        elif name == "bfe":
            values[words[0]] = value(words[1]) >> value(words[2]) & (1 << value(words[3])) - 1
        elif name == "selp":
            values[words[0]] = value(words[1] if value(words[3]) else words[2])
        elif name == "setp":
            values[words[0]] = COMPARE[op.split(".")[1]](value(words[1]), value(words[2]))
        elif name == "not":
            values[words[0]] = 1 - value(words[1]) if "pred" in op else ~value(words[1]) & bits
    return found


def accesses(size, addresses):
    """As many lanes as can have 128 bytes access memory together, each bank one word at a time."""
    together, count = 128 // size, 0
    for first in range(0, len(addresses), together):
        words = {(address // 4 + i) for address in addresses[first:first + together] for i in range(size // 4)}
        count += max(sum(word % 32 == bank for word in words) for bank in range(32))
    return count


def main():
    with open(sys.argv[1]) as f:
        code, labels = instructions(f.read(), sys.argv[2])
    lanes = [loads(code, labels, lane) for lane in range(32)]
    total = sum(accesses(each[0][0], [address for _, address in each]) for each in zip(*lanes))
    print(f"{total} accesses for {len(lanes[0])} loads")


if __name__ == "__main__":
    main()
