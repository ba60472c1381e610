//===- Failure.cpp - how a run fails --------------------------------------===//
#include "lispier/Runtime/Core/Failure.h"
#include "Guard.h"
#include "lispier/Runtime/Core/Runtime.h"
#include "lispier/Runtime/Core/Trace.h"
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace lispier::runtime {
namespace {
struct Explainer {
  LispierExplain explain;
  void *context;
} explainer{};

/// A message without memory of the heap, which may be what is missing. Text that does not fit is cut off.
class Message {
public:
  [[gnu::format(printf, 2, 3)]] void add(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    addList(format, arguments);
    va_end(arguments);
  }
  void addList(const char *format, va_list arguments) {
    vsnprintf(text + used, kMost - used, format, arguments);
    used += strlen(text + used);
  }
  /// The text, which ends with the end of a line.
  const char *lines() {
    if (used && text[used - 1] != '\n')
      strcpy(text + used, "\n");
    return text;
  }

private:
  static constexpr size_t kMost = 4096;
  char text[kMost + 1] = "";
  size_t used = 0;
};

/// "place: error[code]: text" of a message that compiled code has put together.
Failure failureOf(const char *message) {
  constexpr char kBefore[] = ": error[";
  const char *before = strstr(message, kBefore);
  if (!before || before > strchrnul(message, '\n'))
    return {{}, {}, message};
  const char *code = before + strlen(kBefore);
  return {{message, size_t(before - message)}, {code, strcspn(code, "]")}, message};
}
} // namespace

void endRun(const Failure &failure) {
  if (isGuarded())
    returnToGuard(failure.message ? failure.message : "the program cannot go on, for a reason that has been printed",
                  kFailed);
  fflush(stdout);
  if (failure.ending == Ending::AtOnce)
    lispier_rt_trace_close();
  if (failure.message) {
    bool isExplained = explainer.explain && !failure.code.empty();
    fputs(isExplained ? explainer.explain(explainer.context, failure.message) : failure.message, stderr);
  }
  switch (failure.ending) {
  case Ending::Exit:
    exit(failure.status);
  case Ending::AtOnce:
    fflush(nullptr);
    _exit(1);
  case Ending::Abort:
    abort();
  }
}

void fail(const Where &where, const char *format, ...) {
  Message message;
  if (where.place && where.code)
    message.add("%s: error[%s]: ", where.place, where.code);
  else if (where.place)
    message.add("%s: error: ", where.place);
  va_list arguments;
  va_start(arguments, format);
  message.addList(format, arguments);
  va_end(arguments);
  auto orEmpty = [](const char *text) { return text ? std::string_view(text) : std::string_view(); };
  endRun({orEmpty(where.place), orEmpty(where.code), message.lines(), where.ending});
}
} // namespace lispier::runtime

void lispier_rt_explain_with(LispierExplain explain, void *context) {
  lispier::runtime::explainer = {explain, context};
}

void lispier_rt_fail(const char *message) { lispier::runtime::endRun(lispier::runtime::failureOf(message)); }
