"""Arrays of other packages: their addresses as DLPack's tensors, their types, and new ones of the same kind."""
import ctypes
import sys

_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype = ctypes.c_void_p
_get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]

# Element types of the language by those of NumPy's array interface and of other packages' names.
_BY_TYPESTR = {"<f2": "f16", "<f4": "f32", "<f8": "f64", "|i1": "i8", "<i2": "i16", "<i4": "i32", "<i8": "i64",
               "|b1": "i1"}
_BY_NAME = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "int8": "i8", "int16": "i16",
            "int32": "i32", "int64": "i64", "bool": "i1"}
NAMES = {own: name for name, own in _BY_NAME.items()} | {"index": "int64"}
_CODES = {"f": 2, "i": 0, "u": 1, "b": 6, "c": 5}


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("byte_offset", ctypes.c_uint64)]


def _has_device(kind):
    """Whether arrays of this type say whether they are on a GPU: PyTorch's."""
    return hasattr(kind, "is_cuda")


_devices = {}


def target_of(arguments):
    """The target of the compiler for the device that the first array of a call is on: "cpu", or that of a GPU."""
    for argument in arguments:
        kind = type(argument)
        known = _devices.get(kind)
        if known is None:
            known = _devices[kind] = "says" if _has_device(kind) else "cpu" if is_array(argument) else "none"
        if known == "cpu":
            return "cpu"
        if known == "says":
            return gpu_target(argument.device) if argument.is_cuda else "cpu"
        if not isinstance(argument, (int, float)):
            fields = argument.values() if isinstance(argument, dict) else vars(argument).values()
            return target_of(fields)
    return "cpu"


def is_on_host(kind):
    """Whether target_of has met arrays of this type, and all are in the host's memory."""
    return _devices.get(kind) == "cpu"


def check_gradients(arguments):
    """Raises BufferError if PyTorch would expect gradients of the call."""
    if not arguments or _devices.get(type(arguments[0])) != "says":
        return
    if any(getattr(a, "requires_grad", False) for a in arguments) and sys.modules["torch"].is_grad_enabled():
        raise BufferError("requires a gradient, which only an operator has (lispier.torch.op); pass .detach(), or call "
                          "the function under torch.no_grad()")


_gpus = {}


def gpu_target(device):
    """The target for a device of PyTorch."""
    found = _gpus.get(device)
    if found is None:
        torch = sys.modules["torch"]
        if torch.version.hip:
            found = "rocm:" + torch.cuda.get_device_properties(device).gcnArchName.split(":")[0]
        else:
            major, minor = torch.cuda.get_device_capability(device)
            found = f"cuda:sm_{major}{minor}" + ("a" if (major, minor) == (9, 0) else "")
        _gpus[device] = found
    return found


def stream_of(example):
    """The address of the stream in which the framework of an array works; None on the CPU."""
    if example is None or not getattr(example, "is_cuda", False):
        return None
    torch = sys.modules["torch"]
    raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # As Triton asks for it; the other way takes longer.
    return raw(example.get_device()) if raw else torch.cuda.current_stream(example.device).cuda_stream


def is_array(value):
    """Whether it is an array of some package."""
    return hasattr(value, "__dlpack__") or hasattr(value, "__array_interface__")


# What stands for BF16 in NumPy, which has no such type: its bits, or the type of the package ml_dtypes.
_BFLOATS = ("<u2", "|V2", "<V2")


def _no_dlpack(array):
    raise BufferError(f"must be an array, not {type(array).__name__}")


_exporters = {}


def _exporter(kind):
    """What makes a DLPack capsule of arrays of a type, and the element type that it has none for."""
    if _has_device(kind):
        # The call is in PyTorch's current stream, so that nothing must be waited for.
        export = sys.modules["torch"].utils.dlpack.to_dlpack
    else:
        export = getattr(kind, "__dlpack__", _no_dlpack)
    _exporters[kind] = export, "bf16" if "numpy" in kind.__module__ else None
    return _exporters[kind]


def address(array, value, keep):
    """The address of a DLTensor of the array, for a value of an interface; `keep` gets what must live as long. Raises
    BufferError."""
    kind = type(array)
    export, missing = _exporters.get(kind) or _exporter(kind)
    try:
        if value["type"] == missing:
            raise BufferError("has no BF16")
        capsule = export(array)
        keep.append(capsule)
        return _get_pointer(capsule, b"dltensor")
    except (AttributeError, BufferError, TypeError, RuntimeError) as error:
        interface = getattr(array, "__array_interface__", None)
        if interface is None:
            raise BufferError(str(error)) from None
    data, is_read_only = interface["data"]
    if is_read_only and value["access"] == "write":
        raise BufferError("is read-only, and the function writes it")
    kind, size = interface["typestr"][1], int(interface["typestr"][2:])
    code = _CODES.get(kind)
    if value["type"] == "bf16" and interface["typestr"] in _BFLOATS:
        code = 4
    if code is None or interface["typestr"][0] == ">":
        raise BufferError(f"has elements of the type {interface['typestr']}")
    rank = len(interface["shape"])
    shape = (ctypes.c_int64 * rank)(*interface["shape"])
    strides = interface.get("strides")
    if strides:
        if any(stride % size for stride in strides):
            raise BufferError("has strides that are no multiples of its elements")
        strides = (ctypes.c_int64 * rank)(*[stride // size for stride in strides])
    tensor = _DLTensor(data, 1, 0, rank, code, 8 * size, 1, ctypes.addressof(shape),
                       ctypes.addressof(strides) if strides else None, 0)
    keep.append((array, shape, strides, tensor))
    return ctypes.addressof(tensor)


def element_type(array):
    """The language's name of the array's element type; None if it has none."""
    interface = getattr(array, "__array_interface__", None) if "numpy" in type(array).__module__ else None
    if interface:
        return _BY_TYPESTR.get(interface["typestr"])
    return _BY_NAME.get(str(array.dtype).split(".")[-1])


_makers = {}


def maker(example):
    """A function of a shape, an element type and `example` that makes arrays of its kind and on its device; None stands
    for no example."""
    found = _makers.get(type(example))
    if found is None:
        found = _makers[type(example)] = _new_maker(example)
    return found


def _new_maker(example):
    package = type(example).__module__.split(".")[0]
    if package == "torch":
        types = {own: getattr(sys.modules["torch"], name) for own, name in NAMES.items()}
        return lambda shape, name, like: like.new_empty(shape, dtype=types[name])
    import numpy  # pylint: disable=import-outside-toplevel
    types = {own: numpy.dtype("uint16" if own == "bf16" else name) for own, name in NAMES.items()}
    empty = numpy.empty
    return lambda shape, name, like: empty(shape, types[name])


def returned(array, example):
    """The array as one of the kind of `example`, where that kind cannot be written."""
    if type(example).__module__.startswith("jax"):
        return sys.modules["jax"].dlpack.from_dlpack(array)
    return array
