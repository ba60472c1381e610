//===- CodeMap.cpp - which function an address is in ----------------------===//
#include "lispier/Target/Cpu/CodeMap.h"
#include <utility>

namespace lispier {
CodeMap::~CodeMap() {
  for (Object *object = newest; object;)
    delete std::exchange(object, object->next);
}

void CodeMap::add(std::vector<Function> functions) {
  auto *object = new Object{std::move(functions), newest};
  while (!newest.compare_exchange_weak(object->next, object)) {
  }
}

const char *CodeMap::functionAt(uint64_t address) const {
  for (const Object *object = newest; object; object = object->next)
    for (const Function &function : object->functions)
      if (function.begin <= address && address < function.end)
        return function.name.c_str();
  return nullptr;
}
} // namespace lispier
