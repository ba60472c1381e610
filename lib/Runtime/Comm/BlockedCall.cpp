//===- BlockedCall.cpp - calls that wait for other ranks ------------------===//
#include "BlockedCall.h"
#include "CommTable.h"
#include "lispier/Runtime/Core/Failure.h"
#include <atomic>
#include <csignal>
#include <pthread.h>
#include <unistd.h>

namespace lispier::runtime {
namespace {
struct Call {
  const char *name, *place;
  int rank;
  std::atomic<double> began; ///< 0 while there is none.
} call;

void *watch(void *) {
  double wait = patience();
  while (true) {
    usleep(useconds_t(1e6 * (wait < 8 ? wait / 8 : 1)));
    double began = call.began.load(std::memory_order_acquire);
    if (began > 0 && Deadline::seconds() - began > wait)
      fail({call.place, nullptr, Ending::AtOnce}, "rank %d: %s: %s", call.rank, call.name, timeout().reason);
  }
  return nullptr;
}

/// Starts the thread that watches; signals are for the others.
void startWatch() {
  static bool isStarted;
  if (isStarted || !(patience() > 0))
    return;
  isStarted = true;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, watch, nullptr) == 0) // Without it a rank waits for ever.
    pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}
} // namespace

BlockedCall::BlockedCall(const char *name, int rank) {
  startWatch();
  call.name = name;
  call.place = placeOfCollective;
  call.rank = rank;
  call.began.store(Deadline::seconds(), std::memory_order_release);
}

BlockedCall::~BlockedCall() { call.began.store(0, std::memory_order_release); }
} // namespace lispier::runtime
