//===- TensorSizes.cpp - sizes of tensors, and which are equal ------------===//
#include "TensorSizes.h"
#include "Core/ConstantIntegers.h"
#include "Core/FormEvaluator.h"
#include "Core/FunctionTable.h"
#include "Core/Literals.h"
#include "Core/Messages.h"
#include "Core/Regions.h"
#include "Core/StringGlobals.h"
#include "Core/ValueTypes.h"
#include "ValueParts.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Grad/Grad.h"
#include "lispier/Group/SizeNames.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
namespace arith = mlir::arith;
namespace tensor = mlir::tensor;

namespace lispier {
void TensorSizes::beginFunction() {
  names.clear();
  facts.clear();
  small.clear();
}

void TensorSizes::setSizes(mlir::BlockArgument argument, Sizes sizes) {
  SmallVector<mlir::Value> unknown;
  for (Size size : sizes)
    if (auto value = dyn_cast_if_present<mlir::Value>(size))
      unknown.push_back(value);
  small.push_back({unknown, std::numeric_limits<int64_t>::max(), argument.getOwner()});
  ofArguments[argument] = std::move(sizes);
}

void TensorSizes::name(StringRef name, Size size) { names.push_back({name.str(), size}); }

std::optional<Size> TensorSizes::named(StringRef name) const {
  for (const auto &[known, size] : names)
    if (known == name)
      return size;
  return std::nullopt;
}

Size TensorSizes::sizeOfResult(const Form *form, mlir::OpResult result, int64_t dimension) {
  auto call = dyn_cast<mlir::func::CallOp>(result.getOwner());
  auto gradient = dyn_cast<grad::CallOp>(result.getOwner());
  if (mlir::Value argument = gradient ? gradient.argumentOf(result) : mlir::Value())
    return size(form, argument, dimension);
  auto found = call || gradient ? ofResults.find(call ? call.getCallee() : gradient.getCallee()) : ofResults.end();
  if (found == ofResults.end() || result.getResultNumber() >= found->second.size())
    return {};
  ArrayRef<Source> sources = found->second[result.getResultNumber()];
  Source source = size_t(dimension) < sources.size() ? sources[dimension] : std::nullopt;
  return source ? size(form, result.getOwner()->getOperand(source->first), source->second) : Size();
}

/// The size as the op that makes the tensor says; null if that does not say it.
Size TensorSizes::reified(const Form *form, mlir::Value value, int64_t dimension) {
  mlir::Operation *op = value.getDefiningOp();
  auto result = cast<mlir::OpResult>(value);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return empty.getMixedSizes()[dimension];
  if (auto style = dyn_cast<mlir::DestinationStyleOpInterface>(op))
    return size(form, style.getTiedOpOperand(result)->get(), dimension);
  if (auto stop = dyn_cast<grad::StopOp>(op))
    return size(form, stop.getValue(), dimension);
  if (auto copy = dyn_cast<mlir::bufferization::AllocTensorOp>(op); copy && copy.getCopy())
    return size(form, copy.getCopy(), dimension);
  if (auto download = dyn_cast<device::DownloadOp>(op))
    return size(form, download.getSource(), dimension);
  if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    if (isTensor(cast.getSource()))
      return size(form, cast.getSource(), dimension);
  } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    SmallBitVector dropped = slice.getDroppedDims();
    for (auto [i, size] : enumerate(slice.getMixedSizes()))
      if (!dropped.test(i) && dimension-- == 0)
        return size;
  } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    return expand.getMixedOutputShape()[dimension];
  } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    Sizes parts;
    SmallVector<mlir::ReassociationIndices, 4> groups = collapse.getReassociationIndices();
    for (int64_t part : groups[dimension])
      parts.push_back(size(form, collapse.getSrc(), part));
    SmallVector<Size, 2> above(make_filter_range(parts, [](Size part) { return !part || known(part) != 1; }));
    if (form || above.size() == 1)
      return above.size() == 1 ? above[0] : product(form, parts);
  }
  return sizeOfResult(form, result, dimension);
}

Size TensorSizes::size(const Form *form, mlir::Value value, int64_t dimension) {
  auto type = cast<mlir::RankedTensorType>(value.getType());
  if (!type.isDynamicDim(dimension))
    return builder.getIndexAttr(type.getDimSize(dimension));
  if (isa<mlir::BlockArgument>(value)) {
    if (auto found = ofArguments.find(value); found != ofArguments.end())
      return found->second[dimension];
  } else if (Size reifiedSize = reified(form, value, dimension))
    return reifiedSize;
  if (!form)
    return {};
  auto size = make<tensor::DimOp>(form, value, dimension);
  if (StringRef name = sizeName(value, dimension); !name.empty())
    nameSize(size, name);
  return size.getResult();
}

