//===- EntryChecks.cpp - what exported functions ask of arguments ---------===//
#include "EntryChecks.h"
#include "lispier/Runtime/Core/Failure.h"
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace lispier::runtime {
namespace {
constexpr uint8_t kInteger = 0, kUnsigned = 1, kFloat = 2, kBFloat = 4, kComplex = 5, kBool = 6;

/// A text of bounded length.
struct Text {
  char text[240] = "";
  size_t used = 0;
  [[gnu::format(printf, 2, 3)]] void add(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, sizeof(text) - used, format, arguments);
    va_end(arguments);
    used += strlen(text + used);
  }
};

void addType(Text &text, DLDataType type) {
  const char *prefix = type.code == kInteger    ? "i"
                       : type.code == kUnsigned ? "u"
                       : type.code == kFloat    ? "f"
                       : type.code == kBFloat   ? "bf"
                       : type.code == kComplex  ? "complex"
                                                : nullptr;
  if (type.code == kBool)
    text.add("bool");
  else if (prefix)
    text.add("%s%d", prefix, type.bits);
  else
    text.add("type %d of %d bits", type.code, type.bits);
  if (type.lanes != 1)
    text.add("x%d", type.lanes);
}

/// A list of numbers: [2 3]
void addNumbers(Text &text, const int64_t *numbers, int32_t count) {
  text.add("[");
  for (int32_t d = 0; d < count; ++d)
    text.add("%s%" PRId64, d ? " " : "", numbers[d]);
  text.add("]");
}

/// "f32 [2 3]"
struct Given : Text {
  explicit Given(const DLTensor &tensor) {
    addType(*this, tensor.dtype);
    add(" ");
    if (tensor.shape || !tensor.ndim)
      addNumbers(*this, tensor.shape, tensor.ndim);
    else
      add("without sizes");
  }
};

/// "f32 [n 3]"
struct Wanted : Text {
  Wanted(const lispier_rt_entry &entry, const lispier_rt_value &value) {
    addType(*this, value.type);
    add(" [");
    for (int32_t d = 0; d < value.rank; ++d) {
      int64_t size = value.sizes[d];
      if (size == LISPIER_RT_ANY_SIZE)
        add("%s_", d ? " " : "");
      else if (size < 0)
        add("%s%s", d ? " " : "", entry.names[-1 - size]);
      else
        add("%s%" PRId64, d ? " " : "", size);
    }
    add("]");
  }
};

/// The device whose code can use memory of another kind, which must be the host's or that of a GPU.
DLDevice placeOf(DLDevice device) {
  switch (device.device_type) {
  case kDLCUDAHost:
  case kDLROCMHost:
  case kDLCPU:
    return {kDLCPU, 0};
  case kDLCUDAManaged:
    return {kDLCUDA, device.device_id};
  default:
    return device;
  }
}

/// "on cuda:0", "in the host's memory"
struct Place : Text {
  explicit Place(DLDevice device) {
    if (device.device_type == kDLCPU)
      add("in the host's memory");
    else if (device.device_type == kDLCUDA || device.device_type == kDLROCM)
      add("on %s:%d", device.device_type == kDLCUDA ? "cuda" : "rocm", device.device_id);
    else
      add("in the memory of a device (DLPack's type %d, number %d)", device.device_type, device.device_id);
  }
};

const DLTensor &tensorOf(void *const *arguments, int32_t i) { return *static_cast<const DLTensor *>(arguments[i]); }

int64_t elementBytes(const lispier_rt_value &value) { return (value.type.bits + 7) / 8; }

/// Bytes that the tensor has; it is valid, so that products from the last size on do not overflow.
int64_t bytesOf(const lispier_rt_value &value, const DLTensor &tensor) {
  int64_t bytes = elementBytes(value);
  for (int32_t d = value.rank; d-- > 0;)
    bytes *= tensor.shape[d];
  return bytes;
}

char *beginOf(const DLTensor &tensor) { return static_cast<char *>(tensor.data) + tensor.byte_offset; }

/// A size that a named one must equal: the value that first had the name, and its dimension.
struct Named {
  int32_t value = -1, dimension = 0;
};

class Checker {
public:
  Checker(const lispier_rt_entry &entry, void *const *arguments) : entry(entry), arguments(arguments) {}

  void type(int32_t i) const {
    const lispier_rt_value &value = entry.values[i];
    if (!arguments[i])
      fail({}, "%s: `%s` is NULL", entry.name, value.name);
    if (!value.is_tensor)
      return;
    const DLTensor &tensor = tensorOf(arguments, i);
    bool isSame = tensor.dtype.code == value.type.code && tensor.dtype.bits == value.type.bits &&
                  tensor.dtype.lanes == value.type.lanes;
    // A bool of DLPack has a byte, as i1 in memory.
    if (!isSame || tensor.ndim != value.rank || (tensor.ndim && !tensor.shape))
      mustBe(i);
  }

  void sizes(int32_t i, Named *named) const {
    const lispier_rt_value &value = entry.values[i];
    const DLTensor &tensor = tensorOf(arguments, i);
    for (int32_t d = 0; d < value.rank; ++d) {
      int64_t size = value.sizes[d], given = tensor.shape[d];
      if (given < 0)
        fail({}, "%s: `%s`, %s, has a negative size", entry.name, value.name, Given(tensor).text);
      if (size >= 0 && size != given)
        mustBe(i);
      if (size >= 0 || size == LISPIER_RT_ANY_SIZE)
        continue;
      Named &first = named[-1 - size];
      if (first.value < 0)
        first = {i, d};
      const DLTensor &other = tensorOf(arguments, first.value);
      if (other.shape[first.dimension] != given)
        fail({}, "%s: the size `%s` is %" PRId64 " in `%s`, %s, and %" PRId64 " in `%s`, %s", entry.name,
             entry.names[-1 - size], other.shape[first.dimension], entry.values[first.value].name, Given(other).text,
             given, value.name, Given(tensor).text);
    }
  }

  /// Compiled code merges dimensions: strides must be row-major, but where a dimension has no next element.
  void memory(int32_t i) const {
    const lispier_rt_value &value = entry.values[i];
    const DLTensor &tensor = tensorOf(arguments, i);
    int64_t elements = 1;
    bool isRowMajor = true;
    for (int32_t d = value.rank; d-- > 0;) {
      isRowMajor &= !tensor.strides || tensor.shape[d] <= 1 || tensor.strides[d] == elements;
      if (__builtin_mul_overflow(elements, tensor.shape[d], &elements) || elements > INT64_MAX / elementBytes(value))
        fail({}, "%s: `%s`, %s, has more bytes than an address reaches", entry.name, value.name, Given(tensor).text);
    }
    if (!elements)
      return;
    if (!isRowMajor)
      notRowMajor(i);
    if (!tensor.data)
      fail({}, "%s: `%s`, %s, has no memory: its address is NULL", entry.name, value.name, Given(tensor).text);
    if (uintptr_t(beginOf(tensor)) % uintptr_t(elementBytes(value)))
      fail({}, "%s: `%s`, %s, lies at the address %p, which is no multiple of the %" PRId64 " bytes of an element",
           entry.name, value.name, Given(tensor).text, static_cast<void *>(beginOf(tensor)), elementBytes(value));
  }

  /// All tensors must be where the first one is.
  void place(int32_t i, int32_t &first) const {
    DLDevice device = placeOf(tensorOf(arguments, i).device);
    if (first < 0) {
      first = i;
      return;
    }
    DLDevice other = placeOf(tensorOf(arguments, first).device);
    if (device.device_type != other.device_type || device.device_id != other.device_id)
      fail({}, "%s: `%s` is %s, and `%s` %s; all tensors of a call must be on one device", entry.name,
           entry.values[i].name, Place(device).text, entry.values[first].name, Place(other).text);
  }

  [[noreturn]] void mustBe(int32_t i) const {
    fail({}, "%s: `%s` is %s, and must be %s", entry.name, entry.values[i].name, Given(tensorOf(arguments, i)).text,
         Wanted(entry, entry.values[i]).text);
  }

private:
  [[noreturn]] void notRowMajor(int32_t i) const {
    const DLTensor &tensor = tensorOf(arguments, i);
    Text strides;
    addNumbers(strides, tensor.strides, tensor.ndim);
    fail({},
         "%s: `%s`, %s, has the strides %s; its elements must lie in row-major order (pass a contiguous copy, as "
         "numpy.ascontiguousarray or .contiguous() make it)",
         entry.name, entry.values[i].name, Given(tensor).text, strides.text);
  }

  const lispier_rt_entry &entry;
  void *const *arguments;
};
} // namespace

