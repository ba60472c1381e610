//===- NNDialect.cpp - the nn dialect and its attributes ------------------===//
#include "lispier/NN/GroupKinds.h"
#include "lispier/NN/NN.h"
#include "lispier/NN/TemplateAttributes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "lispier/NN/NNDialect.cpp.inc"
#include "lispier/NN/NNEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "lispier/NN/NNAttributes.cpp.inc"

namespace lispier::nn {
void NNDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "lispier/NN/NNAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "lispier/NN/NNOps.cpp.inc"
      >();
}

namespace {
bool areNames(Attribute value) {
  auto names = dyn_cast<ArrayAttr>(value);
  return names && llvm::all_of(names, llvm::IsaPred<StringAttr>);
}

LogicalResult checkValues(Operation *op, ArrayAttr values) {
  auto attributes = op->getAttrOfType<ArrayAttr>(kTemplateAttributes);
  for (Attribute name : values)
    if (!attributes || !llvm::is_contained(attributes, name))
      return op->emitOpError(kTemplateValues) << " has " << name << ", which " << kTemplateAttributes << " lacks";
  return success();
}

LogicalResult checkGroupsAttribute(Operation *op, ArrayAttr groups) {
  auto templateOp = op->getAttrOfType<StringAttr>(kTemplate);
  for (auto name : groups.getAsRange<StringAttr>()) {
    std::optional<GroupKind> kind = groupKindOf(name);
    if (!kind || !templateOp || describe(*kind).op != templateOp)
      return op->emitOpError(kTemplateGroups)
             << " has " << name << ", which is no kind of group that " << op->getAttr(kTemplate) << " computes";
  }
  return success();
}

LogicalResult checkSizes(FunctionOpInterface function, Attribute value) {
  auto isKnown = [&](Attribute entry) {
    auto numbers = dyn_cast<DenseI64ArrayAttr>(entry);
    if (!numbers || numbers.size() < 3 || numbers[0] < 0 || numbers[0] >= function.getNumArguments())
      return false;
    auto type = dyn_cast<ShapedType>(function.getArgumentTypes()[numbers[0]]);
    return type && type.hasRank() && numbers[1] >= 0 && numbers[1] < type.getRank();
  };
  auto entries = dyn_cast<ArrayAttr>(value);
  if (!entries)
    return function.emitOpError(kTemplateSizes) << " is an array of [operand, dimension, size ...]";
  for (Attribute entry : entries)
    if (!isKnown(entry))
      return function.emitOpError(kTemplateSizes)
             << " has " << entry << ", which is no [operand, dimension, size ...] of its parameters";
  return success();
}
} // namespace

LogicalResult NNDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  if (name == kTemplateKernels)
    return isa<gpu::GPUModuleOp>(op) && isa<UnitAttr>(value)
               ? success()
               : LogicalResult(op->emitOpError(kTemplateKernels) << " is a unit attribute, on a gpu.module");
  if (!llvm::is_contained(kTemplateAttributeNames, name))
    return op->emitOpError("the nn dialect has no attribute `") << name << "`";
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (name == kTemplate)
    return function && isa<StringAttr>(value)
               ? success()
               : LogicalResult(op->emitOpError(kTemplate) << " is the name of an op, on a function");
  if (!function || !op->hasAttr(kTemplate))
    return op->emitOpError(name) << " is for functions with " << kTemplate;
  if (name == kTemplateSizes)
    return checkSizes(function, value);
  if (!areNames(value))
    return op->emitOpError(name) << " is an array of names";
  if (name == kTemplateGroups)
    return checkGroupsAttribute(op, cast<ArrayAttr>(value));
  return name == kTemplateValues ? checkValues(op, cast<ArrayAttr>(value)) : success();
}
} // namespace lispier::nn
