//===- CheckPlacements.cpp - what each value is on the ranks --------------===//
#include "PlacementAnalysis.h"
#include "lispier/Comm/Comm.h"
#include "lispier/Grad/Grad.h"
#include "lispier/Tensor/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"
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
      bool isGood = succeeded(analysis.run(main));
      if (explain) // Also of what is refused.
        explainAll(module, analysis, axis.name);
      if (!isGood)
        return signalPassFailure();
      for (auto &[settle, axes] : reduced)
        if (analysis.of(settle->getOperand(0)).isPartial())
          axes.push_back(StringAttr::get(&getContext(), axis.name));
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

  /// One remark for all ops of a place that are placed alike, and why there is a collective.
  static void explainAll(ModuleOp module, PlacementAnalysis &analysis, StringRef axis) {
    llvm::DenseSet<std::pair<Attribute, Attribute>> told;
    module.walk([&](Operation *op) {
      if (op->getNumResults() == 0 || !isa<RankedTensorType>(op->getResult(0).getType()))
        return;
      std::string text = (axis + ": " + analysis.of(op->getResult(0)).text()).str();
      Placement in = analysis.of(op->getNumOperands() > 0 ? op->getOperand(0) : op->getResult(0));
      bool isAdded = isa<comm::SettleOp>(op) && in.isPartial();
      bool combines = isAdded || (comm::isCollective(op) && analysis.goesOver(op));
      if (isAdded)
        text += ", by an all-reduce of the gradient, which is a partial sum";
      else if (combines)
        text += ", by " + op->getName().stripDialect().str() + " of what is " + in.text();
      Location place = op->getLoc(); // Of several ops, the first; of one of an inlined function, its own.
      if (auto line = place->findInstanceOf<FileLineColLoc>())
        place = line;
      if (!told.insert({place, StringAttr::get(op->getContext(), text)}).second)
        return;
      InFlightDiagnostic remark = emitRemark(place) << text;
      if (combines)
        remark.attachNote(in.origin) << "that is made here";
    });
  }
};
} // namespace
} // namespace lispier
