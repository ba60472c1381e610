//===- Reverse.cpp - the walk from results to cotangents ------------------===//
#include "Reverse.h"
#include "Accumulate.h"
#include "JoinedPieces.h"
#include "Rules.h"
#include "lispier/Grad/Grad.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

using namespace mlir;

namespace lispier {
namespace {
constexpr unsigned kShownSteps = 3; ///< Of the way from an op to the loss.

/// Whether two slices are known to have no element in common: along some dimension one ends before the other begins.
bool areApart(const Piece &a, const Piece &b) {
  auto endsBefore = [](const Piece &first, const Piece &second, unsigned d) {
    std::optional<int64_t> offset = getConstantIntValue(first.offsets[d]), size = getConstantIntValue(first.sizes[d]),
                           next = getConstantIntValue(second.offsets[d]);
    if (offset && size && next)
      return *offset + *size <= *next;
    // Parts of equal sizes, the second after the first: (split x n).
    return offset == 0 && second.offsets[d] == first.sizes[d];
  };
  for (unsigned d = 0; d < a.offsets.size(); ++d) {
    if (!isConstantIntValue(a.strides[d], 1) || !isConstantIntValue(b.strides[d], 1))
      continue;
    if (endsBefore(a, b, d) || endsBefore(b, a, d))
      return true;
  }
  return false;
}
} // namespace

void Reverse::add(Value value, Value cotangent) {
  if (cotangent && isActive(value))
    parts[value].whole.push_back(asType(cotangent.getLoc(), cotangent, value.getType()));
}

void Reverse::addPiece(Value tensor, Piece piece) {
  if (piece.value && isActive(tensor))
    parts[tensor].pieces.push_back(std::move(piece));
}

Value Reverse::asType(Location loc, Value value, Type type) {
  return value.getType() == type ? value : tensor::CastOp::create(b, loc, type, value).getResult();
}

Value Reverse::zerosLike(Location loc, Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(element)));
  if (!isa<RankedTensorType>(value.getType()))
    return zero;
  Value empty = tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, value), element);
  return asType(loc, linalg::FillOp::create(b, loc, zero, empty).getResult(0), value.getType());
}

Value Reverse::sum(Location loc, ArrayRef<Value> values) {
  if (values.size() == 1)
    return values.front();
  Type element = getElementTypeOrSelf(values.front().getType());
  auto total = [&](OpBuilder &inner, Location place, ValueRange numbers) {
    bool isNarrow = element.getIntOrFloatBitWidth() < 32;
    Value all;
    for (Value number : numbers) {
      if (isNarrow)
        number = arith::ExtFOp::create(inner, place, inner.getF32Type(), number);
      all = all ? arith::AddFOp::create(inner, place, all, number).getResult() : number;
    }
    return isNarrow ? arith::TruncFOp::create(inner, place, element, all).getResult() : all;
  };
  auto type = dyn_cast<RankedTensorType>(values.front().getType());
  if (!type)
    return total(b, loc, values);
  Value empty = tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, values.front()), element);
  SmallVector<AffineMap> maps(values.size() + 1, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(b, loc, empty.getType(), values, empty, maps, loops,
                                      [&](OpBuilder &inner, Location place, ValueRange numbers) {
                                        linalg::YieldOp::create(inner, place, total(inner, place, numbers.drop_back()));
                                      });
  return asType(loc, op.getResult(0), type);
}

Value Reverse::withElements(Location loc, Value value, Type element) {
  Type own = getElementTypeOrSelf(value.getType());
  if (own == element)
    return value;
  if (Value wide = beforeRounding(value, element))
    return wide;
  auto convert = [&](OpBuilder &inner, Location place, Value number) {
    return element.getIntOrFloatBitWidth() > own.getIntOrFloatBitWidth()
               ? arith::ExtFOp::create(inner, place, element, number).getResult()
               : arith::TruncFOp::create(inner, place, element, number).getResult();
  };
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return convert(b, loc, value);
  Value empty = tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, value), element);
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  Value converted = linalg::GenericOp::create(b, loc, empty.getType(), value, empty, maps, loops,
                                              [&](OpBuilder &inner, Location place, ValueRange numbers) {
                                                Value number = convert(inner, place, numbers[0]);
                                                linalg::YieldOp::create(inner, place, number);
                                              })
                        .getResult(0);
  if (element.getIntOrFloatBitWidth() < own.getIntOrFloatBitWidth())
    wideOf[converted] = value;
  return converted;
}

