"""check-gradients-torch.py LISPIER COUNT SEED [OPTION ...]: gradients of random tensor programs against PyTorch's.

The programs of check-gradients.py. Each is evaluated form by form on PyTorch's tensors of F64, and the derivatives along
its directions are compared, also of programs whose differences tell nothing. Needs torch; no test runs it.
"""
import importlib, itertools, re, subprocess, sys, tempfile

import torch

from philox import word
from tensor_values import choices

Programs = importlib.import_module("check-gradients").Programs
torch.set_default_dtype(torch.float64)
KINDS = {"f64": torch.float64, "i1": torch.bool, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32,
         "i64": torch.int64, "index": torch.int64}


def read(text):
    """The forms of a text: symbols and numbers as text, lists and vectors as Python's, vectors with "[" first."""
    open_lists = [[]]
    for token in re.findall(r'"[^"]*"|[()\[\]]|[^\s()\[\]]+', re.sub(r";.*", "", text)):
        if token in "([":
            open_lists.append(["["] if token == "[" else [])
        elif token in ")]":
            done = open_lists.pop()
            open_lists[-1].append(done)
        else:
            open_lists[-1].append(token)
    return open_lists[0]


def tensor(value):
    return value if torch.is_tensor(value) else torch.tensor(value)


def integer(value):
    return int(value.item()) if torch.is_tensor(value) else int(value)


def einsum(text, a, b):
    before, after = text.strip('"').split("->")
    letters = sorted(set(before) - {","})
    wide = 1
    for part, factor in zip(before.split(","), (a, b)):
        order = sorted(part)
        factor = factor.permute([part.index(c) for c in order])
        wide = wide * factor.reshape([factor.shape[order.index(c)] if c in order else 1 for c in letters])
    summed = [i for i, c in enumerate(letters) if c not in after]
    kept = [c for c in letters if c in after]
    total = wide.sum(summed, dtype=wide.dtype) if summed else wide
    return total.permute([kept.index(c) for c in after])


def two(f, g):
    """f of floats, g of integers and bits."""
    return lambda a, b: (f if tensor(a).is_floating_point() or tensor(b).is_floating_point() else g)(tensor(a), tensor(b))


def quotient(a, b):
    return torch.div(a, b, rounding_mode="trunc")


PLAIN = {"tanh": torch.tanh, "sigmoid": torch.sigmoid, "cos": torch.cos, "sin": torch.sin, "exp": torch.exp,
         "sqrt": torch.sqrt, "relu": lambda x: torch.maximum(x, torch.zeros_like(x)), "floor": torch.floor,
         "ceil": torch.ceil, "abs": torch.abs, "neg": torch.neg, "not": torch.logical_not,
         "-": lambda a, b: a - b, "/": two(torch.div, quotient), "%": lambda a, b: torch.fmod(tensor(a), b),
         "bit-and": lambda a, b: tensor(a) & b, "bit-or": lambda a, b: tensor(a) | b, "bit-xor": lambda a, b: tensor(a) ^ b,
         "shift-left": lambda a, b: tensor(a) << b, "shift-right": lambda a, b: tensor(a) >> b,
         "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
         "=": lambda a, b: a == b, "!=": lambda a, b: a != b, "and": torch.logical_and, "or": torch.logical_or,
         "where": lambda c, a, b: torch.where(c, a, b), "einsum": einsum, "dim": lambda x, d: x.shape[d]}


def larger(name, a, b):
    a, b = tensor(a), tensor(b)
    kind = b.dtype if a.dim() == 0 and b.dim() else a.dtype
    return getattr(torch, name)(a.to(kind), b.to(kind))


def reduction(name, x, options):
    axes = options.get("axes", [options["axis"]] if "axis" in options else list(range(x.dim())))
    keep = "keep" in options
    if name in ("sum", "mean"):
        small = x.dtype in (torch.int8, torch.int16, torch.int32)
        return getattr(torch, name)(x, axes, keep, dtype=torch.int64 if small else None)
    of_none = {"any": torch.any, "all": torch.all}.get(name)
    if of_none:
        for axis in sorted((a % x.dim() for a in axes), reverse=True):
            x = of_none(x, axis, keep)
        return x
    return {"max": torch.amax, "min": torch.amin}[name](x, axes, keep)


def updated(x, part, starts):
    place = tuple(slice(integer(s), integer(s) + n) for s, n in zip(starts, part.shape))
    result = x.clone()
    result[place] = part
    return result


class Unknown(Exception):
    """A form, or a keyword of one, that is not evaluated here."""


def known(options, *names):
    for name in options:
        if name not in names:
            raise Unknown(name)


