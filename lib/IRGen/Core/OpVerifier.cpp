//===- OpVerifier.cpp - what is wrong with an op, and where ---------------===//
#include "OpVerifier.h"
#include "CoreParts.h"
#include "OpDraft.h"
#include "OpTraits.h"
#include "Operations.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"
#include <numeric>

using namespace llvm;

namespace lispier {
/// The sizes of the groups of operands or results; nullopt if they do not follow from the count and `sizes`, the
/// attribute that may hold them.
static std::optional<SmallVector<int32_t>> sizesOfGroups(ArrayRef<ods::ValueRow> rows, mlir::Operation *op,
                                                         StringRef sizes, bool equal, unsigned count) {
  SmallVector<int32_t> found;
  std::optional<mlir::Attribute> attribute = op->getInherentAttr(sizes);
  if (auto given = attribute ? dyn_cast_if_present<mlir::DenseI32ArrayAttr>(*attribute) : mlir::DenseI32ArrayAttr())
    found.assign(given.asArrayRef().begin(), given.asArrayRef().end());
  else {
    int32_t ones = count_if(rows, [](const ods::ValueRow &row) { return row.arity == ods::Arity::One; });
    int32_t open = rows.size() - ones, rest = int32_t(count) - ones;
    if (open > 1 && (!equal || rest % open != 0))
      return std::nullopt;
    for (const ods::ValueRow &row : rows)
      found.push_back(row.arity == ods::Arity::One ? 1 : rest / open);
  }
  if (found.size() != rows.size() || any_of(found, [](int32_t size) { return size < 0; }) ||
      std::accumulate(found.begin(), found.end(), 0u) != count)
    return std::nullopt;
  return found;
}

/// The first value whose type its row does not allow; an index that no value has if there are too many values.
static std::optional<unsigned> findMisfit(ArrayRef<ods::ValueRow> rows, ArrayRef<int32_t> sizes,
                                          mlir::TypeRange types) {
  constexpr unsigned kTooMany = ~0u;
  unsigned index = 0;
  for (const auto &[row, size] : zip(rows, sizes)) {
    if (row.arity == ods::Arity::Optional && size > 1)
      return kTooMany;
    for (int32_t i = 0; i < size; ++i, ++index)
      if (!ods::fits(row, types[index]))
        return index;
  }
  return std::nullopt;
}

/// Whether the types of the values are related as the traits of the op demand.
static bool relationsHold(ods::Op row, mlir::Operation *op, ArrayRef<int32_t> operands, ArrayRef<int32_t> results) {
  auto typeAt = [&](uint8_t place) -> mlir::Type {
    bool isResult = place >= ods::RelationRow::kFirstResult;
    ArrayRef<int32_t> sizes = isResult ? results : operands;
    unsigned group = isResult ? place - ods::RelationRow::kFirstResult : place;
    if (group >= sizes.size() || sizes[group] != 1)
      return {};
    unsigned at = std::accumulate(sizes.begin(), sizes.begin() + group, 0u);
    return isResult ? op->getResult(at).getType() : op->getOperand(at).getType();
  };
  for (const ods::RelationRow &relation : row.relations()) {
    mlir::Type from = typeAt(relation.from), to = typeAt(relation.to);
    if (auto shaped = dyn_cast_if_present<mlir::ShapedType>(from); relation.kind == ods::RelationRow::ElementOf)
      from = shaped ? shaped.getElementType() : mlir::Type();
    if (from && to && from != to)
      return false;
  }
  return !(row.is(ods::OpRow::SameOperands) || row.is(ods::OpRow::SameTypes)) || all_equal(op->getOperandTypes());
}

/// Whether the values that a branch passes are not what its blocks take.
static bool branchesWrongly(ods::Op row, mlir::Operation *op) {
  unsigned variadic = count_if(row.successors(), [](const ods::RegionRow &one) { return one.isVariadic; });
  unsigned fixed = row.successors().size() - variadic;
  if (variadic ? op->getNumSuccessors() < fixed : op->getNumSuccessors() != fixed)
    return true;
  auto branch = dyn_cast<mlir::BranchOpInterface>(op);
  for (unsigned i = 0; branch && i < op->getNumSuccessors(); ++i) {
    mlir::SuccessorOperands passed = branch.getSuccessorOperands(i);
    mlir::Block *block = op->getSuccessor(i);
    if (passed.size() != block->getNumArguments())
      return true;
    for (unsigned k = passed.getProducedOperandCount(); k < passed.size(); ++k)
      if (!branch.areTypesCompatible(passed[k].getType(), block->getArgument(k).getType()))
        return true;
  }
  return false;
}

/// Whether the op stands in an op that does not take it, or a region lacks its blocks.
static bool isMisplaced(ods::Op row, mlir::Operation *op) {
  mlir::Operation *parent = op->getParentOp();
  if (parent && !row.allowsParent(parent->getName().getStringRef()))
    return true;
  for (const auto &[i, region] : enumerate(row.regions()))
    if (!region.isVariadic && (i >= op->getNumRegions() || (region.needsBlocks && op->getRegion(i).empty())))
      return true;
  return row.is(ods::OpRow::RegionBranch) && op->getNumResults() && // Each region gives the results.
         any_of(op->getRegions(), [](mlir::Region &region) { return region.empty(); });
}

std::optional<Violation> OpVerifier::findInAttributes(mlir::Operation *op) {
  std::optional<ods::Op> row = ods::Op::find(op->getName().getStringRef());
  auto valueOf = [&](const ods::AttributeRow &attribute) {
    return op->getInherentAttr(ods::text(attribute.name)).value_or(mlir::Attribute());
  };
  for (const ods::AttributeRow &attribute : row->attributes())
    if (!(attribute.flags & (ods::AttributeRow::Optional | ods::AttributeRow::Property)) && !valueOf(attribute))
      return Violation{Violation::MissingAttribute, 0, ods::text(attribute.name), {}};
  for (const ods::AttributeRow &attribute : row->attributes()) {
    mlir::Attribute value = valueOf(attribute);
    if (!value || (attribute.flags & ods::AttributeRow::Property))
      continue;
    mlir::NamedAttrList one;
    one.set(ods::text(attribute.name), value);
    bool fits = true;
    capture([&] {
      fits = succeeded(op->getName().verifyInherentAttrs(one, [&] { return mlir::emitError(op->getLoc()); }));
    });
    if (!fits)
      return Violation{Violation::Attribute, 0, ods::text(attribute.name), ods::text(ods::kindOf(attribute).summary)};
  }
  return std::nullopt;
}

std::optional<Violation> OpVerifier::findViolation(mlir::Operation *op) {
  std::optional<ods::Op> row = ods::Op::find(op->getName().getStringRef());
  if (!row)
    return std::nullopt;
  auto operands =
      sizesOfGroups(row->operands(), op, "operandSegmentSizes", row->is(ods::OpRow::SameSizes), op->getNumOperands());
  auto results = sizesOfGroups(row->results(), op, "resultSegmentSizes", /*equal=*/false, op->getNumResults());
  if (auto found = findInAttributes(op))
    return found;
  if (auto index = operands ? findMisfit(row->operands(), *operands, op->getOperandTypes()) : std::nullopt)
    return Violation{Violation::Operand, *index, {}, {}};
  if (auto index = results ? findMisfit(row->results(), *results, op->getResultTypes()) : std::nullopt)
    return Violation{Violation::Result, *index, {}, {}};
  if (branchesWrongly(*row, op))
    return Violation{Violation::Successor, 0, {}, {}};
  if (isMisplaced(*row, op))
    return Violation{Violation::Region, 0, {}, {}};
  if (operands && results && !relationsHold(*row, op, *operands, *results))
    return Violation{Violation::Types, 0, {}, {}};
  return std::nullopt;
}

bool OpVerifier::inputsFit(mlir::Operation *op) {
  std::optional<Violation> violation = findViolation(op);
  return !violation || violation->kind > Violation::Operand;
}

/// Whether the dimension that the op asks for exists. MLIR's verifiers accept any: an op may never be executed.
bool OpVerifier::hasDimension(mlir::Operation *op, const Form *form, ArrayRef<const Form *> places) {
  auto dim = dyn_cast<mlir::ShapedDimOpInterface>(op);
  auto type = dim ? dyn_cast<mlir::ShapedType>(dim.getShapedValue().getType()) : mlir::ShapedType();
  std::optional<int64_t> index = type && type.hasRank() ? mlir::getConstantIntValue(dim.getDimension()) : std::nullopt;
  if (!index || (*index >= 0 && *index < type.getRank()))
    return true;
  error("op-operands", places.size() > 1 ? places[1] : form,
        "`" + op->getName().getStringRef() + "`: there is no dimension " + Twine(*index) + " of " +
            mlir::debugString(type) + ", which has rank " + Twine(type.getRank()))
      .withHint(type.getRank() == 0   ? ""
                : type.getRank() == 1 ? "its only dimension is 0"
                                      : "its dimensions are 0 to " + Twine(type.getRank() - 1));
  return false;
}

bool OpVerifier::verifyNow(mlir::Operation *op, const Form *form, ArrayRef<const Form *> places) {
  bool ok = true;
  Captured why = capture([&] { ok = succeeded(op->getRegisteredInfo()->verifyInvariants(op)); });
  if (!ok)
    reportInvalid(op->getName().getStringRef(), form, why, op, places);
  return ok && hasDimension(op, form, places);
}

bool OpVerifier::readyForRegions(mlir::Operation *op, const OpDraft &draft) {
  StringRef name = op->getName().getStringRef();
  if (isa<mlir::FunctionOpInterface>(op) && !op->getAttrOfType<mlir::TypeAttr>("function_type")) {
    error("attr-required", draft.form, "`" + name + "` needs the attribute `:function_type`")
        .withHint("write (" + name + " {:function_type (-> [type ...] [type ...])} ...)");
    return false;
  }
  if (isa<mlir::gpu::LaunchOp>(op) && draft.regionForms.empty()) { // MLIR's verifier accepts this
    error("op-regions", draft.form, "`gpu.launch` needs its region")
        .withHint("write (region (block [bx by bz tx ty tz gx gy gz sx sy sz] ...))");
    return false;
  }
  if (inputsFit(op))
    return true; // The op is verified again with its regions.
  Captured why = capture([&] { (void)op->getRegisteredInfo()->verifyInvariants(op); });
  reportInvalid(name, draft.form, why, op, draft.places);
  return false;
}

/// The part of an op's form that a violation concerns, else the whole form.
static const Form *placeOf(const std::optional<Violation> &violation, const Form *form, mlir::Operation *op,
                           ArrayRef<const Form *> places) {
  if (!violation)
    return form;
  if (violation->kind == Violation::Operand)
    return op->getNumOperands() == places.size() && violation->index < places.size() ? places[violation->index] : form;
  const Form *map = form->size() > 1 && (*form)[1]->isMap() ? (*form)[1] : nullptr;
  StringRef key = violation->kind == Violation::Attribute ? violation->attribute
                  : violation->kind == Violation::Result  ? "result"
                                                          : "";
  const Form *value = map && !key.empty() ? map->get(key) : nullptr;
  return value ? value : form;
}

/// Whether the op's results have other types than those that follow from its operands and attributes.
static bool resultsDisagree(mlir::Operation *op) {
  auto interface = dyn_cast<mlir::InferTypeOpInterface>(op);
  SmallVector<mlir::Type> types;
  return interface &&
         succeeded(interface.inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(),
                                              op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
                                              op->getRegions(), types)) &&
         !interface.isCompatibleReturnTypes(types, op->getResultTypes());
}