Sizes TensorSizes::sizes(const Form *form, mlir::Value tensor) {
  Sizes all;
  for (int64_t i : seq(cast<mlir::RankedTensorType>(tensor.getType()).getRank()))
    all.push_back(size(form, tensor, i));
  return all;
}

mlir::Value TensorSizes::value(const Form *form, Size size) {
  if (auto value = dyn_cast<mlir::Value>(size))
    return value;
  return gen.literals.constantInt(form, builder.getIndexType(), *known(size));
}

Size TensorSizes::product(const Form *form, ArrayRef<Size> sizes) {
  int64_t number = 1;
  mlir::Value result;
  for (Size size : sizes)
    if (std::optional<int64_t> factor = known(size))
      number *= *factor;
    else
      result =
          result ? make<arith::MulIOp>(form, result, cast<mlir::Value>(size)).getResult() : cast<mlir::Value>(size);
  if (!result)
    return builder.getIndexAttr(number);
  if (number == 1)
    return result;
  return make<arith::MulIOp>(form, result, gen.literals.constantInt(form, builder.getIndexType(), number)).getResult();
}

mlir::Value TensorSizes::index(const Form *form, StringRef what) {
  mlir::Value value = gen.evaluator->emitValue(form, builder.getIndexType());
  if (!value)
    return {};
  if (auto type = dyn_cast<mlir::RankedTensorType>(value.getType());
      type && type.getElementType().isIntOrIndex() && type.hasStaticShape() && type.getNumElements() == 1) {
    SmallVector<mlir::Value> zeros(type.getRank(), gen.literals.constantInt(form, builder.getIndexType(), 0));
    value = make<tensor::ExtractOp>(form, value, zeros);
  }
  if (value.getType().isIndex())
    return value;
  if (value.getType().isInteger() && !value.getType().isInteger(1))
    return make<arith::IndexCastOp>(form, builder.getIndexType(), value);
  error("tensor-size", form,
        what + " is an index, an integer, or a tensor of one integer, not " + mlir::debugString(value.getType()));
  return {};
}

std::optional<Sizes> TensorSizes::read(const Form *form, const Form *vector) {
  if (!vector->isVector()) {
    error("tensor-size", vector, "`" + form->head() + "` takes the sizes of a tensor, not " + vector->str())
        .withHint(vector->isSymbol()
                      ? "sizes stand in a vector one by one, [n m]: a function takes each as a parameter, (: n index), "
                        "or names the sizes of a tensor, (: x (tensor n m f32))"
                      : "sizes are a vector such as [16 n]; [] is a tensor of one number");
    return std::nullopt;
  }
  Sizes sizes;
  for (const Form *item : vector->items()) {
    std::optional<int64_t> number = gen.literals.integerOf(item);
    mlir::Value value = number ? mlir::Value() : index(item, "a size of a tensor");
    if (!number && !value)
      return std::nullopt;
    if (!number)
      number = ConstantIntegers::known(value);
    if (number && *number < 0) {
      error("tensor-size", item, "a size of a tensor is 0 or more, not " + Twine(*number));
      return std::nullopt;
    }
    if (!number)
      requireSize(item, value);
    sizes.push_back(number ? Size(builder.getIndexAttr(*number)) : Size(value));
  }
  return sizes;
}

TensorSizes::Key TensorSizes::keyOf(Size size) {
  if (std::optional<int64_t> number = known(size))
    return {nullptr, *number};
  auto value = cast<mlir::Value>(size);
  auto dimension = value.getDefiningOp<tensor::DimOp>();
  std::optional<int64_t> index = dimension ? dimension.getConstantIndex() : std::nullopt;
  return index ? Key(dimension.getSource().getAsOpaquePointer(), *index) : Key(value.getAsOpaquePointer(), -1);
}

