//===- TunedPrograms.cpp - what `lispier tune` measures -------------------===//
#include "lispier/Session/Session.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lispier {
static std::vector<std::string> elementTypes(mlir::gpu::LaunchFuncOp launch) {
  std::vector<std::string> types;
  for (mlir::Type type : launch.getKernelOperands().getTypes())
    if (auto memref = dyn_cast<mlir::MemRefType>(type))
      types.push_back(mlir::debugString(memref.getElementType()));
  return types;
}

std::vector<TunedProgram> tunedPrograms(mlir::ModuleOp module) {
  std::vector<TunedProgram> programs;
  module.walk([&](tile::ChooseOp choose) {
    if (!choose.getCombinations())
      return;
    uint64_t combinations = *choose.getCombinations();
    auto known = find_if(programs, [&](const TunedProgram &each) { return each.name == choose.getProgram(); });
    if (known != programs.end()) {
      known->combinations = std::max(known->combinations, combinations); // A launch may leave more open than another.
      return;
    }
    TunedProgram program{choose.getProgram().str(), combinations, {}};
    auto branch = cast<mlir::scf::IndexSwitchOp>(*choose.getResult().user_begin());
    branch.walk([&](mlir::gpu::LaunchFuncOp launch) { program.types = elementTypes(launch); });
    programs.push_back(std::move(program));
  });
  return programs;
}
} // namespace lispier
