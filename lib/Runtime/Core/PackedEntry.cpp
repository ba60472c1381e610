//===- PackedEntry.cpp - exported functions for tvm-ffi -------------------===//
//
// github.com/apache/tvm-ffi defines one calling convention for Python, Rust and
// others. Its library is not linked: where a process has loaded it, its functions are
// found by their names, for error messages and for results that the framework of the
// caller makes. Without it errors are read from lispier_rt_entry_error.
//
//===----------------------------------------------------------------------===//
#include "BFloat16.h"
#include "EntryChecks.h"
#include "lispier/Runtime/Core/EntryCall.h"
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <type_traits>

using namespace lispier::runtime;

namespace {
// tvm/ffi/c_api.h: TVMFFITypeIndex, and the bytes of a TVMFFIObject, which a tensor begins with. test/Embed compares.
enum : int32_t { kNone = 0, kInt = 1, kBool = 2, kFloat = 3, kPointer = 4, kDLTensor = 7, kTensor = 70 };
constexpr size_t kObjectBytes = 24;

struct Bytes {
  const char *data;
  size_t size;
};

/// The functions of a loaded libtvm_ffi; null without one.
struct TvmFfi {
  void (*setError)(const char *kind, const char *message) = nullptr;
  int (*makeTensor)(DLTensor *prototype, void **made) = nullptr;
  int (*release)(void *object) = nullptr;
  int (*findFunction)(const Bytes *name, void **function) = nullptr;
  int (*call)(void *function, lispier_rt_any *arguments, int32_t count, lispier_rt_any *result) = nullptr;
  void *(*stream)(int32_t deviceType, int32_t deviceId) = nullptr;

  void find() {
    void *library = dlopen("libtvm_ffi.so", RTLD_NOLOAD | RTLD_LAZY);
    if (!library)
      return;
    auto get = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    };
    get(setError, "TVMFFIErrorSetRaisedFromCStr");
    get(makeTensor, "TVMFFIEnvTensorAlloc");
    get(release, "TVMFFIObjectDecRef");
    get(findFunction, "TVMFFIFunctionGetGlobal");
    get(call, "TVMFFIFunctionCall");
    get(stream, "TVMFFIEnvGetStream");
    dlclose(library);
  }
};

/// Looks for the library until the process has loaded it.
const TvmFfi &tvmFfi() {
  static TvmFfi known;
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  if (!known.setError)
    known.find();
  pthread_mutex_unlock(&lock);
  return known;
}

int32_t raise(const char *kind) {
  if (const TvmFfi &ffi = tvmFfi(); ffi.setError)
    ffi.setError(kind, lispier_rt_entry_error());
  return -1;
}

