"""A shared library that the compiler has made, and its functions."""
import ctypes
import json
import os
import re
import struct

from . import _arrays

_FLOATS = ("f16", "bf16", "f32", "f64")
_NOTHING = ctypes.create_string_buffer(16)  # What nobody reads.
_TENSOR, _INTEGER, _BOOL, _FLOAT, _POINTER = 7, 1, 2, 3, 4  # tvm-ffi's type indices.


class Error(ValueError):
    """A call that fails. `place` is "file:line:column" in the program, or empty for a wrong argument."""

    def __init__(self, message):
        super().__init__(message)
        place = re.match(r"(.*?:\d+:\d+): error", message)
        self.place = place[1] if place else ""


def _error(message):
    return KeyboardInterrupt() if message == b"interrupted" else Error(message.decode())


def _leaves(values, path=()):
    """Numbers and tensors of parameters, with the fields that lead to them."""
    for value in values:
        if "fields" in value:
            yield from _leaves(value["fields"], path + (value["name"],))
        else:
            yield path + (value["name"],), value


def _field(record, name, path):
    try:
        return record[name] if hasattr(record, "__getitem__") else getattr(record, name)
    except (KeyError, AttributeError):
        raise Error(f"`{'.'.join(path)}` has no `{name}`") from None


class Entry:
    """A function with one type."""

    def __init__(self, library, described):
        self.library = library
        self.described = described
        self.name = described["name"]
        self.results = described["results"]
        self._error = library.error
        self.leaves = list(_leaves(described["parameters"]))
        self._has_records = any("fields" in value for value in described["parameters"])
        symbol = described["symbol"]
        packed = "__tvm_ffi_" + symbol[len(library.prefix) + 1:]
        self._call = library.handle[packed]
        self._call.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32, ctypes.c_void_p]
        self._sizes = None
        if any("sizes" in result for result in self.results):
            self._sizes = library.handle[packed + "__sizes"]
            self._sizes.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32, ctypes.c_void_p]
        self._kinds = [("a" if "sizes" in value else "d" if value["type"] in _FLOATS else "q", value)
                       for _, value in self.leaves]
        self._tensors = [{**result, "access": "write"} for result in self.results if "sizes" in result]
        self._has_bf16 = any(value["type"] == "bf16" for _, value in self.leaves)
        self._returns_number = len(self._tensors) < len(self.results)
        formats = "".join("iI" + ("d" if kind == "d" else "q") for kind, _ in self._kinds)
        self._parameters = struct.Struct(formats + "iIq")  # And the address of sizes.
        self._all = struct.Struct(formats + "iIq" * len(self._tensors))
        self._in_stream = struct.Struct(self._all.format + "iIq")
        self.fast = library.module[packed[len("__tvm_ffi_"):]] if library.module else None
        self._first = next((i for i, (_, value) in enumerate(self.leaves) if "sizes" in value), None)
        self._shapes = None if self._has_records else self._plan_shapes()
        self._count = len(self.leaves)
        self._returns_out = len(self._tensors) == len(self.results) == 1
        self._takes_fast = self.fast and not self._has_records and len(self.results) - len(self._tensors) < 2

    def _plan_shapes(self):
        """For each size of each result the argument and the dimension that it is, or a number; None if one is neither.
        """
        places = {}
        for i, (_, value) in enumerate(self.leaves):
            for d, size in enumerate(value.get("sizes", ())):
                places.setdefault(size, (i, d))
        shapes = [[(-1, size) if isinstance(size, int) else places.get(size) for size in result["sizes"]]
                  for result in self._tensors]
        return None if any(size is None for shape in shapes for size in shape) else shapes

    def __call__(self, arguments, out=None):
        if self._takes_fast and len(arguments) == self._count and not (self._has_bf16 and self._is_bits(arguments)):
            try:
                if out is None:
                    if self._shapes is not None:
                        return self._call_fast(arguments)
                elif self._returns_out and type(out) is not tuple and type(out) is not list:
                    self.fast(*arguments, out)
                    return out
                else:
                    made = out if isinstance(out, (tuple, list)) else (out,)
                    value = self.fast(*arguments, *made)
                    return out if self._returns_out else self._results(made, value)
            except (AttributeError, BufferError, IndexError, TypeError):
                pass  # What tvm-ffi does not take, such as read-only arrays; nothing has run.
            except ValueError as error:
                raise _error(str(error).encode()) from None
        return self._call_packed(arguments, out)

    def _is_bits(self, arguments):
        """Whether BF16 are NumPy's integers, of which tvm-ffi does not know that they may be."""
        return self._first is not None and "numpy" in type(arguments[self._first]).__module__

    def _call_fast(self, arguments):
        """By tvm-ffi's function, with new arrays."""
        example = arguments[self._first] if self._first is not None else None
        make = _arrays.maker(example)
        made = [make([size if i < 0 else arguments[i].shape[size] for i, size in shape], result["type"], example)
                for shape, result in zip(self._shapes, self._tensors)]
        value = self.fast(*arguments, *made)
        return self._results([_arrays.returned(array, example) for array in made], value)

    def _results(self, made, number):
        """The results, of which at most one is a number."""
        arrays = iter(made)
        results = [next(arrays) if "sizes" in result else number for result in self.results]
        return results[0] if len(results) == 1 else tuple(results) if results else None

    def _call_packed(self, arguments, out):
        """By ctypes."""
        parameters = self.described["parameters"]
        if len(arguments) != len(parameters):
            raise Error(f"{self.name}: {len(arguments)} arguments, and it takes {len(parameters)}")
        return self.call_flat(self.flatten(arguments) if self._has_records else arguments, out)

    def call_flat(self, arguments, out=None):
        """Calls it by ctypes with the numbers and arrays of its parameters, of records one after the other."""
        keep = []
        words = self._pack(arguments, keep)
        example = arguments[self._first] if self._first is not None else None
        if out is None:
            made = self._make(words, example)
        else:
            made = list(out) if isinstance(out, (tuple, list)) else [out]
            if len(made) != len(self._tensors):
                raise Error(f"{self.name}: {len(made)} arrays for {len(self._tensors)} results")
        for array, result in zip(made, self._tensors):
            words += (_TENSOR, 0, self._address(array, result, keep))
        number = ctypes.create_string_buffer(16) if self._returns_number else _NOTHING
        layout, stream = self._all, _arrays.stream_of(example)
        if stream is not None:
            layout, words = self._in_stream, words + (_POINTER, 0, stream)
        if self._call(None, layout.pack(*words), len(words) // 3, number):
            raise _error(self._error())
        if out is None:
            made = [_arrays.returned(array, example) for array in made]
        if self._returns_out:
            return made[0]
        return self._return(made, number.raw)

    def flatten(self, arguments):
        """The numbers and arrays of the arguments."""
        roots = {value["name"]: argument for value, argument in zip(self.described["parameters"], arguments)}
        flat = []
        for path, _ in self.leaves:
            value = roots[path[0]]
            for depth, name in enumerate(path[1:], 1):
                value = _field(value, name, path[:depth])
            flat.append(value)
        return flat

    def _address(self, array, value, keep):
        try:
            return _arrays.address(array, value, keep)
        except BufferError as error:
            raise Error(f"{self.name}: `{value['name']}` {error}") from None

    def _pack(self, arguments, keep):
        """The words of a TVMFFIAny for each argument."""
        words = ()
        for argument, (kind, value) in zip(arguments, self._kinds):
            if kind == "a":
                words += (_TENSOR, 0, self._address(argument, value, keep))
            elif kind == "d":
                words += (_FLOAT, 0, float(argument))
            elif isinstance(argument, float):
                raise Error(f"{self.name}: `{value['name']}` must be an integer of its type")
            else:
                words += (_INTEGER, 0, int(argument))
        return words

    def _make(self, words, example):
        """Arrays for the results, of the kind of the arguments."""
        if not self._tensors:
            return []
        sizes = (ctypes.c_int64 * (1 + sum(len(result["sizes"]) for result in self._tensors)))()
        words += (_POINTER, 0, ctypes.addressof(sizes))
        if self._sizes(None, self._parameters.pack(*words), len(words) // 3, ctypes.create_string_buffer(16)):
            raise Error(self._error().decode())
        make, made, at = _arrays.maker(example), [], 0
        for result in self._tensors:
            shape = tuple(sizes[at:at + len(result["sizes"])])
            at += len(shape)
            if -1 in shape:
                raise Error(f"{self.name}: only the call itself knows the sizes of `{result['name']}`; pass out=")
            made.append(make(shape, result["type"], example))
        return made

    def _return(self, made, number):
        kind = struct.unpack_from("i", number)[0]
        value = struct.unpack_from("d" if kind == _FLOAT else "q", number, 8)[0]
        return self._results(made, bool(value) if kind == _BOOL else value)


def _tvm_module(path):
    if os.environ.get("LISPIER_FFI") == "ctypes":
        return None
    try:
        import tvm_ffi  # pylint: disable=import-outside-toplevel
    except ImportError:
        return None
    tvm_ffi.register_error("KeyboardInterrupt", KeyboardInterrupt)
    return tvm_ffi.load_module(path)


class Library:
    """The functions of a library, by their names."""

    def __init__(self, path):
        self.path = path
        self.handle = ctypes.CDLL(path)
        self.module = _tvm_module(path)
        interface = self.handle.lispier_library_interface
        interface.restype = ctypes.c_char_p
        described = json.loads(interface())
        if described["abi"] != 1:
            raise ImportError(f"{path} is for another version of this package")
        self.prefix = described["prefix"]
        self.error = self.handle[self.prefix + "_error"]
        self.error.restype = ctypes.c_char_p
        self.handle[self.prefix + "_catch_interrupts"]()  # Python's own handler follows.
        self.entries = {entry["name"]: Entry(self, entry) for entry in described["entries"]}
