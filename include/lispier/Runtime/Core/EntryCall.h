/*===- EntryCall.h - calls of functions that a library exports --*- C -*-===*\
|*                                                                          *|
|* `lispier build --shared` makes a table for each exported function, and   *|
|* functions for its callers that end here: all arguments are checked       *|
|* before the function runs, under a guard. Tensors are DLPack's. A library *|
|* has code for several targets; the device that the tensors of a call lie  *|
|* on says which of them runs.                                              *|
|*                                                                          *|
\*===----------------------------------------------------------------------===*/
#ifndef LISPIER_RUNTIME_ENTRYCALL_H
#define LISPIER_RUNTIME_ENTRYCALL_H

#include "lispier/Runtime/Core/DLPack.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A number or a tensor, of a record one of its parts. */
struct lispier_rt_value {
  const char *name; /* "x", "model.blocks.weight" */
  DLDataType type;  /* Of the number or of the elements. */
  int8_t is_tensor;
  int8_t is_written; /* The function writes the tensor: a result, or a parameter that is `inout`. */
  int32_t rank;
  const int64_t *sizes; /* Of each dimension: a size, LISPIER_RT_ANY_SIZE, or -1 - i for that with name i. */
};
#define LISPIER_RT_ANY_SIZE INT64_MIN

/* The code of a library for one target: as in Device/ChooseTarget.h, and the function that registers its kernels with
 * the runtime, null for the CPU. */
struct lispier_rt_target {
  const char *name, *kind, *architecture, *format;
  void (*register_kernels)(void);
};

struct lispier_rt_library {
  const struct lispier_rt_target *all;      /* Those for the host's memory have the kind "cpu". */
  const struct lispier_rt_devices *devices; /* How calls use GPUs; null if all targets are the CPU. */
  void *state;                              /* Of `devices`: null, then what it has made. */
  int32_t targets;
};

struct lispier_rt_entry {
  const char *name, *place; /* `place`: its definition, "file:line:column". */
  const char *features;     /* What its code requires of the processor, as lispier_rt_require_cpu takes it. */
  const char *const *names; /* Of sizes. */
  const struct lispier_rt_value *values; /* Parameters, then results. */
  int32_t parameters, results, named;
  int32_t is_checked; /* Whether the processor has the features; written by calls. */
  /* Both take for each value the memref descriptor of a tensor, or the address of a number. `runs` has for each target
   * a function that calls the entry; `sizes` computes the sizes of the tensors that it returns, one result after the
   * other, -1 for those that only the function knows. */
  void (*const *runs)(void *const *values);
  void (*sizes)(void *const *values, int64_t *sizes);
  struct lispier_rt_library *library;
};

/* What C callers pass first; null stands for zeros: work on a GPU is enqueued in its default stream, and has finished
 * on return. */
struct lispier_call {
  uint32_t size, flags;
  void *stream;   /* A CUstream or hipStream_t of the tensors' device; null: its default one. */
  int32_t device; /* Reserved. */
};
/* Return when the work is enqueued. */
enum { LISPIER_ASYNC = 1 };

/* The part of the runtime that calls use GPUs with (Device/LibraryDevices.cpp). A library refers to it only if it has
 * targets for one, so that others are linked without drivers. */
struct lispier_rt_devices {
  /* The number of the library's target for a device; if there is none, -1 and `why`. */
  int32_t (*choose)(struct lispier_rt_library *library, DLDevice device, char *why, size_t size);
  /* Begins device work of this thread, on that device and in that stream; waits for other threads' calls to end. */
  void (*enter)(struct lispier_rt_library *library, int32_t target, DLDevice device, void *stream);
  /* Waits for the work. */
  void (*wait)(void);
  /* Ends what `enter` began, also if that has failed; never fails. */
  void (*leave)(int32_t failed);
  /* Copies a result to the caller's memory, and frees it. */
  void (*take)(void *to, void *allocated, const void *from, int64_t bytes);
};

/* Calls the function. `arguments` has for each value a const DLTensor *, or the address of a number. Returns 0, or 1
 * after an error, of which lispier_rt_entry_error returns the message, or 2 when lispier_rt_interrupt has ended it. No
 * memory is kept beyond the call. */
int32_t lispier_rt_call_entry(struct lispier_rt_entry *entry, const struct lispier_call *call, void *const *arguments);
/* Writes the sizes of the results for these parameters, as `sizes` above, after the checks of the parameters. */
int32_t lispier_rt_entry_sizes(struct lispier_rt_entry *entry, void *const *arguments, int64_t *sizes);
/* The message of this thread's last error; empty if there was none. Valid until the thread's next call. */
const char *lispier_rt_entry_error(void);

/* Called by `run`: copies a tensor that the function returns, of a value's number and as a descriptor, to the memory of
 * its result, and frees it. */
void lispier_rt_store_result(const struct lispier_rt_entry *entry, int32_t value, void *const *values, void *returned);

/* An argument or result in the calling convention of tvm-ffi, and the function behind the symbols __tvm_ffi_NAME:
 * results that the arguments do not have are made by the caller's framework. Work on a GPU is enqueued in the stream
 * that is an opaque pointer behind the other arguments, else in the one that tvm-ffi names. */
struct lispier_rt_any {
  int32_t type;
  uint32_t padding;
  union {
    int64_t integer;
    double number;
    void *pointer;
  } value;
};
int32_t lispier_rt_call_packed(struct lispier_rt_entry *entry, const struct lispier_rt_any *arguments, int32_t count,
                               struct lispier_rt_any *result);
/* As lispier_rt_entry_sizes, behind __tvm_ffi_NAME__sizes: the address of the sizes is an opaque pointer behind the
 * parameters. */
int32_t lispier_rt_packed_sizes(struct lispier_rt_entry *entry, const struct lispier_rt_any *arguments, int32_t count,
                                struct lispier_rt_any *result);

#ifdef __cplusplus
}
#endif
#endif