Value Reverse::beforeRounding(Value value, Type element) {
  if (auto cast = value.getDefiningOp<tensor::CastOp>()) {
    Value wide = beforeRounding(cast.getSource(), element);
    return wide ? asType(value.getLoc(), wide, cast.getType().clone(element)) : Value();
  }
  Value wide = wideOf.lookup(value);
  return wide && getElementTypeOrSelf(wide.getType()) == element ? wide : Value();
}

/// `all` with the piece added to its part, or in the place of a part that is 0.
Value Reverse::place(Location loc, Value all, const Piece &piece, bool isZero) {
  Value value = piece.value;
  if (!isZero) {
    Value old = tensor::ExtractSliceOp::create(b, loc, cast<RankedTensorType>(value.getType()), all, piece.offsets,
                                               piece.sizes, piece.strides);
    value = sum(loc, {old, value});
  }
  return tensor::InsertSliceOp::create(b, loc, value, all, piece.offsets, piece.sizes, piece.strides);
}

/// `base`, null for zeros, with the pieces added.
Value Reverse::join(Location loc, Value tensor, Value base, MutableArrayRef<Piece> pieces) {
  std::optional<unsigned> axis = base ? std::nullopt : sortAlongOne(pieces);
  if (axis && areAllOf(tensor, *axis, pieces, &*b.getInsertionPoint()))
    return asType(loc, joinAll(b, loc, *axis, pieces), tensor.getType());
  Value all = base ? base : zerosLike(loc, tensor);
  for (auto [i, piece] : llvm::enumerate(pieces)) {
    bool isZero = axis || (!base && llvm::all_of(pieces.take_front(i),
                                                 [&](const Piece &placed) { return areApart(placed, piece); }));
    all = place(loc, all, piece, isZero);
  }
  return all;
}

Value Reverse::addTo(Value before, Value value, llvm::function_ref<bool(const Piece &)> isOnce) {
  auto found = parts.find(value);
  if (found == parts.end())
    return before;
  Parts mine = std::move(found->second);
  parts.erase(found);
  Location loc = value.getLoc();
  bool areOnce = mine.whole.empty() && mine.pieces.size() == 1 && isOnce(mine.pieces.front());
  if (mine.whole.size() == 1 && mine.whole[0].getDefiningOp<scf::ForOp>()) { // Which nothing else has.
    before = accumulate(*this, loc, before, mine.whole[0]);
  } else if (!mine.whole.empty()) {
    mine.whole.push_back(before);
    before = sum(loc, mine.whole);
  }
  for (const Piece &piece : mine.pieces)
    before = place(loc, before, piece, areOnce);
  return before;
}

Value Reverse::take(Value value) {
  auto found = parts.find(value);
  if (found == parts.end())
    return {};
  Parts mine = std::move(found->second);
  parts.erase(found);
  seen.insert(value);
  Location loc = value.getLoc();
  Value whole = mine.whole.empty() ? Value() : sum(loc, mine.whole);
  return mine.pieces.empty() ? whole : join(loc, value, whole, mine.pieces);
}

LogicalResult Reverse::visit(ArrayRef<Operation *> ops) {
  for (Operation *op : llvm::reverse(ops)) {
    bool isReached = llvm::any_of(op->getResults(), [&](Value result) { return has(result); });
    if (!isReached && !isa<grad::RecomputeOp>(op)) // Whose values the adjoint may need in any case.
      continue;
    ++visited;
    if (failed(applyRule(op, *this)))
      return failure();
  }
  return success();
}

LogicalResult Reverse::refuse(Operation *op, const Twine &message, StringRef hint) {
  InFlightDiagnostic diag = op->emitError(message);
  // One of the ways, of the values whose cotangents have been computed.
  Operation *at = op;
  for (unsigned step = 0; step < kShownSteps; ++step) {
    Operation *next = nullptr;
    for (Operation *user : at->getUsers())
      if (!next && llvm::any_of(user->getResults(), [&](Value result) { return seen.contains(result); }))
        next = user;
    if (!next)
      break;
    if (next->getLoc() != at->getLoc())
      diag.attachNote(next->getLoc()) << "the value depends on it here";
    at = next;
  }
  if (!hint.empty())
    diag.attachNote(UnknownLoc::get(op->getContext())) << hint;
  return diag;
}
} // namespace lispier
