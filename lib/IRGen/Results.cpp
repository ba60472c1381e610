//===- Results.cpp - what an op returns, when nobody says so --------------===//
#include "AttributeReadings.h"
#include "Generator.h"
#include "OpTraits.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace llvm;

namespace lispier {
/// The type that a bare number takes as operand `index`, from the op's own rules, else from its neighbours.
/// Null: i64 or f64.
mlir::Type Generator::literalHint(OpDraft &draft, ArrayRef<const Form *> forms, ArrayRef<mlir::Value> known,
                                  unsigned index, bool isNumber) {
  StringRef name = draft.name;
  mlir::Type indexType = builder.getIndexType();
  auto elementOf = [&](unsigned operand) -> mlir::Type {
    if (operand < known.size() && known[operand])
      if (auto shaped = dyn_cast<mlir::ShapedType>(known[operand].getType()))
        return shaped.getElementType();
    return {};
  };
  auto isAnyOf = [&](std::initializer_list<StringRef> names) { return is_contained(names, name); };
  if (isAnyOf({"memref.load", "affine.load", "tensor.extract", "vector.load", "memref.dim", "tensor.dim",
               "memref.prefetch"}) &&
      index >= 1)
    return indexType;
  if (isAnyOf({"memref.store", "affine.store", "tensor.insert", "vector.store", "memref.atomic_rmw"}))
    return index == 0 ? elementOf(1) : index >= 2 ? indexType : mlir::Type();
  if (isAnyOf({"memref.alloc", "memref.alloca", "tensor.empty", "affine.apply", "gpu.launch", "scf.forall",
               "affine.for", "affine.parallel"}))
    return indexType;
  if (isAnyOf({"memref.subview", "memref.view", "memref.reinterpret_cast", "tensor.extract_slice"}) && index >= 1)
    return indexType;
  if (name == "llvm.getelementptr" && index >= 1)
    return builder.getI64Type();
  if (name == "vector.transfer_read")
    return index + 1 == known.size() ? elementOf(0) : index >= 1 ? indexType : mlir::Type();
  if (name == "vector.transfer_write" && index >= 2)
    return indexType;
  if (name == "linalg.fill" && index == 0)
    return elementOf(1);
  if (name == "gpu.shuffle" && index >= 1)
    return builder.getI32Type();
  if (isAnyOf({"scf.if", "cf.cond_br", "arith.select", "scf.condition", "cf.assert"}) && index == 0)
    return builder.getI1Type();
  if (name == "arith.select") {
    // What is chosen agrees with the other choice and with the result; the condition says nothing about it.
    mlir::Value other = index == 1 && known.size() > 2 ? known[2] : known[1];
    if (other)
      return other.getType();
    return draft.resultTypes && draft.resultTypes->size() == 1 ? draft.resultTypes->front() : draft.hint;
  }
  if (name == "scf.parallel")
    return index < parallelBounds(draft) ? indexType : mlir::Type();
  if (name == "scf.for") {
    // Bounds agree with each other, and are indices when all of them are bare.
    constexpr unsigned kBounds = 3;
    if (index >= kBounds)
      return {};
    for (mlir::Value value : known.take_front(std::min<size_t>(kBounds, known.size())))
      if (value && value.getType().isIntOrIndex())
        return value.getType();
    return indexType;
  }
  mlir::Block *block = builder.getInsertionBlock();
  mlir::Operation *parent = block ? block->getParentOp() : nullptr;
  if (isAnyOf({"func.return", "llvm.return", "gpu.return"})) {
    if (auto function = dyn_cast_if_present<mlir::FunctionOpInterface>(parent);
        function && index < function.getNumResults())
      return function.getResultTypes()[index];
    return {};
  }
  if (isAnyOf({"scf.yield", "affine.yield"}) && parent && index < parent->getNumResults())
    return isOpen(parent->getResult(index)) ? mlir::Type() : parent->getResult(index).getType();
  if (isAnyOf({"func.call", "llvm.call"}))
    if (auto callee = draft.attributes.getNamed("callee"))
      if (auto symbol = dyn_cast<mlir::FlatSymbolRefAttr>(callee->getValue()))
        if (FunctionInfo *function = findFunction(symbol.getValue()); function && index < function->type.getNumInputs())
          return function->type.getInput(index);
  // A label's operands are its block's arguments.
  unsigned at = 0;
  for (int32_t i = 0, e = draft.operandForms.size(); i < e; ++i)
    at += draft.groups[i];
  for (const auto &[i, successor] : enumerate(draft.successors)) {
    unsigned count = draft.groups[draft.operandForms.size() + i];
    if (index >= at && index < at + count && !labels.empty())
      if (auto found = labels.back().find(successor.label->text()); found != labels.back().end()) {
        mlir::Block *block = found->second.block;
        return index - at < block->getNumArguments() ? block->getArgument(index - at).getType() : mlir::Type();
      }
    at += count;
  }
  if (!isNumber)
    return {};
  // true and false are i1 beside neighbours of any other type, such as the values of a print.
  auto fits = [&, isBool = forms[index]->isBool()](mlir::Type type) {
    return !isBool || mlir::getElementTypeOrSelf(type).isInteger(1);
  };
  for (const auto &[i, form] : enumerate(forms))
    if (known[i] && (form->isSymbol() || form->isCall(":")) && !isa<mlir::BaseMemRefType>(known[i].getType()) &&
        fits(known[i].getType()))
      return known[i].getType();
  // A value that a nested op made also tells, after names.
  for (mlir::Value value : known)
    if (value && value.getType().isIntOrIndexOrFloat() && fits(value.getType()))
      return value.getType();
  for (mlir::Value value : known)
    if (value && fits(value.getType()))
      return value.getType();
  return {};
}

bool Generator::results(OpDraft &draft, mlir::RegisteredOperationName op) {
  std::optional<unsigned> count = resultCount(op);
  if (draft.resultTypes) {
    if (count && draft.resultTypes->size() != *count) {
      const Form *given = draft.map ? draft.map->get("result") : nullptr;
      error("op-results", given ? given : draft.form,
            "`" + draft.name + "` has " + Twine(*count) + (*count == 1 ? " result" : " results") + ", not " +
                Twine(draft.resultTypes->size()));
      return false;
    }
    resultSegments(draft, op);
    return true;
  }
  if (count == 0u) {
    draft.resultTypes.emplace();
    return true;
  }
  if (op.hasInterface<mlir::InferTypeOpInterface>() && draft.regionForms.empty())
    return inferResults(draft, op);
  if (knownResults(draft, op))
    return true;
  if (mlir::Type hint = draft.hint; hint && (count == 1u || (!count && draft.regionForms.empty()))) {
    draft.resultTypes.emplace({hint});
    resultSegments(draft, op);
    return true;
  }
  if (draft.regionForms.empty() && count) {
    error("op-results", draft.form, "`" + draft.name + "` needs its result " + (*count == 1 ? "type" : "types"))
        .withHint("write (" + draft.name + " {:result " + (*count == 1 ? "type" : "[type ...]") + "} ...)");
    return false;
  }
  if (draft.regionForms.empty())
    draft.resultTypes.emplace();
  else if (count && !resultsComeFromRegions(draft.name)) {
    error("op-results", draft.form, "`" + draft.name + "` needs its result " + (*count == 1 ? "type" : "types"))
        .withHint("write (" + draft.name + " {:result " + (*count == 1 ? "type" : "[type ...]") + "} ...)");
    return false;
  }
  return true;
}

bool Generator::inferResults(OpDraft &draft, mlir::RegisteredOperationName op) {
  // An op's inference trusts its operands and attributes: look at them first, on an op with placeholder results.
  unsigned placeholders = resultCount(op).value_or(0);
  SmallVector<mlir::Type> none(placeholders, builder.getNoneType());
  mlir::Operation *probe = create(draft, op, none, {}, 0);
  if (!probe)
    return false;
  Captured why = capture([&] { (void)op.verifyInvariants(probe); });
  StringRef message = why.message;
  message.consume_front("'" + draft.name + "' op ");
  bool broken = message.starts_with("requires attribute") || message.starts_with("attribute '") ||
                message.starts_with("operand ") || message.starts_with("expected ") ||
                message.starts_with("incorrect number of operands");
  SmallVector<mlir::Type> types;
  bool ok = !broken;
  if (ok) {
    auto *interface = op.getInterface<mlir::InferTypeOpInterface>();
    why = capture([&] {
      ok = succeeded(interface->inferReturnTypes(&context, location(draft.form), draft.operands,
                                                 probe->getAttrDictionary(), probe->getPropertiesStorage(),
                                                 probe->getRegions(), types));
    });
  }
  if (!ok)
    reportInvalid(draft.name, draft.form, why, probe, draft.places);
  probe->destroy();
  if (ok && is_contained(types, mlir::Type()))
    ok = false;
  if (ok)
    draft.resultTypes = std::move(types);
  return ok;
}

bool Generator::resultsComeFromRegions(StringRef name) {
  return is_contained({"scf.if", "scf.while", "scf.execute_region", "scf.index_switch", "affine.if",
                       "memref.alloca_scope", "gpu.warp_execute_on_lane_0"},
                      name);
}

/// What upstream asks the user to repeat.
bool Generator::knownResults(OpDraft &draft, mlir::RegisteredOperationName op) {
  StringRef name = draft.name;
  auto typesFrom = [&](size_t first) {
    draft.resultTypes.emplace();
    for (mlir::Value value : ArrayRef(draft.operands).drop_front(std::min(first, draft.operands.size())))
      draft.resultTypes->push_back(value.getType());
    return true;
  };
  auto memref = [&](unsigned index) {
    return index < draft.operands.size() ? dyn_cast<mlir::MemRefType>(draft.operands[index].getType())
                                         : mlir::MemRefType();
  };
  if (name == "scf.for")
    return typesFrom(3);
  if (name == "affine.load")
    if (mlir::MemRefType type = memref(0)) {
      draft.resultTypes.emplace({type.getElementType()});
      return true;
    }
  if (name == "scf.parallel" || name == "affine.for" || name == "affine.parallel") {
    auto sizes = dyn_cast_if_present<mlir::DenseI32ArrayAttr>(draft.attributes.get("operandSegmentSizes"));
    size_t inits = sizes && !sizes.empty() && name != "affine.parallel" ? sizes.asArrayRef().back() : 0;
    return typesFrom(draft.operands.size() - std::min(inits, draft.operands.size()));
  }
  if (name.starts_with("linalg.")) {
    // In tensor form the results are the outputs.
    auto sizes = dyn_cast_if_present<mlir::DenseI32ArrayAttr>(draft.attributes.get("operandSegmentSizes"));
    size_t outputs = sizes && sizes.size() == 2 ? sizes[1] : 1;
    draft.resultTypes.emplace();
    if (outputs <= draft.operands.size())
      for (mlir::Value value : ArrayRef(draft.operands).take_back(outputs))
        if (isa<mlir::RankedTensorType>(value.getType()))
          draft.resultTypes->push_back(value.getType());
    return true;
  }
  if ((name == "llvm.mlir.addressof" || name == "llvm.mlir.zero" || name == "llvm.getelementptr" ||
       name == "llvm.alloca")) {
    draft.resultTypes.emplace({mlir::parseType("!llvm.ptr", &context)});
    return true;
  }
  return false;
}

bool Generator::resultsFromRegions(mlir::Operation *op, SmallVectorImpl<mlir::Type> &types) {
  StringRef name = op->getName().getStringRef();
  if (!resultsComeFromRegions(name) || op->getNumRegions() == 0)
    return false;
  bool first = true;
  for (mlir::Region &region : op->getRegions()) {
    if (region.empty())
      return types.clear(), name == "scf.while" || name == "scf.if";
    for (mlir::Block &block : region) {
      if (block.empty())
        return false;
      mlir::Operation &last = block.back();
      if (name == "scf.while" && last.getName().getStringRef() == "scf.condition") {
        append_range(types,
                     mlir::ValueRange(last.getOperands()).drop_front(std::min(1u, last.getNumOperands())).getTypes());
        return true;
      }
      if (name == "scf.while" || last.getNumSuccessors() || !last.hasTrait<mlir::OpTrait::IsTerminator>())
        continue;
      if (first)
        append_range(types, last.getOperandTypes());
      else if (last.getNumOperands() == 0)
        types.clear();
      first = false;
    }
  }
  return true;
}
} // namespace lispier
