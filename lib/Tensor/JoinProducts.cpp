//===- JoinProducts.cpp - products of one row in one launch ---------------===//
#include "JoinProducts.h"
#include "GroupNorm.h"
#include "MemoryViews.h"
#include "NamedSizes.h"
#include "RowViews.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/NN/NN.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace lispier {
namespace {
/// Operands of one nn.linears.
constexpr size_t kMostProducts = 3;

bool mayBeJoined(nn::LinearOp linear) {
  int64_t rows = cast<MemRefType>(linear.getX().getType()).getDimSize(0);
  return !linear.getResidual() && linear.getActivation() == nn::Activation::None && !linear.getSeveralRows() &&
         (rows == 1 || ShapedType::isDynamic(rows));
}

/// Whether the op, or one in it, reads or writes the memory, or frees it.
bool uses(Operation &op, Value memory) {
  auto usesIt = [&](Operation *inside) {
    return !isa<ViewLikeOpInterface, memref::DimOp>(inside) && llvm::any_of(inside->getOperands(), [&](Value operand) {
      return isa<BaseMemRefType>(operand.getType()) && rootOf(operand) == rootOf(memory);
    });
  };
  return op.walk([&](Operation *inside) { return usesIt(inside) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

SmallVector<Value> inputsOf(nn::LinearOp linear) {
  SmallVector<Value> inputs{linear.getX(), linear.getWeight()};
  if (linear.getBias())
    inputs.push_back(linear.getBias());
  return inputs;
}

/// Products of one x in one block, in its order. They are computed where the last one is.
class ProductsOfRow {
public:
  explicit ProductsOfRow(nn::LinearOp first) : linears{first} {}

  bool isFull() const { return linears.size() == kMostProducts; }
  ArrayRef<nn::LinearOp> all() const { return linears; }

  /// Adds one that is behind the others, if these could be computed there.
  bool add(nn::LinearOp linear) {
    nn::LinearOp first = linears[0];
    bool isAlike =
        isSameMemory(first.getX(), linear.getX()) &&
        getElementTypeOrSelf(first.getWeight()) == getElementTypeOrSelf(linear.getWeight()) &&
        getElementTypeOrSelf(first.getOut()) == getElementTypeOrSelf(linear.getOut()) &&
        llvm::all_of(linears, [&](nn::LinearOp each) { return rootOf(each.getOut()) != rootOf(linear.getOut()); });
    if (!isAlike)
      return false;
    for (nn::LinearOp each : linears)
      for (Operation &op : llvm::make_range(std::next(each->getIterator()), linear->getIterator()))
        if (!llvm::is_contained(linears, &op) &&
            (uses(op, each.getOut()) || llvm::any_of(inputsOf(each), [&](Value input) { return mayWrite(op, input); })))
          return false;
    linears.push_back(linear);
    // One launch: no product's input may be another one's result.
    for (nn::LinearOp each : linears)
      for (nn::LinearOp other : linears)
        if (llvm::any_of(inputsOf(each), [&](Value input) { return rootOf(input) == rootOf(other.getOut()); }))
          return linears.pop_back(), false;
    return true;
  }

  bool join(const KernelChoice &choice, ConstantMemory &memory);

private:
  bool hasKernel(nn::GroupKind kind, ArrayRef<Value> operands, const KernelChoice &choice) const {
    return choice.has({nn::describe(kind).op.str(),
                       llvm::map_to_vector(operands, [](Value each) { return each ? each.getType() : Type(); }),
                       /*final=*/true, kind},
                      linears.back());
  }
  bool findNorm();
  void describe(Operation *joined) const;

  SmallVector<nn::LinearOp, kMostProducts> linears;
  group::KernelOp producer; ///< Null: x is not a norm that only these products read.
  std::optional<GroupNorm> norm;
  memref::AllocOp normed;
};

/// Finds the norm, which is computed where the last product is, instead of where it was.
bool ProductsOfRow::findNorm() {
  std::tie(producer, normed) = producerOf(
      linears[0].getX(), llvm::map_to_vector(linears, [](nn::LinearOp each) { return each.getOperation(); }));
  norm = groupNormOf(producer);
  if (!norm)
    return false;
  SmallVector<Value> inputs{norm->x, norm->weight};
  if (norm->bias)
    inputs.push_back(norm->bias);
  for (Value input : inputs) {
    for (Operation &op : llvm::make_range(std::next(producer->getIterator()), linears.back()->getIterator()))
      if (!llvm::is_contained(linears, &op) && mayWrite(op, input))
        return false;
    if (llvm::any_of(linears, [&](nn::LinearOp each) { return rootOf(each.getOut()) == rootOf(input); }))
      return false;
  }
  return true;
}

/// Gives the op what --explain prints of the products.
void ProductsOfRow::describe(Operation *joined) const {
  joined->setDiscardableAttrs(linears[0]->getDiscardableAttrDictionary());
  KernelCost cost;
  for (nn::LinearOp each : linears)
    if (auto own = each->getAttrOfType<ArrayAttr>(kCostAttr))
      cost += KernelCost::of(own);
    else
      return;
  joined->setAttr(kCostAttr, cost.attribute(joined->getContext()));
}

bool ProductsOfRow::join(const KernelChoice &choice, ConstantMemory &memory) {
  nn::LinearOp last = linears.back();
  OpBuilder b(last);
  SmallVector<Location> places = llvm::map_to_vector(linears, [](nn::LinearOp each) { return each.getLoc(); });
  Location loc = b.getFusedLoc(places);
  Value x = linears[0].getX();
  Value weights[kMostProducts], biases[kMostProducts], outs[kMostProducts];
  bool constant = true;
  for (auto [i, each] : llvm::enumerate(linears)) {
    weights[i] = each.getWeight(), biases[i] = each.getBias(), outs[i] = each.getOut();
    constant &= each.getConstantWeights();
  }
  bool isOne = cast<MemRefType>(x.getType()).getDimSize(0) == 1;
  // Types as in the branch of one row.
  auto branch = isOne ? scf::IfOp() : ifOneRow(b, x);
  if (branch)
    b.setInsertionPointToStart(branch.thenBlock());
  Value row = firstRow(b, x);
  for (Value &out : outs)
    out = firstRow(b, out);
  auto giveUp = [&] {
    if (branch)
      branch.erase();
    return false;
  };
  Operation *joined = nullptr;
  Value normRow = findNorm() ? sameRows(b, norm->x, normed, x) : Value();
  if (normRow) {
    normRow = firstRow(b, normRow);
    Value epsilon = norm->epsilonIn(b, loc);
    if (hasKernel(nn::GroupKind::NormedOneRowProducts,
                  {normRow, norm->weight, norm->bias, epsilon, row, weights[0], weights[1], weights[2], biases[0],
                   biases[1], biases[2], outs[1], outs[2], outs[0]},
                  choice)) {
      constant &= memory.isNeverWritten(norm->weight) && (!norm->bias || memory.isNeverWritten(norm->bias));
      joined =
          nn::NormLinearsOp::create(b, loc, normRow, norm->weight, norm->bias, epsilon, row, weights[0], weights[1],
                                    weights[2], biases[0], biases[1], biases[2], outs[1], outs[2], outs[0], constant);
    }
  }
  bool withNorm = joined;
  if (!joined &&
      !hasKernel(nn::GroupKind::OneRowProducts,
                 {row, weights[0], weights[1], weights[2], biases[0], biases[1], biases[2], outs[1], outs[2], outs[0]},
                 choice))
    return giveUp();
  if (!joined)
    joined = nn::LinearsOp::create(b, loc, row, weights[0], weights[1], weights[2], biases[0], biases[1], biases[2],
                                   outs[1], outs[2], outs[0], constant);
  describe(joined);
  SmallVector<Operation *> replaced;
  if (withNorm)
    replaced.push_back(producer);
  llvm::append_range(replaced, linears);
  for (Operation *op : replaced)
    if (branch)
      op->moveBefore(branch.elseYield());
    else
      op->erase();
  for (nn::LinearOp each : branch ? linears : SmallVector<nn::LinearOp, kMostProducts>())
    each.setSeveralRows(true);
  return true;
}
} // namespace

void joinProducts(func::FuncOp function, const KernelChoice &choice, ConstantMemory &memory) {
  SmallVector<ProductsOfRow> sets;
  llvm::DenseMap<Block *, SmallVector<nn::LinearOp>> blocks;
  SmallVector<Block *> order;
  function.walk<WalkOrder::PreOrder>([&](nn::LinearOp linear) {
    if (!mayBeJoined(linear))
      return;
    SmallVector<nn::LinearOp> &ofBlock = blocks[linear->getBlock()];
    if (ofBlock.empty())
      order.push_back(linear->getBlock());
    ofBlock.push_back(linear);
  });
  for (Block *block : order) {
    MutableArrayRef<nn::LinearOp> linears = blocks[block];
    for (auto [i, first] : llvm::enumerate(linears)) {
      if (!first)
        continue;
      ProductsOfRow products(first);
      for (nn::LinearOp &other : linears.drop_front(i + 1))
        if (other && !products.isFull())
          products.add(other);
      if (products.all().size() < 2 || !products.join(choice, memory))
        continue;
      for (nn::LinearOp &each : linears)
        if (llvm::is_contained(products.all(), each))
          each = nullptr;
    }
  }
}
} // namespace lispier
