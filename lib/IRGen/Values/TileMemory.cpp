//===- TileMemory.cpp - tiles read from memory and written to it ----------===//
#include "Arithmetic.h"
#include "Core/ConstantIntegers.h"
#include "Core/FormEvaluator.h"
#include "Core/FunctionScope.h"
#include "Core/KeywordOperands.h"
#include "Core/Literals.h"
#include "Core/Messages.h"
#include "Core/ValueTypes.h"
#include "TileForms.h"
#include "ValueForms.h"
#include "ValueParts.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace llvm;
namespace vector = mlir::vector;

namespace lispier {
namespace {
/// in_bounds of an access of a tile at `indices`: true where the memref's size and the index are known and fit.
SmallVector<bool> knownInside(mlir::MemRefType base, mlir::ValueRange indices, ArrayRef<int64_t> shape) {
  SmallVector<bool> inside;
  size_t leading = base.getRank() - shape.size();
  for (const auto &[i, size] : enumerate(shape)) {
    std::optional<int64_t> index = ConstantIntegers::known(indices[leading + i]);
    int64_t limit = base.getDimSize(leading + i);
    inside.push_back(index && *index >= 0 && !mlir::ShapedType::isDynamic(limit) && *index + size <= limit);
  }
  return inside;
}
} // namespace

bool TileForms::hasRank(const Form *form, const Form *indices, mlir::Value base, const Form *place) {
  if (!indices->isVector()) {
    error("macro-shape", indices, "the indices of `" + form->head() + "` are a vector, not " + indices->str())
        .withHint("write " + findSpecialForm(form->head())->syntax);
    return false;
  }
  int64_t rank = cast<mlir::MemRefType>(base.getType()).getRank();
  if (int64_t(indices->size()) == rank)
    return true;
  error("tile-rank", indices,
        "a memref of rank " + Twine(rank) + " has " + Twine(rank) + (rank == 1 ? " index" : " indices") + ", not " +
            Twine(indices->size()))
      .note(place->range(), "the memref is " + mlir::debugString(base.getType()));
  return false;
}

mlir::Value TileForms::scalarIndex(const Form *form, const Form *place) {
  mlir::Value index = gen.evaluator->emitValue(place, builder.getIndexType());
  if (!index || index.getType().isIndex())
    return index;
  if (index.getType().isInteger())
    return make<mlir::arith::IndexCastOp>(place, builder.getIndexType(), index);
  Diag &diag = error("type-mismatch", place,
                     "an index of `" + form->head() + "` is an integer, not " + typeText(index.getType()));
  if (isTile(index.getType()))
    diag.withHint(form->head() == "store" ? "`scatter` writes to places that tiles name"
                                          : "`gather` reads from places that tiles name");
  return {};
}

std::optional<Values> TileForms::scalarIndices(const Form *form, const Form *indices, mlir::Value base,
                                               const Form *place) {
  if (!hasRank(form, indices, base, place))
    return std::nullopt;
  Values values;
  for (const Form *item : indices->items()) {
    values.push_back(scalarIndex(form, item));
    if (!values.back())
      return std::nullopt;
  }
  return values;
}

/// The mask of an access of `shape`: null if none is given, nullopt after an error.
std::optional<mlir::Value> TileForms::mask(const Form *form, const Form *place, ArrayRef<int64_t> shape) {
  if (!place)
    return mlir::Value();
  mlir::Value value = gen.evaluator->emitValue(place, builder.getI1Type());
  if (!value)
    return std::nullopt;
  if (!mlir::getElementTypeOrSelf(value.getType()).isInteger(1)) {
    error("type-mismatch", place, "a mask is a tile of i1, not " + typeText(value.getType()))
        .withHint("compare: (< (iota index [n]) limit)");
    return std::nullopt;
  }
  SmallVector<int64_t> own(shapeOf(value));
  bool fits = own.size() <= shape.size();
  for (size_t i = 0; fits && i < own.size(); ++i)
    fits = own[i] == 1 || own[i] == shape[shape.size() - own.size() + i];
  if (!fits) {
    error("tile-shape", place,
          "the mask's shape " + shapeText(own) + " does not broadcast to " + shapeText(shape) + ", that of the tile");
    return std::nullopt;
  }
  return gen.arithmetic.toShape(place, value, shape);
}

/// The value of :else, 0 if it is not given.
mlir::Value TileForms::otherwise(const Form *form, const Form *place, mlir::Type element) {
  if (!place)
    return make<mlir::arith::ConstantOp>(form, cast<mlir::TypedAttr>(builder.getZeroAttr(element)));
  mlir::Value value = gen.evaluator->emitValue(place, element);
  if (!value || value.getType() == element)
    return value;
  error("type-mismatch", place,
        "`:else` is " + mlir::debugString(element) + ", as the memref's elements, not " + typeText(value.getType()))
      .withHint(isTile(value.getType()) ? "(where mask tile other) takes elements of another tile"
                                        : "(cast " + mlir::debugString(element) + " " + place->str() + ") converts");
  return {};
}

mlir::FailureOr<Values> TileForms::load(const Form *form, const KeywordOperands &call, mlir::Value base) {
  auto indices = scalarIndices(form, call.operands[1], base, call.operands[0]);
  if (!indices)
    return mlir::failure();
  auto type = cast<mlir::MemRefType>(base.getType());
  if (call.operands.size() == 2) {
    if (!call.keywords.empty()) {
      error("macro-shape", call.keywords[0].second,
            "`:" + call.keywords[0].first + "` belongs to a load of a tile, and this one has no sizes")
          .withHint("write (load memref [index ...] [size ...] :else value :mask tile)");
      return mlir::failure();
    }
    return Values{make<mlir::memref::LoadOp>(form, base, *indices)};
  }
  auto shape = sizes(form, call.operands[2]);
  if (!shape)
    return mlir::failure();
  if (int64_t(shape->size()) > type.getRank()) {
    error("tile-rank", call.operands[2],
          "a tile of shape " + shapeText(*shape) + " has more dimensions than the memref, which has rank " +
              Twine(type.getRank()))
        .note(call.operands[0]->range(), "the memref is " + mlir::debugString(type))
        .withHint("(reshape tile [1 n]) adds dimensions of size 1");
    return mlir::failure();
  }
  mlir::Value padding = otherwise(form, call.get("else"), type.getElementType());
  std::optional<mlir::Value> where = padding ? mask(form, call.get("mask"), *shape) : std::nullopt;
  if (!where)
    return mlir::failure();
  auto read = make<vector::TransferReadOp>(form, mlir::VectorType::get(*shape, type.getElementType()), base, *indices,
                                           std::optional<mlir::Value>(padding),
                                           std::optional<ArrayRef<bool>>(knownInside(type, *indices, *shape)));
  if (*where)
    read.getMaskMutable().assign(*where);
  return Values{read};
}

/// A value of the memref's element type.
mlir::Value TileForms::storedValue(const Form *form, const Form *place, mlir::Value base, const Form *basePlace) {
  mlir::Type element = cast<mlir::MemRefType>(base.getType()).getElementType();
  mlir::Value value = gen.evaluator->emitValue(place, element);
  if (!value)
    return {};
  if (mlir::getElementTypeOrSelf(value.getType()) == element && (isTile(value.getType()) || value.getType() == element))
    return value;
  error("type-mismatch", place,
        "`" + form->head() + "` of " + typeText(value.getType()) + " into a memref of " + mlir::debugString(element))
      .note(basePlace->range(), "the memref is " + mlir::debugString(base.getType()))
      .withHint("(cast " + mlir::debugString(element) + " " + place->str() + ") converts");
  return {};
}

mlir::FailureOr<Values> TileForms::store(const Form *form, const KeywordOperands &call, mlir::Value base) {
  mlir::Value value = storedValue(form, call.operands[0], base, call.operands[1]);
  if (!value)
    return mlir::failure();
  auto indices = scalarIndices(form, call.operands[2], base, call.operands[1]);
  if (!indices)
    return mlir::failure();
  auto type = cast<mlir::MemRefType>(base.getType());
  ArrayRef<int64_t> shape = shapeOf(value);
  if (shape.empty()) {
    if (const Form *given = call.get("mask")) {
      error("macro-shape", given, "`:mask` belongs to a store of a tile, and this is " + typeText(value.getType()))
          .withHint("write (when condition (store ...))");
      return mlir::failure();
    }
    make<mlir::memref::StoreOp>(form, value, base, *indices);
    return Values{};
  }
  if (int64_t(shape.size()) > type.getRank()) {
    error("tile-rank", call.operands[0],
          "a tile of shape " + shapeText(shape) + " has more dimensions than the memref, which has rank " +
              Twine(type.getRank()))
        .note(call.operands[1]->range(), "the memref is " + mlir::debugString(type))
        .withHint("(reshape tile [n]) removes dimensions of size 1");
    return mlir::failure();
  }
  std::optional<mlir::Value> where = mask(form, call.get("mask"), shape);
  if (!where)
    return mlir::failure();
  auto write = make<vector::TransferWriteOp>(form, value, base, *indices,
                                             std::optional<ArrayRef<bool>>(knownInside(type, *indices, shape)));
  if (*where)
    write.getMaskMutable().assign(*where);
  return Values{};
}

/// The indices of a gather or scatter, as tiles of index of one shape: `shape`, or the common one if that is empty.
std::optional<Values> TileForms::indexTiles(const Form *form, const Form *indices, mlir::Value base, const Form *place,
                                            ArrayRef<int64_t> shape) {
  if (!hasRank(form, indices, base, place))
    return std::nullopt;
  Values values;
  for (const Form *item : indices->items()) {
    mlir::Value value = gen.evaluator->emitValue(item, builder.getIndexType());
    if (!value)
      return std::nullopt;
    mlir::Type type = value.getType(), element = mlir::getElementTypeOrSelf(type);
    if (!element.isIntOrIndex() || (!isTile(type) && type != element)) {
      error("type-mismatch", item,
            "an index of `" + form->head() + "` is an integer or a tile of them, not " + typeText(type));
      return std::nullopt;
    }
    if (!element.isIndex()) {
      auto tile = dyn_cast<mlir::VectorType>(type);
      value = gen.arithmetic.convert(
          value, tile ? mlir::Type(tile.clone(builder.getIndexType())) : builder.getIndexType(), item);
    }
    values.push_back(value);
  }
  if (!gen.arithmetic.toOneShape(form, indices->items(), values))
    return std::nullopt;
  bool isOfThreads = form->isCall("atomic-add") && !gen.scope.inTileProgram;
  if (shapeOf(values[0]).empty() && shape.empty() && !isOfThreads) {
    error("tile-operand", indices, "`" + form->head() + "` takes tiles of indices, and these are scalars")
        .withHint(form->head() == "gather" ? "(load memref [index ...]) reads one element"
                                           : "one of the indices is a tile: (iota index [n])");
    return std::nullopt;
  }
  return values;
}

mlir::FailureOr<Values> TileForms::gather(const Form *form, mlir::Value table) {
  auto call = splitKeywords(gen.messages, form, {"else", "mask"}, 2, 2);
  mlir::Value base = call ? gen.values.memref(form, call->operands[0], table) : mlir::Value();
  auto indices = base ? indexTiles(form, call->operands[1], base, call->operands[0], {}) : std::nullopt;
  if (!indices)
    return mlir::failure();
  mlir::Type element = cast<mlir::MemRefType>(base.getType()).getElementType();
  ArrayRef<int64_t> shape = shapeOf((*indices)[0]);
  mlir::Value padding = otherwise(form, call->get("else"), element);
  std::optional<mlir::Value> where = padding ? mask(form, call->get("mask"), shape) : std::nullopt;
  if (!where)
    return mlir::failure();
  return Values{make<tile::GatherOp>(form, mlir::VectorType::get(shape, element), base, *indices, padding, *where)};
}

/// The addition of one number, by a thread.
mlir::FailureOr<Values> TileForms::atomicAdd(const Form *form, const KeywordOperands &call, mlir::Value value,
                                             mlir::Value base, mlir::ValueRange at) {
  if (const Form *given = call.get("mask")) {
    error("macro-shape", given, "a mask is for tiles, and this adds one number")
        .withHint("write (when condition (atomic-add value memref [index ...]))");
    return mlir::failure();
  }
  auto kind =
      isa<mlir::FloatType>(value.getType()) ? mlir::arith::AtomicRMWKind::addf : mlir::arith::AtomicRMWKind::addi;
  make<mlir::memref::AtomicRMWOp>(form, kind, value, base, at);
  return Values{};
}

/// (scatter value memref [indices ...] :mask tile), and atomic-add
mlir::FailureOr<Values> TileForms::emitScatter(const Form *form, SpecialForm kind) {
  auto call = splitKeywords(gen.messages, form, {"mask"}, 3, 3);
  mlir::Value base = call ? gen.values.memref(form, call->operands[1]) : mlir::Value();
  mlir::Value value = base ? storedValue(form, call->operands[0], base, call->operands[1]) : mlir::Value();
  auto indices = value ? indexTiles(form, call->operands[2], base, call->operands[1], shapeOf(value)) : std::nullopt;
  if (!indices)
    return mlir::failure();
  // The value and the index tiles are broadcast to one shape.
  SmallVector<mlir::Value> all{value};
  append_range(all, *indices);
  SmallVector<const Form *> places{call->operands[0]};
  append_range(places, call->operands[2]->items());
  if (!gen.arithmetic.toOneShape(form, places, all))
    return mlir::failure();
  mlir::ValueRange at = ArrayRef(all).drop_front();
  if (shapeOf(all[0]).empty())
    return atomicAdd(form, *call, all[0], base, at);
  std::optional<mlir::Value> where = mask(form, call->get("mask"), shapeOf(all[0]));
  if (!where)
    return mlir::failure();
  if (kind == SpecialForm::Scatter)
    make<tile::ScatterOp>(form, all[0], base, at, *where);
  else
    make<tile::AtomicAddOp>(form, all[0], base, at, *where);
  return Values{};
}
} // namespace lispier
