"""Functions of Lispier programs as operators of PyTorch.

    softmax = lispier.torch.op("mine::softmax", m.softmax_rows, backward=True)
    y = softmax(x)                        # with gradients, in torch.compile(fullgraph=True) and in torch.export

Tensors are passed without a copy, on the CPU and on GPUs, in PyTorch's current stream.
"""
import keyword
import re

import torch

from . import _arrays, _module
from ._library import Error

_DTYPES = {own: getattr(torch, name) for own, name in _arrays.NAMES.items()}
_FLOATS = ("f16", "bf16", "f32", "f64")


def op(name, function, *, backward=None, example=None):
    """The operator "namespace::name" of a function, which takes tensors and numbers, and dicts or objects for records.
    A generic function needs `example`, a tuple of arguments of the types that it is called with.

    `backward`: True for gradients of the function's formulas (vjp), or a function of the arguments and then of the
    gradients of the results. It returns the gradients of the arguments that are tensors of floats, in order."""
    return _Op(name, function, backward, example)


class _Op:
    """Its call takes what the function takes."""

    def __init__(self, name, function, backward, example):
        if not function.is_typed and example is None:
            raise Error(f"{function.__name__} has no types; pass example=, a tuple of arguments")
        self._function = function
        entry = function.entry(example or (), {})
        self._leaves = entry.leaves
        self._flatten = entry.flatten
        self._has_records = any("fields" in value for value in entry.described["parameters"])
        self.__name__ = name
        self.__doc__ = entry.described["usage"]
        if any("sizes" not in result for result in entry.results):
            raise Error(f"{entry.name}: an operator returns tensors, and this function a number")
        self._defined = torch.library.custom_op(name, self._run, mutates_args=_mutated(entry.leaves),
                                                schema=_schema(entry))
        self._defined.register_fake(self._fake)
        if backward is not None:
            self._add_gradient(name, entry, backward, example)

    def __call__(self, *arguments):
        return self._defined(*(self._flatten(arguments) if self._has_records else arguments))

    def __repr__(self):
        return f"<operator {self.__name__}: {self.__doc__.splitlines()[0]}>"

    @property
    def operator(self):
        """PyTorch's, as torch.library.opcheck takes it: of the tensors and numbers, also for records."""
        return self._defined

    def _run(self, *flat):
        # Autograd works above; a tensor that wants a gradient says so here too, and is not exported then.
        flat = [each.detach() if isinstance(each, torch.Tensor) else each for each in flat]
        entry = self._function.entry(flat, {})
        return entry.call_flat(flat) if self._has_records else entry(flat)

    def _fake(self, *flat):
        entry = self._function.entry(flat, {})
        known = {}
        for (path, value), given in zip(entry.leaves, flat):
            if "sizes" not in value:
                known[path[0]] = given
            for d, size in enumerate(value.get("sizes", ())):
                known.setdefault(size, given.shape[d])
                known[f"{'.'.join(path)}.shape[{d}]"] = given.shape[d]
        like = next((given for given in flat if isinstance(given, torch.Tensor)), None)
        make = like.new_empty if like is not None else torch.empty
        made = [make([_size(size, known) for size in result["sizes"]], dtype=_DTYPES[result["type"]])
                for result in entry.results]
        return made[0] if len(made) == 1 else tuple(made) if made else None

    def _add_gradient(self, name, entry, backward, example):
        wanted = [i for i, (_, value) in enumerate(entry.leaves) if value["type"] in _FLOATS and "sizes" in value]
        if backward is True:
            backward = _derived(self._function, entry, wanted, example)
        if isinstance(backward, _module.Function):
            seeds = tuple(torch.empty([0] * len(result["sizes"]), dtype=_DTYPES[result["type"]])
                          for result in entry.results)
            backward = _Op(name + "_backward", backward, None, example and example + seeds).operator

        def keep(ctx, inputs, output):
            tensors = [each for each in inputs if isinstance(each, torch.Tensor)]
            ctx.save_for_backward(*tensors)
            ctx.numbers = [None if isinstance(each, torch.Tensor) else each for each in inputs]

        def differentiate(ctx, *seeds):
            tensors = iter(ctx.saved_tensors)
            inputs = [next(tensors) if number is None else number for number in ctx.numbers]
            found = backward(*inputs, *(seed.contiguous() for seed in seeds))
            gradients = [None] * len(inputs)
            for i, gradient in zip(wanted, found if isinstance(found, (tuple, list)) else (found,)):
                gradients[i] = gradient
            return tuple(gradients)

        self._defined.register_autograd(differentiate, setup_context=keep)


def _names(leaves):
    """A name of Python's for each number and tensor."""
    names = []
    for path, _ in leaves:
        name = re.sub(r"\W", "_", "_".join(path))
        name += "_" if keyword.iskeyword(name) or name in ("self", "out") or name in names else ""
        names.append(name)
    return names


def _mutated(leaves):
    return tuple(name for name, (_, value) in zip(_names(leaves), leaves) if value.get("access") == "write")


def _schema(entry):
    """"(Tensor x, float a) -> Tensor\""""
    parameters = []
    for i, (name, (_, value)) in enumerate(zip(_names(entry.leaves), entry.leaves)):
        if "sizes" in value:
            kind = f"Tensor(a{i}!)" if value["access"] == "write" else "Tensor"
        else:
            kind = "bool" if value["type"] == "i1" else "float" if value["type"] in _FLOATS else "SymInt"
        parameters.append(f"{kind} {name}")
    results = ", ".join("Tensor" for _ in entry.results)
    return f"({', '.join(parameters)}) -> " + (results if len(entry.results) == 1 else f"({results})")


def _size(text, known):
    """The number that a size of a result is: "n", or "2 n k + 3", where a product is written without a sign."""
    if isinstance(text, int):
        return text
    if text in known:
        return known[text]
    total = 0
    for term in text.split(" + "):
        product = 1
        for factor in term.split(" "):
            if factor == "_":
                return torch.library.get_ctx().new_dynamic_size()
            product = product * (known[factor] if factor in known else int(factor))
        total = total + product
    return total


def _type(value):
    if "sizes" not in value:
        return value["type"]
    sizes = " ".join(str(size) if isinstance(size, int) or re.fullmatch(r"[\w-]+", size) else "_"
                     for size in value["sizes"])
    return f"(tensor {sizes} {value['type']})"


def _derived(function, entry, wanted, example):
    """A function of the arguments and of the gradient of the result, made of the program's formulas."""
    if any("fields" in value for value in entry.described["parameters"]) or len(entry.results) != 1:
        raise Error(f"{entry.name}: backward=True is for functions without records that return one tensor; "
                    "write the backward function with (vjp ...) or (value-and-grad ...)")
    names = [f"x{i}" for i in range(len(entry.leaves))]
    types = [_type(value) for _, value in entry.leaves] if function.is_typed else function.types(example)
    parameters = " ".join(f"(: {name} {kind})" for name, kind in zip(names, types))
    gradients = " ".join(f"d{i}" for i in wanted)
    program = (f'(require ["{function._module._path}" :as program])\n'
               f"(defn backward [{parameters} (: dy {_type(entry.results[0])})]\n"
               f"  (def [y {gradients}] (vjp program/{entry.name} {' '.join(names)} :seed dy :wrt "
               f"[{' '.join(map(str, wanted))}]))\n  {gradients if len(wanted) == 1 else '[' + gradients + ']'})\n")
    options = {"target": function._module._target or "auto", "cpu": function._module._cpu}
    return _module.source(program, **options).backward
