//===- Records.h - records of tensors ---------------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_LANGUAGE_RECORDS_H
#define LISPIER_LIB_IRGEN_LANGUAGE_RECORDS_H

#include "Core/RecordTypes.h"
#include "Generator.h"
#include "Values/TensorSizes.h"

namespace lispier {
/// Generates records, their fields, and lists of them.
class Records : public LanguagePart {
public:
  using LanguagePart::LanguagePart;
  /// (Name {:field value ...}), (Name value ...), with the type of floats before: (Name f32 value ...)
  mlir::FailureOr<Values> emitRecord(const Form *form, RecordInfo &info);
  /// (with record {:field value ...})
  mlir::FailureOr<Values> emitWith(const Form *form);
  /// (:field record)
  mlir::FailureOr<Values> emitField(const Form *form);
  /// (load-checkpoint Name path {:field "name" ...} "layout"?)
  mlir::FailureOr<Values> emitLoadCheckpoint(const Form *form);
  /// Returns the value of a field: a part, or a nested record. Null, without a message, if there is no such field.
  mlir::Value field(const Form *form, mlir::Value record, llvm::StringRef name);
  /// Reports that the record has no field of that name.
  void unknownField(const Form *name, const RecordInfo &info);
  /// The element of a list of records at `index`, or of a tensor along its first dimension, which it lacks.
  mlir::Value element(const Form *form, mlir::Value list, mlir::Value index);
  /// For a record parameter `name`: records which sizes of its parts are equal, by the names of sizes in the record's
  /// declaration, and names them.
  void nameSizes(mlir::Value record, const llvm::Twine &name);
  /// Casts the parts to those of `type`; `what` names the record in messages of run-time checks. A part that cannot be
  /// cast stays as it is. Returns `record` itself if `type` is another record, or in another number of lists.
  mlir::Value fitted(const Form *form, mlir::Value record, RecordType type, const llvm::Twine &what);

private:
  struct LoadedPart;
  struct TensorNames;
  bool tensorNames(const RecordInfo::Field &field, const Form *form, TensorNames &found);
  bool tensorOption(llvm::ArrayRef<const Form *> &options, int64_t rank, TensorNames &found);
  bool loadedParts(const RecordInfo &info, const Form *map, const std::string &path, unsigned lists, mlir::Type floats,
                   llvm::SmallVectorImpl<LoadedPart> &parts);
  const Form *dimensionsOf(const RecordInfo &info, unsigned part, unsigned &lists);
  bool checkField(const Form *form, const RecordInfo &info, const RecordInfo::Field &field, mlir::Type fieldType,
                  const Form *place, mlir::Value &value, std::optional<unsigned> &lists);
  bool replace(const Form *map, RecordType type, llvm::MutableArrayRef<mlir::Value> parts);
  bool replaceField(const Form *place, llvm::StringRef name, mlir::Type type, llvm::MutableArrayRef<mlir::Value> parts);
  mlir::Value stacked(const Form *form, const RecordInfo &info, const RecordInfo::Field &field, const Form *vector);
  bool checkSizes(const Form *form, const RecordInfo &info, llvm::ArrayRef<const Form *> places,
                  llvm::ArrayRef<mlir::Value> values, unsigned lists);
};
} // namespace lispier
#endif
