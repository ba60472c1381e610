//===- OdsTables.h - what ODS says about every op --------------*- C++ -*-===//
//
// lispier-ods-gen (lib/IRGen/Ods/Generate.cpp) makes the rows at build time from
// the .td files of upstream's dialects and of ours. They are constants in the
// binary; the first lookup builds a hash map of the ops by name.
//
// Where ODS does not describe a property (C++ verifiers, interfaces), and for ops
// without a row, IRGen queries the registered op instead.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_IRGEN_ODSTABLES_H
#define LISPIER_IRGEN_ODSTABLES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace mlir {
class Type;
}

namespace lispier::ods {
/// How many values one named operand or result of an op takes.
enum class Arity : uint8_t {
  One,
  Optional,
  Variadic,
  Groups, ///< VariadicOfVariadic: an attribute of the op holds the size of each nested group.
};

/// A position in the table of strings; 0 is the empty string.
using Text = uint32_t;

/// An operand or a result.
struct ValueRow {
  Text name;
  Text type;           ///< In MLIR's spelling, when the constraint allows just one: "index", "i1"; else empty.
  Text groups;         ///< With Arity::Groups, the attribute that holds the sizes.
  uint16_t constraint; ///< See `fits`.
  Arity arity;
};

enum class AttributeKind : uint8_t {
  Other, ///< A constraint that is implemented in C++ only.
  Unit,
  Bool,
  Integer, ///< `text` is its type; empty if the type is not fixed.
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
  IntegerEnum, ///< An integer of type `text` whose value is an enumeration case.
  Dialect,     ///< An attribute of a dialect; `text` begins its spelling, when it has one.
};

struct AttributeKindRow {
  AttributeKind kind;
  uint16_t element;     ///< Index of a kind; 0 is Other.
  uint16_t enumeration; ///< 0 is no enumeration.
  Text text;
  Text summary; ///< The description that MLIR's messages use, such as "32-bit signless integer attribute".
};

struct AttributeRow {
  enum Flags : uint8_t {
    Optional = 1, ///< May be absent: optional, or with a default value.
    Property = 2, ///< A property that is no attribute: not listed by getAttributeNames().
  };
  Text name;
  uint16_t kind;
  uint8_t flags;
};

struct EnumCaseRow {
  Text word;
  uint32_t value;
};

/// A relation that a trait states between the types of two values of an op. Operands count from 0, results from
/// `kFirstResult`.
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
  bool needsBlocks; ///< Of a region: the definition demands a number of blocks.
};

struct OpRow {
  enum Flags : uint16_t {
    SizedOperands = 1, ///< operandSegmentSizes delimits its operands.
    SizedResults = 2,
    SameSizes = 4,    ///< All variadic operands have the same number of values.
    SameOperands = 8, ///< All operands have one type ...
    SameTypes = 16,   ///< ... and the results, too.
    RegionBranch = 32 ///< RegionBranchOpInterface: its terminators give its results.
  };
  Text name, summary;
  uint16_t flags;
  uint16_t operands, results, attributes, relations, regions, successors,
      parents;         ///< First index of each; the next row's is the end.
  uint16_t terminator; ///< Index of the implicit terminator of its blocks, plus one; 0: none.
};

/// A view of the row of one op; pass it by value.
class Op {
public:
  /// Finds the row of `name` ("dialect.op"); nullopt if none of the .td files defines it.
  static std::optional<Op> find(llvm::StringRef name);
  static llvm::ArrayRef<OpRow> all();
  explicit Op(const OpRow &row) : row(&row) {}

  llvm::StringRef name() const;
  /// One line, or empty: "integer addition operation".
  llvm::StringRef summary() const;
  bool is(OpRow::Flags flag) const { return row->flags & flag; }
  llvm::ArrayRef<ValueRow> operands() const;
  llvm::ArrayRef<ValueRow> results() const;
  llvm::ArrayRef<AttributeRow> attributes() const;
  llvm::ArrayRef<RelationRow> relations() const;
  llvm::ArrayRef<RegionRow> regions() const;
  llvm::ArrayRef<RegionRow> successors() const;
  /// Whether the op called `parent` may stand around this one directly; true if ODS names no parents.
  bool allowsParent(llvm::StringRef parent) const;
  /// Null when `name` is neither an attribute nor a property of the op.
  const AttributeRow *attribute(llvm::StringRef name) const;
  /// The name of the op that MLIR appends to a block without a terminator; empty when it appends none.
  llvm::StringRef implicitTerminator() const;

private:
  const OpRow *row;
};

llvm::StringRef text(Text position);
/// Whether ODS allows a value of this type there: one value of the group, if the row is variadic.
bool fits(const ValueRow &row, mlir::Type type);
/// What ODS allows there, in words: "signless-integer-like"; may be empty.
llvm::StringRef typesOf(const ValueRow &row);
const AttributeKindRow &kindOf(const AttributeRow &row);
const AttributeKindRow &elementKindOf(const AttributeKindRow &row);
llvm::ArrayRef<EnumCaseRow> casesOf(const AttributeKindRow &row);
/// Size of all tables in the binary, in bytes.
size_t tableBytes();
} // namespace lispier::ods
#endif
