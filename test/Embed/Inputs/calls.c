/* Calls each function of entries.lisp, and then with one wrong thing in each call. */
#include "entries.h"
#include "tensors.h"
#include <stddef.h>

#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})
#define TENSOR(name, data, code, bits, rank, ...)                                                                      \
  Tensor name;                                                                                                         \
  fill(&name, data, code, bits, rank, SHAPE(__VA_ARGS__))

static int wrong = 0;

static void check(int isRight, const char *what, int line) {
  if (!isRight) {
    printf("line %d: %s\n", line, what);
    wrong = 1;
  }
}
#define CHECK(condition) check(!!(condition), #condition, __LINE__)

static float x[6] = {0, 1, 2, 3, 4, 5}, y[12], z[12];

static void rightCall(int line) {
  TENSOR(a, x, 2, 32, 2, 2, 3);
  TENSOR(r, z, 2, 32, 2, 2, 3);
  check(entries_rows(NULL, &a.tensor, &r.tensor) == 0, entries_error(), line);
  float e = 1 + expf(-1) + expf(-2);
  check(fabsf(z[2] - 1 / e) < 1e-6f && fabsf(z[3] - expf(-2) / e) < 1e-6f, "softmax", line);
}

/* The call fails with this message, and the next one works. */
static void expectError(int32_t status, const char *message, int line) {
  if (status != 1 || !strstr(entries_error(), message)) {
    printf("line %d: status %d, %s\n  instead of %s\n", line, status, status ? entries_error() : "", message);
    wrong = 1;
  }
  rightCall(line);
}
#define ERROR(call, message) expectError(call, message, __LINE__)

static void rightCalls(void) {
  TENSOR(vector, x, 2, 32, 1, 6);
  TENSOR(small, x, 2, 32, 1, 2);
  TENSOR(matrix, x, 2, 32, 2, 2, 3);
  TENSOR(three, y, 2, 32, 1, 3);
  TENSOR(result, z, 2, 32, 1, 6);
  TENSOR(results, z, 2, 32, 2, 2, 3);
  CHECK(entries_both(NULL, &matrix.tensor, 2, &three.tensor, &results.tensor) == 0 && y[1] == 10 && z[5] == 10);
  memcpy(y, x, sizeof(x));
  TENSOR(doubled, y, 2, 32, 1, 6);
  CHECK(entries_twice(NULL, &doubled.tensor) == 0 && y[5] == 10);
  /* Of a loop, whose value the function returns. */
  CHECK(entries_grown(NULL, &vector.tensor, 2, &result.tensor) == 0 && z[4] == 9);
  CHECK(entries_grown(NULL, &vector.tensor, 0, &result.tensor) == 0 && z[4] == 4);
  TENSOR(sum, z, 2, 32, 0, 0);
  CHECK(entries_total(NULL, &vector.tensor, &sum.tensor) == 0 && z[0] == 15);
  TENSOR(eight, z, 2, 32, 1, 8);
  CHECK(entries_joined(NULL, &vector.tensor, &small.tensor, &eight.tensor) == 0 && z[5] == 5 && z[7] == 1);
  int64_t size = 0, sizes[2];
  CHECK(entries_joined__sizes(NULL, &vector.tensor, &small.tensor, &size) == 0 && size == 8);
  CHECK(entries_rows__sizes(NULL, &matrix.tensor, sizes) == 0 && sizes[0] == 2 && sizes[1] == 3);
  CHECK(entries_same(NULL, &vector.tensor, &result.tensor) == 0 && memcmp(x, z, sizeof(x)) == 0);
  bool mask[6] = {true, false, true, false, false, true};
  TENSOR(masks, mask, 6, 8, 1, 6);
  CHECK(entries_masked(NULL, &vector.tensor, &masks.tensor, &result.tensor) == 0 && z[1] == 0 && z[2] == 2);
  int32_t rows[2] = {1, 0};
  TENSOR(row, rows, 0, 32, 1, 2);
  CHECK(entries_picked(NULL, &matrix.tensor, &row.tensor, &results.tensor) == 0 && z[0] == 3 && z[3] == 0);
  CHECK(entries_columns(NULL, &matrix.tensor, &results.tensor) == 0 && fabsf(z[0] + z[3] - 1) < 1e-6f);
  float number;
  CHECK(entries_number(NULL, 1.5f, -2, true, 7, &number) == 0 && number == 4);
  CHECK(entries_exp_of(NULL, &small.tensor, &three.tensor) == 1);
  uint16_t one[2] = {0x3f80, 0x4000}, two[2];
  TENSOR(bfloat, one, 4, 16, 1, 2);
  TENSOR(bfloats, two, 4, 16, 1, 2);
  CHECK(entries_add_bf16(NULL, &bfloat.tensor, &bfloat.tensor, &bfloats.tensor) == 0 && two[1] == 0x4080);
}

