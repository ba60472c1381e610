//===- Threads.cpp - persistent workers for parallel loops ----------------===//
//
// Thread w of T owns share w of a loop: a few contiguous chunks, the same ones in
// every call of equal size, which keeps data in its cache. A thread that has
// finished its share takes unstarted chunks of the others, so a worker that the
// system has not scheduled delays only the chunk that it works on. Idle threads spin for some
// microseconds, then sleep in the kernel.
//
//===----------------------------------------------------------------------===//
#include "Guard.h"
#include "lispier/Runtime/Core/Runtime.h"
#include "lispier/Runtime/Core/Trace.h"
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <linux/futex.h>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

using lispier::runtime::isGuarded;
using lispier::runtime::returnToGuard;

namespace {
using Body = void (*)(void *, int64_t, int64_t);

constexpr int kMaxThreads = 1024;
constexpr int64_t kPartsPerThread = 4;
constexpr int64_t kSpinNanoseconds = 40'000;
constexpr int64_t kBetweenMovesNanoseconds = 10'000'000;
constexpr size_t kCacheLine = 64;

void pauseCpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

int64_t nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

/// Sleeps while `word` equals `seen`; spurious returns are possible.
void sleepWhile(std::atomic<uint32_t> &word, uint32_t seen) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}
void wake(std::atomic<uint32_t> &word) { syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0); }

/// The CPU quota of this process's cgroup (a container's limit) in processors, rounded up; 0 if unlimited.
int quota() {
  FILE *file = fopen("/sys/fs/cgroup/cpu.max", "re");
  if (!file)
    return 0;
  long each = 0, period = 0;
  int found = fscanf(file, "%ld %ld", &each, &period); // "max 100000" has no first number
  fclose(file);
  return found == 2 && each > 0 && period > 0 ? int((each + period - 1) / period) : 0;
}

int processors() {
  cpu_set_t set;
  long count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
  if (int limit = quota(); limit && limit < count)
    count = limit;
  return count > 0 ? int(count) : 1;
}

/// Moves this thread off processor `taken`, if its affinity allows another one. Restores the affinity.
void leaveProcessor(int taken) {
  cpu_set_t allowed, others;
  if (taken >= CPU_SETSIZE || sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
    return;
  others = allowed;
  CPU_CLR(taken, &others);
  if (CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof(others), &others) == 0)
    sched_setaffinity(0, sizeof(allowed), &allowed);
}

int configuredThreads() {
  int fallback = processors() < kMaxThreads ? processors() : kMaxThreads;
  const char *text = getenv("LISPIER_THREADS");
  if (!text || !*text)
    return fallback;
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (*end || errno || value < 1 || value > kMaxThreads) {
    fprintf(stderr, "lispier: LISPIER_THREADS=%s is not a number from 1 to %d; using %d\n", text, kMaxThreads,
            fallback);
    return fallback;
  }
  return int(value);
}

int threadCount() {
  static int count = 0;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, [] { count = configuredThreads(); });
  return count;
}

/// Unclaimed parts of a share in one word, so that claiming one is a single compare-exchange: call number (32 bits),
/// number of parts (16), number of claimed parts (16). The call number makes the exchange of a late worker fail.
struct alignas(kCacheLine) Share {
  std::atomic<uint64_t> state{0};
  class Pool *pool = nullptr; ///< For the thread that owns the share.
  static uint64_t open(uint32_t call, int64_t parts) { return uint64_t(call) << 32 | uint64_t(parts) << 16; }
  static uint32_t call(uint64_t state) { return uint32_t(state >> 32); }
  static int64_t parts(uint64_t state) { return (state >> 16) & 0xffff; }
  static int64_t taken(uint64_t state) { return state & 0xffff; }
};

class Pool {
public:
  /// Starts the workers, or fewer if the system refuses. `shares` has `wanted` elements.
  Pool(int wanted, Share *shares);
  void run(Body body, void *context, int64_t n, int64_t grain);
  /// The message of the first part of the last call that failed; null if none did. Only a guarded call has one.
  static constexpr size_t kMostMessage = 4096;
  const char *failure() const { return status() ? message : nullptr; }
  int status() const { return failed.load(std::memory_order_relaxed); }

private:
  static void *workerMain(void *);
  int64_t work(int self, uint32_t call);
  void runPart(int64_t part);
  void runGuarded(int64_t from, int64_t to);
  int64_t firstPart(int share) const { return parts * share / users; }
  void finish(int64_t done);
  template <typename Done> bool spinUntil(Done done) const;

  int threads = 1; ///< Number of shares; the caller is thread 0.
  int64_t spin;    ///< Nanoseconds to spin; 0 if there are more threads than processors.
  Share *shares;

