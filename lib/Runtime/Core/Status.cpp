//===- Status.cpp - what a call that can fail returns ---------------------===//
#include "lispier/Runtime/Core/Status.h"
#include <cstdarg>
#include <cstdio>

namespace lispier::runtime {
Status::Status(const char *call, int code, const char *format, ...) : call(call), code(code) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof(reason), format, arguments);
  va_end(arguments);
}
} // namespace lispier::runtime
