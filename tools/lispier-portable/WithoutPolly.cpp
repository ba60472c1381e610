//===- WithoutPolly.cpp - what the linker asks of LLVM's plugins ----------===//
//
// The linker may optimise LLVM's bitcode, which Lispier never gives it, and asks
// each plugin of Debian's LLVM for its passes.
//
//===----------------------------------------------------------------------===//
#include "llvm/Plugins/PassPlugin.h"

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Polly", "none", [](llvm::PassBuilder &) {}};
}
