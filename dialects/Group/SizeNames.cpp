//===- SizeNames.cpp - what the source calls sizes ------------------------===//
#include "lispier/Group/SizeNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"

using namespace mlir;

namespace lispier {
namespace {
/// Of the place itself, not of those that it was called from.
Attribute namesIn(Location location) {
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return namesIn(call.getCallee());
  auto fused = dyn_cast<FusedLoc>(location);
  return fused && isa_and_nonnull<StringAttr, ArrayAttr>(fused.getMetadata()) ? fused.getMetadata() : Attribute();
}

bool isOfFunction(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner()->isEntryBlock() &&
         isa_and_nonnull<FunctionOpInterface>(argument.getOwner()->getParentOp());
}

/// "x[0]" is a name that a variable's replaces.
bool isOfVariable(Attribute name) {
  auto text = dyn_cast_if_present<StringAttr>(name);
  return text && !text.getValue().ends_with("]");
}

std::string nameOfArgument(BlockArgument argument, int64_t dimension) {
  StringRef name = sizeName(argument, dimension);
  return !name.empty() ? name.str() : ("arg" + Twine(argument.getArgNumber()) + "[" + Twine(dimension) + "]").str();
}
} // namespace

bool isSizeNumber(StringRef name) {
  return name.consume_front("n") && !name.empty() && llvm::all_of(name, llvm::isDigit);
}

Location withSizeName(Location location, StringRef name) {
  return FusedLoc::get({location}, StringAttr::get(location.getContext(), name), location.getContext());
}

Location withSizeNames(Location location, ArrayRef<std::string> names) {
  Builder b(location.getContext());
  SmallVector<StringRef> texts(names.begin(), names.end());
  return FusedLoc::get({location}, b.getStrArrayAttr(texts), location.getContext());
}

void nameSize(Value size, StringRef name) {
  Operation *op = size.getDefiningOp();
  if (op && op->getNumResults() == 1 && !op->hasTrait<OpTrait::ConstantLike>() && !isOfVariable(namesIn(op->getLoc())))
    op->setLoc(withSizeName(op->getLoc(), name));
}

StringRef sizeName(Value value, int64_t dimension) {
  Attribute names = namesIn(value.getLoc());
  auto type = dyn_cast<ShapedType>(value.getType());
  if (auto all = dyn_cast_if_present<ArrayAttr>(names))
    names = type && type.hasRank() && type.getRank() == int64_t(all.size()) && dimension >= 0 ? all[dimension]
                                                                                              : Attribute();
  else if (dimension >= 0)
    return "";
  auto name = dyn_cast_if_present<StringAttr>(names);
  return name && !isSizeNumber(name) ? name.getValue() : StringRef();
}

bool isSameSize(OpFoldResult a, OpFoldResult b) {
  if (!a || !b)
    return false;
  auto nameOf = [](OpFoldResult size) -> std::pair<Block *, StringRef> {
    auto value = dyn_cast<Value>(size);
    auto dim = value ? value.getDefiningOp<ShapedDimOpInterface>() : ShapedDimOpInterface();
    std::optional<int64_t> dimension = dim ? getConstantIntValue(dim.getDimension()) : std::nullopt;
    if (!dimension || !isOfFunction(dim.getShapedValue()))
      return {};
    return {dim.getShapedValue().getParentBlock(), sizeName(dim.getShapedValue(), *dimension)};
  };
  auto own = nameOf(a);
  if (isEqualConstantIntOrValue(a, b) || (!own.second.empty() && own == nameOf(b)))
    return true;
  auto madeBy = [](OpFoldResult size) { return isa<Value>(size) ? cast<Value>(size).getDefiningOp() : nullptr; };
  Operation *first = madeBy(a), *second = madeBy(b);
  return first && second && first->getName() == second->getName() && isa<arith::ArithDialect>(first->getDialect()) &&
         first->getNumResults() == 1 && first->getNumOperands() > 0 &&
         first->getAttrDictionary() == second->getAttrDictionary() &&
         llvm::all_of(llvm::zip_equal(first->getOperands(), second->getOperands()), [](auto pair) {
           return isSameSize(OpFoldResult(std::get<0>(pair)), OpFoldResult(std::get<1>(pair)));
         });
}

bool isSizeOf(OpFoldResult size, Value shaped, int64_t dimension) {
  auto value = dyn_cast_if_present<Value>(size);
  auto dim = value ? value.getDefiningOp<ShapedDimOpInterface>() : ShapedDimOpInterface();
  std::optional<int64_t> own = dim ? getConstantIntValue(dim.getDimension()) : std::nullopt;
  if (!own)
    return false;
  Value of = dim.getShapedValue();
  bool areOfFunction = isOfFunction(of) && isOfFunction(shaped) && of.getParentBlock() == shaped.getParentBlock();
  StringRef name = areOfFunction ? sizeName(shaped, dimension) : StringRef();
  return (of == shaped && *own == dimension) || (!name.empty() && name == sizeName(of, *own));
}

std::pair<Value, int64_t> SizeNames::argumentOf(Operation *op, StringRef name) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  if (!function || function.isExternal())
    return {};
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<ShapedType>(argument.getType()); type && type.hasRank()) {
      for (int64_t dimension : llvm::seq(type.getRank()))
        if (nameOfArgument(argument, dimension) == name)
          return {argument, dimension};
    } else if (sizeName(argument) == name) {
      return {argument, -1};
    }
  return {};
}

std::string SizeNames::of(Value value, int64_t dimension) {
  // A count has one name as integers of several widths.
  for (Operation *op = value.getDefiningOp(); dimension < 0 && isa_and_nonnull<CastOpInterface>(op) &&
                                              op->getOperand(0).getType().isIntOrIndex() && sizeName(value).empty();
       op = value.getDefiningOp())
    value = op->getOperand(0);
  std::string &name = names[{value, dimension}];
  if (!name.empty())
    return name;
  bool isArgument = isOfFunction(value) && dimension >= 0;
  std::string base =
      isArgument ? nameOfArgument(cast<BlockArgument>(value), dimension) : sizeName(value, dimension).str();
  Operation *here = value.getDefiningOp();
  auto isFree = [&](StringRef text) {
    auto [known, of] = sizes.lookup(text);
    if (isArgument || isOfFunction(value))
      return !known || (isOfFunction(known) && known.getParentBlock() == value.getParentBlock());
    return !known && (!here || base.empty() || !argumentOf(here, text).first);
  };
  for (unsigned number = base.empty() ? 0 : 1; name.empty(); ++number) {
    std::string text = base.empty() ? "n" + std::to_string(number)
                       : number > 1 ? base + "." + std::to_string(number)
                                    : base;
    if (isFree(text))
      name = text;
  }
  sizes.try_emplace(name, value, dimension);
  return name;
}
} // namespace lispier
