//===- OdsTables.h - what ODS says about every op --------------*- C++ -*-===//
//
// Read at build time from the .td files of all dialects that a program may
// name, and of our own (lib/IRGen/Ods/Generate.cpp). The rows are constants in
// the binary; looking up an op is one binary search and makes nothing.
//
// MLIR's own C++ classes are the truth: what ODS cannot say (a verifier, an
// interface) is asked of the op, and an op without a row is made by asking.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_IRGEN_ODSTABLES_H
#define LISPIER_IRGEN_ODSTABLES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace lispier::ods {
/// How many values a named operand or result stands for.
enum class Arity : uint8_t {
  One,
  Optional,
  Variadic,
  Groups, ///< VariadicOfVariadic: an attribute of the op holds the size of each group.
};

/// A position in the table of strings; 0 is the empty string.
using Text = uint32_t;

/// An operand or a result, of `kValues`.
struct ValueRow {
  Text name;
  Text type;   ///< In MLIR's spelling, when the constraint allows just one: "index", "i1"; else empty.
  Text groups; ///< With Arity::Groups, the attribute that holds the sizes.
  Arity arity;
};

enum class AttributeKind : uint8_t {
  Other, ///< Some constraint that only C++ knows.
  Unit,
  Bool,
  Integer, ///< `text` is its type; empty when any type will do.
  Float,
  String,
  Type,
  Symbol,
  FlatSymbol,
  DenseArray, ///< array<i32: ...>; `text` is the type of its elements.
  Array,      ///< [...]; `element` is the kind of its elements.
  Elements,   ///< dense<...>
  Dictionary,
  AffineMap,
  IntegerSet,
  Enum,        ///< An attribute of a dialect over one enumeration; `text` begins its spelling: "#gpu.dim".
  IntegerEnum, ///< An integer of type `text` that stands for a case.
  Dialect,     ///< An attribute of a dialect; `text` begins its spelling, when it has one.
};

struct AttributeKindRow {
  AttributeKind kind;
  uint16_t element;     ///< Index of a kind; 0 is Other.
  uint16_t enumeration; ///< 0 is no enumeration.
  Text text;
  Text summary; ///< In words, as MLIR's messages say it.
};

struct AttributeRow {
  enum Flags : uint8_t {
    Optional = 1, ///< May be absent: optional, or with a default.
    Property = 2, ///< Not an attribute in the op's storage: has no place in getAttributeNames().
  };
  Text name;
  uint16_t kind;
  uint8_t flags;
};

struct EnumCaseRow {
  Text word;
  uint32_t value;
};

/// What a trait says of two values of an op. Operands count from 0, results from `kFirstResult`.
struct RelationRow {
  enum Kind : uint8_t {
    SameType,
    ElementOf, ///< The type of `to` is the element type of `from`.
  };
  static constexpr uint8_t kFirstResult = 128;
  Kind kind;
  uint8_t from, to;
};

struct RegionRow {
  Text name;
  bool isVariadic;
};

struct OpRow {
  enum Flags : uint16_t {
    SizedOperands = 1, ///< operandSegmentSizes delimits its operands.
    SizedResults = 2,
    SameSizes = 4,    ///< All variadic operands have as many values.
    SameOperands = 8, ///< All operands have one type ...
    SameTypes = 16,   ///< ... and the results, too.
    RegionBranch = 32 ///< Its terminators give its results.
  };
  Text name;
  uint16_t flags;
  uint16_t operands, results, attributes, relations, regions, successors; ///< Where each begins; ends at the next op's.
  uint16_t terminator; ///< Of the op that ends its blocks when nothing else does, plus one; 0: none.
};

/// One op: a view of its row, to be passed by value.
class Op {
public:
  /// Nothing when no .td file that we read defines `name` ("dialect.op").
  static std::optional<Op> find(llvm::StringRef name);
  static llvm::ArrayRef<OpRow> all();
  explicit Op(const OpRow &row) : row(&row) {}

  llvm::StringRef name() const;
  bool is(OpRow::Flags flag) const { return row->flags & flag; }
  llvm::ArrayRef<ValueRow> operands() const;
  llvm::ArrayRef<ValueRow> results() const;
  llvm::ArrayRef<AttributeRow> attributes() const;
  llvm::ArrayRef<RelationRow> relations() const;
  llvm::ArrayRef<RegionRow> regions() const;
  llvm::ArrayRef<RegionRow> successors() const;
  /// Null when `name` is neither an attribute nor a property of the op.
  const AttributeRow *attribute(llvm::StringRef name) const;
  /// The name of the op that MLIR appends to a block without a terminator; empty when it appends none.
  llvm::StringRef implicitTerminator() const;

private:
  const OpRow *row;
};

llvm::StringRef text(Text position);
const AttributeKindRow &kindOf(const AttributeRow &row);
const AttributeKindRow &elementKindOf(const AttributeKindRow &row);
llvm::ArrayRef<EnumCaseRow> casesOf(const AttributeKindRow &row);
/// Bytes that all tables take in the binary.
size_t tableBytes();
} // namespace lispier::ods
#endif
