//===- CheckInterrupts.cpp - loops that a host can end --------------------===//
//
// Before: host code of a library. After: its loops look at the flag that
// lispier_rt_interrupt sets, and leave the call when it is set: loops of unknown
// length, and the outermost ones that have loops or calls in them. A loop inside
// another one, and one that LLVM may turn into vectors, does not look; parallel
// loops do in the runtime.
//
//===----------------------------------------------------------------------===//
#include "lispier/Loops/RuntimeCalls.h"
#include "lispier/Target/Cpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_CHECKINTERRUPTS
#include "lispier/Target/Cpu/Passes.h.inc"

namespace {
constexpr StringLiteral kFlag = "lispier_rt_interrupt_flag", kEnd = "lispier_rt_end_interrupted";

/// Whether it has loops or calls in it, so that an iteration may take long and LLVM makes no vectors of the loop.
bool isLong(scf::ForOp loop) {
  return loop.getBody()
      ->walk([](Operation *op) {
        return isa<LoopLikeOpInterface, func::CallOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Loops to look in, each at the beginning of its iterations.
SmallVector<std::pair<Location, Block *>> findPlaces(ModuleOp module) {
  SmallVector<std::pair<Location, Block *>> places;
  for (auto function : module.getOps<func::FuncOp>())
    function.walk([&](LoopLikeOpInterface op) {
      if (auto unknown = dyn_cast<scf::WhileOp>(*op))
        places.push_back({op.getLoc(), unknown.getAfterBody()});
      auto loop = dyn_cast<scf::ForOp>(*op);
      if (loop && !loop->getParentOfType<LoopLikeOpInterface>() && isLong(loop))
        places.push_back({loop.getLoc(), loop.getBody()});
    });
  return places;
}

struct CheckInterrupts : impl::CheckInterruptsBase<CheckInterrupts> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<std::pair<Location, Block *>> places = findPlaces(module);
    if (places.empty())
      return;
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    LLVM::GlobalOp::create(b, module.getLoc(), b.getI32Type(), /*isConstant=*/false, LLVM::Linkage::External, kFlag,
                           Attribute());
    RuntimeCalls calls(module);
    for (auto [loc, block] : places) {
      b.setInsertionPointToStart(block);
      Value address = LLVM::AddressOfOp::create(b, loc, LLVM::LLVMPointerType::get(&getContext()), kFlag);
      Value flag = LLVM::LoadOp::create(b, loc, b.getI32Type(), address, /*alignment=*/4, /*isVolatile=*/true);
      Value zero = arith::ConstantIntOp::create(b, loc, 0, 32);
      Value isSet = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, flag, zero);
      scf::IfOp::create(b, loc, isSet, [&](OpBuilder &inside, Location loc) {
        calls.call(inside, loc, kEnd, {});
        scf::YieldOp::create(inside, loc);
      });
    }
  }
};
} // namespace
} // namespace lispier
