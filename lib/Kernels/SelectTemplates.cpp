//===- SelectTemplates.cpp - kernel templates in the place of ops ---------===//
//
// Before: ops such as nn.linear, and private functions marked as their templates
// (lispier/NN/Templates.h). After: the ops that a template fits are calls of a
// copy of it, made for the op's attributes, absent operands and known sizes; the
// others stay for lispier-decompose-nn; the templates themselves are gone. What
// is known is constant inside the copy before lispier-outline-parallel passes
// captured values through memory. A copy is shared by all ops that need the same,
// so that a model of a hundred layers is compiled like one of one.
//
//===----------------------------------------------------------------------===//
#include "lispier/Kernels/Passes.h"
#include "lispier/NN/NN.h"
#include "lispier/NN/Templates.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/MapVector.h"

namespace lispier {
#define GEN_PASS_DEF_SELECTTEMPLATES
#include "lispier/Kernels/Passes.h.inc"
} // namespace lispier

using namespace mlir;
using namespace lispier::nn;

namespace {
/// What an absent attribute is passed as.
constexpr int64_t kAbsent = -1;

struct Template {
  func::FuncOp function;
  SmallVector<StringAttr> attributes;
  llvm::DenseSet<StringAttr> values; ///< Of the attributes, those that are passed when the program runs.
};
using Templates = llvm::MapVector<StringRef, SmallVector<Template>>;

/// A size or stride that code for `to` can rely on also holds for `from`.
bool covers(int64_t to, int64_t from) { return ShapedType::isDynamic(to) || to == from; }

/// A value of type `from` may be passed as `to`: nothing is assumed of it that its own type does not say.
bool accepts(Type to, Type from) {
  if (to == from)
    return true;
  auto target = dyn_cast<MemRefType>(to), source = dyn_cast<MemRefType>(from);
  if (!target || !source || target.getElementType() != source.getElementType() ||
      target.getMemorySpace() != source.getMemorySpace() || target.getRank() != source.getRank())
    return false;
  if (!llvm::all_of(llvm::zip_equal(target.getShape(), source.getShape()),
                    [](auto sizes) { return covers(std::get<0>(sizes), std::get<1>(sizes)); }))
    return false;
  if (target.getLayout() == source.getLayout())
    return true;
  // The identity layout of dynamic sizes has dynamic strides, but not any strides.
  if (target.getLayout().isIdentity())
    return false;
  SmallVector<int64_t> targetStrides, sourceStrides;
  int64_t targetOffset, sourceOffset;
  if (failed(target.getStridesAndOffset(targetStrides, targetOffset)) ||
      failed(source.getStridesAndOffset(sourceStrides, sourceOffset)))
    return false;
  return covers(targetOffset, sourceOffset) &&
         llvm::all_of(llvm::zip_equal(targetStrides, sourceStrides),
                      [](auto strides) { return covers(std::get<0>(strides), std::get<1>(strides)); });
}

/// The op's operands, one a parameter; null where an optional one is absent. Fails on more than one for a parameter.
FailureOr<SmallVector<Value>> operandGroups(Operation *op) {
  std::optional<Attribute> sizes = op->getInherentAttr("operandSegmentSizes");
  if (!sizes || !*sizes)
    return SmallVector<Value>(op->getOperands());
  SmallVector<Value> groups;
  unsigned next = 0;
  for (int32_t size : cast<DenseI32ArrayAttr>(*sizes).asArrayRef()) {
    if (size > 1)
      return failure();
    groups.push_back(size == 1 ? op->getOperand(next) : Value());
    next += size;
  }
  return groups;
}

/// The number that an attribute's value is passed as.
std::optional<int64_t> asInteger(Attribute value) {
  if (!value)
    return kAbsent;
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return integer.getType().isInteger(1) ? integer.getValue().getZExtValue() : integer.getValue().getSExtValue();
  if (isa<UnitAttr>(value))
    return 1;
  if (auto activation = dyn_cast<ActivationAttr>(value))
    return static_cast<int64_t>(activation.getValue());
  return std::nullopt;
}

/// The constant passed for `value`, or null when the parameter's type does not fit it.
TypedAttr constantFor(Attribute value, Type parameter) {
  Builder builder(parameter.getContext());
  if (auto type = dyn_cast<FloatType>(parameter)) {
    if (!value)
      return builder.getFloatAttr(type, kAbsent);
    auto number = dyn_cast<FloatAttr>(value);
    return number ? builder.getFloatAttr(type, number.getValueAsDouble()) : TypedAttr();
  }
  std::optional<int64_t> number = asInteger(value);
  return number && parameter.isInteger(64) ? builder.getI64IntegerAttr(*number) : TypedAttr();
}

class Selection {
public:
  Selection(ModuleOp module, StringRef target, ArrayRef<std::string> features, bool share)
      : module(module), symbols(module), target(target), features(features), share(share) {}

