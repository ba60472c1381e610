//===- JoinProducts.cpp - products of one row in one launch ---------------===//
#include "JoinProducts.h"
#include "GroupNorm.h"
#include "Groups/NamedSizes.h"
#include "RowViews.h"
#include "lispier/Buffers/MemoryViews.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/NN/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier {
namespace {
/// The weights that one nn.linears takes.
constexpr size_t kMostProducts = 3;

/// A product that may be joined with others.
struct Product {
  nn::LinearOp linear;
  scf::IfOp branch; ///< The op is for one row, and a group in the other branch for several; null: it is for any number.

  /// What is in a block with the other products.
  Operation *place() { return branch ? branch.getOperation() : linear.getOperation(); }

  /// x of any number of rows.
  Value rows() {
    if (!branch)
      return linear.getX();
    auto cast = linear.getX().getDefiningOp<memref::CastOp>();
    auto first = cast ? cast.getSource().getDefiningOp<memref::SubViewOp>() : memref::SubViewOp();
    return first ? first.getSource() : Value();
  }
};

/// Whether the branch is one that lispier-match-kernels has made of a product of `rows`.
bool isBranchOfRow(scf::IfOp branch, Value rows) {
  auto equals = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  auto count = equals ? equals.getLhs().getDefiningOp<memref::DimOp>() : memref::DimOp();
  bool isOfOneRow = count && equals.getPredicate() == arith::CmpIPredicate::eq &&
                    isConstantIntValue(equals.getRhs(), 1) && count.getConstantIndex() == 0 &&
                    count.getSource() == rows;
  if (!isOfOneRow || branch.getNumResults() != 0 || !branch.elseBlock())
    return false;
  auto hasOnly = [](Block &block, auto isProduct) {
    return llvm::count_if(block.without_terminator(), isProduct) == 1 &&
           llvm::all_of(block.without_terminator(),
                        [&](Operation &op) { return isProduct(op) || isMemoryEffectFree(&op); });
  };
  return hasOnly(*branch.thenBlock(), [](Operation &op) { return isa<nn::LinearOp>(op); }) &&
         hasOnly(*branch.elseBlock(), [](Operation &op) { return isa<group::KernelOp>(op); });
}

std::optional<Product> productOf(nn::LinearOp linear) {
  int64_t count = cast<MemRefType>(linear.getX().getType()).getDimSize(0);
  if (linear.getResidual() || linear.getActivation() != nn::Activation::None || linear.getSeveralRows() ||
      (count != 1 && !ShapedType::isDynamic(count)))
    return std::nullopt;
  Product product{linear, count == 1 ? dyn_cast<scf::IfOp>(linear->getParentOp()) : scf::IfOp()};
  if (product.branch && !isBranchOfRow(product.branch, product.rows()))
    product.branch = {};
  return product;
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
  explicit ProductsOfRow(Product first) : products{first} {}

  bool isFull() const { return products.size() == kMostProducts; }
  size_t size() const { return products.size(); }
  bool has(nn::LinearOp linear) const {
    return llvm::any_of(products, [&](Product each) { return each.linear == linear; });
  }

  /// Adds one that is behind the others, if these could be computed there.
  bool add(Product added);
  bool join(KernelChoice &choice, ConstantMemory &memory);

private:
  bool hasKernel(nn::GroupKind kind, ArrayRef<Value> operands, KernelChoice &choice) const {
    return choice.has({nn::describe(kind).op.str(),
                       llvm::map_to_vector(operands, [](Value each) { return each ? each.getType() : Type(); }),
                       /*final=*/true, kind},
                      products.back().linear);
  }
  bool isOneOf(Operation *op) const {
    return llvm::any_of(products, [&](Product each) { return each.place() == op; });
  }
  bool findNorm();
  void describe(Operation *joined) const;
  void moveInto(scf::IfOp branch);

  SmallVector<Product, kMostProducts> products;
  group::KernelOp producer; ///< Null: x is not a norm that only these products read.
  std::optional<NormFormula> norm;
  memref::AllocOp normed;
};

bool ProductsOfRow::add(Product added) {
  nn::LinearOp first = products[0].linear, linear = added.linear;
  bool isAlike =
      bool(products[0].branch) == bool(added.branch) && isSameMemory(products[0].rows(), added.rows()) &&
      getElementTypeOrSelf(first.getWeight()) == getElementTypeOrSelf(linear.getWeight()) &&
      getElementTypeOrSelf(first.getOut()) == getElementTypeOrSelf(linear.getOut()) &&
      llvm::all_of(products, [&](Product each) { return rootOf(each.linear.getOut()) != rootOf(linear.getOut()); });
  if (!isAlike)
    return false;
  for (Product each : products)
    for (Operation &op : llvm::make_range(std::next(each.place()->getIterator()), added.place()->getIterator()))
      if (!isOneOf(&op) && (uses(op, each.linear.getOut()) ||
                            llvm::any_of(inputsOf(each.linear), [&](Value input) { return mayWrite(op, input); })))
        return false;
  products.push_back(added);
  // One launch: no product's input may be another one's result.
  for (Product each : products)
    for (Product other : products)
      if (llvm::any_of(inputsOf(each.linear),
                       [&](Value input) { return rootOf(input) == rootOf(other.linear.getOut()); }))
        return products.pop_back(), false;
  return true;
}

/// Finds the norm, which is computed where the last product is, instead of where it was.
bool ProductsOfRow::findNorm() {
  if (products[0].branch) // Then the groups for several rows read it, too.
    return false;
  std::tie(producer, normed) =
      producerOf(products[0].rows(), llvm::map_to_vector(products, [](Product each) { return each.place(); }));
  norm = groupNormOf(producer);
  if (!norm)
    return false;
  SmallVector<Value> inputs{norm->x, norm->weight};
  if (norm->bias)
    inputs.push_back(norm->bias);
  for (Value input : inputs) {
    for (Operation &op : llvm::make_range(std::next(producer->getIterator()), products.back().place()->getIterator()))
      if (!isOneOf(&op) && mayWrite(op, input))
        return false;
    if (llvm::any_of(products, [&](Product each) { return rootOf(each.linear.getOut()) == rootOf(input); }))
      return false;
  }
  return true;
}

/// Gives the op what --explain prints of the products.
void ProductsOfRow::describe(Operation *joined) const {
  joined->setDiscardableAttrs(products[0].linear->getDiscardableAttrDictionary());
  llvm::SmallSetVector<Attribute, 4> rounded;
  for (Product each : products)
    if (auto lines = each.linear->getAttrOfType<ArrayAttr>(kRoundedAttr))
      rounded.insert(lines.begin(), lines.end());
  if (!rounded.empty())
    joined->setAttr(kRoundedAttr, ArrayAttr::get(joined->getContext(), rounded.getArrayRef()));
  KernelCost cost;
  for (Product each : products)
    if (auto own = each.linear->getAttrOfType<ArrayAttr>(kCostAttr))
      cost += KernelCost::of(own);
    else
      return;
  joined->setAttr(kCostAttr, cost.attribute(joined->getContext()));
}

/// Moves what computes several rows into the branch for these.
void ProductsOfRow::moveInto(scf::IfOp branch) {
  Operation *first = &branch.thenBlock()->front();
  for (Product each : products) {
    if (!each.branch) {
      each.linear->moveBefore(branch.elseYield());
      each.linear.setSeveralRows(true);
      continue;
    }
    // The joined op has the operands that were made for one row.
    for (Operation &op : llvm::make_early_inc_range(each.branch.thenBlock()->without_terminator()))
      if (&op != each.linear)
        op.moveBefore(first);
    for (Operation &op : llvm::make_early_inc_range(each.branch.elseBlock()->without_terminator()))
      op.moveBefore(branch.elseYield());
    each.branch.erase();
  }
}

bool ProductsOfRow::join(KernelChoice &choice, ConstantMemory &memory) {
  OpBuilder b(products.back().place());
  Location loc = b.getFusedLoc(llvm::map_to_vector(products, [](Product each) { return each.linear.getLoc(); }));
  Value x = products[0].rows();
  Value weights[kMostProducts], biases[kMostProducts], outs[kMostProducts];
  bool constant = true;
  for (auto [i, each] : llvm::enumerate(products)) {
    weights[i] = each.linear.getWeight(), biases[i] = each.linear.getBias(), outs[i] = each.linear.getOut();
    constant &= each.linear.getConstantWeights();
  }
  bool isOne = cast<MemRefType>(x.getType()).getDimSize(0) == 1;
  auto branch = isOne ? scf::IfOp() : ifOneRow(b, x);
  if (branch)
    b.setInsertionPointToStart(branch.thenBlock());
  Value row = firstRow(b, x);
  for (Value &out : outs)
    out = firstRow(b, out);
  Operation *joined = nullptr;
  Value normRow = findNorm() ? firstRow(b, sameRows(b, norm->x, normed, x)) : Value();
  if (normRow) {
    Value epsilon = epsilonOf(*norm, b, loc);
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
      hasKernel(nn::GroupKind::OneRowProducts,
                {row, weights[0], weights[1], weights[2], biases[0], biases[1], biases[2], outs[1], outs[2], outs[0]},
                choice))
    joined = nn::LinearsOp::create(b, loc, row, weights[0], weights[1], weights[2], biases[0], biases[1], biases[2],
                                   outs[1], outs[2], outs[0], constant);
  if (!joined) {
    if (branch)
      branch.erase();
    return false;
  }
  describe(joined);
  if (withNorm && branch)
    producer->moveBefore(branch.elseYield());
  if (branch)
    moveInto(branch);
  else
    for (Product each : products)
      each.place()->erase();
  if (withNorm && !branch)
    producer->erase();
  return true;
}
} // namespace

void joinProducts(func::FuncOp function, KernelChoice &choice, ConstantMemory &memory) {
  llvm::MapVector<Block *, SmallVector<Product>> blocks;
  function.walk<WalkOrder::PreOrder>([&](nn::LinearOp linear) {
    if (std::optional<Product> product = productOf(linear))
      blocks[product->place()->getBlock()].push_back(*product);
  });
  for (auto &[block, products] : blocks)
    while (products.size() > 1) {
      ProductsOfRow set(products[0]);
      for (Product other : ArrayRef(products).drop_front())
        if (!set.isFull())
          set.add(other);
      SmallVector<Product> rest;
      for (Product each : ArrayRef(products).drop_front())
        if (!set.has(each.linear))
          rest.push_back(each);
      if (set.size() < 2 || !set.join(choice, memory))
        rest.assign(products.begin() + 1, products.end());
      products = rest;
    }
}
} // namespace lispier
