//===- Trace.cpp - Chrome trace writer ------------------------------------===//
//
// Bars are written to a buffered file as they end. Viewers accept the array
// without its closing bracket, so the file of a killed process is usable.
//
//===----------------------------------------------------------------------===//
#include "lispier/Runtime/Core/Trace.h"
#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace {
constexpr int64_t kDeviceThread = 1'000'000'000; ///< Thread id of the device's row, above all real ones.

enum State { Unknown, Off, On };
std::atomic<int> state{Unknown};
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; ///< Guards the variables below.
FILE *file;
char *path;
void (*observer)(void *context, const lispier_rt_bar *);
void *observerContext;
int owner; ///< Process that opened the file; its children do not write to it.
lispier_rt_bar openBars = {nullptr, nullptr, nullptr, 0, 0, 0, 0, &openBars, &openBars, 0}; ///< Circular list.

struct Lock {
  Lock() { pthread_mutex_lock(&mutex); }
  ~Lock() { pthread_mutex_unlock(&mutex); }
};

void writeText(const char *text) {
  fputc('"', file);
  for (const char *c = text; *c; ++c) {
    if (*c == '"' || *c == '\\')
      fputc('\\', file);
    if (static_cast<unsigned char>(*c) < ' ')
      fprintf(file, "\\u%04x", *c);
    else
      fputc(*c, file);
  }
  fputc('"', file);
}

void nameThread(int64_t thread, const char *name) {
  fprintf(file, "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%" PRId64 ",\"args\":{\"name\":\"%s\"}},\n",
          owner, thread, name);
}

int64_t threadNumber() {
  static thread_local int64_t number = syscall(SYS_gettid);
  return number;
}

void write(const lispier_rt_bar &bar) {
  if (observer)
    observer(observerContext, &bar);
  if (!file || owner != getpid())
    return;
  int64_t duration = bar.end - bar.begin;
  fputs("{\"ph\":\"X\",\"cat\":", file);
  writeText(bar.kind);
  fputs(",\"name\":", file);
  writeText(bar.name);
  // Times are in microseconds.
  fprintf(file, ",\"ts\":%" PRId64 ".%03d,\"dur\":%" PRId64 ".%03d,\"pid\":%d,\"tid\":%" PRId64 ",\"args\":{",
          bar.begin / 1000, int(bar.begin % 1000), duration / 1000, int(duration % 1000), owner, bar.thread);
  if (bar.site) {
    fputs("\"site\":", file);
    writeText(bar.site);
  }
  if (bar.bytes >= 0)
    fprintf(file, "%s\"bytes\":%" PRId64, bar.site ? "," : "", bar.bytes);
  if (bar.least > 0)
    fprintf(file, "%s\"least_us\":%.3f", bar.site || bar.bytes >= 0 ? "," : "", bar.least);
  fputs("}},\n", file);
}

/// Ranks of a program write a file each: f.1.json, of f.json, is that of rank 1.
char *fileOfRank(const char *name) {
  const char *rank = getenv("LISPIER_RANK");
  if (!rank || !*rank)
    return strdup(name);
  const char *slash = strrchr(name, '/'), *dot = strrchr(slash ? slash : name, '.');
  int stem = dot ? int(dot - name) : int(strlen(name));
  char *text;
  return asprintf(&text, "%.*s.%s%s", stem, name, rank, name + stem) < 0 ? nullptr : text;
}

bool open(const char *name) {
  char *own = fileOfRank(name);
  file = own ? fopen(own, "we") : nullptr;
  if (!file) {
    free(own);
    return false;
  }
  free(path);
  path = own;
  owner = getpid();
  fputs("[\n", file);
  nameThread(owner, "main");
  nameThread(kDeviceThread, "device");
  atexit([] { lispier_rt_trace_close(); });
  return true;
}

int firstLook() {
  Lock lock;
  if (state.load(std::memory_order_relaxed) != Unknown)
    return state.load(std::memory_order_relaxed);
  const char *path = getenv("LISPIER_TRACE");
  bool wanted = path && *path, opened = wanted && open(path);
  if (wanted && !opened)
    fprintf(stderr, "lispier: LISPIER_TRACE=%s cannot be written: %s\n", path, strerror(errno));
  state.store(opened ? On : Off, std::memory_order_release);
  return opened ? On : Off;
}
} // namespace

int lispier_rt_trace_to(const char *path) {
  Lock lock;
  if (file || !open(path))
    return 0;
  state.store(On, std::memory_order_release);
  return 1;
}

int lispier_rt_tracing() {
  int known = state.load(std::memory_order_acquire);
  return (known == Unknown ? firstLook() : known) == On;
}

int64_t lispier_rt_trace_clock() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

void lispier_rt_trace_begin(lispier_rt_bar *bar) {
  Lock lock;
  bar->thread = threadNumber();
  bar->previous = &openBars;
  bar->next = openBars.next;
  bar->next->previous = openBars.next = bar;
  bar->begin = lispier_rt_trace_clock();
}

void lispier_rt_trace_end(lispier_rt_bar *bar) {
  bar->end = lispier_rt_trace_clock();
  Lock lock;
  bar->previous->next = bar->next;
  bar->next->previous = bar->previous;
  write(*bar);
}

void lispier_rt_trace_bar(const lispier_rt_bar *bar, int onDevice) {
  lispier_rt_bar placed = *bar;
  placed.thread = onDevice ? kDeviceThread : threadNumber();
  Lock lock;
  write(placed);
}

void lispier_rt_trace_observe(void (*function)(void *context, const lispier_rt_bar *), void *context) {
  (void)lispier_rt_tracing(); // LISPIER_TRACE is read first.
  Lock lock;
  observer = function;
  observerContext = context;
  state.store(file || observer ? On : Off, std::memory_order_release);
}

int lispier_rt_trace_close() {
  Lock lock;
  if (!file || owner != getpid())
    return 1;
  for (lispier_rt_bar *bar = openBars.next; bar != &openBars; bar = bar->next) {
    bar->end = lispier_rt_trace_clock();
    write(*bar);
  }
  fprintf(file, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"lispier\"}}\n]\n", owner);
  bool failed = fflush(file) || ferror(file);
  int reason = errno;
  failed |= fclose(file) != 0;
  file = nullptr;
  state.store(observer ? On : Off, std::memory_order_release);
  if (failed)
    fprintf(stderr, "lispier: cannot write the trace %s: %s\n", path, strerror(reason));
  return !failed;
}
