//===- Interrupt.cpp - Ctrl-C ---------------------------------------------===//
#include "Interrupt.h"
#include "Guard.h"
#include "lispier/Runtime/Core/Runtime.h"
#include <pthread.h>
#include <signal.h>

int32_t lispier_rt_interrupt_flag = 0;

namespace lispier::runtime {
namespace {
int32_t running = 0;    ///< Calls that an interrupt would end.
struct sigaction hosts; ///< What the host does with the signal.
pthread_mutex_t catching = PTHREAD_MUTEX_INITIALIZER;
volatile sig_atomic_t isHandling = 0; ///< A handler that the host has set later may call this one.

void chain(int number, siginfo_t *info, void *context, bool isIdle);

void interruptAndChain(int number, siginfo_t *info, void *context) {
  if (isHandling)
    return;
  isHandling = 1;
  bool isIdle = __atomic_load_n(&running, __ATOMIC_RELAXED) == 0;
  lispier_rt_interrupt();
  chain(number, info, context, isIdle);
  isHandling = 0;
}

void chain(int number, siginfo_t *info, void *context, bool isIdle) {
  if (hosts.sa_flags & SA_SIGINFO)
    return hosts.sa_sigaction(number, info, context);
  if (hosts.sa_handler != SIG_DFL && hosts.sa_handler != SIG_IGN)
    return hosts.sa_handler(number);
  if (hosts.sa_handler == SIG_DFL && isIdle) { // The call that has ended tells its host otherwise.
    signal(number, SIG_DFL);
    raise(number);
  }
}
} // namespace

void beginInterruptible() { __atomic_fetch_add(&running, 1, __ATOMIC_ACQ_REL); }

void endInterruptible() {
  if (__atomic_fetch_sub(&running, 1, __ATOMIC_ACQ_REL) == 1)
    __atomic_store_n(&lispier_rt_interrupt_flag, 0, __ATOMIC_RELAXED);
}
} // namespace lispier::runtime

using namespace lispier::runtime;

void lispier_rt_interrupt() {
  if (__atomic_load_n(&running, __ATOMIC_ACQUIRE))
    __atomic_store_n(&lispier_rt_interrupt_flag, 1, __ATOMIC_RELAXED);
}

void lispier_rt_check_interrupt() {
  if (__atomic_load_n(&lispier_rt_interrupt_flag, __ATOMIC_RELAXED) && isGuarded())
    lispier_rt_end_interrupted();
}

void lispier_rt_end_interrupted() { returnToGuard("interrupted", kInterrupted); }

void lispier_rt_catch_interrupts() {
  struct sigaction now = {};
  pthread_mutex_lock(&catching);
  bool isKnown = !sigaction(SIGINT, nullptr, &now);
  bool isHosts = !(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != interruptAndChain;
  bool isIgnored = !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_IGN;
  if (isKnown && isHosts && !isIgnored) {
    hosts = now;
    struct sigaction action = {};
    action.sa_sigaction = interruptAndChain;
    action.sa_mask = now.sa_mask;
    action.sa_flags = SA_SIGINFO | (now.sa_flags & (SA_RESTART | SA_ONSTACK));
    sigaction(SIGINT, &action, nullptr);
  }
  pthread_mutex_unlock(&catching);
}

static volatile sig_atomic_t interrupted = 0;

void lispier_catch_interrupt() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = SA_RESETHAND | SA_RESTART; // The second one ends the program.
  sigaction(SIGINT, &action, nullptr);
}

int32_t lispier_interrupted() { return interrupted; }