StringRef OpVerifier::codeOf(const std::optional<Violation> &violation, mlir::Operation *op, bool operandsWritten) {
  if (violation)
    switch (violation->kind) {
    case Violation::MissingAttribute:
      return "attr-required";
    case Violation::Attribute:
      return "attr-kind";
    case Violation::Operand:
      return "op-operands";
    case Violation::Result:
      return "op-results";
    case Violation::Successor:
      return "succ-args";
    case Violation::Region:
      return "op-regions";
    case Violation::Types:
      return "type-mismatch";
    }
  // What is left is found by the op's C++ code. An op that takes a list of indices or sizes mostly fails by its length.
  std::optional<ods::Op> row = op ? ods::Op::find(op->getName().getStringRef()) : std::nullopt;
  bool takesIndices = row && operandsWritten && any_of(row->operands(), [](const ods::ValueRow &group) {
                        return group.arity == ods::Arity::Variadic && ods::text(group.type) == "index";
                      });
  return takesIndices || isa_and_present<mlir::CastOpInterface>(op) ? "op-operands" : "type-mismatch";
}

void OpVerifier::reportInvalid(StringRef name, const Form *form, const Captured &why, mlir::Operation *op,
                               ArrayRef<const Form *> places) {
  std::optional<Violation> violation = op ? findViolation(op) : std::nullopt;
  if (op && !violation) {
    bool disagree = false;
    capture([&] { disagree = resultsDisagree(op); });
    if (disagree)
      violation = Violation{Violation::Result, 0, {}, {}};
  }
  if (violation && violation->kind == Violation::MissingAttribute) {
    StringRef key = violation->attribute;
    error("attr-required", form, "`" + name + "` needs the attribute `:" + key + "`")
        .withHint("write (" + name + " {:" + key + " value} ...)");
    return;
  }
  const Form *place = placeOf(violation, form, op, places);
  StringRef code = codeOf(violation, op, op && op->getNumOperands() == places.size());
  if (violation && violation->kind == Violation::Attribute) {
    error(code, place, "`:" + violation->attribute + "` of `" + name + "` does not fit")
        .withHint("expected: " + violation->expected);
    return;
  }
  // MLIR begins its messages with the name of the op, which ours do, too.
  StringRef message = why.message;
  message.consume_front(("'" + name + "' ").str());
  message.consume_front("op ");
  Diag &diag = error(code, place, "`" + name + "`: " + (message.empty() ? "is not valid" : message));
  for (const std::string &note : why.notes)
    diag.note(SMRange(), note);
  if (op && code != "op-regions" && op->getNumOperands() && op->getNumOperands() <= 8) {
    std::string types;
    for (mlir::Type type : op->getOperandTypes())
      types += (types.empty() ? "" : ", ") + mlir::debugString(type);
    diag.withHint("its operands are: " + types);
  }
}
} // namespace lispier