  LogicalResult run() {
    if (failed(collect()))
      return failure();
    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (!function->hasAttr(kTemplate) && failed(replaceIn(function, {})))
        return failure();
    eraseTemplates();
    return success();
  }

private:
  /// The templates for this target by op, in the order of the file.
  LogicalResult collect() {
    for (auto function : module.getOps<func::FuncOp>()) {
      Attribute mark = function->getAttr(kTemplate);
      if (!mark)
        continue;
      auto name = dyn_cast<StringAttr>(mark);
      if (!name || !RegisteredOperationName::lookup(name.getValue(), module.getContext()))
        return function.emitError() << "template for " << mark << ", which is not an op";
      if (function.getNumResults() != 0)
        return function.emitError() << "a template of " << name.getValue() << " returns nothing, this one returns "
                                    << function.getResultTypes();
      Template entry{function, {}, {}};
      if (auto names = function->getAttrOfType<ArrayAttr>(kTemplateAttributes))
        llvm::append_range(entry.attributes, names.getAsRange<StringAttr>());
      if (auto names = function->getAttrOfType<ArrayAttr>(kTemplateValues))
        entry.values.insert_range(names.getAsRange<StringAttr>());
      auto targets = function->getAttrOfType<ArrayAttr>(kTemplateTargets);
      if (!targets || llvm::any_of(targets.getAsValueRange<StringAttr>(),
                                   [&](StringRef name) { return serves(name, target, features); }))
        templates[name.getValue()].push_back(std::move(entry));
    }
    return success();
  }

