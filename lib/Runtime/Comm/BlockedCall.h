//===- BlockedCall.h - calls that wait for other ranks ----------*- C++ -*-===//
#ifndef LISPIER_LIB_RUNTIME_BLOCKEDCALL_H
#define LISPIER_LIB_RUNTIME_BLOCKEDCALL_H

namespace lispier::runtime {
/// While it exists, this thread is in a call of an engine that returns when other ranks have made theirs, and may wait
/// for ever for one that is gone: after LISPIER_COMM_TIMEOUT seconds another thread ends the process, with the place in
/// the program. One thread at a time.
class BlockedCall {
public:
  /// `name` outlives it.
  BlockedCall(const char *name, int rank);
  ~BlockedCall();
  BlockedCall(const BlockedCall &) = delete;
  BlockedCall &operator=(const BlockedCall &) = delete;
};
} // namespace lispier::runtime
#endif
