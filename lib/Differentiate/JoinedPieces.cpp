//===- JoinedPieces.cpp - pieces one behind the other ---------------------===//
#include "JoinedPieces.h"
#include "lispier/Buffers/MemoryViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace lispier {
namespace {
constexpr size_t kMostPieces = 64; ///< Sorting them takes quadratic time.

bool isSumOf(OpFoldResult number, ArrayRef<OpFoldResult> sizes) {
  if (sizes.size() == 1)
    return isEqualConstantIntOrValue(number, sizes[0]);
  if (std::optional<int64_t> constant = getConstantIntValue(number)) {
    int64_t sum = 0;
    return llvm::all_of(sizes, [&](OpFoldResult size) { return getConstantIntValue(size).has_value(); }) &&
           (llvm::for_each(sizes, [&](OpFoldResult size) { sum += *getConstantIntValue(size); }), sum == *constant);
  }
  Operation *made = sizes.empty() ? nullptr : cast<Value>(number).getDefiningOp();
  if (auto sum = dyn_cast_or_null<arith::AddIOp>(made))
    return llvm::any_of(llvm::seq(2), [&](int last) {
      return isEqualConstantIntOrValue(sum->getOperand(last), sizes.back()) &&
             isSumOf(sum->getOperand(1 - last), sizes.drop_back());
    });
  auto product = dyn_cast_or_null<arith::MulIOp>(made);
  return product && llvm::all_equal(sizes) && llvm::any_of(llvm::seq(2), [&](int times) {
           return isConstantIntValue(product->getOperand(times), sizes.size()) &&
                  isEqualConstantIntOrValue(product->getOperand(1 - times), sizes[0]);
         });
}

/// Values that are the tensor's size along a dimension.
SmallVector<Value> sizesOf(Value tensor, unsigned dimension) {
  SmallVector<Value> all;
  for (Operation *user : tensor.getUsers())
    if (auto size = dyn_cast<tensor::DimOp>(user); size && size.getConstantIndex() == int64_t(dimension))
      all.push_back(size);
  if (auto expand = tensor.getDefiningOp<tensor::ExpandShapeOp>())
    if (auto size = dyn_cast<Value>(expand.getMixedOutputShape()[dimension]))
      all.push_back(size);
  return all;
}

bool isSizeOf(OpFoldResult size, Value tensor, unsigned dimension) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return type.isDynamicDim(dimension)
             ? isa<Value>(size) && llvm::is_contained(sizesOf(tensor, dimension), cast<Value>(size))
             : isConstantIntValue(size, type.getDimSize(dimension));
}

/// Whether the comparison ends the program if its operands differ, before `place` is reached.
bool isCheckedBefore(arith::CmpIOp comparison, Operation *place) {
  return comparison.getPredicate() == arith::CmpIPredicate::ne &&
         llvm::any_of(comparison->getUsers(), [&](Operation *user) {
           Operation *reached = isErrorCheck(user) ? user->getBlock()->findAncestorOpInBlock(*place) : nullptr;
           return reached && user->isBeforeInBlock(reached);
         });
}
} // namespace

std::optional<unsigned> sortAlongOne(MutableArrayRef<Piece> pieces) {
  if (pieces.size() < 2 || pieces.size() > kMostPieces)
    return std::nullopt;
  for (unsigned axis = 0; axis < pieces[0].offsets.size(); ++axis) {
    auto isAlong = [&](const Piece &piece) {
      return llvm::all_of(llvm::seq<unsigned>(piece.offsets.size()), [&](unsigned d) {
        return isConstantIntValue(piece.strides[d], 1) && (d == axis || isConstantIntValue(piece.offsets[d], 0));
      });
    };
    SmallVector<Piece> sorted(pieces);
    SmallVector<OpFoldResult> before;
    while (before.size() < pieces.size()) {
      auto rest = MutableArrayRef(sorted).drop_front(before.size());
      auto *next = llvm::find_if(
          rest, [&](const Piece &piece) { return isAlong(piece) && isSumOf(piece.offsets[axis], before); });
      if (next == rest.end())
        break;
      before.push_back(next->sizes[axis]);
      std::swap(rest.front(), *next);
    }
    if (before.size() < pieces.size())
      continue;
    llvm::move(sorted, pieces.begin());
    return axis;
  }
  return std::nullopt;
}

bool areAllOf(Value tensor, unsigned axis, ArrayRef<Piece> pieces, Operation *place) {
  auto sizes = llvm::map_to_vector(pieces, [&](const Piece &piece) { return piece.sizes[axis]; });
  auto type = cast<RankedTensorType>(tensor.getType());
  for (unsigned d = 0; d < type.getRank(); ++d)
    if (d != axis && !llvm::all_of(pieces, [&](const Piece &piece) { return isSizeOf(piece.sizes[d], tensor, d); }))
      return false;
  if (!type.isDynamicDim(axis))
    return isSumOf(IntegerAttr::get(IndexType::get(type.getContext()), type.getDimSize(axis)), sizes);
  return llvm::any_of(sizesOf(tensor, axis), [&](Value size) {
    return isSumOf(size, sizes) || llvm::any_of(size.getUsers(), [&](Operation *user) {
             auto comparison = dyn_cast<arith::CmpIOp>(user);
             return comparison && isCheckedBefore(comparison, place) &&
                    isSumOf(comparison.getLhs() == size ? comparison.getRhs() : comparison.getLhs(), sizes);
           });
  });
}

Value joinAll(OpBuilder &b, Location loc, unsigned axis, ArrayRef<Piece> pieces) {
  auto plus = [&](OpFoldResult a, OpFoldResult c) -> OpFoldResult {
    std::optional<int64_t> left = getConstantIntValue(a), right = getConstantIntValue(c);
    if (left && right)
      return b.getIndexAttr(*left + *right);
    if (left == 0)
      return c;
    return arith::AddIOp::create(b, loc, getValueOrCreateConstantIndexOp(b, loc, a),
                                 getValueOrCreateConstantIndexOp(b, loc, c))
        .getResult();
  };
  SmallVector<OpFoldResult> sizes(pieces[0].sizes), offsets(pieces[0].offsets);
  for (const Piece &piece : pieces.drop_front())
    sizes[axis] = plus(sizes[axis], piece.sizes[axis]);
  Value all = tensor::EmptyOp::create(b, loc, sizes, getElementTypeOrSelf(pieces[0].value.getType()));
  for (const Piece &piece : pieces) {
    all = tensor::InsertSliceOp::create(b, loc, piece.value, all, offsets, piece.sizes, piece.strides);
    offsets[axis] = plus(offsets[axis], piece.sizes[axis]);
  }
  return all;
}
} // namespace lispier
