//===- CodeMap.h - from addresses to JIT functions --------------*- C++ -*-===//
#ifndef LISPIER_TARGET_CPU_CODEMAP_H
#define LISPIER_TARGET_CPU_CODEMAP_H

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace lispier {
/// Maps code addresses to the functions that a JIT has linked. Entries are never removed, so that a signal handler can
/// look one up at any time.
class CodeMap {
public:
  struct Function {
    uint64_t begin, end;
    std::string name; ///< Name in the source.
  };
  CodeMap() = default;
  CodeMap(const CodeMap &) = delete;
  ~CodeMap();

  /// Adds the functions of one object. Thread-safe.
  void add(std::vector<Function> functions);
  /// Returns the name of the function at an address, owned by this object; null if there is none. Async-signal-safe.
  const char *functionAt(uint64_t address) const;

private:
  struct Object {
    std::vector<Function> functions;
    Object *next;
  };
  std::atomic<Object *> newest = nullptr;
};
} // namespace lispier
#endif
