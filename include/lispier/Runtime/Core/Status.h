//===- Status.h - what a call that can fail returns -------------*- C++ -*-===//
#ifndef LISPIER_RUNTIME_STATUS_H
#define LISPIER_RUNTIME_STATUS_H

namespace lispier::runtime {
struct Status {
  const char *call = nullptr; ///< The call that failed, "alloc" or a library's function; null on success.
  int code = 0;               ///< The library's error code.
  char reason[504];           ///< Name of the error and its values: "out of memory: 8 bytes asked for, 4 held".

  bool ok() const { return !call; }
  Status() {}
  /// `format` and the arguments are printf's.
  [[gnu::format(printf, 4, 5)]] Status(const char *call, int code, const char *format, ...);
};
} // namespace lispier::runtime
#endif
