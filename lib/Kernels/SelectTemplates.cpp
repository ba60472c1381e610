//===- SelectTemplates.cpp - replace ops by calls of kernels --------------===//
//
// Before: ops such as nn.linear, and private functions with template attributes
// (lispier/NN/TemplateAttributes.h), the kernel implementations. After: each op that a
// template fits is a call of a clone, specialized for the op's attributes, absent
// operands and static sizes; other ops remain for lispier-decompose-nn; templates
// are erased. The pass runs before lispier-outline-parallel, which passes captured
// values through memory, so that constants are folded first. Ops with equal
// constants share a clone: compile time does not grow with the number of layers.
//
//===----------------------------------------------------------------------===//
#include "Canonicalize.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Device/Launches.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/Kernels/KernelIndex.h"
#include "lispier/Kernels/Passes.h"
#include "lispier/NN/NN.h"
#include "lispier/NN/TemplateAttributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Threading.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

namespace lispier {
#define GEN_PASS_DEF_SELECTTEMPLATES
#include "lispier/Kernels/Passes.h.inc"
} // namespace lispier

using namespace mlir;
using namespace lispier::nn;
using namespace lispier::kernels;
namespace device = lispier::device;

namespace {
/// The value passed for an absent attribute.
constexpr int64_t kAbsent = -1;

struct Template {
  func::FuncOp function;
  Implementation head;
};
using Templates = llvm::MapVector<StringRef, SmallVector<Template, 0>>;

/// The op's operands, one per parameter; null for an absent optional operand.
SmallVector<Value> operandGroups(Operation *op) {
  std::optional<Attribute> sizes = op->getInherentAttr("operandSegmentSizes");
  if (!sizes || !*sizes)
    return SmallVector<Value>(op->getOperands());
  SmallVector<Value> groups;
  unsigned next = 0;
  for (int32_t size : cast<DenseI32ArrayAttr>(*sizes).asArrayRef()) {
    groups.push_back(size == 1 ? op->getOperand(next) : Value());
    next += size;
  }
  return groups;
}

/// The number that represents the value of an attribute.
std::optional<int64_t> asInteger(Attribute value) {
  if (!value)
    return kAbsent;
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return integer.getType().isInteger(1) ? integer.getValue().getZExtValue() : integer.getValue().getSExtValue();
  if (isa<UnitAttr>(value))
    return 1;
  if (auto activation = dyn_cast<ActivationAttr>(value))
    return static_cast<int64_t>(activation.getValue());
  if (auto mask = dyn_cast<MaskAttr>(value))
    return static_cast<int64_t>(mask.getValue());
  return std::nullopt;
}

/// The constant passed for `value`, or null if the parameter has another type.
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
  /// `patterns` canonicalize a clone.
  Selection(ModuleOp module, const Machine &machine, bool share, ArrayRef<std::string> explained, bool explainGroups,
            const FrozenRewritePatternSet &patterns)
      : module(module), symbols(module), machine(machine), share(share), explained(explained),
        explainGroups(explainGroups), patterns(patterns) {}

  LogicalResult run() {
    if (failed(collect()))
      return failure();
    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (!function->hasAttr(kTemplate) && failed(replaceIn(function, {})))
        return failure();
    // Clones contain ops in turn. To fill one takes long, so that all that are known so far are filled in parallel.
    while (!unfilled.empty()) {
      SmallVector<Clone, 0> clones = std::exchange(unfilled, {});
      parallelForEach(module.getContext(), clones, [&](Clone &clone) { fill(clone); });
      for (const Clone &clone : clones)
        if (failed(replaceIn(clone.function, clone.origin)))
          return failure();
    }
    eraseTemplates();
    return success();
  }

private:
  /// A clone of a template, without its body at first.
  struct Clone {
    func::FuncOp function, origin;
    SmallVector<Attribute> known; ///< See `replace`.
    Location user;                ///< Of the op for which it was made.
  };

  /// The templates of each op, in module order.
  LogicalResult collect() {
    for (auto function : module.getOps<func::FuncOp>()) {
      Attribute mark = function->getAttr(kTemplate);
      if (!mark)
        continue;
      auto name = cast<StringAttr>(mark);
      if (!RegisteredOperationName::lookup(name.getValue(), module.getContext()))
        return function.emitError() << "template for " << mark << ", which is not an op";
      if (function.getNumResults() != 0)
        return function.emitError() << "a template of " << name.getValue() << " returns nothing, this one returns "
                                    << function.getResultTypes();
      templates[name.getValue()].push_back({function, headOf(function)});
    }
    return success();
  }

