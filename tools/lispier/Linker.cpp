//===- Linker.cpp - LLVM's linker in the tool -----------------------------===//
#include "Linker.h"
#include "lld/Common/Driver.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

bool isLinker(llvm::StringRef calledAs) { return llvm::sys::path::filename(calledAs) == "ld.lld"; }

int runLinker(llvm::ArrayRef<const char *> arguments) {
  bool linked = lld::elf::link(arguments, llvm::outs(), llvm::errs(), /*exitEarly=*/true, /*disableOutput=*/false);
  return linked ? 0 : 1;
}
