//===- PreludeMacros.cpp - lib/Prelude/macros, embedded -------------------===//
#include "lispier/Expand/Expand.h"

using namespace llvm;

namespace lispier {
ArrayRef<PreludeFile> preludeMacroFiles() {
  static const PreludeFile files[] = {
#define FILE(name, text) {StringLiteral("prelude/" name), StringLiteral(text)},
#include "Macros.inc"
#undef FILE
  };
  return files;
}
} // namespace lispier