DLDevice checkArguments(const lispier_rt_entry &entry, void *const *arguments, int32_t count) {
  Checker check(entry, arguments);
  int32_t first = -1;
  auto *named = static_cast<Named *>(__builtin_alloca(entry.named * sizeof(Named)));
  for (int32_t i = 0; i < entry.named; ++i)
    named[i] = {};
  for (int32_t i = 0; i < count; ++i) {
    check.type(i);
    if (!entry.values[i].is_tensor)
      continue;
    check.place(i, first);
    check.sizes(i, named);
    check.memory(i);
  }
  return first < 0 ? DLDevice{kDLCPU, 0} : placeOf(tensorOf(arguments, first).device);
}

int32_t chooseTarget(const lispier_rt_entry &entry, void *const *arguments, DLDevice device) {
  const lispier_rt_library &library = *entry.library;
  char why[1000] = "";
  if (isOnHost(device)) {
    for (int32_t i = 0; i < library.targets; ++i)
      if (!strcmp(library.all[i].kind, "cpu"))
        return i;
  } else if (library.devices) {
    int32_t target = library.devices->choose(entry.library, device, why, sizeof(why));
    if (target >= 0)
      return target;
  }
  int32_t first = 0, count = entry.parameters + entry.results;
  while (first < count && !entry.values[first].is_tensor)
    ++first;
  Text targets;
  for (int32_t i = 0; i < library.targets; ++i)
    targets.add("%s%s", i ? ", " : "", library.all[i].name);
  if (first == count)
    fail({}, "%s: without tensors it runs on the host, and this library was built for %s", entry.name, targets.text);
  const char *name = entry.values[first].name;
  if (!library.devices)
    fail({}, "%s: `%s` is %s, and this library computes on the CPU", entry.name, name, Place(device).text);
  fail({}, "%s: `%s` is %s, and this library was built for %s%s", entry.name, name, Place(device).text, targets.text,
       why);
}

