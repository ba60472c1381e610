//===- PreludeMacros.cpp - lib/Prelude/macros, embedded -------------------===//
#include "lispier/Expand/Expand.h"

using namespace llvm;

namespace lispier {
namespace {
constexpr char kLogic[] = {
#embed "../Prelude/macros/logic.lisp"
    , 0};
constexpr char kArithmetic[] = {
#embed "../Prelude/macros/arithmetic.lisp"
    , 0};
constexpr char kCalls[] = {
#embed "../Prelude/macros/calls.lisp"
    , 0};
constexpr char kKernels[] = {
#embed "../Prelude/macros/kernels.lisp"
    , 0};

template <size_t size> StringRef textOf(const char (&text)[size]) { return StringRef(text, size - 1); }
} // namespace

ArrayRef<PreludeFile> preludeMacroFiles() {
  static const PreludeFile files[] = {
      {"prelude/logic.lisp", textOf(kLogic)},
      {"prelude/arithmetic.lisp", textOf(kArithmetic)},
      {"prelude/calls.lisp", textOf(kCalls)},
      {"prelude/kernels.lisp", textOf(kKernels)},
  };
  return files;
}
} // namespace lispier