  /// Replaces the ops of a function by calls. `origin`: the template that the function is a clone of. If its body
  /// contains the op itself, only templates after `origin` are considered, to prevent endless recursion.
  LogicalResult replaceIn(func::FuncOp function, func::FuncOp origin) {
    SmallVector<Operation *> ops;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      // A function of another symbol table cannot call functions of this one.
      if (op->hasTrait<OpTrait::SymbolTable>())
        return WalkResult::skip();
      StringRef name = op->getName().getStringRef();
      if (templates.contains(name) || llvm::is_contained(explained, name) ||
          (explainGroups && op->hasAttr(lispier::kKernelNameAttr)))
        ops.push_back(op);
      return WalkResult::advance();
    });
    for (Operation *op : ops) {
      auto known = templates.find(op->getName().getStringRef());
      ArrayRef<Template> all = known == templates.end() ? ArrayRef<Template>() : known->second, candidates = all;
      auto leaving = llvm::find_if(all, [&](const Template &candidate) { return candidate.function == origin; });
      if (leaving != all.end())
        candidates = candidates.drop_front(leaving - all.begin() + 1);
      FailureOr<const Template *> chosen = choose(op, candidates);
      if (failed(chosen))
        return failure();
      if (llvm::is_contained(explained, op->getName().getStringRef()))
        explain(op, all, candidates, *chosen);
      if (auto kernel = op->getAttrOfType<StringAttr>(lispier::kKernelNameAttr); kernel && explainGroups)
        name(op, kernel, *chosen);
      if (*chosen && failed(replace(op, **chosen)))
        return failure();
    }
    return success();
  }

  /// Returns the first template that fits, or null.
  FailureOr<const Template *> choose(Operation *op, ArrayRef<Template> candidates) {
    std::optional<Request> request = requestOf(op, /*final=*/true);
    if (!request)
      return static_cast<const Template *>(nullptr);
    for (const Template &candidate : candidates) {
      if (reasonAgainst(candidate.head, machine))
        continue;
      if (failed(check(op, candidate, request->operands.size())))
        return failure();
      func::FuncOp function = candidate.function;
      if (!function.isDeclaration() && !reasonAgainst(candidate.head, *request, machine))
        return &candidate;
    }
    return static_cast<const Template *>(nullptr);
  }

  /// Emits remarks at the op: which template is selected, and for each other one the first reason against it.
  void explain(Operation *op, ArrayRef<Template> all, ArrayRef<Template> candidates, const Template *chosen) {
    std::optional<Request> request = requestOf(op, /*final=*/true);
    InFlightDiagnostic remark = mlir::emitRemark(outermost(op->getLoc()))
                                << op->getName() << (chosen ? " is computed by one of " : " is computed by none of ")
                                << all.size() << (all.size() == 1 ? " implementation" : " implementations");
    for (const Template &candidate : all) {
      std::string verdict;
      if (&candidate == chosen)
        verdict = "this one is taken";
      else if (!request)
        verdict = "the op has several values for one operand";
      else if (std::optional<std::string> reason = reasonAgainst(candidate.head, *request, machine))
        verdict = *reason;
      else
        verdict = &candidate < candidates.begin() ? "it leaves the op to those after it" : "another is taken before it";
      remark.attachNote(outermost(candidate.head.place)) << verdict;
    }
  }

  /// Emits a remark on the implementation of a kernel of tensor ops.
  static void name(Operation *op, StringAttr kernel, const Template *chosen) {
    InFlightDiagnostic remark = mlir::emitRemark(outermost(op->getLoc()))
                                << "kernel " << kernel.getValue() << ", " << op->getName()
                                << (chosen ? ": this implementation" : ": no implementation, loops of one step each");
    if (chosen)
      remark.attachNote(outermost(chosen->head.place))
          << "for " << (chosen->head.targets.empty() ? "every target" : llvm::join(chosen->head.targets, ", "));
  }

  /// Reports a template that no op could ever call: an error, unlike a mismatch with one op.
  LogicalResult check(Operation *op, const Template &candidate, size_t operands) {
    size_t wanted = operands + candidate.head.attributes.size();
    func::FuncOp function = candidate.function;
    if (function.isDeclaration() || function.getNumArguments() == wanted)
      return success();
    InFlightDiagnostic error = function.emitError()
                               << "a template of " << op->getName() << " has " << operands
                               << " parameters for operands and " << candidate.head.attributes.size()
                               << " for attributes, this one has " << function.getNumArguments();
    error.attachNote(op->getLoc()) << "the op is here";
    return error;
  }

  /// Replaces `op` by a call of a clone of the template, which accepts the op's operands.
  LogicalResult replace(Operation *op, const Template &candidate) {
    func::FuncOp function = candidate.function;
    SmallVector<Value> operands = operandGroups(op);
    ArrayRef<Type> parameters = function.getArgumentTypes();
    SmallVector<Value> arguments;
    // The key of the clone has one entry per parameter: a constant, an operand type, or the unit attribute if absent.
    SmallVector<Attribute> known;
    for (auto [operand, parameter] : llvm::zip(operands, parameters)) {
      Value argument = operand;
      if (!argument && passesAbsence(candidate))
        argument = nothing(OpBuilder::atBlockBegin(&op->getParentOfType<func::FuncOp>().front()), op->getLoc(),
                           cast<MemRefType>(parameter));
      if (!argument) {
        known.push_back(UnitAttr::get(op->getContext()));
        continue;
      }
      arguments.push_back(generalized(argument, parameter, op));
      known.push_back(TypeAttr::get(arguments.back().getType()));
    }
    for (auto [name, parameter] : llvm::zip_equal(candidate.head.attributes, parameters.drop_front(operands.size()))) {
      FailureOr<TypedAttr> constant = attributeFor(op, function, name, parameter);
      if (failed(constant))
        return failure();
      if (!candidate.head.values.contains(name)) {
        known.push_back(*constant);
        continue;
      }
      known.push_back(TypeAttr::get(parameter));
      OpBuilder builder(op);
      arguments.push_back(arith::ConstantOp::create(builder, op->getLoc(), *constant));
    }
    OpBuilder builder(op);
    auto call = func::CallOp::create(builder, op->getLoc(), copyFor(op, function, known), arguments);
    keepConstants(op, call);
    op->erase();
    return success();
  }

  /// Whether a clone is told at run time which operands are absent, as it is told of attributes. A launch's kernel
  /// would have more parameters.
  bool passesAbsence(const Template &candidate) const {
    return machine.target == "cpu" && !candidate.head.values.empty();
  }

  /// Casts an argument so that ops share a clone. On a CPU, code for memory that begins at offset 0 is no faster.
  Value generalized(Value argument, Type parameter, Operation *op) const {
    auto type = dyn_cast<MemRefType>(argument.getType()), written = dyn_cast<MemRefType>(parameter);
    if (machine.target != "cpu" || !type || !written || !isa<StridedLayoutAttr>(written.getLayout()))
      return argument;
    auto [strides, offset] = type.getStridesAndOffset();
    if (!ShapedType::isDynamic(written.getStridesAndOffset().second))
      return argument;
    auto layout = StridedLayoutAttr::get(op->getContext(), ShapedType::kDynamic, strides);
    auto general = MemRefType::get(type.getShape(), type.getElementType(), layout, type.getMemorySpace());
    OpBuilder builder(op);
    return builder.createOrFold<memref::CastOp>(op->getLoc(), general, argument);
  }

  /// What the op asserts of its operands is lost with it.
  static void keepConstants(Operation *op, func::CallOp call) {
    Builder builder(op->getContext());
    SmallVector<Attribute> arguments;
    bool any = false;
    for (Value operand : call.getOperands()) {
      bool constant = isConstantWeight(op, operand);
      NamedAttrList attributes;
      if (constant)
        attributes.append(device::kConstant, builder.getUnitAttr());
      arguments.push_back(attributes.getDictionary(op->getContext()));
      any |= constant;
    }
    if (any)
      call.setArgAttrsAttr(builder.getArrayAttr(arguments));
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

  /// Returns the clone of a template that is specialized for these parameters; creates it on first use.
  func::FuncOp copyFor(Operation *op, func::FuncOp function, ArrayRef<Attribute> known) {
    func::FuncOp &copy = copies[{function, ArrayAttr::get(function.getContext(), known)}];
    if (copy && share)
      return copy;
    copy = function.cloneWithoutRegions();
    for (StringRef name : kTemplateAttributeNames)
      copy->removeAttr(name);
    copy->setAttr(device::kTuned, UnitAttr::get(function.getContext()));
    SmallVector<Type> parameters;
    for (Attribute fact : known)
      if (auto type = dyn_cast<TypeAttr>(fact))
        parameters.push_back(type.getValue());
    copy.setFunctionType(FunctionType::get(function.getContext(), parameters, {}));
    symbols.insert(copy, Block::iterator(function));
    unfilled.push_back({copy, function, llvm::to_vector(known), op->getLoc()});
    return copy;
  }

  /// Gives a clone its body. Several clones are filled in parallel: only the clone changes.
  void fill(Clone &clone) const {
    IRMapping mapping;
    clone.origin.getBody().cloneInto(&clone.function.getBody(), mapping);
    if (!share)
      clone.function.walk([&](Operation *launch) {
        if (isa<gpu::LaunchOp, gpu::LaunchFuncOp>(launch))
          launch->setLoc(clone.user);
      });
    Block &entry = clone.function.getBody().front();
    OpBuilder builder = OpBuilder::atBlockBegin(&entry);
    llvm::BitVector gone(clone.known.size());
    for (auto [index, fact] : llvm::enumerate(clone.known)) {
      BlockArgument parameter = entry.getArgument(index);
      if (auto type = dyn_cast<TypeAttr>(fact))
        narrow(builder, parameter, type.getValue());
      else
        parameter.replaceAllUsesWith(
            isa<UnitAttr>(fact) ? nothing(builder, parameter.getLoc(), cast<MemRefType>(parameter.getType()))
                                : Value(arith::ConstantOp::create(builder, parameter.getLoc(), cast<TypedAttr>(fact))));
      gone[index] = !isa<TypeAttr>(fact);
    }
    entry.eraseArguments(gone);
    // Ops and launches in branches that the constants exclude need no kernels.
    canonicalize(clone.function, patterns);
  }

  /// Gives a parameter the operand's type, and inserts a cast to the type that the body expects. Canonicalization then
  /// folds static sizes into the body.
  static void narrow(OpBuilder &builder, BlockArgument parameter, Type type) {
    Type written = parameter.getType();
    if (type == written)
      return;
    parameter.setType(type);
    auto whole = memref::CastOp::create(builder, parameter.getLoc(), written, parameter);
    parameter.replaceAllUsesExcept(whole, whole);
  }

  /// Creates a memref without elements: all sizes are 0.
  static Value nothing(OpBuilder builder, Location loc, MemRefType type) {
    auto empty = MemRefType::get(SmallVector<int64_t>(type.getRank(), 0), type.getElementType(),
                                 MemRefLayoutAttrInterface(), type.getMemorySpace());
    Value memory = memref::AllocaOp::create(builder, loc, empty);
    return memref::CastOp::create(builder, loc, type, memory);
  }

  /// Erases the templates. One that the program calls by name loses its template attributes and stays.
  void eraseTemplates() {
    llvm::DenseSet<StringAttr> named;
    for (auto function : module.getOps<func::FuncOp>())
      function.walk([&](SymbolUserOpInterface user) { // Not SymbolUserMap, which collects the attributes of all ops.
        user->getAttrDictionary().walk([&](SymbolRefAttr name) { named.insert(name.getRootReference()); });
      });
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (function->hasAttr(kTemplate) && !named.contains(function.getSymNameAttr()))
        symbols.erase(function);
    llvm::DenseSet<Attribute> launched;
    device::forEachLaunch(module, [&](gpu::LaunchFuncOp launch) { launched.insert(launch.getKernel()); });
    for (auto kernels : llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>()))
      if (kernels->hasAttr(kTemplateKernels))
        eraseUnused(kernels, launched);
  }

  /// Erases kernels that only erased templates launched.
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
  Machine machine;
  bool share;
  ArrayRef<std::string> explained;
  bool explainGroups;
  const FrozenRewritePatternSet &patterns;
  Templates templates;
  SmallVector<Clone, 0> unfilled;
  llvm::DenseMap<std::pair<func::FuncOp, ArrayAttr>, func::FuncOp> copies;
};

struct SelectTemplates : lispier::impl::SelectTemplatesBase<SelectTemplates> {
  using SelectTemplatesBase::SelectTemplatesBase;

  LogicalResult initialize(MLIRContext *context) override {
    patterns = canonicalizationPatterns(context);
    return success();
  }

  void runOnOperation() override {
    SmallVector<std::string> abilities(features.begin(), features.end()), ops(why.begin(), why.end());
    if (failed(Selection(getOperation(), {target, abilities}, share, ops, explainGroups, patterns).run()))
      signalPassFailure();
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