/// Reports the error, the last one if there is no other text. Returns what the calling convention has for it.
int32_t failed(const char *format = nullptr, ...) {
  if (format) {
    char message[500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    setEntryError(message);
  }
  return raise("ValueError");
}

/// A number in the type in which the function takes or returns it.
union Number {
  int8_t i8;
  int16_t i16;
  int32_t i32;
  int64_t i64;
  float f32;
  double f64;
  BFloat16 bf16;
  _Float16 f16;
};

/// False if the argument is not a number of the type.
bool readNumber(DLDataType type, const lispier_rt_any &argument, Number &number) {
  bool isWhole = argument.type == kInt || argument.type == kBool;
  int64_t whole = argument.value.integer;
  if (type.code == 2 || type.code == 4) {
    if (!isWhole && argument.type != kFloat)
      return false;
    double value = isWhole ? double(whole) : argument.value.number;
    if (type.code == 4)
      number.bf16 = toBFloat16(float(value));
    else if (type.bits == 64)
      number.f64 = value;
    else if (type.bits == 32)
      number.f32 = float(value);
    else
      number.f16 = _Float16(float(value));
    return true;
  }
  int64_t most = type.code == 6 ? 1 : type.bits == 64 ? INT64_MAX : (int64_t(1) << (type.bits - 1)) - 1;
  int64_t least = type.code == 6 ? 0 : -most - 1;
  if (!isWhole || whole < least || whole > most)
    return false;
  number.i64 = whole; // Little-endian: the first bytes are the number of fewer bits.
  return true;
}

lispier_rt_any writeNumber(DLDataType type, const Number &number) {
  lispier_rt_any any{type.code == 6 ? kBool : type.code == 0 ? kInt : kFloat, 0, {}};
  if (any.type == kFloat)
    any.value.number = type.code == 4    ? toFloat(number.bf16)
                       : type.bits == 64 ? number.f64
                       : type.bits == 32 ? number.f32
                                         : float(number.f16);
  else
    any.value.integer = type.bits == 64   ? number.i64
                        : type.bits == 32 ? number.i32
                        : type.bits == 16 ? number.i16
                                          : number.i8;
  return any;
}

/// The values of a call: pointers for lispier_rt_call_entry, and the numbers and results that they point to.
class PackedCall {
public:
  PackedCall(lispier_rt_entry &entry, void **pointers, Number *numbers, lispier_rt_any *made)
      : entry(entry), pointers(pointers), numbers(numbers), made(made) {}
  ~PackedCall() {
    for (int32_t i = 0; i < madeCount; ++i)
      tvmFfi().release(made[i].value.pointer);
  }

  /// False, after an error, if the argument is none for the value.
  bool take(int32_t i, const lispier_rt_any &argument) {
    if (read(i, argument))
      return true;
    const lispier_rt_value &value = entry.values[i];
    failed("%s: `%s` must be %s", entry.name, value.name,
           value.is_tensor                                ? "a tensor"
           : value.type.code == 2 || value.type.code == 4 ? "a number"
                                                          : "an integer of its type");
    return false;
  }

  bool read(int32_t i, const lispier_rt_any &argument) {
    const lispier_rt_value &value = entry.values[i];
    pointers[i] = value.is_tensor ? nullptr : &numbers[i];
    if (!value.is_tensor)
      return readNumber(value.type, argument, numbers[i]);
    if (argument.type == kDLTensor)
      pointers[i] = argument.value.pointer;
    else if (argument.type == kTensor)
      pointers[i] = static_cast<char *>(argument.value.pointer) + kObjectBytes;
    return pointers[i] != nullptr;
  }

  /// The device of the first tensor of the first `count` values; the host if there is none.
  DLDevice device(int32_t count) const {
    for (int32_t i = 0; i < count; ++i)
      if (entry.values[i].is_tensor)
        return static_cast<const DLTensor *>(pointers[i])->device;
    return {kDLCPU, 0};
  }

  /// Calls the function, on a device in the caller's stream.
  int32_t run(const lispier_rt_any *stream) {
    lispier_call how{sizeof(lispier_call), 0, nullptr, 0};
    if (DLDevice place = device(entry.parameters + entry.results); entry.library->devices && !isOnHost(place)) {
      how.flags = LISPIER_ASYNC;
      if (stream)
        how.stream = stream->value.pointer;
      else if (const TvmFfi &ffi = tvmFfi(); ffi.stream)
        how.stream = ffi.stream(place.device_type, place.device_id);
    }
    return lispier_rt_call_entry(&entry, &how, pointers);
  }

  /// Makes the tensors of the results in the caller's framework. False after an error.
  bool makeResults() {
    const TvmFfi &ffi = tvmFfi();
    if (!ffi.makeTensor || !ffi.release)
      return failed("%s: the memory of the results is missing; only a process with tvm-ffi can make it", entry.name),
             false;
    int64_t ranks = 0;
    for (int32_t i = entry.parameters; i < entry.parameters + entry.results; ++i)
      ranks += entry.values[i].is_tensor ? entry.values[i].rank : 0;
    auto *sizes = static_cast<int64_t *>(__builtin_alloca((ranks + 1) * sizeof(int64_t)));
    if (lispier_rt_entry_sizes(&entry, pointers, sizes))
      return failed(), false;
    for (int32_t i = entry.parameters; i < entry.parameters + entry.results; ++i) {
      const lispier_rt_value &value = entry.values[i];
      if (!value.is_tensor) {
        pointers[i] = &numbers[i];
        continue;
      }
      for (int32_t d = 0; d < value.rank; ++d)
        if (sizes[d] < 0)
          return failed("%s: only the call itself knows the sizes of `%s`; pass its memory", entry.name, value.name),
                 false;
      DLTensor prototype{nullptr, device(entry.parameters), value.rank, value.type, sizes, nullptr, 0};
      void *object = nullptr;
      if (ffi.makeTensor(&prototype, &object))
        return failed("%s: pass the memory of `%s`: the framework of the arguments makes none", entry.name, value.name),
               false;
      made[madeCount++] = {kTensor, 0, {.pointer = object}};
      pointers[i] = static_cast<char *>(object) + kObjectBytes;
      sizes += value.rank;
    }
    return true;
  }

  /// Hands the results over: none, one, or an array of several.
  int32_t returnResults(lispier_rt_any *result, bool isMade) {
    int32_t count = 0, next = 0;
    auto *all = static_cast<lispier_rt_any *>(__builtin_alloca((entry.results + 1) * sizeof(lispier_rt_any)));
    for (int32_t i = entry.parameters; i < entry.parameters + entry.results; ++i)
      if (!entry.values[i].is_tensor)
        all[count++] = writeNumber(entry.values[i].type, numbers[i]);
      else if (isMade)
        all[count++] = made[next++];
    *result = {kNone, 0, {}};
    if (count == 1) {
      *result = all[0];
      madeCount = 0; // It is the caller's.
    }
    if (count <= 1)
      return 0;
    const TvmFfi &ffi = tvmFfi();
    Bytes name{"ffi.Array", strlen("ffi.Array")};
    void *function = nullptr;
    if (!ffi.call || ffi.findFunction(&name, &function))
      return failed("%s: several results need tvm-ffi in the process", entry.name);
    int32_t status = ffi.call(function, all, count, result);
    ffi.release(function);
    return status;
  }

private:
  lispier_rt_entry &entry;
  void **pointers;
  Number *numbers;
  lispier_rt_any *made;
  int32_t madeCount = 0;
};
} // namespace

