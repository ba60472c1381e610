"""Modules: the functions of a program, compiled for the types that they are called with."""
import hashlib
import os
import tempfile

from . import _arrays, _compiler
from ._library import Error, Library


def load(path, *, target="auto", cpu="native"):
    """The module of a program, a file, or of a library that `lispier build --shared` has made (".so"), which needs no
    compiler. Raises CompileError if a program has mistakes. `target`: as the compiler's --target, or for each call that
    of the device which its arrays are on."""
    path = os.path.abspath(path)
    if not os.path.exists(path):
        raise FileNotFoundError(path)
    return Module(path, target, cpu)


def source(text, *, target="auto", cpu="native"):
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
        self._is_library = path.endswith(".so")
        self._cpu = cpu
        self._target = None if target == "auto" else target
        self._functions = {}
        self._libraries = {}
        self._entries = self._typed(self._target or "cpu")

    def _options(self, target):
        return [f"--target={target}", f"--cpu={self._cpu}"]

    def _typed(self, target):
        """The functions that have types, compiled for a target."""
        if self._is_library:  # It has what it has.
            target = None
        if target not in self._libraries:
            self._libraries[target] = {}
            try:
                path = self._path if target is None else _compiler.build(self._path, self._options(target))
                self._libraries[target] = Library(path).entries
            except _compiler.CompileError as error:
                # A program of generic functions exports none until they are called.
                if [found.code for found in error.diagnostics if found.severity == "error"] != ["export-missing"]:
                    raise
        return self._libraries[target]

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
                return self._functions.setdefault(spelled, Function(self, spelled))
        if self._is_library:
            raise AttributeError(f"{self._path} has no function `{name}`; it has {', '.join(sorted(self._entries))}")
        return self._functions.setdefault(name, Function(self, _lisp_name(name)))


class Function:
    """A function of a module. A generic one is compiled for the types of its arguments when they are first met."""

    def __init__(self, module, name):
        self._module = module
        self._typed = {}
        self._instances = {}
        self._direct = {}  # By the type of the first argument, where that says enough.
        self.__name__ = self.__qualname__ = name
        self.is_typed = name in module._entries
        self.__doc__ = module._entries[name].described["usage"] if self.is_typed else None

    def __call__(self, *arguments, out=None, **constants):
        entry = self._direct.get(type(arguments[0])) if arguments and not constants else None
        return (entry or self._look_up(arguments, constants))(arguments, out)

    def _look_up(self, arguments, constants):
        entry = self.entry(arguments, constants)
        if self.is_typed and not constants and arguments and _arrays.is_on_host(type(arguments[0])):
            self._direct[type(arguments[0])] = entry
        try:
            _arrays.check_gradients(arguments)
        except BufferError as error:
            raise Error(f"{self.__name__}: an argument {error}") from None
        return entry

    def __repr__(self):
        return f"<function {self.__name__} of {self._module._path}>"

    def bind(self, *arguments, **constants):
        """A function for arguments of these types, which takes them and then the memory of the results: tvm-ffi's own
        where it is installed, which looks for nothing and converts no errors."""
        entry = self.entry(arguments, constants)
        count = len(entry.described["parameters"])
        return entry.fast or (lambda *all: entry(all[:count], all[count:] or None))

    def ir(self, *arguments, stage="tensor", **constants):
        """The program for arguments of these types after a stage of the compiler, as text."""
        options = self._exporting(arguments, constants)
        return _compiler.run_tool([f"--emit={stage}", *options, self._module._path])[0]

    def explain(self, *arguments, **constants):
        """Which kernels the function is for arguments of these types, and why there are no fewer."""
        with tempfile.TemporaryDirectory() as folder:
            return _compiler.run_tool(["build", "--shared", "--header=none", "--explain", "-o", folder + "/lib.so",
                                       *self._exporting(arguments, constants), self._module._path])[1]

    def entry(self, arguments, constants):
        """What is compiled for arguments of these types, on their device."""
        target = self._module._target or _arrays.target_of(arguments)
        if self.is_typed and not constants:
            entry = self._typed.get(target)
            if entry is None:
                entry = self._typed[target] = self._module._typed(target)[self.__name__]
            return entry
        key = (target, tuple((a.dtype, a.ndim) if hasattr(a, "ndim") else type(a) for a in arguments),
               tuple(sorted(constants.items())))
        entry = self._instances.get(key)
        if entry is None:
            library = Library(_compiler.build(self._module._path, self._exporting(arguments, constants)))
            (entry,) = library.entries.values()
            self._instances[key] = entry
            self.__doc__ = entry.described["usage"]
        return entry

    def types(self, arguments):
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

    def _exporting(self, arguments, constants):
        """The compiler's options for a library of this function alone."""
        form = self.__name__
        if not self.is_typed or constants:
            keywords = "".join(f" :{_lisp_name(name)} {_constant(value)}" for name, value in constants.items())
            form = f"({form} {' '.join(self.types(arguments))}{keywords})"
        return [*self._module._options(self._module._target or _arrays.target_of(arguments)), "--export=" + form]


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
