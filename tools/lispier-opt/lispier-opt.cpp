//===- lispier-opt.cpp - mlir-opt with Lispier's dialects and passes ------===//
#include "lispier/Pipeline/Pipeline.h"
#include "lispier/Session/Session.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

namespace {
/// A file of `lispier --reproducer`, or of MLIR's own, which holds the passes that it went through.
bool isReproducer(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  StringRef resources = buffer ? (*buffer)->getBuffer().rsplit("\n{-#").second : StringRef();
  return resources.contains("mlir_reproducer:");
}

/// Runs those passes again; mlir-opt asks for an option to do so.
LogicalResult replay(StringRef input, StringRef output, DialectRegistry &registry) {
  std::string error;
  auto file = openInputFile(input, &error);
  auto result = file ? openOutputFile(output, &error) : nullptr;
  if (!result) {
    llvm::errs() << error << '\n';
    return failure();
  }
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (failed(MlirOptMain(result->os(), std::move(file), registry, config.runReproducer(true))))
    return failure();
  result->keep();
  return success();
}
} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM initialized(argc, argv);
  DialectRegistry registry;
  lispier::registerDialects(registry);
  lispier::registerPasses();
  auto [input, output] = registerAndParseCLIOptions(argc, argv, "Lispier's optimizer driver\n", registry);
  return asMainReturnCode(input != "-" && isReproducer(input) ? replay(input, output, registry)
                                                              : MlirOptMain(argc, argv, input, output, registry));
}
