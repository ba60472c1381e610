//===- EntryCall.cpp - calls of exported functions ------------------------===//
//
// Compiled code trusts its arguments: memory of the wrong shape or order would give
// wrong numbers in silence. So everything is checked here, before anything runs.
//
//===----------------------------------------------------------------------===//
#include "lispier/Runtime/Core/EntryCall.h"
#include "EntryChecks.h"
#include "Interrupt.h"
#include "lispier/Runtime/Core/Failure.h"
#include "lispier/Runtime/Core/Runtime.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace lispier::runtime;

namespace {
constexpr size_t kMostMessage = 4096;
thread_local char lastError[kMostMessage];
thread_local bool isCallOnDevice; ///< Whether this thread's call has entered a device.

/// Words of a memref descriptor: two pointers, the offset, sizes and strides.
int64_t wordsOf(const lispier_rt_value &value) { return value.is_tensor ? 3 + 2 * int64_t(value.rank) : 0; }

struct Descriptor {
  void *allocated, *aligned;
  int64_t offset;
  int64_t sizes[]; ///< And strides.
};

/// Fills the descriptor of row-major memory; returns the words behind it.
int64_t *describe(const DLTensor &tensor, int32_t rank, int64_t *words) {
  auto *descriptor = reinterpret_cast<Descriptor *>(words);
  descriptor->allocated = descriptor->aligned = static_cast<char *>(tensor.data) + tensor.byte_offset;
  descriptor->offset = 0;
  int64_t stride = 1;
  for (int32_t d = rank; d-- > 0;) {
    descriptor->sizes[d] = tensor.shape[d];
    descriptor->sizes[rank + d] = stride;
    stride *= tensor.shape[d];
  }
  return words + 3 + 2 * rank;
}

/// A call under its guard.
struct Call {
  lispier_rt_entry &entry;
  const lispier_call &how;
  void *const *arguments;
  int64_t *sizes;                              ///< Null to run the function, else what to compute.
  int64_t *words;                              ///< For all descriptors.
  void **values;                               ///< For all values.
  int64_t *wanted;                             ///< For the sizes of all results.
  const lispier_rt_devices *entered = nullptr; ///< Where device work has begun.

  void perform() {
    if (!__atomic_load_n(&entry.is_checked, __ATOMIC_RELAXED)) {
      lispier_rt_require_cpu(entry.features);
      __atomic_store_n(&entry.is_checked, 1, __ATOMIC_RELAXED);
    }
    int32_t count = sizes ? entry.parameters : entry.parameters + entry.results;
    DLDevice device = checkArguments(entry, arguments, count);
    int64_t *next = words;
    for (int32_t i = 0; i < count; ++i) {
      const lispier_rt_value &value = entry.values[i];
      values[i] = value.is_tensor ? next : arguments[i];
      if (value.is_tensor)
        next = describe(*static_cast<const DLTensor *>(arguments[i]), value.rank, next);
    }
    entry.sizes(values, sizes ? sizes : wanted);
    if (sizes)
      return;
    checkResultSizes(entry, arguments, wanted);
    checkOverlaps(entry, arguments);
    int32_t target = chooseTarget(entry, arguments, device);
    if (writesNothing(entry, arguments)) // Whatever the other sizes are, which may be those of no memory.
      return;
    if (!isOnHost(device)) {
      entered = entry.library->devices;
      isCallOnDevice = true;
      entered->enter(entry.library, target, device, how.stream);
    }
    entry.runs[target](values);
    if (entered && !(how.flags & LISPIER_ASYNC))
      entered->wait();
  }
};

int32_t guarded(lispier_rt_entry &entry, const lispier_call *how, void *const *arguments, int64_t *sizes) {
  int32_t count = entry.parameters + entry.results;
  int64_t words = count, ranks = 0;
  for (int32_t i = 0; i < count; ++i)
    words += wordsOf(entry.values[i]);
  for (int32_t i = entry.parameters; i < count; ++i)
    ranks += entry.values[i].is_tensor ? entry.values[i].rank : 0;
  words += ranks;
  constexpr int64_t kMostOnStack = 2048;
  void *onHeap = words > kMostOnStack ? malloc(words * sizeof(int64_t)) : nullptr;
  if (words > kMostOnStack && !onHeap) {
    setEntryError("lispier: out of memory");
    return 1;
  }
  auto *memory = static_cast<int64_t *>(onHeap ? onHeap : __builtin_alloca(words * sizeof(int64_t)));
  const lispier_call zeros{};
  Call call{entry,
            how && how->size >= sizeof(lispier_call) ? *how : zeros,
            arguments,
            sizes,
            memory + count + ranks,
            reinterpret_cast<void **>(memory),
            memory + count};
  beginInterruptible();
  int32_t failed =
      lispier_rt_guard([](void *call) { static_cast<Call *>(call)->perform(); }, &call, lastError, sizeof(lastError));
  endInterruptible();
  if (call.entered) {
    isCallOnDevice = false;
    call.entered->leave(failed);
  }
  free(onHeap);
  return failed;
}
} // namespace

void lispier::runtime::setEntryError(const char *message) { snprintf(lastError, sizeof(lastError), "%s", message); }

int32_t lispier_rt_call_entry(lispier_rt_entry *entry, const lispier_call *call, void *const *arguments) {
  return guarded(*entry, call, arguments, nullptr);
}

int32_t lispier_rt_entry_sizes(lispier_rt_entry *entry, void *const *arguments, int64_t *sizes) {
  return guarded(*entry, nullptr, arguments, sizes);
}

const char *lispier_rt_entry_error(void) { return lastError; }

void lispier_rt_store_result(const lispier_rt_entry *entry, int32_t value, void *const *values, void *returned) {
  const lispier_rt_value &result = entry->values[value];
  auto *from = static_cast<Descriptor *>(returned), *to = static_cast<Descriptor *>(values[value]);
  int64_t bytes = (result.type.bits + 7) / 8;
  for (int32_t d = 0; d < result.rank; ++d)
    bytes *= from->sizes[d];
  checkReturned(*entry, value, from->sizes, to->sizes);
  const char *begin = static_cast<char *>(from->aligned) + from->offset * ((result.type.bits + 7) / 8);
  if (isCallOnDevice)
    return entry->library->devices->take(to->aligned, from->allocated, begin, bytes);
  if (bytes)
    memcpy(to->aligned, begin, bytes);
  lispier_rt_free(from->allocated);
}
