"""Modules: the functions of a program, compiled for the types that they are called with."""
import hashlib
import os
import tempfile

from . import _arrays, _compiler
from ._library import Error, Library


def load(path, *, target="cpu", cpu="native"):
    """The module of a program, a file. Raises CompileError if it has mistakes."""
    path = os.path.abspath(path)
    if not os.path.exists(path):
        raise FileNotFoundError(path)
    return Module(path, target, cpu)


def source(text, *, target="cpu", cpu="native"):
    """The module of a program that is this text."""
    path = _compiler.cache_folder() / (hashlib.sha256(text.encode()).hexdigest()[:16] + ".lisp")
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
    return Module(str(path), target, cpu)


def _lisp_name(name):
    """layer_norm is layer-norm in a program."""
    return name.replace("_", "-")


class Module:
    """Its attributes are the program's functions."""

    def __init__(self, path, target, cpu):
        self._path = path
        self._options = [f"--target={target}", f"--cpu={cpu}"]
        self._functions = {}
        self._entries = {}
        try:
            self._entries = Library(_compiler.build(path, self._options)).entries
        except _compiler.CompileError as error:
            # A program of generic functions exports none until they are called.
            if [found.code for found in error.diagnostics if found.severity == "error"] != ["export-missing"]:
                raise

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        function = self._function(name)
        setattr(self, name, function)  # The next time it is found without this method.
        return function

    def __getitem__(self, name):
        """A function by a name that is none of Python's."""
        return self._function(name)

    def __dir__(self):
        return sorted({*super().__dir__(), *(name.replace("-", "_") for name in self._entries)})

    def _function(self, name):
        for spelled in (name, _lisp_name(name)):
            if spelled in self._entries:
                return self._functions.setdefault(spelled, Function(self, spelled, self._entries[spelled]))
        return self._functions.setdefault(name, Function(self, _lisp_name(name), None))


class Function:
    """A function of a module. A generic one is compiled for the types of its arguments when they are first met."""

    def __init__(self, module, name, entry):
        self._module = module
        self._entry = entry
        self._instances = {}
        self.__name__ = self.__qualname__ = name
        self.__doc__ = entry.described["usage"] if entry else None

    def __call__(self, *arguments, out=None, **constants):
        return self._find(arguments, constants)(arguments, out)

    def __repr__(self):
        return f"<function {self.__name__} of {self._module._path}>"

    def bind(self, *arguments, **constants):
        """A function for arguments of these types, which takes them and then the memory of the results: tvm-ffi's own
        where it is installed, which looks for nothing and converts no errors."""
        entry = self._find(arguments, constants)
        count = len(entry.described["parameters"])
        return entry.fast or (lambda *all: entry(all[:count], all[count:] or None))

    def ir(self, *arguments, stage="tensor", **constants):
        """The program for arguments of these types after a stage of the compiler, as text."""
        options = self._exporting(self._types(arguments), constants)
        return _compiler.run_tool([f"--emit={stage}", *options, self._module._path])[0]

    def explain(self, *arguments, **constants):
        """Which kernels the function is for arguments of these types, and why there are no fewer."""
        with tempfile.TemporaryDirectory() as folder:
            return _compiler.run_tool(["build", "--shared", "--header=none", "--explain", "-o", folder + "/lib.so",
                                       *self._exporting(self._types(arguments), constants), self._module._path])[1]

    def _find(self, arguments, constants):
        if self._entry and not constants:
            return self._entry
        key = (tuple((a.dtype, a.ndim) if hasattr(a, "ndim") else type(a) for a in arguments),
               tuple(sorted(constants.items())))
        entry = self._instances.get(key)
        if entry is None:
            options = self._exporting(self._types(arguments), constants)
            library = Library(_compiler.build(self._module._path, options))
            (entry,) = library.entries.values()
            self._instances[key] = entry
            self.__doc__ = entry.described["usage"]
        return entry

    def _types(self, arguments):
        """The types of a call, as a program writes them."""
        arrays = [a for a in arguments if _arrays.is_array(a)]
        elements = [_arrays.element_type(array) for array in arrays]
        if None in elements:
            raise Error(f"{self.__name__}: elements of the type {arrays[elements.index(None)].dtype} are not supported")
        types = []
        for argument in arguments:
            if _arrays.is_array(argument):
                sizes = "".join("_ " for _ in range(len(argument.shape)))
                types.append(f"(tensor {sizes}{_arrays.element_type(argument)})")
            elif isinstance(argument, bool):
                types.append("i1")
            elif isinstance(argument, (int, float)):
                types.append(_number_type(argument, elements))
            else:
                raise Error(f"{self.__name__}: {type(argument).__name__} is neither an array nor a number; "
                            "a function with records needs types in the program")
        return types

    def _exporting(self, types, constants):
        """The compiler's options for a library of this function alone."""
        keywords = "".join(f" :{_lisp_name(name)} {_constant(value)}" for name, value in constants.items())
        typed = self._entry and not constants
        form = self.__name__ if typed else f"({self.__name__} {' '.join(types)}{keywords})"
        return [*self._module._options, "--export=" + form]


def _number_type(number, elements):
    """As a number in a call takes the type of the first tensor that can hold it."""
    fitting = [e for e in elements if e[0] != "i" or (isinstance(number, int) and e != "i1")]
    if not fitting:
        return "i64" if isinstance(number, int) else "f64"
    return "f32" if fitting[0] in ("f16", "bf16") else fitting[0]


def _constant(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return "[" + " ".join(map(_constant, value)) + "]"
    return str(value)
