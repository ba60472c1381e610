//===- CheckPlacements.cpp - what each value is on the ranks --------------===//
#include "PlacementAnalysis.h"
#include "lispier/Comm/Comm.h"
#include "lispier/Grad/Grad.h"
#include "lispier/Tensor/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"

namespace lispier {
#define GEN_PASS_DEF_CHECKPLACEMENTS
#include "lispier/Tensor/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
struct CheckPlacements : impl::CheckPlacementsBase<CheckPlacements> {
  using CheckPlacementsBase::CheckPlacementsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<comm::Axis> mesh = comm::meshOf(module);
    if (mesh.empty() || module->removeAttr(comm::kChecked))
      return;
    if (early && module.walk([](grad::CallOp) { return WalkResult::interrupt(); }).wasInterrupted())
      return;
    auto main = module.lookupSymbol<func::FuncOp>("main");
    llvm::MapVector<Operation *, SmallVector<Attribute>> reduced; // By comm.settle, the axes of the sum.
    module.walk([&](comm::SettleOp settle) { reduced[settle]; });
    for (const comm::Axis &axis : mesh) {
      if (!main || main.isExternal())
        break;
      PlacementAnalysis analysis(module, axis.name);
      if (failed(analysis.run(main)))
        return signalPassFailure();
      for (auto &[settle, axes] : reduced)
        if (analysis.of(settle->getOperand(0)).isPartial())
          axes.push_back(StringAttr::get(&getContext(), axis.name));
      if (explain)
        explainAll(main, analysis, axis.name);
    }
    for (auto &[settle, axes] : reduced)
      replace(cast<comm::SettleOp>(settle), axes);
    module.walk([](comm::AssumeOp assume) {
      assume.getResult().replaceAllUsesWith(assume.getIn());
      assume.erase();
    });
    if (early)
      module->setAttr(comm::kChecked, UnitAttr::get(&getContext()));
  }

  static void replace(comm::SettleOp settle, ArrayRef<Attribute> axes) {
    OpBuilder b(settle);
    Value value = settle.getIn();
    if (!axes.empty()) {
      Location loc = settle.getLoc();
      Value out =
          tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, value), getElementTypeOrSelf(value.getType()));
      if (out.getType() != value.getType()) // Sizes that are constants, and that the type does not have.
        out = tensor::CastOp::create(b, loc, value.getType(), out);
      value = comm::AllReduceOp::create(b, loc, value.getType(), value, out, comm::Combine::Add, b.getArrayAttr(axes))
                  ->getResult(0);
    }
    settle.getResult().replaceAllUsesWith(value);
    settle.erase();
  }

  static void explainAll(func::FuncOp main, PlacementAnalysis &analysis, StringRef axis) {
    main.walk([&](Operation *op) {
      if (op->getNumResults() > 0 && isa<RankedTensorType>(op->getResult(0).getType()))
        op->emitRemark() << axis << ": " << analysis.of(op->getResult(0)).text();
    });
  }
};
} // namespace
} // namespace lispier