namespace {
/// Whether the number follows from sizes without a difference.
bool isNonNegative(mlir::Value value, unsigned depth = 0) {
  constexpr unsigned kDeepest = 6;
  if (std::optional<int64_t> number = ConstantIntegers::known(value))
    return *number >= 0;
  mlir::Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<tensor::DimOp, mlir::memref::DimOp>(op))
    return true;
  return depth < kDeepest &&
         isa_and_nonnull<arith::AddIOp, arith::MulIOp, arith::DivSIOp, arith::CeilDivSIOp, arith::RemSIOp,
                         arith::MinSIOp>(op) &&
         all_of(op->getOperands(), [&](mlir::Value operand) { return isNonNegative(operand, depth + 1); });
}
} // namespace

bool TensorSizes::isAround(mlir::Block *block) const {
  mlir::Block *here = builder.getInsertionBlock();
  while (here && here != block)
    here = here->getParentOp() ? here->getParentOp()->getBlock() : nullptr;
  return here;
}

bool TensorSizes::areEqual(Size a, Size b) const {
  if (!a || !b)
    return false;
  Key wanted = keyOf(b);
  SetVector<Key> reached;
  reached.insert(keyOf(a));
  for (size_t i = 0; i < reached.size() && !reached.contains(wanted); ++i)
    if (auto found = facts.find(reached[i]); found != facts.end())
      for (const Fact &fact : found->second)
        if (isAround(fact.block))
          reached.insert(fact.other);
  return reached.contains(wanted);
}

std::string TensorSizes::site(const Form *form) {
  mlir::Location place = location(form);
  if (auto file = place->findInstanceOf<mlir::FileLineColLoc>())
    return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" + Twine(file.getColumn())).str();
  return "program";
}

void TensorSizes::require(const Form *form, mlir::Value holds, StringRef code, const Twine &message,
                          ArrayRef<Size> numbers) {
  if (gen.regions.kernelAround()) // A thread has no way to report it; launches compare the sizes of their arguments.
    return;
  mlir::Value fails = make<arith::XOrIOp>(form, holds, gen.literals.constantInt(form, builder.getI1Type(), 1));
  auto branch = make<mlir::scf::IfOp>(form, fails, /*withElseRegion=*/false);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  mlir::Type pointer = mlir::LLVM::LLVMPointerType::get(&context);
  StringRef runtime = "lispier_rt_check_failed";
  gen.functionTable.runtimeFunction(runtime, builder.getFunctionType({pointer}, {}), /*isVariadic=*/true, form);
  SmallVector<mlir::Value> arguments{
      gen.strings.address(site(form) + ": error[" + code.str() + "]: " + message.str() + "\n", form)};
  for (Size number : numbers)
    arguments.push_back(make<arith::IndexCastOp>(form, builder.getI64Type(), value(form, number)));
  (void)gen.functionTable.callValues(form, *gen.functionTable.find(runtime), arguments);
}

void TensorSizes::check(const Form *form, Size a, Size b, StringRef code, const Twine &message,
                        ArrayRef<Size> numbers) {
  if (areEqual(a, b))
    return;
  mlir::Value same = make<arith::CmpIOp>(form, arith::CmpIPredicate::eq, value(form, a), value(form, b));
  require(form, same, code, message, numbers);
  facts[keyOf(a)].push_back({keyOf(b), builder.getInsertionBlock()});
  facts[keyOf(b)].push_back({keyOf(a), builder.getInsertionBlock()});
}

bool TensorSizes::checkEqual(const Form *form, mlir::Value given, const Twine &what, mlir::Value wanted,
                             const Twine &whose) {
  for (int64_t d : seq(cast<mlir::RankedTensorType>(given.getType()).getRank())) {
    Size a = size(form, given, d), b = size(form, wanted, d);
    std::string about = ("dimension " + Twine(d) + " of " + what + " has the size ").str(),
                other = (", and that of " + whose + " ").str();
    if (known(a) && known(b) && known(a) != known(b)) {
      error("tensor-size", form, about + Twine(*known(a)) + other + Twine(*known(b)));
      return false;
    }
    check(form, a, b, "tensor-size", about + "%ld" + other + "%ld", {a, b});
  }
  return true;
}

void TensorSizes::requireSize(const Form *form, mlir::Value size) {
  if (isNonNegative(size))
    return;
  mlir::Value zero = gen.literals.constantInt(form, builder.getIndexType(), 0);
  mlir::Value holds = make<arith::CmpIOp>(form, arith::CmpIPredicate::sge, size, zero);
  require(form, holds, "tensor-size", "a size of a tensor is 0 or more, not %ld", Size(size));
}