class Evaluator:
    """Values by name, innermost first; functions by theirs."""

    def __init__(self, functions, names=None):
        self.functions, self.names = functions, {"true": True, "false": False, **(names or {})}

    def inside(self, names=()):
        return Evaluator(self.functions, {**self.names, **dict(names)})

    def bind(self, target, value):
        if isinstance(target, list):
            for name, part in zip(target[1:], value):
                self.names[name] = part
        else:
            self.names[target] = value

    def all(self, forms):
        result = None
        for form in forms:
            result = self.value(form)
        return result

    def value(self, form):
        if isinstance(form, str):
            if form in self.names:
                return self.names[form]
            return float(form) if re.search(r"[.e]", form) else int(form)
        if form[0] == "[":
            return [self.value(item) for item in form[1:]]
        head = form[0]
        special = getattr(self, "form_" + head.replace("-", "_"), None)
        if special:
            return special(form[1:])
        if head in self.functions:
            return self.call(self.functions[head], form[1:])
        operands, options = self.split(form[1:])
        if head in ("sum", "mean", "any", "all") or (head in ("max", "min") and len(operands) == 1):
            return reduction(head, operands[0], options)
        if head in ("max", "min"):
            return larger(head + "imum", *operands)
        if head in ("+", "*"):
            total = operands[0]
            for more in operands[1:]:
                total = total + more if head == "+" else total * more
            return total
        if head == "-" and len(operands) == 1:
            return -operands[0]
        if head not in PLAIN or options:
            raise Unknown(head)
        return PLAIN[head](*operands)

    def split(self, forms):
        first = next((i for i, f in enumerate(forms) if isinstance(f, str) and f.startswith(":")), len(forms))
        options = {forms[i][1:]: self.value(forms[i + 1]) for i in range(first, len(forms), 2)}
        return [f if isinstance(f, str) and f.startswith('"') else self.value(f) for f in forms[:first]], options

    def call(self, function, arguments):
        parameters, body = function[2][1:], function[3:]
        names = [p if isinstance(p, str) else p[1] for p in parameters]
        written = [isinstance(p, list) and isinstance(p[2], list) and p[2][0] == "inout" for p in parameters]
        inner = Evaluator(self.functions, dict(zip(names, map(self.value, arguments))))
        inner.written = {n for n, w in zip(names, written) if w}
        result = inner.all(body)
        for name, argument, is_written in zip(names, arguments, written):
            if is_written:
                self.names[argument] = inner.names[name]
        return result

    # --- forms that name or choose --------------------------------------------
    def form_let(self, forms):
        inner = self.inside()
        for target, value in zip(forms[0][1::2], forms[0][2::2]):
            inner.bind(target, inner.value(value))
        return inner.all(forms[1:])

    def form_def(self, forms):
        self.bind(forms[0], self.value(forms[1]))

    def form_if(self, forms):
        chosen = forms[1:2] if bool(self.value(forms[0])) else forms[2:]
        return self.all(chosen)

    def form_for(self, forms):
        name, low, high = forms[0][1], self.value(forms[0][2]), self.value(forms[0][3])
        for i in range(low, high):
            self.names[name] = i
            self.all(forms[1:])

    def form_fold(self, forms):
        names, values = forms[0][1::2], [self.value(v) for v in forms[0][2::2]]
        over = forms[1]
        steps = range(self.value(over[2]), self.value(over[3])) if len(over) == 4 else list(self.value(over[2]))
        for step in steps:
            inner = self.inside([*zip(names, values), (over[1], step)])
            next_values = inner.all(forms[2:])
            values = next_values if len(names) > 1 else [next_values]
        return values if len(names) > 1 else values[0]

    # --- forms on tensors -----------------------------------------------------
    def form_cast(self, forms):
        x, kind = tensor(self.value(forms[1])), KINDS[forms[0]]
        return x.trunc().to(kind) if x.is_floating_point() else x.to(kind)

    def form_zeros(self, forms):
        return torch.zeros(self.value(forms[1]), dtype=KINDS[forms[0]])

    def form_full(self, forms):
        return torch.full(self.value(forms[1]), self.value(forms[2]), dtype=KINDS[forms[0]])

    def form_iota(self, forms):
        return torch.arange(self.value(forms[1])[0], dtype=KINDS[forms[0]])

    def form_uniform(self, forms):
        (like,), options = self.split(forms[1:])
        shape = like if isinstance(like, list) else list(like.shape)
        seed, stream = options["seed"], options["stream"]
        bits = [sum(word(seed, stream, 2 * i + j) << 32 * j for j in range(2)) >> 11
                for i in range(torch.Size(shape).numel())]
        return torch.tensor([b / 2 ** 53 for b in bits]).reshape(shape)

    def form_softmax(self, forms):
        (x,), options = self.split(forms)
        return torch.softmax(x, options["axis"])

    def form_cumsum(self, forms):
        (x,), options = self.split(forms)
        known(options, "axis")
        return torch.cumsum(x, options["axis"])

    def form_transpose(self, forms):
        return self.value(forms[0]).permute(self.value(forms[1]))

    def form_reshape(self, forms):
        return tensor(self.value(forms[0])).reshape([-1 if s == "_" else integer(self.value(s)) for s in forms[1][1:]])

    def form_broadcast(self, forms):
        return self.value(forms[0]).expand(self.value(forms[1]))

    def form_concat(self, forms):
        parts, options = self.split(forms)
        return torch.cat(parts, options["axis"])

    def form_stack(self, forms):
        parts, options = self.split(forms)
        return torch.stack(parts, options["axis"])

    def form_pad(self, forms):
        x, sides = self.value(forms[0]), self.value(forms[1])
        result = torch.full([a + n + b for (a, b), n in zip(sides, x.shape)], self.value(forms[2]), dtype=x.dtype)
        return updated(result, x, [a for a, _ in sides])

    def form_slice(self, forms):
        operands, options = self.split(forms)
        x = operands[0]
        known(options, "axis", "from", "to")
        if "axis" in options:
            axis, start = options["axis"], options["from"]
            return x.narrow(axis, start, options.get("to", x.shape[axis]) - start)
        for axis, (start, size) in enumerate(zip(*operands[1:])):
            x = x.narrow(axis, integer(start), integer(size))
        return x

    def form_gather(self, forms):
        (x, places), options = self.split(forms)
        axis = options["axis"]
        picked = torch.index_select(x, axis, places.reshape(-1).long())
        return picked.reshape(x.shape[:axis] + places.shape + x.shape[axis + 1:])

    def form_add_at(self, forms):
        x, places, added = map(self.value, forms)
        return x.index_add(0, places.reshape(-1).long(), added.reshape((places.numel(),) + x.shape[1:]))

    def form_update(self, forms):
        x, part = self.value(forms[0]), self.value(forms[1])
        result = updated(x, part, self.value(forms[2]))
        if isinstance(forms[0], str) and forms[0] in getattr(self, "written", ()):
            self.names[forms[0]] = result
        return result

    def form_at(self, forms):
        return self.value(forms[0])[tuple(integer(self.value(i)) for i in forms[1:])]


