//===- Memory.h - raw and device memory -------------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_VALUES_MEMORY_H
#define LISPIER_LIB_IRGEN_VALUES_MEMORY_H

#include "ValueParts.h"

namespace lispier {
/// Generates ptr->memref, device memory, and copies to and from it.
class MemoryGenerator : public ValuePart {
public:
  using ValuePart::ValuePart;
  mlir::FailureOr<Values> emitPtrToMemref(const Form *form);
  /// The memref of a strided type with these sizes that begins at the pointer.
  mlir::Value memrefOf(const Form *form, mlir::MemRefType type, mlir::Value pointer, mlir::ValueRange sizes);
  mlir::FailureOr<Values> emitMemory(const Form *form, SpecialForm kind);

private:
  bool memrefSizes(mlir::MemRefType type, const Form *forms, llvm::SmallVectorImpl<mlir::Value> &sizes,
                   const Form *form);
};
} // namespace lispier
#endif
