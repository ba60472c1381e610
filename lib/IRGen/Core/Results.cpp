//===- Results.cpp - inference of result and literal types ----------------===//
#include "Results.h"
#include "AttributeReadings.h"
#include "CoreParts.h"
#include "FunctionScope.h"
#include "FunctionTable.h"
#include "OpDraft.h"
#include "OpTraits.h"
#include "OpVerifier.h"
#include "OpenTypes.h"
#include "Operations.h"
#include "Segments.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include <numeric>

using namespace llvm;

namespace lispier {
/// The ODS row that operand `index` belongs to; nullopt while group sizes leave that open.
static std::optional<size_t> rowOf(ArrayRef<int32_t> sizes, unsigned index) {
  for (const auto &[row, size] : enumerate(sizes)) {
    if (index < unsigned(std::max(size, 0)))
      return row;
    index -= std::max(size, 0);
  }
  return std::nullopt;
}

/// The type that the op's definition gives operand `index`; null if other operands determine it, nullopt if the
/// definition does not constrain it.
std::optional<mlir::Type> TypeInference::definedHint(const OpDraft &draft, ods::Op op, ArrayRef<mlir::Value> known,
                                                     unsigned index) {
  ArrayRef<ods::ValueRow> rows = op.operands();
  std::optional<SmallVector<int32_t>> sizes = gen.grouper.groupSizes(draft, known);
  std::optional<size_t> at = sizes ? rowOf(*sizes, index) : std::nullopt;
  auto typeOf = [&](const ods::ValueRow &row) {
    mlir::Type type = ods::text(row.type).empty() ? mlir::Type() : mlir::parseType(ods::text(row.type), &context);
    return type && type.isIntOrIndexOrFloat() ? type : mlir::Type();
  };
  if (!at) {
    // Non-variadic operands come first. Beyond them the type is known only if all groups agree on it.
    size_t single = 0;
    while (single < rows.size() && rows[single].arity == ods::Arity::One)
      ++single;
    if (index < single)
      at = index;
    mlir::Type common;
    for (const ods::ValueRow &row : at ? ArrayRef<ods::ValueRow>() : rows.drop_front(single))
      if (mlir::Type type = typeOf(row)) {
        if (common && common != type)
          return std::nullopt;
        common = type;
      }
    if (!at)
      return common ? std::optional(common) : std::nullopt;
  }
  // The values whose types the op's definition relates to this one.
  auto valueAt = [&](uint8_t place) -> mlir::Value {
    unsigned first = place;
    if (sizes)
      first = std::accumulate(sizes->begin(), sizes->begin() + place, 0u);
    return first < known.size() ? known[first] : mlir::Value();
  };
  auto typeAt = [&](const ods::RelationRow &relation, uint8_t place) {
    mlir::Type type;
    if (place >= ods::RelationRow::kFirstResult)
      type = !draft.resultTypes               ? draft.hint
             : draft.resultTypes->size() == 1 ? draft.resultTypes->front()
                                              : mlir::Type();
    else if (mlir::Value value = valueAt(place); value && !gen.openTypes.isOpen(value))
      type = value.getType();
    if (auto shaped = dyn_cast_if_present<mlir::ShapedType>(type); relation.kind == ods::RelationRow::ElementOf)
      type = shaped ? shaped.getElementType() : mlir::Type();
    return type;
  };
  mlir::Type fixed = typeOf(rows[*at]);
  bool isCompared = false;
  // Operands that exist come before the expected result type.
  for (bool results : {false, true})
    for (const ods::RelationRow &relation : op.relations()) {
      bool isTo = relation.to == *at, isFrom = relation.from == *at && relation.kind == ods::RelationRow::SameType;
      uint8_t other = isTo ? relation.from : relation.to;
      if (rows[*at].arity != ods::Arity::One || (!isTo && !isFrom) ||
          (other >= ods::RelationRow::kFirstResult) != results)
        continue;
      isCompared = true;
      if (mlir::Type type = typeAt(relation, other); type && (!fixed || type.isIntOrIndex()))
        return type;
    }
  if (!fixed)
    return isCompared ? std::optional(mlir::Type()) : std::nullopt;
  // Relations may be transitive through the first value, as for the upper bound and the step of a loop.
  for (const ods::RelationRow &relation : isCompared ? op.relations() : ArrayRef<ods::RelationRow>())
    if (relation.kind == ods::RelationRow::SameType)
      if (mlir::Type type = typeAt(relation, relation.to); type && type.isIntOrIndex())
        return type;
  return fixed;
}

/// The type that the context gives operand `index`: the function that it returns from, the loop that it continues, the
/// function that it calls, or the block that it branches to.
std::optional<mlir::Type> TypeInference::contextHint(const OpDraft &draft, unsigned index) {
  std::optional<mlir::RegisteredOperationName> op = mlir::RegisteredOperationName::lookup(draft.name, &context);
  mlir::Block *block = builder.getInsertionBlock();
  mlir::Operation *parent = block ? block->getParentOp() : nullptr;
  std::optional<ods::Op> row = ods::Op::find(draft.name);
  if (op && op->hasTrait<mlir::OpTrait::IsTerminator>() && draft.successors.empty() && parent) {
    if (auto function = dyn_cast<mlir::FunctionOpInterface>(parent))
      return index < function.getNumResults() ? function.getResultTypes()[index] : mlir::Type();
    // The operands of this region's yield are the results of its op, in order.
    std::optional<ods::Op> around = ods::Op::find(parent->getName().getStringRef());
    auto isOneGroup = [](ArrayRef<ods::ValueRow> rows) {
      return rows.size() == 1 && rows[0].arity == ods::Arity::Variadic;
    };
    if (row && around && isOneGroup(row->operands()) && isOneGroup(around->results()) &&
        !around->implicitTerminator().empty() && row->name() == around->implicitTerminator() &&
        !isa<mlir::linalg::LinalgOp>(parent) && index < parent->getNumResults())
      return gen.openTypes.isOpen(parent->getResult(index)) ? mlir::Type() : parent->getResult(index).getType();
  }
  if (op && op->hasInterface<mlir::CallOpInterface>())
    if (auto symbol = dyn_cast_if_present<mlir::FlatSymbolRefAttr>(draft.attributes.get("callee")))
      if (FunctionInfo *function = gen.functionTable.find(symbol.getValue());
          function && index < function->type.getNumInputs())
        return function->type.getInput(index);
  // Successor operands correspond to block arguments.
  unsigned at = 0;
  for (int32_t i = 0, e = draft.operandForms.size(); i < e; ++i)
    at += draft.groups[i];
  for (const auto &[i, successor] : enumerate(draft.successors)) {
    unsigned count = draft.groups[draft.operandForms.size() + i];
    if (index >= at && index < at + count && !gen.scope.labels.empty())
      if (auto found = gen.scope.labels.back().find(successor.label->text()); found != gen.scope.labels.back().end()) {
        mlir::Block *block = found->second.block;
        return index - at < block->getNumArguments() ? block->getArgument(index - at).getType() : mlir::Type();
      }
    at += count;
  }
  return std::nullopt;
}

mlir::Type TypeInference::literalHint(OpDraft &draft, ArrayRef<const Form *> forms, ArrayRef<mlir::Value> known,
                                      unsigned index, bool isNumber) {
  auto elementOf = [&](unsigned operand) -> mlir::Type {
    if (operand < known.size() && known[operand])
      if (auto shaped = dyn_cast<mlir::ShapedType>(known[operand].getType()))
        return shaped.getElementType();
    return {};
  };
  // Rules that neither ODS nor an interface expresses.
  if (draft.is<mlir::LLVM::GEPOp>() && index >= 1)
    return builder.getI64Type();
  if (draft.is<mlir::vector::TransferReadOp>() && index + 1 == known.size())
    return elementOf(0);
  if ((draft.is<mlir::affine::AffineStoreOp>() || draft.is<mlir::linalg::FillOp>()) && index == 0)
    return elementOf(1);
  if (std::optional<mlir::Type> type = contextHint(draft, index))
    return *type;
  if (std::optional<ods::Op> op = ods::Op::find(draft.name))
    if (std::optional<mlir::Type> type = definedHint(draft, *op, known, index))
      return *type;
  if (!isNumber)
    return {};
  // true and false stay i1 beside operands of other types, such as the values of a print.
  auto fits = [&, isBool = forms[index]->isBool()](mlir::Type type) {
    return !isBool || mlir::getElementTypeOrSelf(type).isInteger(1);
  };
  for (const auto &[i, form] : enumerate(forms))
    if (known[i] && (form->isSymbol() || form->isCall(":")) && !isa<mlir::BaseMemRefType>(known[i].getType()) &&
        fits(known[i].getType()))
      return known[i].getType();
  // Names determine the type first, then results of nested ops.
  for (mlir::Value value : known)
    if (value && value.getType().isIntOrIndexOrFloat() && fits(value.getType()))
      return value.getType();
  for (mlir::Value value : known)
    if (value && fits(value.getType()))
      return value.getType();
  return {};
}

/// Whether the results of an op are what its regions yield.
static bool resultsComeFromRegions(StringRef name) {
  std::optional<ods::Op> op = ods::Op::find(name);
  return op && op->is(ods::OpRow::RegionBranch) && op->results().size() == 1 &&
         op->results()[0].arity == ods::Arity::Variadic;
}

bool TypeInference::results(OpDraft &draft, mlir::RegisteredOperationName op) {
  std::optional<unsigned> count = resultCount(op);
  if (draft.resultTypes) {
    if (count && draft.resultTypes->size() != *count) {
      const Form *given = draft.map ? draft.map->get("result") : nullptr;
      error("op-results", given ? given : draft.form,
            "`" + draft.name + "` has " + Twine(*count) + (*count == 1 ? " result" : " results") + ", not " +
                Twine(draft.resultTypes->size()));
      return false;
    }
    gen.grouper.resultSegments(draft, op);
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
    gen.grouper.resultSegments(draft, op);
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

bool TypeInference::inferFrom(mlir::Operation *probe, SmallVectorImpl<mlir::Type> &types, Captured &why) {
  auto *interface = probe->getRegisteredInfo()->getInterface<mlir::InferTypeOpInterface>();
  // Inference functions rely on what ODS declares of operands and attributes.
  bool ok = interface && gen.verifier.inputsFit(probe);
  if (ok)
    why = capture([&] {
      ok = succeeded(interface->inferReturnTypes(&context, probe->getLoc(), probe->getOperands(),
                                                 probe->getAttrDictionary(), probe->getPropertiesStorage(),
                                                 probe->getRegions(), types));
    });
  if (!ok && !why)
    why = capture([&] { (void)probe->getRegisteredInfo()->verifyInvariants(probe); });
  return ok && !is_contained(types, mlir::Type());
}

bool TypeInference::inferResults(OpDraft &draft, mlir::RegisteredOperationName op) {
  SmallVector<mlir::Type> placeholders(resultCount(op).value_or(0), builder.getNoneType()), types;
  mlir::Operation *probe = gen.ops.create(draft, op, placeholders, {}, 0);
  if (!probe)
    return false;
  Captured why;
  bool ok = inferFrom(probe, types, why);
  if (!ok)
    gen.verifier.reportInvalid(draft.name, draft.form, why, probe, draft.places);
  probe->destroy();
  if (ok)
    draft.resultTypes = std::move(types);
  return ok;
}

/// Result types that upstream's builders do not infer although the operands determine them.
bool TypeInference::knownResults(OpDraft &draft, mlir::RegisteredOperationName op) {
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
  if (draft.is<mlir::scf::ForOp>())
    return typesFrom(3);
  if (draft.is<mlir::affine::AffineLoadOp>())
    if (mlir::MemRefType type = memref(0)) {
      draft.resultTypes.emplace({type.getElementType()});
      return true;
    }
  if (draft.is<mlir::scf::ParallelOp>() || draft.is<mlir::affine::AffineForOp>() ||
      draft.is<mlir::affine::AffineParallelOp>()) { // The last has no group of operands for initial values.
    auto sizes = dyn_cast_if_present<mlir::DenseI32ArrayAttr>(draft.attributes.get("operandSegmentSizes"));
    size_t inits = sizes && !sizes.empty() ? sizes.asArrayRef().back() : 0;
    return typesFrom(draft.operands.size() - std::min(inits, draft.operands.size()));
  }
  if (draft.isOf<mlir::linalg::LinalgDialect>()) {
    // On tensors the results have the types of the outputs.
    auto sizes = dyn_cast_if_present<mlir::DenseI32ArrayAttr>(draft.attributes.get("operandSegmentSizes"));
    size_t outputs = sizes && sizes.size() == 2 ? sizes[1] : 1;
    draft.resultTypes.emplace();
    if (outputs <= draft.operands.size())
      for (mlir::Value value : ArrayRef(draft.operands).take_back(outputs))
        if (isa<mlir::RankedTensorType>(value.getType()))
          draft.resultTypes->push_back(value.getType());
    return true;
  }
  if (draft.is<mlir::LLVM::ZeroOp>()) {
    draft.resultTypes.emplace({mlir::Type(mlir::LLVM::LLVMPointerType::get(&context))});
    return true;
  }
  // Constraints that allow one type only.
  std::optional<ods::Op> row = ods::Op::find(draft.name);
  ArrayRef<ods::ValueRow> rows = row ? row->results() : ArrayRef<ods::ValueRow>();
  if (!rows.empty() && all_of(rows, [](const ods::ValueRow &result) {
        return result.arity == ods::Arity::One && !ods::text(result.type).empty();
      })) {
    draft.resultTypes.emplace();
    for (const ods::ValueRow &result : rows)
      draft.resultTypes->push_back(mlir::parseType(ods::text(result.type), &context));
    return true;
  }
  return false;
}

bool TypeInference::resultsFromRegions(mlir::Operation *op, SmallVectorImpl<mlir::Type> &types) {
  if (!resultsComeFromRegions(op->getName().getStringRef()) || op->getNumRegions() == 0)
    return false;
  bool isWhile = isa<mlir::scf::WhileOp>(op); // Its condition passes the results on, its yield the next operands.
  bool first = true;
  for (mlir::Region &region : op->getRegions()) {
    if (region.empty())
      return types.clear(), isWhile || isa<mlir::scf::IfOp>(op);
    for (mlir::Block &block : region) {
      if (block.empty())
        return false;
      mlir::Operation &last = block.back();
      if (auto condition = dyn_cast<mlir::scf::ConditionOp>(last); isWhile && condition) {
        append_range(types, condition.getArgs().getTypes());
        return true;
      }
      if (isWhile || last.getNumSuccessors() || !last.hasTrait<mlir::OpTrait::IsTerminator>())
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
