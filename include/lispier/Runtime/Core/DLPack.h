/*===- DLPack.h - tensors of other frameworks -------------------*- C -*-===*\
|*                                                                          *|
|* The part of DLPack (github.com/dmlc/dlpack, versions 0.6 to 1.x) that    *|
|* exported functions take.                                                 *|
|*                                                                          *|
\*===----------------------------------------------------------------------===*/
#ifndef LISPIER_RUNTIME_DLPACK_H
#define LISPIER_RUNTIME_DLPACK_H

#include <stdint.h>

typedef struct {
  int32_t device_type; /* 1: the host's memory. */
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
