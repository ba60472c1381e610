//===- RecordTypes.h - the types that defrecord defines ---------*- C++ -*-===//
//
// (defrecord Linear [weight (tensor n k bf16)] [bias (tensor n bf16)]) names values
// that belong together: tensors, numbers, other records, and lists of records. A
// record is a name for its parts, in order: functions take and return the parts. A
// list of records is one record whose tensors have a leading dimension more, along
// which they are stacked. (record Linear f32) is the same record with tensors of f32
// in place of those of other floats.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_IRGEN_CORE_RECORDTYPES_H
#define LISPIER_LIB_IRGEN_CORE_RECORDTYPES_H

#include "Part.h"
#include "llvm/ADT/MapVector.h"
#include <memory>

namespace lispier {
struct RecordTypeStorage;

/// The type of a record during IR generation: the record's name, the number of lists around it, and the types of its
/// parts. The finished module contains no value of this type.
class RecordType : public mlir::Type::TypeBase<RecordType, mlir::Type, RecordTypeStorage> {
public:
  using Base::Base;
  static constexpr llvm::StringLiteral name = "irgen.record";
  static RecordType get(mlir::MLIRContext *context, llvm::StringRef record, unsigned lists,
                        llvm::ArrayRef<mlir::Type> parts);
  llvm::StringRef record() const;
  /// Number of lists around the record. 0: one record. 1: a list of records; each tensor has one leading dimension
  /// more.
  unsigned lists() const;
  llvm::ArrayRef<mlir::Type> parts() const;
};

struct RecordInfo {
  struct Field {
    const Form *name, *form; ///< [name type]
    mlir::Type type;         ///< A tensor, a number, or a RecordType.
    unsigned first = 0;      ///< Index in `parts` of the field's first part.
  };
  std::string name;
  const Form *form;
  llvm::SmallVector<Field> fields;
  llvm::SmallVector<mlir::Type> parts; ///< Of all fields, in order; nested records are flattened.
  enum class State { Unread, Reading, Read, Wrong } state = State::Unread;
};

/// Reads the fields of records, and groups values into records and records into their parts.
class RecordTypes : public Part {
public:
  explicit RecordTypes(CoreParts &gen);
  /// (defrecord Name [field type] ...)
  void collect(const Form *form);
  /// Reads the fields of all records.
  void define();
  /// Reads the fields of one; false after an error, which was reported once.
  bool read(RecordInfo &info);
  /// The type of the record `form`, Name or (record Name float), in that many lists, (list form) for 1; null after an
  /// error.
  mlir::Type typeOf(const Form *form, unsigned lists);
  /// The name in such a form; null if it has another form.
  static const Form *nameIn(const Form *form);
  /// `type` with floats of the type `element` in its tensors; `type` itself if `element` is null.
  static mlir::Type withElements(mlir::Type type, mlir::Type element);
  RecordInfo *find(llvm::StringRef name);
  const RecordInfo::Field *findField(RecordType type, llvm::StringRef name);
  /// The type of a part whose record is in `lists` lists: a tensor with as many leading dimensions of unknown size.
  static mlir::Type inLists(mlir::Type type, unsigned lists);
  /// A tensor or record type with the sizes that `declared` or else `type` knows; `declared` if they do not fit.
  static mlir::Type joined(mlir::Type type, mlir::Type declared);

  /// The texts of two types that are not equal, with the first part in which records of one name differ.
  static std::pair<std::string, std::string> differingTexts(mlir::Type a, mlir::Type b);

  /// Creates a value of the record and the lists of `type` from its parts. The types of the parts, which may know more
  /// sizes, take the place of those in `type`.
  mlir::Value pack(const Form *form, RecordType type, mlir::ValueRange parts);
  static mlir::ValueRange partsOf(mlir::Value record);
  /// `flatten` replaces records by their parts; `grouped` groups the parts into values of these types again.
  static void flatten(llvm::ArrayRef<mlir::Type> types, llvm::SmallVectorImpl<mlir::Type> &flat);
  static Values flatten(mlir::ValueRange values);
  Values grouped(const Form *form, mlir::ValueRange flat, llvm::ArrayRef<mlir::Type> types);
  /// Erases the ops that create records from a complete function, in which nothing uses them.
  static void eraseIn(mlir::func::FuncOp function);

private:
  bool readField(RecordInfo &info, const Form *form);

  llvm::MapVector<llvm::StringRef, std::unique_ptr<RecordInfo>> known;
};
} // namespace lispier
#endif
