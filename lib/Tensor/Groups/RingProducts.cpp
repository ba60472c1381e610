//===- RingProducts.cpp - what stays out of a ring product's kernel -------===//
#include "RingProducts.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier {
namespace {
constexpr llvm::StringLiteral kBehindRing = "group.behind_ring";
/// Elements of a result that give each of a large GPU's multiprocessors a ring's tile.
constexpr int64_t kLeastElements = 1 << 22;

int64_t elementsOf(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return type.hasStaticShape() ? type.getNumElements() : 0;
}

/// Whether a ring can make the product, as far as its operands say.
bool isOfRing(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && roleOf(op) == TensorRole::Contraction && op.getNumReductionLoops() == 1 &&
         !op.hasDynamicShape() && elementsOf(op->getResult(0)) >= kLeastElements &&
         llvm::all_of(op.getDpsInputs(), [](Value factor) {
           Type element = getElementTypeOrSelf(factor);
           return element.isBF16() || element.isF16();
         });
}

/// Whether the op, or an elementwise one on its result, makes several elements for one of the product, for which a
/// ring's tile has no place. H200, the gradient of gated units, 8192 x 8192 x 2048 to 8192 x 16384: 983 us in one
/// kernel without a ring.
bool leadsToSeveral(linalg::GenericOp op, Value product) {
  llvm::SmallSetVector<Operation *, 8> chain;
  chain.insert(op);
  for (size_t i = 0; i < chain.size(); ++i) {
    if (elementsOf(chain[i]->getResult(0)) > elementsOf(product))
      return true;
    for (Operation *user : chain[i]->getUsers())
      if (auto next = dyn_cast<linalg::GenericOp>(user);
          next && next->getBlock() == op->getBlock() && roleOf(next) == TensorRole::Elementwise)
        chain.insert(next);
  }
  return false;
}

/// The rounding that is all that the op does with the operand itself; null if there is none.
arith::TruncFOp onlyRounding(linalg::GenericOp op, OpOperand &operand) {
  BlockArgument argument = op.getMatchingBlockArgument(&operand);
  arith::TruncFOp found;
  for (Operation *user : argument.getUsers()) {
    auto rounding = dyn_cast<arith::TruncFOp>(user);
    if (!rounding || rounding.getType().getIntOrFloatBitWidth() != 16 ||
        (found && found.getType() != rounding.getType()))
      return nullptr;
    found = rounding;
  }
  return found;
}

/// The op reads the rounded operand, which an op of its own makes.
void roundBefore(linalg::GenericOp op, OpOperand &operand, arith::TruncFOp rounding, IRRewriter &rewriter) {
  rewriter.setInsertionPoint(op);
  Location loc = rounding.getLoc();
  Value product = operand.get();
  auto type = cast<RankedTensorType>(product.getType());
  Type element = rounding.getType();
  SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(), element);
  auto rounded = linalg::GenericOp::create(rewriter, loc, empty.getType(), product, empty, maps, iterators,
                                           [&](OpBuilder &b, Location at, ValueRange x) {
                                             auto copy = cast<arith::TruncFOp>(b.clone(*rounding));
                                             copy.getInMutable().assign(x[0]);
                                             linalg::YieldOp::create(b, at, copy.getResult());
                                           });
  BlockArgument argument = op.getMatchingBlockArgument(&operand);
  SmallVector<Operation *> users(argument.getUsers());
  rewriter.modifyOpInPlace(op, [&] {
    operand.set(rounded.getResult(0));
    argument.setType(element);
  });
  for (Operation *user : users)
    rewriter.replaceOp(user, argument);
}

using Erased = llvm::SmallPtrSet<Operation *, 4>;

/// Lets what reads the result of an op that only widens read what the op widens.
void widenInReaders(linalg::GenericOp op, Erased &erased, IRRewriter &rewriter) {
  auto nextReader = [&]() -> OpOperand * {
    for (OpOperand &use : op->getUses()) {
      auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
      if (reader && roleOf(reader) == TensorRole::Elementwise && linalg::areElementwiseOpsFusable(&use))
        return &use;
    }
    return nullptr;
  };
  while (OpOperand *use = nextReader()) {
    auto reader = cast<linalg::GenericOp>(use->getOwner());
    rewriter.setInsertionPoint(reader);
    FailureOr<linalg::ElementwiseOpFusionResult> fused = linalg::fuseElementwiseOps(rewriter, use);
    if (failed(fused))
      return;
    for (OpResult result : reader->getResults())
      rewriter.replaceAllUsesWith(result, fused->replacements.lookup(result));
    erased.insert(reader);
    rewriter.eraseOp(reader);
    fused->fusedOp->setAttr(kBehindRing, rewriter.getUnitAttr());
  }
  if (op->use_empty()) {
    erased.insert(op);
    rewriter.eraseOp(op);
  }
}

/// Leaves the op, on the product, to another kernel, if that can read the product rounded.
void leave(linalg::GenericOp op, linalg::LinalgOp product, Erased &erased, IRRewriter &rewriter) {
  SmallVector<OpOperand *> operands = op.getDpsInputOperands();
  OpOperand *operand = *llvm::find_if(operands, [&](OpOperand *each) { return each->get() == product->getResult(0); });
  arith::TruncFOp rounding = onlyRounding(op, *operand);
  if (!rounding)
    return;
  roundBefore(op, *operand, rounding, rewriter);
  op->setAttr(kBehindRing, rewriter.getUnitAttr());
  if (llvm::all_of(op.getBody()->without_terminator(), llvm::IsaPred<arith::ExtFOp>))
    widenInReaders(op, erased, rewriter);
}
} // namespace

void leaveRingsAlone(Block &block, IRRewriter &rewriter) {
  // What follows is elementwise: it erases no product.
  for (linalg::LinalgOp product :
       llvm::to_vector(llvm::make_filter_range(block.getOps<linalg::LinalgOp>(), isOfRing))) {
    SmallVector<linalg::GenericOp> users;
    for (Operation *user : product->getUsers())
      if (auto op = dyn_cast<linalg::GenericOp>(user);
          op && op->getBlock() == &block && roleOf(op) == TensorRole::Elementwise && op->getNumResults() == 1 &&
          !op.hasDynamicShape() && leadsToSeveral(op, product->getResult(0)) && !llvm::is_contained(users, op))
        users.push_back(op);
    Erased erased;
    for (linalg::GenericOp op : users)
      if (!erased.contains(op))
        leave(op, product, erased, rewriter);
  }
}

bool isBehindRing(Operation *op) { return op->hasAttr(kBehindRing); }
void forgetRing(Operation *op) { op->removeAttr(kBehindRing); }
} // namespace lispier
