//===- CodeMap.h - which function an address is in -------------*- C++ -*-===//
#ifndef LISPIER_TARGET_CPU_CODEMAP_H
#define LISPIER_TARGET_CPU_CODEMAP_H

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace lispier {
/// The functions that a JIT has linked. They are only ever added, so that a signal handler may ask at any time.
class CodeMap {
public:
  struct Function {
    uint64_t begin, end;
    std::string name; ///< The source's.
  };
  CodeMap() = default;
  CodeMap(const CodeMap &) = delete;
  ~CodeMap();

  /// The functions of one object; from any thread.
  void add(std::vector<Function> functions);
  /// The name, which lives as long as this; null: the address is in none. Safe in a signal handler.
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
