//===- OdsTables.cpp - lookup in the generated ODS rows -------------------===//
#include "lispier/IRGen/OdsTables.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lispier::ods {
namespace {
#include "OdsRows.inc"
constexpr size_t kOpCount = std::size(kOps) - 1; // The last row is a sentinel.
constexpr size_t kBytes = sizeof(kOps) + sizeof(kOperands) + sizeof(kResults) + sizeof(kAttributes) +
                          sizeof(kRelations) + sizeof(kRegions) + sizeof(kSuccessors) + sizeof(kParents) +
                          sizeof(kKinds) + sizeof(kConstraintTexts) + sizeof(kCases) + sizeof(kFirstCase) +
                          sizeof(kTexts);
// Limits the size of the binary. Start-up time is unaffected: the pages are mapped on demand.
static_assert(kBytes < 512 * 1024, "the ODS tables exceed their budget in the binary");

/// The rows of one op: from the index in its row to the index in the next row.
template <typename Row, size_t N>
ArrayRef<Row> between(const Row (&rows)[N], const OpRow *row, uint16_t OpRow::*first) {
  return ArrayRef(rows).slice(row[0].*first, row[1].*first - row[0].*first);
}

/// IR generation looks up the op of a form several times, more often than a search by comparing names would be cheap.
const DenseMap<StringRef, const OpRow *> &rowsByName() {
  static const auto rows = [] {
    DenseMap<StringRef, const OpRow *> rows(kOpCount);
    for (const OpRow &row : Op::all())
      rows[text(row.name)] = &row;
    return rows;
  }();
  return rows;
}
} // namespace

StringRef text(Text position) { return kTexts + position; }

std::optional<Op> Op::find(StringRef name) {
  const OpRow *row = rowsByName().lookup(name);
  return row ? std::optional(Op(*row)) : std::nullopt;
}

ArrayRef<OpRow> Op::all() { return ArrayRef(kOps).take_front(kOpCount); }
StringRef Op::name() const { return text(row->name); }
StringRef Op::summary() const { return text(row->summary); }
ArrayRef<ValueRow> Op::operands() const { return between(kOperands, row, &OpRow::operands); }
ArrayRef<ValueRow> Op::results() const { return between(kResults, row, &OpRow::results); }
ArrayRef<AttributeRow> Op::attributes() const { return between(kAttributes, row, &OpRow::attributes); }
ArrayRef<RelationRow> Op::relations() const { return between(kRelations, row, &OpRow::relations); }
ArrayRef<RegionRow> Op::regions() const { return between(kRegions, row, &OpRow::regions); }
ArrayRef<RegionRow> Op::successors() const { return between(kSuccessors, row, &OpRow::successors); }

bool Op::allowsParent(StringRef parent) const {
  ArrayRef<uint16_t> parents = between(kParents, row, &OpRow::parents);
  return parents.empty() || any_of(parents, [&](uint16_t op) { return text(kOps[op].name) == parent; });
}

StringRef typesOf(const ValueRow &row) { return text(kConstraintTexts[row.constraint]); }

const AttributeRow *Op::attribute(StringRef name) const {
  const AttributeRow *row = find_if(attributes(), [&](const AttributeRow &row) { return text(row.name) == name; });
  return row == attributes().end() ? nullptr : row;
}

StringRef Op::implicitTerminator() const { return row->terminator ? text(kOps[row->terminator - 1].name) : ""; }

const AttributeKindRow &kindOf(const AttributeRow &row) { return kKinds[row.kind]; }
const AttributeKindRow &elementKindOf(const AttributeKindRow &row) { return kKinds[row.element]; }
ArrayRef<EnumCaseRow> casesOf(const AttributeKindRow &row) {
  unsigned first = kFirstCase[row.enumeration];
  return ArrayRef(kCases).slice(first, kFirstCase[row.enumeration + 1] - first);
}
size_t tableBytes() { return kBytes; }
} // namespace lispier::ods