  // The current call. Written before the shares are opened and read after a part is claimed, which orders the accesses.
  Body body = nullptr;
  void *context = nullptr;
  int64_t n = 0, grain = 1, chunks = 0, parts = 0, users = 1;
  bool guarded = false; ///< The caller is under a guard: parts that fail must not end the process.

  std::atomic<int> failed{0}; ///< Its status, set by the part that writes the message; parts that follow are left out.
  char message[kMostMessage];

  alignas(kCacheLine) std::atomic<uint32_t> call{0}; ///< Incremented for each call; idle workers sleep on it.
  alignas(kCacheLine) std::atomic<uint32_t> sleepers{0};
  alignas(kCacheLine) std::atomic<uint32_t> pending{0}; ///< Unfinished parts; the caller sleeps on it.
  std::atomic<bool> callerSleeps{false};
  alignas(kCacheLine) std::atomic<int> callerProcessor{-1}; ///< Processor of the last call's caller.
};

Pool::Pool(int wanted, Share *shares) : spin(wanted <= processors() ? kSpinNanoseconds : 0), shares(shares) {
  sigset_t all, before;
  sigfillset(&all);
  // Signals are delivered to the program's own threads, but for those that a worker's own code causes: where these are
  // blocked, the system ends the process without calling the handler.
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
    sigdelset(&all, signal);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // Workers read `threads` only after the first call opens, hence after this constructor.
  for (pthread_t thread; threads < wanted; ++threads) {
    shares[threads].pool = this;
    if (pthread_create(&thread, nullptr, workerMain, &shares[threads]) != 0)
      break;
    pthread_detach(thread);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

thread_local bool insideParallel = false;

template <typename Done> bool Pool::spinUntil(Done done) const {
  constexpr int kPausesPerLook = 32; // Reading the clock costs about as much as one pause.
  int64_t end = spin ? nanoseconds() + spin : 0;
  do {
    for (int i = 0; i < kPausesPerLook; ++i) {
      if (done())
        return true;
      pauseCpu();
    }
  } while (spin && nanoseconds() < end);
  return false;
}

void *Pool::workerMain(void *argument) {
  auto *own = static_cast<Share *>(argument);
  Pool &pool = *own->pool;
  int self = int(own - pool.shares);
  insideParallel = true;
  uint32_t seen = 0;
  int64_t nextMove = 0;
  while (true) {
    auto changed = [&] { return pool.call.load(std::memory_order_acquire) != seen; };
    if (!pool.spinUntil(changed)) {
      pool.sleepers.fetch_add(1, std::memory_order_seq_cst);
      while (pool.call.load(std::memory_order_seq_cst) == seen)
        sleepWhile(pool.call, seen);
      pool.sleepers.fetch_sub(1, std::memory_order_relaxed);
    }
    seen = pool.call.load(std::memory_order_acquire);
    // The kernel often places a new or woken thread on its caller's processor, and may let the two alternate there for
    // a second because neither ever sleeps.
    int here = sched_getcpu();
    if (pool.spin && here >= 0 && here == pool.callerProcessor.load(std::memory_order_relaxed) &&
        nanoseconds() >= nextMove) {
      leaveProcessor(here);
      nextMove = nanoseconds() + kBetweenMovesNanoseconds;
    }
    if (int64_t done = pool.work(self, seen))
      pool.finish(done);
  }
  return nullptr;
}

void Pool::runGuarded(int64_t from, int64_t to) {
  if (failed.load(std::memory_order_relaxed))
    return;
  struct Part {
    const Pool &pool;
    int64_t from, to;
  } part{*this, from, to};
  auto run = [](void *part) {
    auto [pool, from, to] = *static_cast<Part *>(part);
    pool.body(pool.context, from, to);
  };
  char text[kMostMessage];
  int none = 0;
  if (int status = lispier_rt_guard(run, &part, text, sizeof(text));
      status && failed.compare_exchange_strong(none, status))
    memcpy(message, text, sizeof(text)); // Read by the caller when all parts are finished.
}

void Pool::runPart(int64_t part) {
  // Parts differ by at most one chunk, and so do the shares of threads, as the larger parts are spread evenly. No
  // product here overflows for any n.
  int64_t each = chunks / parts, extra = chunks % parts;
  auto begin = [&](int64_t p) { return p * each + p * extra / parts; };
  int64_t from = begin(part) * grain;
  int64_t to = part + 1 == parts ? n : begin(part + 1) * grain;
  guarded ? runGuarded(from, to) : body(context, from, to);
}

/// Runs parts of this thread's share, then of the others', until all are claimed. Returns how many it ran.
int64_t Pool::work(int self, uint32_t current) {
  int64_t done = 0, begin = lispier_rt_tracing() ? lispier_rt_trace_clock() : -1;
  for (int i = 0; i < threads; ++i) {
    int owner = self + i < threads ? self + i : self + i - threads;
    std::atomic<uint64_t> &state = shares[owner].state;
    uint64_t seen = state.load(std::memory_order_acquire);
    while (Share::call(seen) == current && Share::taken(seen) < Share::parts(seen)) {
      if (!state.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel, std::memory_order_acquire))
        continue;
      runPart(firstPart(owner) + Share::taken(seen));
      ++done;
      seen = state.load(std::memory_order_acquire);
    }
  }
  if (begin >= 0 && done > 0) {
    lispier_rt_bar bar{"cpu", "parallel loop", nullptr, -1, begin, lispier_rt_trace_clock(), 0, nullptr, nullptr, 0};
    lispier_rt_trace_bar(&bar, /*on_device=*/false);
  }
  return done;
}

void Pool::finish(int64_t done) {
  if (pending.fetch_sub(uint32_t(done), std::memory_order_seq_cst) == uint32_t(done) &&
      callerSleeps.load(std::memory_order_seq_cst))
    wake(pending);
}

void Pool::run(Body newBody, void *newContext, int64_t newN, int64_t newGrain) {
  body = newBody;
  context = newContext;
  n = newN;
  grain = newGrain;
  guarded = isGuarded();
  failed.store(0, std::memory_order_relaxed);
  chunks = n / grain + (n % grain != 0);
  users = chunks < threads ? chunks : threads;
  parts = chunks < users * kPartsPerThread ? chunks : users * kPartsPerThread;
  if (users == 1)
    return guarded ? runGuarded(0, n) : body(context, 0, n);

  uint32_t current = call.load(std::memory_order_relaxed) + 1;
  pending.store(uint32_t(parts), std::memory_order_relaxed);
  for (int w = 0; w < users; ++w)
    shares[w].state.store(Share::open(current, firstPart(w + 1) - firstPart(w)), std::memory_order_release);
  if (int here = sched_getcpu(); here != callerProcessor.load(std::memory_order_relaxed))
    callerProcessor.store(here, std::memory_order_relaxed);
  call.store(current, std::memory_order_seq_cst);
  if (sleepers.load(std::memory_order_seq_cst))
    wake(call);

  finish(work(0, current));
  auto finished = [&] { return pending.load(std::memory_order_acquire) == 0; };
  if (spinUntil(finished))
    return;
  callerSleeps.store(true, std::memory_order_seq_cst);
  while (uint32_t left = pending.load(std::memory_order_seq_cst))
    sleepWhile(pending, left);
  callerSleeps.store(false, std::memory_order_relaxed);
}

// The workers live until the process ends, so the pool is never destroyed: a program may call exit() in the middle of a
// loop. `poolBusy` guards both variables.
Pool *pool = nullptr;
std::atomic<bool> poolBusy{false};

/// After fork: the child has no workers, and starts its own on first use.
void forgetPool() {
  pool = nullptr;
  poolBusy.store(false);
}

/// Returns null if memory is exhausted.
Pool *makePool() {
  int count = threadCount();
  void *memory = lispier_rt_try_alloc(sizeof(Pool) + count * sizeof(Share));
  if (!memory)
    return nullptr;
  static_assert(alignof(Pool) <= kCacheLine && sizeof(Pool) % kCacheLine == 0);
  auto *shares = reinterpret_cast<Share *>(static_cast<char *>(memory) + sizeof(Pool));
  for (int i = 0; i < count; ++i)
    new (&shares[i]) Share;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, [] { pthread_atfork(nullptr, nullptr, forgetPool); });
  return new (memory) Pool(count, shares);
}

} // namespace

extern "C" int64_t lispier_rt_threads() { return threadCount(); }

extern "C" void lispier_rt_parallel_for(Body body, void *context, int64_t n, int64_t grain) {
  if (n <= 0)
    return;
  if (grain < 1)
    grain = 1;
  if (__atomic_load_n(&lispier_rt_interrupt_flag, __ATOMIC_RELAXED))
    lispier_rt_check_interrupt();
  if (n <= grain || insideParallel || threadCount() == 1 || poolBusy.exchange(true, std::memory_order_acquire))
    return body(context, 0, n);
  if (!pool)
    pool = makePool();
  if (!pool) { // There is no memory for it.
    poolBusy.store(false, std::memory_order_release);
    return body(context, 0, n);
  }
  insideParallel = true;
  pool->run(body, context, n, grain);
  insideParallel = false;
  char message[Pool::kMostMessage];
  int failed = pool->status();
  if (failed)
    strcpy(message, pool->failure()); // The next loop, of another thread, may fail too.
  poolBusy.store(false, std::memory_order_release);
  if (failed)
    returnToGuard(message, failed);
}