  /// Replaces what templates take in a function, and in the copies that it comes to call. `origin`: the template that
  /// the function is a copy of; an op that it leaves to others goes to those after it, or two would leave it to each
  /// other for ever.
  LogicalResult replaceIn(func::FuncOp function, func::FuncOp origin) {
    SmallVector<Operation *> ops;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      // A function of another symbol table cannot call ours.
      if (op->hasTrait<OpTrait::SymbolTable>())
        return WalkResult::skip();
      if (templates.contains(op->getName().getStringRef()))
        ops.push_back(op);
      return WalkResult::advance();
    });
    for (Operation *op : ops) {
      MutableArrayRef<Template> candidates = templates[op->getName().getStringRef()];
      auto leaving = llvm::find_if(candidates, [&](Template &candidate) { return candidate.function == origin; });
      if (leaving != candidates.end())
        candidates = candidates.drop_front(leaving - candidates.begin() + 1);
      for (Template &candidate : candidates) {
        FailureOr<bool> replaced = replace(op, candidate);
        if (failed(replaced))
          return failure();
        if (*replaced)
          break;
      }
    }
    return success();
  }

  /// A template that could never be called is its author's mistake, not a mismatch.
  LogicalResult check(Operation *op, const Template &candidate, size_t operands) {
    size_t wanted = operands + candidate.attributes.size();
    func::FuncOp function = candidate.function;
    if (function.getNumArguments() == wanted)
      return success();
    InFlightDiagnostic error = function.emitError() << "a template of " << op->getName() << " has " << operands
                                                    << " parameters for operands and " << candidate.attributes.size()
                                                    << " for attributes, this one has " << function.getNumArguments();
    error.attachNote(op->getLoc()) << "the op is here";
    return error;
  }

  /// Puts a call in the place of `op` if every operand is accepted.
  FailureOr<bool> replace(Operation *op, Template &candidate) {
    func::FuncOp function = candidate.function;
    FailureOr<SmallVector<Value>> operands = operandGroups(op);
    if (failed(operands))
      return false;
    if (failed(check(op, candidate, operands->size())))
      return failure();
    ArrayRef<Type> parameters = function.getArgumentTypes();
    for (auto [operand, parameter] : llvm::zip_first(*operands, parameters))
      if (operand ? !accepts(parameter, operand.getType()) : !acceptsNothing(parameter))
        return false;

    SmallVector<Value> arguments;
    // One a parameter: a constant, the type of an operand, or the mark of an absent one.
    SmallVector<Attribute> known;
    for (Value operand : *operands) {
      known.push_back(operand ? Attribute(TypeAttr::get(operand.getType())) : UnitAttr::get(op->getContext()));
      if (operand)
        arguments.push_back(operand);
    }
    for (auto [name, parameter] : llvm::zip_equal(candidate.attributes, parameters.drop_front(operands->size()))) {
      FailureOr<TypedAttr> constant = attributeFor(op, function, name, parameter);
      if (failed(constant))
        return failure();
      if (!candidate.values.contains(name)) {
        known.push_back(*constant);
        continue;
      }
      known.push_back(TypeAttr::get(parameter));
      OpBuilder builder(op);
      arguments.push_back(arith::ConstantOp::create(builder, op->getLoc(), *constant));
    }
    FailureOr<func::FuncOp> copy = copyFor(op, function, known);
    if (failed(copy))
      return failure();
    OpBuilder builder(op);
    func::CallOp::create(builder, op->getLoc(), *copy, arguments);
    op->erase();
    return true;
  }

  static bool acceptsNothing(Type parameter) {
    auto type = dyn_cast<MemRefType>(parameter);
    return type && llvm::all_of(type.getShape(), ShapedType::isDynamic);
  }

  static FailureOr<TypedAttr> attributeFor(Operation *op, func::FuncOp function, StringAttr name, Type parameter) {
    if (!llvm::is_contained(op->getName().getAttributeNames(), name))
      return function.emitError() << op->getName() << " has no attribute " << name;
    Attribute value = op->getInherentAttr(name).value_or(Attribute());
    if (TypedAttr constant = constantFor(value, parameter))
      return constant;
    return function.emitError() << "the parameter for attribute " << name << " of " << op->getName() << " is "
                                << parameter << ", which does not fit " << value
                                << ": floats are passed as f32, integers and choices as i64";
  }

  /// The copy of a template in which what is known of each parameter is used, made on first use.
  FailureOr<func::FuncOp> copyFor(Operation *op, func::FuncOp function, ArrayRef<Attribute> known) {
    auto key = std::pair(function, ArrayAttr::get(function.getContext(), known));
    if (func::FuncOp made = copies.lookup(key); made && share)
      return made;
    func::FuncOp copy = function.clone();
    if (!share)
      copy.walk([&](Operation *launch) {
        if (isa<gpu::LaunchOp, gpu::LaunchFuncOp>(launch))
          launch->setLoc(op->getLoc());
      });
    for (StringRef mark : {kTemplate, kTemplateTargets, kTemplateAttributes, kTemplateValues})
      copy->removeAttr(mark);
    Block &entry = copy.getBody().front();
    OpBuilder builder = OpBuilder::atBlockBegin(&entry);
    llvm::BitVector gone(known.size());
    for (auto [index, fact] : llvm::enumerate(known)) {
      BlockArgument parameter = entry.getArgument(index);
      if (auto type = dyn_cast<TypeAttr>(fact))
        narrow(builder, parameter, type.getValue());
      else
        parameter.replaceAllUsesWith(
            isa<UnitAttr>(fact) ? nothing(builder, parameter)
                                : Value(arith::ConstantOp::create(builder, parameter.getLoc(), cast<TypedAttr>(fact))));
      gone[index] = !isa<TypeAttr>(fact);
    }
    entry.eraseArguments(gone);
    copy.setFunctionType(builder.getFunctionType(entry.getArgumentTypes(), {}));
    symbols.insert(copy, Block::iterator(function));
    copies[key] = copy;
    if (failed(replaceIn(copy, function)))
      return failure();
    return copy;
  }

  /// Gives a parameter the type that its operand has, and the body the type that it was written for: sizes that the
  /// program knows fold into it.
  static void narrow(OpBuilder &builder, BlockArgument parameter, Type type) {
    Type written = parameter.getType();
    if (type == written)
      return;
    parameter.setType(type);
    auto whole = memref::CastOp::create(builder, parameter.getLoc(), written, parameter);
    parameter.replaceAllUsesExcept(whole, whole);
  }

  /// A memref without elements: all sizes are 0.
  static Value nothing(OpBuilder &builder, BlockArgument parameter) {
    auto type = cast<MemRefType>(parameter.getType());
    auto empty = MemRefType::get(SmallVector<int64_t>(type.getRank(), 0), type.getElementType(),
                                 MemRefLayoutAttrInterface(), type.getMemorySpace());
    Value memory = memref::AllocaOp::create(builder, parameter.getLoc(), empty);
    return memref::CastOp::create(builder, parameter.getLoc(), type, memory);
  }

  /// The program calls copies only; but a template that somebody calls by its name is a function like others.
  void eraseTemplates() {
    SymbolTableCollection tables;
    SymbolUserMap users(tables, module); // One walk, not one a template.
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (function->hasAttr(kTemplate) && users.useEmpty(function))
        symbols.erase(function);
    llvm::DenseSet<Attribute> launched;
    module.walk([&](gpu::LaunchFuncOp launch) { launched.insert(launch.getKernel()); });
    for (auto kernels : llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>()))
      if (kernels->hasAttr(kTemplateKernels))
        eraseUnused(kernels, launched);
  }

  /// The kernels that only templates launched go with them.
  void eraseUnused(gpu::GPUModuleOp kernels, const llvm::DenseSet<Attribute> &launched) {
    for (auto kernel : llvm::make_early_inc_range(kernels.getOps<gpu::GPUFuncOp>())) {
      if (!launched.contains(SymbolRefAttr::get(kernels.getNameAttr(), {SymbolRefAttr::get(kernel)})))
        kernel.erase();
    }
    if (kernels.getOps<gpu::GPUFuncOp>().empty())
      symbols.erase(kernels);
    else
      kernels->removeAttr(kTemplateKernels);
  }

  ModuleOp module;
  SymbolTable symbols;
  StringRef target;
  ArrayRef<std::string> features;
  bool share;
  Templates templates;
  llvm::DenseMap<std::pair<func::FuncOp, ArrayAttr>, func::FuncOp> copies;
};

struct SelectTemplates : lispier::impl::SelectTemplatesBase<SelectTemplates> {
  using SelectTemplatesBase::SelectTemplatesBase;
  void runOnOperation() override {
    if (failed(Selection(getOperation(), target, features, share).run()))
      signalPassFailure();
  }
};
} // namespace
