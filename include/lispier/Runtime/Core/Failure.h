//===- Failure.h - how a run fails ------------------------------*- C++ -*-===//
//
// All failures of a running program end in endRun, which knows their place in the
// program, code and text: under lispier_rt_guard the message returns to the host
// that called a compiled function. tools/dev/check-layering rejects an exit or abort
// elsewhere in the runtime.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_RUNTIME_CORE_FAILURE_H
#define LISPIER_RUNTIME_CORE_FAILURE_H

#include <string_view>

namespace lispier::runtime {
enum class Ending {
  Exit,   ///< With status 1, or that of the failure.
  AtOnce, ///< With status 1, but without what was registered for exit, which would fail again.
  Abort   ///< By a signal: memory is no longer what the program believes.
};

struct Failure {
  std::string_view place; ///< "file:line:column" in the program; empty if it is at no place there.
  std::string_view code;  ///< The error code, such as "cpu-division"; empty if there is none.
  const char *message;    ///< All that is printed, each line with its end; null if it has been printed.
  Ending ending = Ending::Exit;
  int status = 1; ///< Of Ending::Exit.
};

/// Returns to the thread's guard (lispier_rt_guard) with the message, or, without one, flushes stdout, prints the
/// message on stderr and ends the process. A host that has the source text may rewrite
/// messages that have a code (lispier_rt_explain_with). The caller holds no lock.
[[noreturn]] void endRun(const Failure &failure);

/// What a failure has beside its text.
struct Where {
  const char *place = nullptr; ///< As in Failure; null if it is at no place.
  const char *code = nullptr;
  Ending ending = Ending::Exit;
};

/// Fails with "place: error[code]: text", or with the text alone where there is no place. The text that `format`
/// describes is cut off after some 4000 bytes; it may go on with lines of notes, as in lispier_rt_fail.
[[noreturn, gnu::format(printf, 2, 3)]] void fail(const Where &where, const char *format, ...);
} // namespace lispier::runtime
#endif
