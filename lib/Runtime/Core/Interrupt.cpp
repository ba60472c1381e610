//===- Interrupt.cpp - Ctrl-C for programs that finish their step ---------===//
#include "lispier/Runtime/Core/Runtime.h"
#include <signal.h>

static volatile sig_atomic_t interrupted = 0;

void lispier_catch_interrupt() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = SA_RESETHAND | SA_RESTART; // The second one ends the program.
  sigaction(SIGINT, &action, nullptr);
}

int32_t lispier_interrupted() { return interrupted; }
