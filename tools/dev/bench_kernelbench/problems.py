"""Reads the problems of level1.lisp and level2.lisp: their names, and the sizes of their operands."""
import math
import os
import re

COLUMNS = {"gpu": 1, "cpu": 2, "small": 3}
SAMPLES = {"gpu": 256, "cpu": 256, "small": 8}  # Elements that are compared, as problems.lisp has it.


def forms(text):
    """The forms of a program, as lists of lists and words.

    >>> forms('(problem 1 "a b" [[n 4 2 3]]) ; no more')
    [['problem', '1', '"a b"', [['n', '4', '2', '3']]]]
    """
    stack = [[]]
    for word in re.findall(r';.*|"[^"]*"|[()\[\]]|[^\s()\[\]"]+', text):
        if word in "([":
            stack.append([])
        elif word in ")]":
            done = stack.pop()
            stack[-1].append(done)
        elif not word.startswith(";"):
            stack[-1].append(word)
    return stack[0]


class Problem:
    def __init__(self, level, form):
        _, number, name, sizes, operands, *formula = form
        self.level, self.number, self.name = level, int(number), name.strip('"')
        self.sizes = {row[0]: [int(n) for n in row[1:]] for row in sizes}
        self.kinds = list(zip(operands[::2], operands[1::2]))
        self.multiplies = any(word in str(formula) for word in ("matmul", "einsum", "conv"))

    def operands(self, column):
        """(kind, sizes, seed) of each operand."""
        at = COLUMNS[column] - 1
        size = lambda d: int(d) if d.isdigit() else self.sizes[d][at]
        return [(kind, [size(d) for d in sizes], 1 + i) for i, (_, (kind, *sizes)) in enumerate(self.kinds)]


def read(path):
    """The problems of a file in the order of their numbers."""
    level = int(re.search(r"level(\d)", os.path.basename(path)).group(1))
    with open(path) as f:
        found = next(form for form in forms(f.read()) if form[0] == "problems")
    return sorted((Problem(level, form) for form in found[1:]), key=lambda p: p.number)


# How far a result of f32 may be from one of float64, or at the large sizes from another of f32 (the suite's tolerance).
LIMITS = {"small": 4e-6, "cpu": 1e-4, "gpu": 1e-4, "tf32": 4e-3}


def difference(found, wanted):
    """How far two results are apart, by what (report y) prints of them: their norms and weighted sums beside the norm,
    and each element beside itself and the root of the mean square.

    >>> difference([4, 2.0, 0.5, 0.5, 1.0], [4, 2.0, 0.5, 0.5, 1.5])
    0.2
    """
    if len(found) != len(wanted) or found[0] != wanted[0] or not all(map(math.isfinite, found)):
        return math.inf
    norm = wanted[1] or 1.0
    mean = norm / math.sqrt(wanted[0])
    return max([abs(a - b) / norm for a, b in zip(found[1:4], wanted[1:4])] +
               [abs(a - b) / (abs(b) + mean) for a, b in zip(found[4:], wanted[4:])])
