/*===- DLPack.h - tensors of other frameworks -------------------*- C -*-===*\
|*                                                                          *|
|* The part of DLPack (github.com/dmlc/dlpack, versions 0.6 to 1.x) that    *|
|* exported functions take.                                                 *|
|*                                                                          *|
\*===----------------------------------------------------------------------===*/
#ifndef LISPIER_RUNTIME_DLPACK_H
#define LISPIER_RUNTIME_DLPACK_H

#include <stdint.h>

enum {
  kDLCPU = 1, /* The host's memory. */
  kDLCUDA = 2,
  kDLCUDAHost = 3, /* Pinned memory of the host. */
  kDLROCM = 10,
  kDLROCMHost = 11,
  kDLCUDAManaged = 13
};

typedef struct {
  int32_t device_type;
  int32_t device_id;
} DLDevice;

typedef struct {
  uint8_t code; /* 0: signed integer, 1: unsigned, 2: float, 4: bfloat, 5: complex, 6: bool. */
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; /* In elements; null: row-major. */
  uint64_t byte_offset;
} DLTensor;
#endif