static void records(void) {
  float w[6] = {1, 0, 0, 0, 1, 0}, b[2] = {10, 20}, square[8] = {1, 0, 0, 1, 2, 0, 0, 2}, none[4] = {0};
  TENSOR(input, x, 2, 32, 2, 2, 3);
  TENSOR(weight, w, 2, 32, 2, 2, 3);
  TENSOR(bias, b, 2, 32, 1, 2);
  TENSOR(weights, square, 2, 32, 3, 2, 2, 2);
  TENSOR(biases, none, 2, 32, 2, 2, 2);
  TENSOR(result, z, 2, 32, 2, 2, 2);
  struct entries_Linear linear = {&weight.tensor, &bias.tensor};
  CHECK(entries_layer(NULL, &input.tensor, &linear, &result.tensor) == 0 && z[0] == 10 && z[3] == 24);
  struct entries_Net net = {linear, {&weights.tensor, &biases.tensor}, 0.5f};
  CHECK(entries_net(NULL, &input.tensor, &net, &result.tensor) == 0 && z[0] == 5 && z[3] == 12);
  ERROR(entries_layer(NULL, &input.tensor, NULL, &result.tensor), "layer: `w.weight` is NULL");
  linear.bias = NULL;
  ERROR(entries_layer(NULL, &input.tensor, &linear, &result.tensor), "layer: `w.bias` is NULL");
  TENSOR(other, b, 2, 32, 1, 1);
  linear.bias = &other.tensor;
  ERROR(entries_layer(NULL, &input.tensor, &linear, &result.tensor),
        "layer: the size `w.n` is 2 in `w.weight`, f32 [2 3], and 1 in `w.bias`, f32 [1]");
  net.layers.bias = &bias.tensor;
  ERROR(entries_net(NULL, &input.tensor, &net, &result.tensor),
        "net: `w.layers.bias` is f32 [2], and must be f32 [_ w.layers.n]");
}

static void types(void) {
  TENSOR(matrix, x, 2, 32, 2, 2, 3);
  TENSOR(result, z, 2, 32, 2, 2, 3);
  ERROR(entries_rows(NULL, NULL, &result.tensor), "rows: `x` is NULL");
  ERROR(entries_rows(NULL, &matrix.tensor, NULL), "rows: `result` is NULL");
#define WRONG(change, message)                                                                                         \
  do {                                                                                                                 \
    Tensor bad = matrix;                                                                                               \
    bad.tensor.shape = bad.shape;                                                                                      \
    change;                                                                                                            \
    ERROR(entries_rows(NULL, &bad.tensor, &result.tensor), message);                                                   \
  } while (0)
  WRONG(bad.tensor.ndim = 1, "rows: `x` is f32 [2], and must be f32 [n c]");
  WRONG(bad.tensor.ndim = 0, "rows: `x` is f32 [], and must be f32 [n c]");
  WRONG((bad.tensor.ndim = 3, bad.shape[2] = 1), "rows: `x` is f32 [2 3 1], and must be f32 [n c]");
  WRONG(bad.tensor.dtype.bits = 64, "rows: `x` is f64 [2 3], and must be f32 [n c]");
  WRONG(bad.tensor.dtype.bits = 16, "rows: `x` is f16 [2 3], and must be f32 [n c]");
  WRONG(bad.tensor.dtype.code = 0, "rows: `x` is i32 [2 3], and must be f32 [n c]");
  WRONG(bad.tensor.dtype.code = 1, "rows: `x` is u32 [2 3], and must be f32 [n c]");
  WRONG((bad.tensor.dtype.code = 4, bad.tensor.dtype.bits = 16), "rows: `x` is bf16 [2 3], and must be f32 [n c]");
  WRONG((bad.tensor.dtype.code = 5, bad.tensor.dtype.bits = 64), "rows: `x` is complex64 [2 3], and must be f32 [n c]");
  WRONG((bad.tensor.dtype.code = 6, bad.tensor.dtype.bits = 8), "rows: `x` is bool [2 3], and must be f32 [n c]");
  WRONG((bad.tensor.dtype.code = 10, bad.tensor.dtype.bits = 8), "rows: `x` is type 10 of 8 bits [2 3], and must be");
  WRONG(bad.tensor.dtype.lanes = 4, "rows: `x` is f32x4 [2 3], and must be f32 [n c]");
  WRONG(bad.tensor.device.device_type = 2, "rows: `result` is in the host's memory, and `x` on cuda:0; all tensors of");
  WRONG(bad.shape[1] = -3, "rows: `x`, f32 [2 -3], has a negative size");
  WRONG(bad.tensor.data = NULL, "rows: `x`, f32 [2 3], has no memory: its address is NULL");
  WRONG(bad.tensor.byte_offset = 2, "which is no multiple of the 4 bytes of an element");
  WRONG(bad.shape[0] = 3, "rows: the size `n` is 3 in `x`, f32 [3 3], and 2 in `result`, f32 [2 3]");
  WRONG(bad.shape[0] = INT64_MAX / 2, "has more bytes than an address reaches");
  int64_t strides[2] = {1, 2};
  WRONG(bad.tensor.strides = strides,
        "rows: `x`, f32 [2 3], has the strides [1 2]; its elements must lie in row-major");
  int64_t apart[2] = {6, 1};
  WRONG(bad.tensor.strides = apart, "rows: `x`, f32 [2 3], has the strides [6 1]");
  int64_t backwards[2] = {-3, 1};
  WRONG(bad.tensor.strides = backwards, "rows: `x`, f32 [2 3], has the strides [-3 1]");
  int64_t repeated[2] = {0, 1};
  WRONG(bad.tensor.strides = repeated, "rows: `x`, f32 [2 3], has the strides [0 1]");
  WRONG(bad.tensor.shape = NULL, "rows: `x` is f32 without sizes, and must be f32 [n c]");
}

