/* Tensors for the tests, which C and C++ include after the header of a library. */
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { kMostRank = 4 };
typedef struct {
  DLTensor tensor;
  int64_t shape[kMostRank];
} Tensor;

static void fill(Tensor *made, void *data, uint8_t code, uint8_t bits, int32_t rank, const int64_t *shape) {
  memset(made, 0, sizeof(*made));
  for (int32_t d = 0; d < rank; ++d)
    made->shape[d] = shape[d];
  made->tensor.data = data;
  made->tensor.device.device_type = (__typeof__(made->tensor.device.device_type))1;
  made->tensor.ndim = rank;
  made->tensor.dtype.code = code;
  made->tensor.dtype.bits = bits;
  made->tensor.dtype.lanes = 1;
  made->tensor.shape = made->shape;
}