def derivative(text, number):
    """The sum over the directions d of d times the gradient, as the program prints it."""
    functions = {form[1]: form for form in read(text)}
    main = functions[f"c{number}"][3:]
    evaluator = Evaluator(functions)
    for form in itertools.takewhile(lambda form: form[0] == "def" and isinstance(form[1], str), main):
        evaluator.value(form)
    names = evaluator.names
    floats = [n for n in "xyz" if "d" + n in names]
    for name in floats:
        names[name] = names[name].clone().requires_grad_()
    loss = evaluator.call(functions[f"f{number}"], ["x", "y", "z"])
    if not loss.requires_grad:
        return 0.0
    gradients = torch.autograd.grad(loss, [names[n] for n in floats], allow_unused=True)
    return sum((names["d" + n] * g).sum().item() for n, g in zip(floats, gradients) if g is not None)


def main():
    lispier, total, seed, options, step, numbers = choices(sys.argv)
    programs = [(i, Programs(seed + i).program(i)) for i in numbers]
    programs = [(i, text) for i, text in programs if text]
    unknown = 0
    for first in range(0, len(programs), step):
        some = programs[first:first + step]
        source = "".join(text for _, text in some) + f"(defn main [] {' '.join(f'(c{i})' for i, _ in some)})\n"
        with tempfile.NamedTemporaryFile("w", suffix=".lisp") as file:
            file.write(source)
            file.flush()
            run = subprocess.run([lispier, "run", "--cache=false", *options, file.name], capture_output=True, text=True)
        if run.returncode:
            sys.exit(run.stderr)
        found = [float(n) for n in re.findall(r"f64 \[\] (\S+)", run.stdout)][::3]
        for (number, text), exact in zip(some, found, strict=True):
            try:
                wanted = derivative(text, number)
            except Unknown:
                unknown += 1
                continue
            if not abs(exact - wanted) <= 1e-9 * max(1.0, abs(wanted)):
                sys.exit(f"{text}gives {exact}, and PyTorch {wanted}")
    print(f"{len(programs) - unknown} of {total} programs have PyTorch's gradients, and {unknown} forms that are not "
          "evaluated here")


if __name__ == "__main__":
    main()
