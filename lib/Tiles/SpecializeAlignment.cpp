//===- SpecializeAlignment.cpp - a variant of a kernel for aligned rows ---===//
//
// Before: tile programs whose accesses may be at any address. After: where an access
// could have vectors of 16 bytes if pointers, sizes and strides of the kernel's
// parameters were multiples of that, there are two kernels: in one the accesses have
// `tile.vector`, the other is as before. A launch tests its operands and takes one of
// them, so that neither kernel pays for the other. A kernel that is an alternative to
// others (`tile.aligned_alone`) has no form for other memory: where it is launched, an
// scf.if chooses, whose second branch is taken then.
//
//===----------------------------------------------------------------------===//
#include "Divisor.h"
#include "LayoutRules.h"
#include "lispier/Device/Launches.h"
#include "lispier/Tile/Tile.h"
#include "lispier/Tile/TileSlots.h"
#include "lispier/Tiles/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_SPECIALIZEALIGNMENT
#include "lispier/Tiles/Passes.h.inc"

namespace {
constexpr int64_t kVectorBytes = 16;

/// A number that a memref parameter of a kernel brings.
enum class Quantity { Address, Size, Stride };
struct Fact {
  unsigned parameter;
  Quantity quantity;
  unsigned dimension; ///< Of sizes and strides.
  auto operator<=>(const Fact &) const = default;
};
/// What must divide each: bytes for an address, else elements.
using Facts = std::map<Fact, int64_t>;

/// The parameter that `memref` is, with another type at most.
BlockArgument parameterOf(Value memref) {
  while (auto cast = memref.getDefiningOp<memref::CastOp>())
    memref = cast.getSource();
  auto argument = dyn_cast<BlockArgument>(memref);
  return argument && isa<gpu::GPUFuncOp>(argument.getOwner()->getParentOp()) ? argument : nullptr;
}

/// The vector that a transfer could have, with what must hold for it added to `facts`; 1 if there is none.
int64_t bestVector(VectorTransferOpInterface transfer, Facts &facts) {
  BlockArgument parameter = parameterOf(transfer.getBase());
  auto type = dyn_cast<MemRefType>(transfer.getBase().getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  VectorType tile = transfer.getVectorType();
  if (!parameter || !type || type != parameter.getType() || !tile.getRank() ||
      failed(type.getStridesAndOffset(strides, offset)) || strides.back() != 1 || tile.getElementType().isInteger(1))
    return 1;
  int64_t bytes = tile.getElementType().isIndex() ? 8 : tile.getElementTypeBitWidth() / 8;
  int64_t vector = std::max<int64_t>(1, kVectorBytes / bytes), inner = type.getRank() - 1;
  auto limit = [&](int64_t divisor) { vector = std::min(vector, divisor & -divisor); };
  limit(tile.getShape().back());
  limit(divisorOf(transfer.getIndices().back()));
  Facts needed;
  auto require = [&](Quantity quantity, unsigned dimension, int64_t known) {
    if (ShapedType::isDynamic(known))
      needed[{parameter.getArgNumber(), quantity, dimension}] = 0; // Of the vector, when it is known.
    else if (known)
      limit(known);
  };
  require(Quantity::Size, inner, type.getDimSize(inner)); // A vector is inside or outside as a whole.
  for (unsigned dimension = 0; dimension < inner; ++dimension)
    if (!type.getLayout().isIdentity()) // Else a stride is a multiple of the last size.
      require(Quantity::Stride, dimension, strides[dimension]);
  needed[{parameter.getArgNumber(), Quantity::Address, 0}] = 0;
  if (vector == 1)
    return 1;
  for (auto &[fact, unused] : needed) {
    int64_t &divisor = facts[fact];
    divisor = std::max(divisor, fact.quantity == Quantity::Address ? vector * bytes : vector);
  }
  return vector;
}

/// Whether a launch's operands have what the kernel for aligned memory needs.
Value test(OpBuilder &b, gpu::LaunchFuncOp launch, const Facts &facts) {
  Location loc = launch.getLoc();
  llvm::DenseMap<unsigned, memref::ExtractStridedMetadataOp> metadata;
  auto describe = [&](unsigned parameter) {
    auto &known = metadata[parameter];
    if (!known)
      known = memref::ExtractStridedMetadataOp::create(b, loc, launch.getKernelOperands()[parameter]);
    return known;
  };
  auto quantity = [&](const Fact &fact) -> Value {
    Value operand = launch.getKernelOperands()[fact.parameter];
    if (fact.quantity == Quantity::Size)
      return memref::DimOp::create(b, loc, operand, int64_t(fact.dimension));
    if (fact.quantity == Quantity::Stride)
      return describe(fact.parameter).getStrides()[fact.dimension];
    Value bytes = arith::ConstantIndexOp::create(b, loc, elementBytes(operand));
    Value start = arith::MulIOp::create(b, loc, describe(fact.parameter).getOffset(), bytes);
    return arith::AddIOp::create(b, loc, memref::ExtractAlignedPointerAsIndexOp::create(b, loc, operand), start);
  };
  // The low bits of all together.
  Value low, zero = arith::ConstantIndexOp::create(b, loc, 0);
  for (auto &[fact, divisor] : facts) {
    Value part = arith::AndIOp::create(b, loc, quantity(fact), arith::ConstantIndexOp::create(b, loc, divisor - 1));
    low = low ? arith::OrIOp::create(b, loc, low, part).getResult() : part;
  }
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, low, zero);
}

void choose(gpu::LaunchFuncOp launch, gpu::GPUFuncOp other, const Facts &facts) {
  OpBuilder b(launch);
  auto branch = scf::IfOp::create(b, launch.getLoc(), test(b, launch, facts), /*withElseRegion=*/true);
  auto moved = cast<gpu::LaunchFuncOp>(branch.getElseBodyBuilder().clone(*launch));
  moved.setKernelAttr(SymbolRefAttr::get(moved.getKernelModuleName(), {FlatSymbolRefAttr::get(other.getNameAttr())}));
  launch->moveBefore(branch.thenYield());
}

/// What chooses the launch, in its first branch, from outside of which its operands are; null if nothing does.
scf::IfOp choiceOf(gpu::LaunchFuncOp launch) {
  auto choice = dyn_cast<scf::IfOp>(launch->getParentOp());
  if (!choice || !choice.elseBlock() || launch->getBlock() != choice.thenBlock())
    return {};
  bool areOutside = llvm::all_of(launch.getKernelOperands(), [&](Value operand) {
    return !choice->isAncestor(operand.getParentRegion()->getParentOp());
  });
  return areOutside ? choice : scf::IfOp();
}

void chooseAligned(gpu::LaunchFuncOp launch, const Facts &facts) {
  scf::IfOp choice = choiceOf(launch);
  OpBuilder b(choice);
  Value isAligned = test(b, launch, facts);
  choice.getConditionMutable().assign(
      arith::AndIOp::create(b, launch.getLoc(), choice.getCondition(), isAligned).getResult());
}

struct SpecializeAlignment : impl::SpecializeAlignmentBase<SpecializeAlignment> {
  void runOnOperation() override {
    SmallVector<gpu::GPUFuncOp> kernels;
    for (gpu::GPUFuncOp kernel : device::kernelsOf(getOperation()))
      if (tile::programOf(kernel))
        kernels.push_back(kernel);
    SymbolTableCollection symbols;
    llvm::DenseMap<Operation *, SmallVector<gpu::LaunchFuncOp>> launches;
    device::forEachLaunch(getOperation(), [&](gpu::LaunchFuncOp launch) {
      launches[symbols.lookupNearestSymbolFrom(launch, launch.getKernel())].push_back(launch);
    });
    for (gpu::GPUFuncOp kernel : kernels)
      specialize(kernel, launches.lookup(kernel));
  }

