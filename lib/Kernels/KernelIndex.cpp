//===- KernelIndex.cpp - selection of kernel implementations --------------===//
#include "lispier/Kernels/KernelIndex.h"
#include "lispier/NN/NN.h"
#include "lispier/NN/TemplateAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace mlir;

namespace lispier::kernels {
namespace {
/// Whether a size or stride `from` satisfies what the type with `to` guarantees: they are equal, or `to` is dynamic.
bool covers(int64_t to, int64_t from) { return ShapedType::isDynamic(to) || to == from; }

/// Whether a value of type `from` can be passed as `to` without assuming anything that its own type does not guarantee.
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
  // With dynamic sizes, the identity layout has dynamic strides, but does not admit arbitrary strides.
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

/// Whether a value of type `from` may fit `to` once types are final.
bool mayAccept(Type to, Type from) {
  auto target = dyn_cast<ShapedType>(to), source = dyn_cast<ShapedType>(from);
  if (!target || !source || !source.hasRank())
    return to == from;
  return target.getElementType() == source.getElementType() && target.getRank() == source.getRank() &&
         llvm::all_of(llvm::zip_equal(target.getShape(), source.getShape()), [](auto sizes) {
           auto [to, from] = sizes;
           // A size of 0 is that of an absent operand only.
           return ShapedType::isDynamic(from) ? to != 0 : covers(to, from);
         });
}

/// An absent operand is a memref without elements: all its sizes are 0. A parameter of that type accepts nothing else.
bool acceptsNothing(Type parameter) {
  auto type = dyn_cast<MemRefType>(parameter);
  return type && llvm::all_of(type.getShape(), [](int64_t size) { return covers(size, 0); });
}

/// Returns the target or ability in `wanted`, such as "gpu+wgmma+warp32", that the machine lacks; empty if none.
std::string reasonAgainst(StringRef wanted, const Machine &machine) {
  SmallVector<StringRef> parts;
  wanted.split(parts, '+');
  if (parts.front() != machine.target)
    return "it is for " + parts.front().str();
  for (StringRef ability : ArrayRef(parts).drop_front())
    if (!llvm::is_contained(machine.abilities, ability))
      return "it needs " + ability.str();
  return "";
}

std::string text(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}
} // namespace

Implementation headOf(func::FuncOp function) {
  Implementation head(function.getLoc());
  if (auto name = function->getAttrOfType<StringAttr>(nn::kTemplate))
    head.op = name.str();
  if (auto names = function->getAttrOfType<ArrayAttr>(nn::kTemplateTargets))
    for (StringRef name : names.getAsValueRange<StringAttr>())
      head.targets.push_back(name.str());
  if (auto names = function->getAttrOfType<ArrayAttr>(nn::kTemplateAttributes))
    llvm::append_range(head.attributes, names.getAsRange<StringAttr>());
  if (auto names = function->getAttrOfType<ArrayAttr>(nn::kTemplateValues))
    head.values.insert_range(names.getAsRange<StringAttr>());
  if (auto names = function->getAttrOfType<ArrayAttr>(nn::kTemplateGroups))
    for (StringRef name : names.getAsValueRange<StringAttr>())
      head.groups.push_back(*nn::groupKindOf(name)); // The dialect verifies the names.
  if (auto sizes = function->getAttrOfType<ArrayAttr>(nn::kTemplateSizes))
    for (auto known : sizes.getAsRange<DenseI64ArrayAttr>())
      head.sizes.push_back(
          {unsigned(known[0]), unsigned(known[1]), SmallVector<int64_t>(known.asArrayRef().drop_front(2))});
  llvm::append_range(head.operands, function.getArgumentTypes().take_front(
                                        function.getNumArguments() -
                                        std::min<size_t>(function.getNumArguments(), head.attributes.size())));
  return head;
}

func::FuncOp declare(const Implementation &implementation, OpBuilder &builder, StringRef name) {
  auto function =
      func::FuncOp::create(builder, implementation.place, name, builder.getFunctionType(implementation.operands, {}));
  function.setPrivate();
  function->setAttr(nn::kTemplate, builder.getStringAttr(implementation.op));
  SmallVector<StringRef> targets(implementation.targets.begin(), implementation.targets.end());
  if (!targets.empty())
    function->setAttr(nn::kTemplateTargets, builder.getStrArrayAttr(targets));
  SmallVector<Attribute> sizes;
  for (const KnownSizes &known : implementation.sizes) {
    SmallVector<int64_t> numbers{known.operand, known.dimension};
    numbers.append(known.sizes);
    sizes.push_back(builder.getDenseI64ArrayAttr(numbers));
  }
  if (!sizes.empty())
    function->setAttr(nn::kTemplateSizes, builder.getArrayAttr(sizes));
  SmallVector<StringRef> groups;
  for (nn::GroupKind kind : implementation.groups)
    groups.push_back(nn::describe(kind).name);
  if (!groups.empty())
    function->setAttr(nn::kTemplateGroups, builder.getStrArrayAttr(groups));
  return function;
}

std::optional<std::string> reasonAgainst(const Implementation &implementation, const Machine &machine) {
  std::string against;
  for (const std::string &wanted : implementation.targets) {
    std::string reason = reasonAgainst(wanted, machine);
    if (reason.empty())
      return std::nullopt;
    // With several targets, report the closest one.
    if (against.empty() || StringRef(reason).starts_with("it needs"))
      against = reason;
  }
  return implementation.targets.empty() ? std::nullopt : std::optional(against);
}

std::optional<std::string> reasonAgainst(const Implementation &implementation, const Request &request,
                                         const Machine &machine) {
  if (implementation.op != request.op)
    return "it computes " + implementation.op;
  if (std::optional<std::string> reason = reasonAgainst(implementation, machine))
    return reason;
  if (implementation.operands.size() != request.operands.size())
    return "it takes " + llvm::utostr(implementation.operands.size()) + " operands, not " +
           llvm::utostr(request.operands.size());
  for (auto [index, pair] : llvm::enumerate(llvm::zip_equal(implementation.operands, request.operands))) {
    auto [parameter, given] = pair;
    if (!given && !acceptsNothing(parameter))
      return "operand " + llvm::utostr(index) + " is absent, it takes " + text(parameter);
    if (given && !(request.final ? accepts(parameter, given) : mayAccept(parameter, given)))
      return "operand " + llvm::utostr(index) + " is " + text(given) + ", it takes " + text(parameter);
  }
  for (const KnownSizes &known : implementation.sizes) {
    auto given = dyn_cast_or_null<ShapedType>(request.operands[known.operand]);
    if (!given || given.isDynamicDim(known.dimension))
      continue;
    int64_t size = given.getDimSize(known.dimension);
    if (!llvm::is_contained(known.sizes, size))
      return "operand " + llvm::utostr(known.operand) + " has size " + llvm::itostr(size) + " in dimension " +
             llvm::utostr(known.dimension) + ", it has code for " +
             llvm::join(llvm::map_range(known.sizes, [](int64_t size) { return llvm::itostr(size); }), ", ");
  }
  if (request.group && !llvm::is_contained(implementation.groups, *request.group))
    return "it does not compete with generated kernels for " + nn::describe(*request.group).plural.str();
  return std::nullopt;
}

const Implementation *choose(ArrayRef<Implementation> library, const Request &request, const Machine &machine) {
  Request op = request; // What selection will ask when the group is the op.
  op.group = std::nullopt;
  auto *first = llvm::find_if(
      library, [&](const Implementation &implementation) { return !reasonAgainst(implementation, op, machine); });
  return first != library.end() && !reasonAgainst(*first, request, machine) ? first : nullptr;
}

std::optional<Request> requestOf(Operation *op, bool final) {
  Request request{op->getName().getStringRef().str(), {}, final};
  std::optional<Attribute> sizes = op->getInherentAttr("operandSegmentSizes");
  if (!sizes || !*sizes) {
    llvm::append_range(request.operands, op->getOperandTypes());
    return request;
  }
  unsigned next = 0;
  for (int32_t size : cast<DenseI32ArrayAttr>(*sizes).asArrayRef()) {
    if (size > 1)
      return std::nullopt;
    request.operands.push_back(size == 1 ? op->getOperand(next).getType() : Type());
    next += size;
  }
  return request;
}

std::vector<Request> requestsIn(ModuleOp module) {
  std::vector<Request> requests;
  std::set<std::pair<std::string, SmallVector<const void *>>> seen;
  auto add = [&](Request request) {
    SmallVector<const void *> key;
    for (Type type : request.operands)
      key.push_back(type ? type.getAsOpaquePointer() : nullptr);
    if (seen.insert({request.op, key}).second)
      requests.push_back(std::move(request));
  };
  module.walk([&](Operation *op) {
    if (!isa_and_nonnull<nn::NNDialect>(op->getDialect()))
      return;
    if (std::optional<Request> request = requestOf(op, /*final=*/false))
      add(std::move(*request));
    auto type = [](Value value) { return value ? value.getType() : Type(); };
    if (auto both =
            dyn_cast<nn::NormLinearOp>(op)) { // Split into two ops if no implementation exists for the fused one.
      if (both.getNormBias())
        add({nn::LayerNormOp::getOperationName().str(),
             {type(both.getX()), type(both.getNormWeight()), type(both.getNormBias()), type(both.getNormed()),
              type(both.getEpsilon())},
             false});
      add({nn::LinearOp::getOperationName().str(),
           {type(both.getNormed()), type(both.getWeight()), type(both.getBias()), type(both.getResidual()),
            type(both.getOut())},
           false});
    }
  });
  return requests;
}

llvm::BitVector usable(ArrayRef<Implementation> library, ArrayRef<Request> requests, const Machine &machine) {
  llvm::BitVector used(library.size());
  for (const Request &request : requests) {
    SmallVector<const Implementation *> taking;
    for (auto [index, implementation] : llvm::enumerate(library)) {
      if (reasonAgainst(implementation, request, machine))
        continue;
      if (llvm::any_of(taking,
                       [&](const Implementation *before) { return before->operands == implementation.operands; }))
        continue;
      used.set(index);
      if (!implementation.leavesOp)
        taking.push_back(&implementation);
    }
  }
  return used;
}

Location outermost(Location place) {
  while (true) {
    if (auto call = dyn_cast<CallSiteLoc>(place))
      place = call.getCaller();
    else if (auto group = dyn_cast<FusedLoc>(place); group && !group.getLocations().empty())
      place = group.getLocations().front(); // Ops that are one kernel.
    else
      return place;
  }
}
} // namespace lispier::kernels