void checkResultSizes(const lispier_rt_entry &entry, void *const *arguments, const int64_t *sizes) {
  for (int32_t i = entry.parameters; i < entry.parameters + entry.results; ++i) {
    const lispier_rt_value &value = entry.values[i];
    if (!value.is_tensor)
      continue;
    const DLTensor &tensor = tensorOf(arguments, i);
    for (int32_t d = 0; d < value.rank; ++d)
      if (sizes[d] >= 0 && sizes[d] != tensor.shape[d]) {
        Text wanted;
        addNumbers(wanted, sizes, value.rank);
        fail({}, "%s: `%s` is %s, and the function returns %s", entry.name, value.name, Given(tensor).text,
             wanted.text);
      }
    sizes += value.rank;
  }
}

void checkReturned(const lispier_rt_entry &entry, int32_t i, const int64_t *returned, const int64_t *sizes) {
  const lispier_rt_value &value = entry.values[i];
  if (!memcmp(returned, sizes, value.rank * sizeof(int64_t)))
    return;
  Text given, wanted;
  addNumbers(given, sizes, value.rank);
  addNumbers(wanted, returned, value.rank);
  fail({}, "%s: `%s` has the sizes %s, and the function returns %s", entry.name, value.name, given.text, wanted.text);
}

bool writesNothing(const lispier_rt_entry &entry, void *const *arguments) {
  bool any = false;
  for (int32_t i = 0; i < entry.parameters + entry.results; ++i) {
    const lispier_rt_value &value = entry.values[i];
    if (i < entry.parameters && !value.is_written)
      continue;
    any = true;
    if (!value.is_tensor || bytesOf(value, tensorOf(arguments, i)))
      return false;
  }
  return any;
}

void checkOverlaps(const lispier_rt_entry &entry, void *const *arguments) {
  int32_t count = entry.parameters + entry.results;
  for (int32_t i = 0; i < count; ++i) {
    const lispier_rt_value &written = entry.values[i];
    if (!written.is_tensor || !written.is_written)
      continue;
    const DLTensor &own = tensorOf(arguments, i);
    char *begin = beginOf(own), *end = begin + bytesOf(written, own);
    for (int32_t k = 0; k < count; ++k) {
      const lispier_rt_value &value = entry.values[k];
      if (k == i || !value.is_tensor)
        continue;
      const DLTensor &other = tensorOf(arguments, k);
      char *otherBegin = beginOf(other), *otherEnd = otherBegin + bytesOf(value, other);
      if (begin < otherEnd && otherBegin < end && begin < end && otherBegin < otherEnd)
        fail({}, "%s: `%s` overlaps `%s`; the function writes `%s`, which must have memory of its own", entry.name,
             written.name, value.name, written.name);
    }
  }
}
} // namespace lispier::runtime