  void specialize(gpu::GPUFuncOp kernel, ArrayRef<gpu::LaunchFuncOp> launches) {
    Facts facts;
    SmallVector<std::pair<Operation *, int64_t>> vectors;
    kernel.walk([&](VectorTransferOpInterface transfer) {
      if (transfer->hasAttr(tile::kVector))
        return;
      int64_t vector = bestVector(transfer, facts);
      if (vector > 1)
        vectors.push_back({transfer, vector});
    });
    if (vectors.empty())
      return;
    auto setVector = [&](Operation *transfer, int64_t vector) {
      transfer->setAttr(tile::kVector, IntegerAttr::get(IntegerType::get(&getContext(), 64), vector));
    };
    if (kernel->hasAttr(tile::kAlignedAlone) && llvm::all_of(launches, choiceOf)) {
      for (auto [transfer, vector] : vectors)
        setVector(transfer, vector);
      for (gpu::LaunchFuncOp launch : launches)
        chooseAligned(launch, facts);
      kernel->removeAttr(tile::kAlignedAlone);
      return;
    }
    for (auto [transfer, vector] : vectors)
      setVector(transfer, 1);
    auto other = cast<gpu::GPUFuncOp>(kernel->clone());
    other.setName((kernel.getName() + "_unaligned").str());
    SymbolTable(kernel->getParentOp()).insert(other, std::next(kernel->getIterator()));
    for (auto [transfer, vector] : vectors)
      setVector(transfer, vector);
    for (gpu::LaunchFuncOp launch : launches)
      choose(launch, other, facts);
  }
};
} // namespace
} // namespace lispier
