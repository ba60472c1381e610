// Calls functions of devices.lisp on the devices of the fake drivers, whose memory is the host's and whose kernels do
// nothing. What the drivers were asked for is in their log, in which lines that begin with == say what follows.
#include "devices.h"
#include "tensors.h"
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {
constexpr int kHost = 1, kCuda = 2, kRocm = 10;
int wrong = 0;

void say(const char *what) {
  FILE *log = fopen(getenv("LISPIER_FAKE_LOG"), "a");
  fprintf(log, "== %s\n", what);
  fclose(log);
}

void check(bool isRight, const char *what, int line) {
  if (isRight)
    return;
  printf("line %d: %s: %s\n", line, what, devices_error());
  wrong = 1;
}
#define CHECK(condition) check((condition), #condition, __LINE__)

template <typename F> F find(const char *library, const char *name) {
  return reinterpret_cast<F>(dlsym(dlopen(library, RTLD_NOW), name));
}

struct Given : Tensor {
  Given(int device, int number, std::vector<int64_t> shape, uint8_t code = 2) {
    int64_t bytes = 4;
    for (int64_t size : shape)
      bytes *= size;
    void *memory = nullptr;
    if (device == kHost)
      memory = calloc(1, bytes);
    else if (device == kCuda)
      find<int (*)(void **, size_t)>("libcuda.so.1", "cuMemAlloc_v2")(&memory, bytes);
    else
      find<int (*)(void **, size_t)>("libamdhip64.so.7", "hipMalloc")(&memory, bytes);
    fill(this, memory, code, 32, int32_t(shape.size()), shape.data());
    tensor.device.device_type = device;
    tensor.device.device_id = number;
  }
  operator const DLTensor *() const { return &tensor; }
  float &operator[](int i) { return static_cast<float *>(tensor.data)[i]; }
};

lispier_call inStream(intptr_t stream) {
  return {sizeof(lispier_call), LISPIER_ASYNC, reinterpret_cast<void *>(stream), 0};
}

bool rows(int device, int number, const lispier_call *call) {
  Given x(device, number, {4, 8}), y(device, number, {4, 8});
  say("rows");
  return devices_rows(call, x, y) == 0;
}

void expectError(int32_t status, const char *message, int line) {
  check(status == 1 && strstr(devices_error(), message), message, line);
  lispier_call call = inStream(7);
  check(rows(kCuda, 0, &call), "a right call", line);
}
#define ERROR(call, message) expectError(call, message, __LINE__)

void choices() {
  lispier_call call = inStream(7);
  CHECK(rows(kCuda, 0, &call));
  CHECK(rows(kCuda, 1, &call));
  CHECK(rows(kRocm, 0, &call));
  CHECK(rows(kCuda, 0, nullptr));
  Given x(kHost, 0, {1, 2}), y(kHost, 0, {1, 2});
  CHECK(devices_rows(nullptr, x, y) == 0 && y[0] == 0.5f);
  // The thread's device is the one that it was.
  auto context = [] {
    void *used = nullptr;
    find<int (*)(void **)>("libcuda.so.1", "cuCtxGetCurrent")(&used);
    return used;
  };
  find<int (*)(void *)>("libcuda.so.1", "cuCtxSetCurrent")(reinterpret_cast<void *>(1));
  CHECK(rows(kCuda, 1, &call) && context() == reinterpret_cast<void *>(1));
  find<int (*)(void *)>("libcuda.so.1", "cuCtxSetCurrent")(nullptr);
}

void memory() {
  lispier_call call = inStream(7);
  Given x(kCuda, 0, {4, 8}), w(kCuda, 0, {16, 8}), v(kCuda, 0, {8, 16}), y(kCuda, 0, {4, 8});
  for (const char *what : {"mlp", "mlp again"}) {
    say(what);
    CHECK(devices_mlp(&call, x, w, v, y) == 0);
  }
  Given a(kCuda, 0, {8}), b(kCuda, 0, {8});
  a[3] = 5;
  say("grown");
  CHECK(devices_grown(&call, a, 0, b) == 0 && b[3] == 5);
  Given rows(kCuda, 0, {8}, 0);
  for (const char *what : {"looked-up", "looked-up again"}) {
    say(what);
    CHECK(devices_looked_up(&call, rows, b) == 0);
  }
  Given i(kCuda, 0, {1}, 0);
  say("chosen");
  CHECK(devices_chosen(&call, a, i, b) == 0);
}

void captured() {
  lispier_call call = inStream(7), waits{sizeof(lispier_call), 0, reinterpret_cast<void *>(7), 0};
  setenv("LISPIER_FAKE_CAPTURED", "1", 1);
  Given x(kCuda, 0, {4, 8}), w(kCuda, 0, {16, 8}), v(kCuda, 0, {8, 16}), y(kCuda, 0, {4, 8});
  Given a(kCuda, 0, {8}), b(kCuda, 0, {8}), i(kCuda, 0, {1}, 0);
  say("captured");
  CHECK(devices_mlp(&call, x, w, v, y) == 0);
  a[3] = 7;
  CHECK(devices_grown(&call, a, 0, b) == 0 && b[3] == 7);
  ERROR(devices_rows(&waits, x, y), "the caller captures the stream, and this function waits for results");
  ERROR(devices_chosen(&call, a, i, b), "the caller captures the stream, and this function");
  unsetenv("LISPIER_FAKE_CAPTURED");
}

void wrongPlaces() {
  Given x(kCuda, 0, {4, 8}), y(kCuda, 1, {4, 8}), far(kHost, 9, {4, 8}), host(kHost, 0, {4, 8});
  ERROR(devices_rows(nullptr, x, y),
        "rows: `result` is on cuda:1, and `x` on cuda:0; all tensors of a call must be on");
  ERROR(devices_rows(nullptr, x, host), "rows: `result` is in the host's memory, and `x` on cuda:0");
  ERROR(devices_rows(nullptr, x, x), "rows: `result` overlaps `x`");
  far.tensor.device.device_type = kCuda;
  ERROR(devices_rows(nullptr, far, far), "rows: `result` overlaps `x`");
  Given other(kHost, 9, {4, 8});
  other.tensor.device.device_type = kCuda;
  ERROR(devices_rows(nullptr, far, other),
        "rows: `x` is on cuda:9, and this library was built for cuda:sm_80, cuda:sm_90, "
        "rocm:gfx942, cpu\n  cuda:sm_80: open: no cuda device 9");
  far.tensor.device.device_type = other.tensor.device.device_type = 8;
  ERROR(devices_rows(nullptr, far, other),
        "is in the memory of a device (DLPack's type 8, number 9), and this library");
}

void failures() {
  lispier_call call = inStream(7);
  Given x(kCuda, 0, {4, 8}), w(kCuda, 0, {16, 8}), v(kCuda, 0, {8, 16}), y(kCuda, 0, {4, 8});
  say("failures");
  int failed = 0;
  for (const char *fails : {"cuLaunchKernel:700", "cuLaunchKernelEx:700", "cuMemAllocFromPoolAsync:2"}) {
    setenv("LISPIER_FAKE_FAIL", fails, 1);
    int32_t status = devices_mlp(&call, x, w, v, y);
    unsetenv("LISPIER_FAKE_FAIL");
    failed += status;
    if (status) // By either function; one is enough.
      ERROR(status, strstr(fails, "Pool") ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_ILLEGAL_ADDRESS: kernel");
  }
  CHECK(failed >= 2);
}

void processes() {
  std::vector<std::thread> threads;
  std::vector<int> failed(8);
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([t, &failed] {
      for (int i = 0; i < 100; ++i) {
        Given x(kHost, 0, {1, 2}), y(kHost, 0, {1, 2}), d(kHost, 0, {1, 2});
        failed[t] += devices_rows(nullptr, x, y) != 0 || y[1] != 0.5f;
        x.tensor.device.device_type = d.tensor.device.device_type = t % 4 < 2 ? kCuda : kRocm;
        x.tensor.device.device_id = d.tensor.device.device_id = t % 2;
        lispier_call call = inStream(t + 1);
        failed[t] += devices_rows(&call, x, d) != 0;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int each : failed)
    CHECK(each == 0);
  if (pid_t child = fork()) {
    int status = 1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
    return;
  }
  Given x(kHost, 0, {1, 2}), y(kHost, 0, {1, 2});
  bool isRight = devices_rows(nullptr, x, y) == 0 && y[0] == 0.5f;
  x.tensor.device.device_type = y.tensor.device.device_type = kCuda;
  isRight = isRight && devices_rows(nullptr, x, y) != 0 && strstr(devices_error(), "this process is a fork");
  _exit(!isRight);
}
} // namespace

int main() {
  choices();
  memory();
  captured();
  wrongPlaces();
  failures();
  processes();
  puts(wrong ? "wrong" : "all right");
  return wrong;
}
