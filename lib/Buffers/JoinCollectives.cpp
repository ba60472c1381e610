//===- JoinCollectives.cpp - collectives that are done at once ------------===//
//
// Gradients are many tensors, most of them small: each collective of its own is a
// launch, and waits for the other ranks. Engines do several at once.
//
//===----------------------------------------------------------------------===//
#include "lispier/Buffers/MemoryOrigins.h"
#include "lispier/Buffers/Passes.h"
#include "lispier/Comm/Comm.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_JOINCOLLECTIVES
#include "lispier/Buffers/Passes.h.inc"

namespace {
/// Whether the op only ends the program, if sizes do not fit.
bool isCheck(Operation &op) {
  if (!isa<scf::IfOp>(op) || op.getNumResults() > 0)
    return false;
  return !op.walk([&](Operation *inside) {
              auto call = dyn_cast<LLVM::CallOp>(inside);
              bool isFailure = call && call.getCallee() == StringRef("lispier_rt_check_failed");
              bool fits = inside == &op || isFailure || isMemoryEffectFree(inside);
              return fits ? WalkResult::advance() : WalkResult::interrupt();
            }).wasInterrupted();
}

/// Whether the op may as well come before collectives that it follows.
bool movesBefore(Operation &op) {
  bool isFree = isMemoryEffectFree(&op) && !op.hasTrait<OpTrait::IsTerminator>();
  return isFree || isa<memref::AllocOp>(op) || isCheck(op);
}

class Joining {
public:
  explicit Joining(ModuleOp module) : origins(module) {}

  void join(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      bool joins = comm::isCollective(&op) && !isa<comm::OwnPartOp>(op) && op.getNumResults() == 0;
      if (!run.empty() && !joins && movesBefore(op)) {
        op.moveBefore(run.front());
        continue;
      }
      if (!joins || !fits(op))
        finish();
      if (joins)
        run.push_back(&op);
    }
    finish();
  }

private:
  /// Whether the collective may be done at once with those of the run.
  bool fits(Operation &op) {
    return llvm::all_of(run, [&](Operation *other) {
      if (other->getName() != op.getName() || other->getAttr("axes") != op.getAttr("axes"))
        return false;
      Value out = op.getOperand(comm::kOutOperand), otherOut = other->getOperand(comm::kOutOperand);
      return !origins.mayOverlap(otherOut, op.getOperand(comm::kInOperand)) && !origins.mayOverlap(otherOut, out) &&
             !origins.mayOverlap(out, other->getOperand(comm::kInOperand));
    });
  }

  void finish() {
    if (run.size() > 1) {
      OpBuilder b(run.front());
      auto together = comm::TogetherOp::create(b, b.getFusedLoc({run.front()->getLoc()}));
      Block &body = together.getRegion().emplaceBlock();
      for (Operation *op : run)
        op->moveBefore(&body, body.end());
    }
    run.clear();
  }

  MemoryOrigins origins;
  SmallVector<Operation *> run; ///< Collectives that follow each other.
};

struct JoinCollectives : impl::JoinCollectivesBase<JoinCollectives> {
  void runOnOperation() override {
    if (comm::meshOf(getOperation()).empty())
      return;
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      if (llvm::any_of(*block, [](Operation &op) { return comm::isCollective(&op); }))
        blocks.push_back(block);
    });
    Joining joining(getOperation());
    for (Block *block : blocks)
      joining.join(*block);
  }
};
} // namespace
} // namespace lispier
