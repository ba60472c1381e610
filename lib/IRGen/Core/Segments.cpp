//===- Segments.cpp - sizes of operand groups -----------------------------===//
#include "Segments.h"
#include "AttributeReadings.h"
#include "CoreParts.h"
#include "Literals.h"
#include "OpDraft.h"
#include "OpForms.h"
#include "OpTraits.h"
#include "OpVerifier.h"
#include "Operations.h"
#include "Results.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include <numeric>

using namespace llvm;

namespace lispier {
std::string OperandGrouper::segmentNames(StringRef name, StringRef separator) {
  std::optional<ods::Op> op = ods::Op::find(name);
  auto nameOf = [](const ods::ValueRow &row) { return ods::text(row.name); };
  return op ? join(map_range(op->operands(), nameOf), separator) : "";
}

/// Whether the group can have `size` operands. Ops' verifiers access non-variadic operands without checking that they
/// are present.
static bool canHave(const ods::ValueRow &group, int32_t size) {
  return group.arity == ods::Arity::One ? size == 1 : group.arity == ods::Arity::Optional ? size <= 1 : size >= 0;
}

/// Returns what is wrong with the sizes of an op's groups; empty if all are possible.
static std::string wrongSize(StringRef op, ArrayRef<int32_t> sizes) {
  std::optional<ods::Op> row = ods::Op::find(op);
  if (!row || row->operands().size() != sizes.size())
    return "";
  for (auto [group, size] : zip(row->operands(), sizes))
    if (!canHave(group, size))
      return ("`" + ods::text(group.name) + "` of `" + op + "` is " +
              (group.arity == ods::Arity::One ? "one operand" : "at most one operand") + ", not " + Twine(size))
          .str();
  return "";
}

void OperandGrouper::segmentsDoNotFit(OpDraft &draft, const Form *given, size_t groups) {
  std::optional<ods::Op> row = ods::Op::find(draft.name);
  Diag &diag = error("op-segments", given,
                     "`" + draft.name + "` has " + (row ? Twine(row->operands().size()) : Twine("other")) +
                         " groups of operands, not " + Twine(groups));
  if (std::string names = segmentNames(draft.name); !names.empty())
    diag.withHint("the groups of its operands are: " + names);
}

/// Whether an llvm.call has operand bundles. Its operands then need explicit segment sizes.
bool hasBundles(const mlir::NamedAttrList &attributes) {
  auto sizes = dyn_cast_if_present<mlir::DenseI32ArrayAttr>(attributes.get("op_bundle_sizes"));
  return sizes && !sizes.empty();
}

bool OperandGrouper::segments(OpDraft &draft, mlir::RegisteredOperationName op) {
  std::optional<ods::Op> row = ods::Op::find(draft.name);
  if (!row || !row->is(ods::OpRow::SizedOperands))
    return true;
  auto complain = [&](const Twine &message) {
    Diag &diag = error("op-segments", draft.form, message);
    if (std::string names = segmentNames(draft.name); !names.empty())
      diag.withHint("the groups of its operands are: " + names);
    return false;
  };
  int32_t total = draft.operands.size();
  if (auto given = dyn_cast_if_present<mlir::DenseI32ArrayAttr>(draft.attributes.get("operandSegmentSizes"));
      given && !hasUnsizedGroups(draft, *row)) {
    ArrayRef<int32_t> sizes = given;
    if (any_of(sizes, [](int32_t size) { return size < 0; }))
      return complain("the size of a group of operands cannot be negative");
    if (std::accumulate(sizes.begin(), sizes.end(), int64_t(0)) != total)
      return complain("`:operandSegmentSizes` of `" + draft.name + "` counts " +
                      Twine(std::accumulate(sizes.begin(), sizes.end(), int64_t(0))) + " operands; there are " +
                      Twine(total));
    std::string wrong = wrongSize(draft.name, sizes);
    return wrong.empty() || complain(wrong);
  }
  std::optional<SmallVector<int32_t>> sizes = groupSizes(draft, draft.operands);
  if (sizes && std::accumulate(sizes->begin(), sizes->end(), 0) == total && sizes->size() == row->operands().size() &&
      none_of(*sizes, [](int32_t size) { return size < 0; })) {
    if (std::string wrong = wrongSize(draft.name, *sizes); !wrong.empty())
      return complain(wrong);
    draft.attributes.set("operandSegmentSizes", builder.getDenseI32ArrayAttr(*sizes));
    sizeNestedGroups(draft, *row);
    return true;
  }
  if (sizes)
    return complain("`" + draft.name + "` cannot divide " + Twine(total) + " operands into its groups");
  return searchSegments(draft, op, *row);
}

/// How many successors of `op` have an operand group of their own. A variadic successor has the nested groups.
static size_t successorGroups(const OpDraft &draft, ods::Op op) {
  size_t labels = op.successors().size();
  return !draft.successors.empty() && labels <= op.operands().size() ? labels : 0;
}

/// Whether the op has nested groups (VariadicOfVariadic) whose sizes the program does not give.
bool OperandGrouper::hasUnsizedGroups(const OpDraft &draft, ods::Op op) {
  return any_of(op.operands(), [&](const ods::ValueRow &row) {
    if (row.arity != ods::Arity::Groups)
      return false;
    auto sizes = dyn_cast_if_present<mlir::DenseI32ArrayAttr>(draft.attributes.get(ods::text(row.groups)));
    return !sizes || sizes.empty();
  });
}

/// Sets the sizes of nested groups from the successors' operands; without successors there are none.
void OperandGrouper::sizeNestedGroups(OpDraft &draft, ods::Op op) {
  for (const ods::ValueRow &row : op.operands()) {
    if (row.arity != ods::Arity::Groups || draft.attributes.get(ods::text(row.groups)))
      continue;
    SmallVector<int32_t> sizes;
    size_t before = op.successors().size() - (op.successors().empty() ? 0 : 1);
    if (!op.successors().empty() && op.successors().back().isVariadic)
      for (size_t i = before; i < draft.successors.size(); ++i)
        sizes.push_back(draft.groups[draft.operandForms.size() + i]);
    draft.attributes.set(ods::text(row.groups), builder.getDenseI32ArrayAttr(sizes));
  }
}

std::optional<SmallVector<int32_t>> OperandGrouper::groupSizes(const OpDraft &draft, ArrayRef<mlir::Value> values) {
  std::optional<ods::Op> op = ods::Op::find(draft.name);
  size_t count = op ? op->operands().size() : 0;
  if (auto sizes = sugarGroups(draft, values))
    return sizes;
  if (draft.groups.size() == count && draft.hasVectorGroups)
    return SmallVector<int32_t>(draft.groups.begin(), draft.groups.end());
  return op ? definedGroups(draft, *op, values.size()) : std::nullopt;
}

/// The group sizes if the definition allows only one division: successors have their own operands, a non-variadic
/// operand is one value, and at most one group takes the rest.
std::optional<SmallVector<int32_t>> OperandGrouper::definedGroups(const OpDraft &draft, ods::Op op, size_t total) {
  ArrayRef<ods::ValueRow> rows = op.operands();
  SmallVector<int32_t> sizes(rows.size(), 0);
  size_t forLabels = successorGroups(draft, op), end = rows.size();
  int32_t rest = total;
  // Nested groups without a successor are empty unless the program gives their sizes.
  while (end && rows[end - 1].arity == ods::Arity::Groups && !(forLabels && op.successors().back().isVariadic))
    --end;
  if (forLabels) {
    if (end < forLabels || draft.successors.size() + op.successors().back().isVariadic < forLabels)
      return std::nullopt;
    for (size_t i = 0; i < draft.successors.size(); ++i) {
      int32_t size = draft.groups[draft.operandForms.size() + i];
      sizes[end - forLabels + std::min(i, forLabels - 1)] += size;
      rest -= size;
    }
    end -= forLabels;
  }
  std::optional<size_t> open;
  unsigned opens = 0;
  for (size_t i = 0; i < end; ++i)
    if (rows[i].arity == ods::Arity::One) {
      sizes[i] = 1;
      --rest;
    } else {
      open = i;
      ++opens;
    }
  if (opens > 1 && op.is(ods::OpRow::SameSizes) && rest >= 0 && rest % opens == 0) {
    for (size_t i = 0; i < end; ++i)
      if (rows[i].arity != ods::Arity::One)
        sizes[i] = rest / opens;
    return sizes;
  }
  if (opens > 1 && rest != 0)
    return std::nullopt;
  if (open)
    sizes[*open] += rest;
  return rest < 0 || (!open && rest) ? std::nullopt : std::optional(sizes);
}

unsigned OperandGrouper::parallelBounds(const OpDraft &draft) {
  if (draft.hasVectorGroups && draft.groups.size() >= 3)
    return draft.groups[0] + draft.groups[1] + draft.groups[2];
  for (const Form *item : draft.regionForms.empty() ? ArrayRef<const Form *>() : draft.regionForms[0]->items())
    if (item->isCall("block") && item->size() > 1) {
      const Form *arguments = (*item)[1]->isVector() ? (*item)[1] : item->size() > 2 ? (*item)[2] : nullptr;
      return arguments && arguments->isVector() ? 3 * arguments->size() : 0;
    }
  return 0;
}

/// Group sizes of particular ops, by rules that their definitions do not express.
std::optional<SmallVector<int32_t>> OperandGrouper::sugarGroups(const OpDraft &draft, ArrayRef<mlir::Value> values) {
  bool isAllocation = draft.is<mlir::memref::AllocOp>() || draft.is<mlir::memref::AllocaOp>();
  int32_t total = values.size();
  using Sizes = SmallVector<int32_t>;
  int32_t tokens =
      count_if(values, [](mlir::Value value) { return value && isa<mlir::gpu::AsyncTokenType>(value.getType()); });
  // Its verifier accesses the grid and block sizes unchecked, so the search must not try divisions without them.
  if (draft.is<mlir::gpu::LaunchFuncOp>() && !(draft.hasVectorGroups && draft.groups.size() == 13))
    return Sizes{tokens, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, total - tokens - 6, 0};
  if (draft.is<mlir::gpu::LaunchOp>()) {
    int32_t shared = draft.map && draft.map->get("dynamic-shared") ? 1 : 0;
    int32_t cluster = total - tokens - shared >= 9;
    return Sizes{tokens, 1, 1, 1, 1, 1, 1, cluster, cluster, cluster, shared};
  }
  if (draft.is<mlir::scf::ParallelOp>() && (!draft.hasVectorGroups || draft.groups.size() < 3)) {
    int32_t dims = parallelBounds(draft) / 3;
    return Sizes{dims, dims, dims, total - 3 * dims};
  }
  if (draft.is<mlir::scf::ParallelOp>())
    return Sizes{draft.groups[0], draft.groups[1], draft.groups[2],
                 total - draft.groups[0] - draft.groups[1] - draft.groups[2]};
  if (isAllocation && draft.groups.size() < 2)
    return Sizes{total, 0};
  if (isAllocation) {
    int32_t dynamic = total;
    if (draft.resultTypes && draft.resultTypes->size() == 1)
      if (auto type = dyn_cast<mlir::MemRefType>(draft.resultTypes->front()))
        dynamic = std::min<int32_t>(total, type.getNumDynamicDims());
    return Sizes{dynamic, total - dynamic};
  }
  std::optional<ods::Op> op = ods::Op::find(draft.name);
  if (op && draft.isOf<mlir::linalg::LinalgDialect>() && op->is(ods::OpRow::SizedOperands) &&
      op->operands().size() == 2) {
    auto given = [&](StringRef key) -> std::optional<int32_t> {
      const Form *form = draft.map ? draft.map->get(key) : nullptr;
      std::optional<int64_t> number = form ? gen.literals.integerOf(form) : std::nullopt;
      return number ? std::optional<int32_t>(*number) : std::nullopt;
    };
    std::optional<int32_t> ins = given("ins"), outs = given("outs");
    if (!ins && !outs && draft.hasVectorGroups && draft.groups.size() == 2)
      return Sizes{draft.groups[0], draft.groups[1]};
    int32_t outputs = outs ? *outs : ins ? total - *ins : 1;
    return Sizes{ins ? *ins : total - outputs, outputs};
  }
  return std::nullopt;
}

/// Whether the op accepts this division: all of its verifier, if its results are known and it has no regions, which do
/// not exist yet; else what ODS says of operands and attributes.
bool OperandGrouper::accepts(const OpDraft &draft, mlir::RegisteredOperationName op, ArrayRef<int32_t> sizes) {
  OpDraft trial = draft;
  trial.attributes.set("operandSegmentSizes", builder.getDenseI32ArrayAttr(sizes));
  SmallVector<mlir::Type> types(resultCount(op).value_or(0), builder.getNoneType());
  auto holds = [&](auto question) {
    mlir::Operation *probe = gen.ops.create(trial, op, types, {}, regionCount(op, 0));
    bool ok = probe && question(probe);
    if (probe)
      probe->destroy();
    return ok;
  };
  Captured why;
  if (trial.resultTypes) {
    types = *trial.resultTypes;
  } else if (resultCount(op) != 0) {
    if (!op.hasInterface<mlir::InferTypeOpInterface>())
      return holds([&](mlir::Operation *probe) { return gen.verifier.inputsFit(probe); });
    SmallVector<mlir::Type> inferred;
    if (!holds([&](mlir::Operation *probe) { return gen.inference.inferFrom(probe, inferred, why); }))
      return false;
    types = inferred;
  }
  return holds([&](mlir::Operation *probe) {
    bool ok = gen.verifier.inputsFit(probe);
    if (ok && probe->getNumRegions() == 0 && draft.successors.empty() && !hasUncheckedVerifier(draft.name))
      why = capture([&] { ok = succeeded(op.verifyInvariants(probe)); });
    return ok;
  });
}

/// Divides the operands into the op's groups by their types. Exactly one division must fit the groups' constraints and,
/// as only C++ code knows how many indices belong to a memref, for example, the op's verifier.
bool OperandGrouper::searchSegments(OpDraft &draft, mlir::RegisteredOperationName op, ods::Op row) {
  constexpr unsigned kMostDivisions = 4000;
  ArrayRef<ods::ValueRow> rows = row.operands();
  unsigned total = draft.operands.size();
  SmallVector<SmallVector<int32_t>> fits;
  SmallVector<int32_t> sizes(rows.size(), 0);
  std::function<void(unsigned, unsigned)> divide = [&](unsigned group, unsigned first) {
    if (group == rows.size() && first == total)
      fits.push_back(sizes);
    for (int32_t size = 0; group < rows.size() && first + size <= total && fits.size() < kMostDivisions; ++size) {
      if (size && !ods::fits(rows[group], draft.operands[first + size - 1].getType()))
        break;
      sizes[group] = size;
      if (canHave(rows[group], size))
        divide(group + 1, first + size);
    }
  };
  divide(0, 0);
  if (fits.size() > 1) {
    SmallVector<int32_t> last = fits.back(); // The first groups have what they can have.
    erase_if(fits, [&](ArrayRef<int32_t> sizes) { return !accepts(draft, op, sizes); });
    if (fits.empty() && op.hasInterface<mlir::InferTypeOpInterface>())
      fits.push_back(last); // Its verifier says what is wrong with it, rather than that none fits.
  }
  if (fits.size() == 1) {
    draft.attributes.set("operandSegmentSizes", builder.getDenseI32ArrayAttr(fits[0]));
    return true;
  }
  std::string count = std::to_string(rows.size()), names = segmentNames(draft.name);
  std::string message = "`" + draft.name + "` divides its operands into " + count +
                        " groups, and it is not clear which of these " + std::to_string(total) + " belong where";
  if (fits.empty())
    message = "`" + draft.name + "` cannot divide " + std::to_string(total) + " operands into its " + count + " groups";
  error("op-segments", draft.form, message)
      .withHint("put each group in a vector: (" + draft.name + " [a b] [c] [] ...); the groups are: " + names);
  return false;
}

void OperandGrouper::resultSegments(OpDraft &draft, mlir::RegisteredOperationName op) {
  if (!op.hasTrait<mlir::OpTrait::AttrSizedResultSegments>() || draft.attributes.get("resultSegmentSizes") ||
      !draft.resultTypes)
    return;
  std::optional<ods::Op> row = ods::Op::find(op.getStringRef());
  size_t count = row ? row->results().size() : 0;
  if (!count)
    return;
  // Nearly all ops have one result per group; a variadic last group takes the rest.
  SmallVector<int32_t> sizes(count, 0);
  for (size_t i = 0; i < count && i < draft.resultTypes->size(); ++i)
    sizes[i] = 1;
  if (draft.resultTypes->size() > count)
    sizes[count - 1] += draft.resultTypes->size() - count;
  draft.attributes.set("resultSegmentSizes", builder.getDenseI32ArrayAttr(sizes));
}
} // namespace lispier
