// Random tensors for exported functions, a third of them valid: those give what a loop here computes, the others an
// error, and nothing is written. `headers COUNT SEED`
#include "entries.h"
#include "tensors.h"
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

static std::mt19937_64 engine;
static int64_t below(int64_t n) { return static_cast<int64_t>(engine() % static_cast<uint64_t>(n)); }
static bool rarely() { return below(12) == 0; }

constexpr int64_t kElements = 64;

/// A tensor in the middle of memory of its own, [n c] or [n], and whether a function may use it as that.
struct Random {
  Tensor made;
  int64_t strides[kMostRank];
  std::vector<float> memory;
  bool isValid = true;
  int64_t elements = 1;

  float *data() { return reinterpret_cast<float *>(static_cast<char *>(made.tensor.data) + made.tensor.byte_offset); }
};

static int64_t oddSize() {
  const int64_t odd[] = {-1, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(), int64_t(1) << 62,
                         int64_t(1) << 33};
  return odd[below(5)];
}

static void randomize(Random &random, const std::vector<int64_t> &shape, bool spoils, int kinds) {
  random.memory.resize(4 * kElements);
  for (float &value : random.memory)
    value = static_cast<float>(below(100)) / 10;
  fill(&random.made, random.memory.data(), 2, 32, static_cast<int32_t>(shape.size()), shape.data());
  DLTensor &tensor = random.made.tensor;
  tensor.shape = random.made.shape;
  tensor.byte_offset = static_cast<uint64_t>(4 * below(9));
  for (int64_t size : shape)
    random.elements *= size;
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) { // The strides of dimensions without a next element mean nothing.
    random.strides[d] = shape[d] > 1 || below(2) ? stride : below(1000) - 500;
    stride *= shape[d];
  }
  if (below(2))
    tensor.strides = random.strides;
  if (!spoils)
    return;
  switch (below(kinds)) {
  case 0: // Small codes and bits only: others would be read by no one.
    tensor.dtype.code = static_cast<uint8_t>(below(8));
    tensor.dtype.bits = static_cast<uint8_t>(8 << below(4));
    tensor.dtype.lanes = static_cast<uint16_t>(below(3));
    random.isValid = tensor.dtype.code == 2 && tensor.dtype.bits == 32 && tensor.dtype.lanes == 1;
    break;
  case 1:
    tensor.ndim = static_cast<int32_t>(below(5));
    random.isValid = tensor.ndim == static_cast<int32_t>(shape.size());
    break;
  case 2:
    tensor.device.device_type = static_cast<decltype(tensor.device.device_type)>(below(5));
    random.isValid = tensor.device.device_type == 1 || tensor.device.device_type == 3;
    break;
  case 3:
    tensor.byte_offset += static_cast<uint64_t>(below(4));
    random.isValid = tensor.byte_offset % 4 == 0 || random.elements == 0;
    break;
  case 4:
    tensor.data = nullptr;
    tensor.byte_offset = 0;
    random.isValid = random.elements == 0;
    break;
  case 5:
    tensor.strides = random.strides;
    for (size_t d = 0; d < shape.size(); ++d)
      if (int64_t other = below(2) ? below(9) - 4 : oddSize(); below(2) && other != random.strides[d]) {
        random.isValid &= shape[d] <= 1 || random.elements == 0;
        random.strides[d] = other;
      }
    break;
  case 7: // Of the result alone: with equal sizes of no elements both would be valid.
    random.made.shape[below(static_cast<int64_t>(shape.size()))] = oddSize();
    random.isValid = false; // Of another size, or of no address.
    break;
  default:
    break;
  }
}

static int wrong = 0;

static void expect(bool isRight, const char *what, int64_t round) {
  if (!isRight && ++wrong < 10)
    printf("round %lld: %s: %s\n", static_cast<long long>(round), what, entries_error());
}

int main(int count, char **words) {
  int64_t rounds = count > 1 ? atoll(words[1]) : 100000, valid = 0;
  engine.seed(count > 2 ? strtoull(words[2], nullptr, 10) : 1);
  for (int64_t round = 0; round < rounds; ++round) {
    bool spoils = below(3) != 0;
    int64_t n = below(6), c = below(6), m = rarely() ? below(6) : n, d = rarely() ? below(6) : c;
    Random x, result;
    randomize(x, {n, c}, spoils && below(2), 7);
    randomize(result, {m, d}, spoils, 8);
    std::vector<float> before = result.memory;
    bool isValid = x.isValid && result.isValid && n == m && c == d;
    int status = entries_rows(nullptr, &x.made.tensor, &result.made.tensor);
    expect(status == (isValid ? 0 : 1), isValid ? "a valid call fails" : "a wrong call does not", round);
    if (status) {
      expect(strncmp(entries_error(), "rows: ", 6) == 0, "another message", round);
      expect(before == result.memory, "a call that fails writes", round);
      continue;
    }
    ++valid;
    for (int64_t i = 0; i < n; ++i) {
      float sum = 0;
      for (int64_t j = 0; j < c; ++j)
        sum += std::exp(x.data()[i * c + j]);
      for (int64_t j = 0; j < c; ++j)
        expect(std::fabs(result.data()[i * c + j] - std::exp(x.data()[i * c + j]) / sum) < 1e-5f, "wrong", round);
    }
  }
  printf("%lld calls, %s; %s\n", static_cast<long long>(rounds), 3 * valid > rounds ? "a third valid" : "few valid",
         wrong ? "wrong" : "all right");
  return wrong != 0;
}