/// Whether the product of the sizes and `bytes` is known not to overflow.
bool TensorSizes::isSmall(ArrayRef<mlir::Value> unknown, int64_t bytes) const {
  auto isDimension = [](mlir::Value size) { return size.getDefiningOp<tensor::DimOp>() != nullptr; };
  auto isOfOne = [&](mlir::Value size) {
    return size.getDefiningOp<tensor::DimOp>().getSource() == unknown[0].getDefiningOp<tensor::DimOp>().getSource();
  };
  if (all_of(unknown, isDimension) && all_of(unknown, isOfOne)) // There is a tensor of these sizes.
    return true;
  return any_of(small, [&](const Small &known) {
    SmallVector<mlir::Value> left(known.unknown);
    return bytes <= known.bytes && isAround(known.block) && all_of(unknown, [&](mlir::Value size) {
             auto *same = find_if(left, [&](mlir::Value other) { return areEqual(other, size); });
             bool isFound = same != left.end();
             if (isFound)
               left.erase(same);
             return isFound;
           });
  });
}

void TensorSizes::checkBytes(const Form *form, ArrayRef<Size> sizes, mlir::Type element) {
  int64_t bytes = element.isIndex() ? 8 : divideCeil(element.getIntOrFloatBitWidth(), 8u);
  SmallVector<mlir::Value> unknown;
  std::string shape;
  bool isTooLarge = false;
  for (Size size : sizes) {
    std::optional<int64_t> number = known(size);
    shape += (shape.empty() ? "" : " ") + (number ? std::to_string(*number) : "%ld");
    if (!number)
      unknown.push_back(cast<mlir::Value>(size));
    else
      isTooLarge |= MulOverflow(bytes, *number, bytes);
  }
  std::string message =
      "a tensor of " + mlir::debugString(element) + " [" + shape + "] has more bytes than an address reaches";
  if (unknown.empty() || hasZero(sizes)) {
    if (isTooLarge && !hasZero(sizes) && tooLarge.insert(message).second) // What is computed of it is as large.
      error("tensor-size", form, message);
    return;
  }
  if (isTooLarge || isSmall(unknown, bytes))
    return;
  mlir::Type i64 = builder.getI64Type();
  mlir::Value total = gen.literals.constantInt(form, i64, bytes), lost = gen.literals.constantInt(form, i64, 0);
  mlir::Value zero = lost;
  for (mlir::Value size : unknown) {
    auto product = make<arith::MulUIExtendedOp>(form, total, make<arith::IndexCastOp>(form, i64, size));
    total = product.getLow();
    lost = make<arith::OrIOp>(form, make<arith::OrIOp>(form, lost, product.getHigh()),
                              make<arith::ShRUIOp>(form, total, gen.literals.constantInt(form, i64, 63)));
  }
  require(form, make<arith::CmpIOp>(form, arith::CmpIPredicate::eq, lost, zero), "tensor-size", message,
          SmallVector<Size>(unknown.begin(), unknown.end()));
  small.push_back({unknown, bytes, builder.getInsertionBlock()});
}

mlir::Value TensorSizes::refined(const Form *form, mlir::Value value, ArrayRef<Size> sizes) {
  auto type = cast<mlir::RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (auto [i, size] : enumerate(sizes))
    if (std::optional<int64_t> number = size ? known(size) : std::nullopt; number && type.isDynamicDim(i))
      shape[i] = *number;
  auto better = mlir::RankedTensorType::get(shape, type.getElementType());
  return better == type ? value : make<tensor::CastOp>(form, better, value).getResult();
}

std::string TensorSizes::text(mlir::Value value) {
  auto type = dyn_cast<mlir::RankedTensorType>(value.getType());
  if (!type)
    return typeText(value.getType());
  std::string text = mlir::debugString(type.getElementType()) + " [";
  for (auto [i, size] : enumerate(type.getShape())) {
    text += i ? " " : "";
    if (!mlir::ShapedType::isDynamic(size)) {
      text += std::to_string(size);
      continue;
    }
    Size here = this->size(nullptr, value, i);
    if (std::optional<int64_t> number = here ? known(here) : std::nullopt) {
      text += std::to_string(*number); // Of an argument that fits a type which says less.
      continue;
    }
    auto named = find_if(names, [&](auto &known) { return here && areEqual(known.second, here); });
    text += named == names.end() ? "?" : named->first;
  }
  return text + "]";
}
} // namespace lispier
