//===- OverlapTilePrograms.cpp - tile programs that start early -----------===//
//
// Before: tile programs, whose loops copy tiles ahead. After: on chips with
// programmatic dependent launch, a block lets the next kernel begin, reads what no
// kernel of the program writes, and then waits for the kernels before its own, so
// that their launches overlap (CUDA C++ Programming Guide). MarkWaitingKernels and
// MarkDependentLaunches do the rest.
//
//===----------------------------------------------------------------------===//
#include "lispier/Buffers/ConstantMemory.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Device/Launches.h"
#include "lispier/Target/Nvidia/Passes.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_OVERLAPTILEPROGRAMS
#include "lispier/Target/Nvidia/Passes.h.inc"

namespace {
/// What reads move past others for is in registers until it is used: of each thread, so many bytes at most.
constexpr int64_t kBytesAhead = 128;

Value rootOf(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

bool isOfBlock(Value memref) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  return type && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
}

/// What of a kernel's first block may run before its wait: reads of constant memory, copies of it to the block's
/// memory, and what these need. An op that only computes is left to LLVM.
class EarlyOps {
public:
  EarlyOps(gpu::GPUFuncOp kernel, const llvm::BitVector &constant, int64_t threads)
      : block(kernel.getBody().front()), constant(constant), threads(threads) {}

  SmallVector<Operation *> find() {
    for (Operation &op : block) {
      if (isa<LoopLikeOpInterface>(op)) // What is read behind a loop would be in registers in it.
        break;
      if (isEarly(&op))
        early.insert(&op);
      else
        leave(&op);
    }
    llvm::DenseSet<Operation *> needed;
    for (Operation *op : llvm::reverse(early)) {
      if (isMemoryEffectFree(op) && !needed.contains(op))
        continue;
      needed.insert(op);
      forEachOperand(op, [&](Value value) {
        if (Operation *made = value.getDefiningOp())
          needed.insert(made);
        return true;
      });
    }
    return llvm::filter_to_vector(early, [&](Operation *op) { return needed.contains(op); });
  }

private:
  /// What the op and those in it take from outside of it. Ends, and returns false, when `visit` does.
  static bool forEachOperand(Operation *op, llvm::function_ref<bool(Value)> visit) {
    llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), values);
    return llvm::all_of(values, visit);
  }

  bool isConstant(Value memref) const {
    auto argument = dyn_cast<BlockArgument>(rootOf(memref));
    return argument && argument.getOwner() == &block && argument.getArgNumber() < constant.size() &&
           constant[argument.getArgNumber()];
  }

  bool isEarly(Operation *op) {
    bool known = forEachOperand(op, [&](Value value) {
      Operation *made = value.getDefiningOp();
      return !made || made->getBlock() != &block || early.contains(made);
    });
    return known && isHarmless(op) && fits(op);
  }

  /// Whether the op, and each op in it, reads only constant memory and accesses only memory of the block that nothing
  /// left behind accesses.
  bool isHarmless(Operation *op) {
    WalkResult result = op->walk([&](Operation *inner) {
      if (inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
        return WalkResult::advance();
      auto access = dyn_cast<MemoryEffectOpInterface>(inner);
      if (!access)
        return WalkResult::interrupt();
      SmallVector<MemoryEffects::EffectInstance> effects;
      access.getEffects(effects);
      bool harmless = llvm::all_of(effects, [&](const MemoryEffects::EffectInstance &effect) {
        Value memory = effect.getValue();
        if (!memory || !isa<MemoryEffects::Read, MemoryEffects::Write>(effect.getEffect()))
          return false;
        if (isOfBlock(memory))
          return !leftUnknown && !left.contains(rootOf(memory));
        return isa<MemoryEffects::Read>(effect.getEffect()) && isConstant(memory);
      });
      return harmless ? WalkResult::advance() : WalkResult::interrupt();
    });
    return !result.wasInterrupted();
  }

  /// Whether the tiles that the op hands on may be in registers while those left behind are read.
  bool fits(Operation *op) {
    if (isMemoryEffectFree(op) || !anyLeft)
      return true;
    int64_t bytes = 0;
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<VectorType>(type))
        bytes += tile.getNumElements() *
                 std::max(8u, tile.getElementType().isIndex() ? 64 : tile.getElementTypeBitWidth()) / 8;
    if (bytesAhead + bytes > kBytesAhead * threads)
      return false;
    bytesAhead += bytes;
    return true;
  }

  /// What follows may move past the op only if it accesses other memory of the block. A group of copies may get more of
  /// them than its own: it is complete later, never earlier.
  void leave(Operation *op) {
    if (isMemoryEffectFree(op) || isa<tile::CommitCopiesOp>(op))
      return;
    anyLeft = true;
    op->walk([&](Operation *inner) {
      if (inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
        return;
      auto access = dyn_cast<MemoryEffectOpInterface>(inner);
      SmallVector<MemoryEffects::EffectInstance> effects;
      if (access)
        access.getEffects(effects);
      leftUnknown |= !access;
      for (const MemoryEffects::EffectInstance &effect : effects) {
        leftUnknown |= !effect.getValue();
        if (effect.getValue())
          left.insert(rootOf(effect.getValue()));
      }
    });
  }

  Block &block;
  const llvm::BitVector &constant;
  int64_t threads, bytesAhead = 0;
  llvm::SetVector<Operation *> early;
  llvm::DenseSet<Value> left; ///< Memory that ops left behind access.
  bool leftUnknown = false, anyLeft = false;
};

struct OverlapTilePrograms : impl::OverlapTileProgramsBase<OverlapTilePrograms> {
  void runOnOperation() override {
    ConstantMemory memory(getOperation());
    llvm::MapVector<gpu::GPUFuncOp, llvm::BitVector> programs;
    for (gpu::GPUFuncOp kernel : device::kernelsOf(getOperation())) {
      const TargetInfo *target = device::targetInfoOf(kernel);
      if (target && target->has(Ability::DependentLaunch) && tile::programOf(kernel))
        programs[kernel];
    }
    if (programs.empty())
      return;
    SymbolTableCollection symbols;
    device::forEachLaunch(getOperation(), [&](gpu::LaunchFuncOp launch) {
      auto found = programs.find(symbols.lookupNearestSymbolFrom<gpu::GPUFuncOp>(launch, launch.getKernel()));
      if (found != programs.end())
        meet(found->second, launch, memory);
    });
    for (auto &[kernel, constant] : programs)
      overlap(kernel, constant);
  }

  /// Of a kernel's parameters those are constant that are so for all of its launches.
  static void meet(llvm::BitVector &constant, gpu::LaunchFuncOp launch, ConstantMemory &memory) {
    OperandRange operands = launch.getKernelOperands();
    if (constant.empty())
      constant.resize(operands.size(), true);
    for (auto [i, operand] : llvm::enumerate(operands))
      if (constant[i])
        constant[i] = isa<MemRefType>(operand.getType()) && memory.isNeverWritten(operand);
  }

  static void overlap(gpu::GPUFuncOp kernel, const llvm::BitVector &constant) {
    int64_t threads = device::targetInfoOf(kernel)->warpWidth * tile::programOf(kernel).getWarps();
    SmallVector<Operation *> early = EarlyOps(kernel, constant, threads).find();
    OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
    NVVM::GriddepcontrolOp::create(b, kernel.getLoc(), NVVM::GridDepActionKind::launch_dependents);
    auto wait = NVVM::GriddepcontrolOp::create(b, kernel.getLoc(), NVVM::GridDepActionKind::wait);
    for (Operation *op : early)
      op->moveBefore(wait);
  }
};
} // namespace
} // namespace lispier
