//===- Records.h - records of tensors ---------------------------*- C++ -*-===//
//
// (defrecord Linear [weight (tensor n k bf16)] [bias (tensor n bf16)]) names values
// that belong together: tensors, numbers, other records, and lists of records. A
// record is a name for its parts, in order: functions take and return the parts. A
// list of records is one record whose tensors have a leading dimension more, along
// which they are stacked.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_IRGEN_RECORDS_H
#define LISPIER_LIB_IRGEN_RECORDS_H

#include "TensorSizes.h"
#include "llvm/ADT/MapVector.h"

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

class Records : public Part {
public:
  explicit Records(Generator &gen);
  /// (defrecord Name [field type] ...)
  void collect(const Form *form);
  /// Reads the fields of all records.
  void define();
  /// The type of the record `name` in that many lists, (list name) for 1; null after an error.
  mlir::Type typeOf(const Form *name, unsigned lists);
  RecordInfo *find(llvm::StringRef name);
  const RecordInfo::Field *findField(RecordType type, llvm::StringRef name);
  /// The type of a part whose record is in `lists` lists: a tensor with as many leading dimensions of unknown size.
  static mlir::Type inLists(mlir::Type type, unsigned lists);
  /// A tensor or record type with the sizes that `declared` or else `type` knows; `declared` if they do not fit.
  static mlir::Type joined(mlir::Type type, mlir::Type declared);

  /// (Name {:field value ...}), (Name value ...)
  mlir::FailureOr<Values> emitRecord(const Form *form, RecordInfo &info);
  /// (:field record)
  mlir::FailureOr<Values> emitField(const Form *form);
  /// (load-checkpoint Name path {:field "name" ...} "layout"?)
  mlir::FailureOr<Values> emitLoadCheckpoint(const Form *form);
  /// Returns the value of a field: a part, or a nested record. Null, without a message, if there is no such field.
  mlir::Value field(const Form *form, mlir::Value record, llvm::StringRef name);
  /// Creates a value of the record and the lists of `type` from its parts. The types of the parts, which may know more
  /// sizes, take the place of those in `type`.
  mlir::Value pack(const Form *form, RecordType type, mlir::ValueRange parts);
  static mlir::ValueRange partsOf(mlir::Value record);
  /// The element of a list of records at `index`, or of a tensor along its first dimension, which it lacks.
  mlir::Value element(const Form *form, mlir::Value list, mlir::Value index);
  /// For a record parameter: records which sizes of its parts are equal, by the names of sizes in the record's
  /// declaration.
  void nameSizes(mlir::Value record);
  /// Casts the parts to those of `type`; `what` names the record in messages of run-time checks. A part that cannot be
  /// cast stays as it is. Returns `record` itself if `type` is another record, or in another number of lists.
  mlir::Value fitted(const Form *form, mlir::Value record, RecordType type, const llvm::Twine &what);

  /// `flatten` replaces records by their parts; `grouped` groups the parts into values of these types again.
  static void flatten(llvm::ArrayRef<mlir::Type> types, llvm::SmallVectorImpl<mlir::Type> &flat);
  static Values flatten(mlir::ValueRange values);
  Values grouped(const Form *form, mlir::ValueRange flat, llvm::ArrayRef<mlir::Type> types);
  /// Erases the ops that create records from a complete function, in which nothing uses them.
  static void eraseIn(mlir::func::FuncOp function);

private:
  struct LoadedPart;
  struct TensorNames;
  bool tensorNames(const RecordInfo::Field &field, const Form *form, TensorNames &found);
  bool loadedParts(const RecordInfo &info, const Form *map, const std::string &path, unsigned lists,
                   llvm::SmallVectorImpl<LoadedPart> &parts);
  void unknownField(const Form *name, const RecordInfo &info);
  bool read(RecordInfo &info);
  bool readField(RecordInfo &info, const Form *form);
  const Form *dimensionsOf(const RecordInfo &info, unsigned part, unsigned &lists);
  bool checkField(const Form *form, const RecordInfo &info, const RecordInfo::Field &field, const Form *place,
                  mlir::Value &value, std::optional<unsigned> &lists);
  mlir::Value stacked(const Form *form, const RecordInfo &info, const RecordInfo::Field &field, const Form *vector);
  bool checkSizes(const Form *form, const RecordInfo &info, llvm::ArrayRef<const Form *> places,
                  llvm::ArrayRef<mlir::Value> values, unsigned lists);

  llvm::MapVector<llvm::StringRef, std::unique_ptr<RecordInfo>> known;
};
} // namespace lispier
#endif