int32_t lispier_rt_call_packed(lispier_rt_entry *entry, const lispier_rt_any *arguments, int32_t count,
                               lispier_rt_any *result) {
  int32_t values = entry->parameters + entry->results, tensors = 0;
  for (int32_t i = entry->parameters; i < values; ++i)
    tensors += entry->values[i].is_tensor;
  // A stream may follow the other arguments.
  const lispier_rt_any *stream = count > entry->parameters && arguments[count - 1].type == kPointer &&
                                         (count - 1 == entry->parameters || count - 1 == entry->parameters + tensors)
                                     ? &arguments[--count]
                                     : nullptr;
  bool isMade = count == entry->parameters && tensors > 0;
  if (count != entry->parameters && count != entry->parameters + tensors)
    return failed("%s: %d arguments, and it takes %d, and then the memory of %d results or none", entry->name, count,
                  entry->parameters, tensors);
  auto *pointers = static_cast<void **>(__builtin_alloca((values + 1) * sizeof(void *)));
  auto *numbers = static_cast<Number *>(__builtin_alloca((values + 1) * sizeof(Number)));
  auto *made = static_cast<lispier_rt_any *>(__builtin_alloca((entry->results + 1) * sizeof(lispier_rt_any)));
  PackedCall call(*entry, pointers, numbers, made);
  int32_t next = 0;
  for (int32_t i = 0; i < values; ++i) {
    const lispier_rt_value &value = entry->values[i];
    if (i >= entry->parameters && (isMade || !value.is_tensor)) {
      pointers[i] = &numbers[i];
      continue;
    }
    if (!call.take(i, arguments[next++]))
      return -1;
  }
  if (isMade && !call.makeResults())
    return -1;
  if (int32_t status = call.run(stream))
    return status == 2 ? raise("KeyboardInterrupt") : failed();
  return call.returnResults(result, isMade);
}

int32_t lispier_rt_packed_sizes(lispier_rt_entry *entry, const lispier_rt_any *arguments, int32_t count,
                                lispier_rt_any *result) {
  if (count != entry->parameters + 1 || arguments[entry->parameters].type != kPointer)
    return failed("%s: the sizes of the results need %d arguments, and then an address", entry->name,
                  entry->parameters);
  auto *pointers = static_cast<void **>(__builtin_alloca((entry->parameters + 1) * sizeof(void *)));
  auto *numbers = static_cast<Number *>(__builtin_alloca((entry->parameters + 1) * sizeof(Number)));
  PackedCall call(*entry, pointers, numbers, nullptr);
  for (int32_t i = 0; i < entry->parameters; ++i)
    if (!call.take(i, arguments[i]))
      return -1;
  *result = {kNone, 0, {}};
  auto *sizes = static_cast<int64_t *>(arguments[entry->parameters].value.pointer);
  return lispier_rt_entry_sizes(entry, pointers, sizes) ? failed() : 0;
}