static void results(void) {
  TENSOR(matrix, x, 2, 32, 2, 2, 3);
  TENSOR(vector, x, 2, 32, 1, 6);
  TENSOR(small, x, 2, 32, 1, 2);
  TENSOR(large, z, 2, 32, 1, 7);
  TENSOR(inside, x + 1, 2, 32, 1, 5);
  TENSOR(five, x, 2, 32, 1, 5);
  TENSOR(six, z, 2, 32, 1, 6);
  TENSOR(integers, z, 0, 32, 2, 2, 3);
  ERROR(entries_rows(NULL, &matrix.tensor, &matrix.tensor),
        "rows: `result` overlaps `x`; the function writes `result`");
  ERROR(entries_same(NULL, &five.tensor, &inside.tensor), "same: `result` overlaps `x`");
  ERROR(entries_rows(NULL, &matrix.tensor, &integers.tensor), "rows: `result` is i32 [2 3], and must be f32 [n c]");
  ERROR(entries_joined(NULL, &vector.tensor, &small.tensor, &large.tensor),
        "joined: `result` is f32 [7], and the function returns [8]");
  TENSOR(rest, z, 2, 32, 2, 2, 3);
  ERROR(entries_both(NULL, &matrix.tensor, 1, &small.tensor, &rest.tensor),
        "both: the size `c` is 3 in `x`, f32 [2 3], and 2 in `result0`, f32 [2]");
  TENSOR(same, z, 2, 32, 1, 3);
  ERROR(entries_both(NULL, &matrix.tensor, 1, &same.tensor, &rest.tensor), "both: `result0` overlaps `result1`");
  ERROR(entries_add(NULL, &vector.tensor, &five.tensor, &six.tensor),
        "add: the size `n` is 6 in `x`, f32 [6], and 5 in `y`, f32 [5]");
  double numbers[12] = {0};
  TENSOR(fixed, numbers, 2, 64, 2, 3, 4);
  TENSOR(right, numbers, 2, 64, 2, 3, 3);
  ERROR(entries_square(NULL, &fixed.tensor, &right.tensor), "square: `x` is f64 [3 4], and must be f64 [3 3]");
  int32_t rows[2] = {1, 2};
  TENSOR(row, rows, 0, 32, 1, 2);
  ERROR(entries_picked(NULL, &matrix.tensor, &row.tensor, &rest.tensor),
        "error[tensor-range]: the index 2 is outside of axis 0, which has 2 elements");
}

/* What looks odd and is right. */
static void oddCalls(void) {
  TENSOR(empty, NULL, 2, 32, 2, 0, 3);
  CHECK(entries_rows(NULL, &empty.tensor, &empty.tensor) == 0);
  TENSOR(wide, NULL, 2, 32, 2, 0, INT64_MAX / 8); /* Of no elements, though a row would fit nowhere. */
  CHECK(entries_rows(NULL, &wide.tensor, &wide.tensor) == 0);
  int64_t strides[2] = {77, 1};
  TENSOR(one, x, 2, 32, 2, 1, 3);
  one.tensor.strides = strides;
  TENSOR(result, z, 2, 32, 2, 1, 3);
  lispier_call call = {sizeof(call), 0, NULL, 0};
  CHECK(entries_rows(&call, &one.tensor, &result.tensor) == 0);
  char bytes[40];
  for (int64_t offset = 0; offset <= 12; offset += 4) { /* Of vectors, not of elements. */
    memcpy(bytes + offset, x, sizeof(x));
    TENSOR(shifted, bytes, 2, 32, 2, 2, 3);
    shifted.tensor.byte_offset = (uint64_t)offset;
    TENSOR(into, z, 2, 32, 2, 2, 3);
    CHECK(entries_rows(NULL, &shifted.tensor, &into.tensor) == 0 && fabsf(z[0] + z[1] + z[2] - 1) < 1e-6f);
  }
}

int main(void) {
  rightCalls();
  records();
  types();
  results();
  oddCalls();
  for (int i = 0; i < 100000; ++i) { /* Failures leave nothing behind. */
    TENSOR(matrix, x, 2, 32, 2, 2, 3);
    int32_t rows[2] = {1, i};
    TENSOR(row, rows, 0, 32, 1, 2);
    TENSOR(result, z, 2, 32, 2, 2, 3);
    if (entries_picked(NULL, &matrix.tensor, &row.tensor, &result.tensor) != (i > 1))
      wrong = 1;
  }
  puts(wrong ? "wrong" : "all right");
  return wrong;
}
