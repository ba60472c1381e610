//===- Collectives.h - the mesh, and what ranks compute together -*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_VALUES_COLLECTIVES_H
#define LISPIER_LIB_IRGEN_VALUES_COLLECTIVES_H

#include "TensorSizes.h"
#include "ValueParts.h"
#include <string>

namespace lispier {
struct KeywordOperands;

/// Generates ops of the comm dialect.
class Collectives : public ValuePart {
public:
  using ValuePart::ValuePart;
  /// (defmesh [dp] [tp 2]), which becomes an attribute of the module.
  void define(const Form *form);
  /// Gives the finished module of a program with a mesh the digest that ranks compare.
  void sign();
  /// (rank axis ...), (ranks axis ...)
  mlir::FailureOr<Values> emitPlace(const Form *form, SpecialForm kind);
  /// (all-reduce x :over axis :by +) and its like.
  mlir::FailureOr<Values> emit(const Form *form, SpecialForm kind);

  /// The axes that `:over` names, an axis or several in brackets; null after an error.
  mlir::ArrayAttr axes(const Form *given);
  bool hasMesh() const { return mesh; }

private:
  /// What a collective has beside its operand.
  struct Request {
    const Form *form;
    SpecialForm kind;
    mlir::ArrayAttr axes;
    const Form *axis = nullptr; ///< The value of :axis, which each tensor has an axis for.
    mlir::Attribute by;         ///< Null if it does not combine.
    mlir::Value rank;           ///< Of from-rank.
    bool pads = false;          ///< :pad true: the last parts end with zeros where the size does not divide.
    Size whole = {};            ///< :size, of what all-gather joins; null if it is all of the parts.
  };

  bool isOnHost(const Form *form);
  mlir::StringAttr axisNamed(const Form *name);
  mlir::ArrayAttr over(const Form *form, const KeywordOperands &call);
  bool combination(const KeywordOperands &call, Request &request);
  bool checkElement(const Request &request, const Form *place, mlir::Type element);
  mlir::Value ofValue(const Request &request, const Form *place, mlir::Value value);
  mlir::Value partOf(const Request &request, mlir::Value whole, mlir::Value ranks);
  mlir::Value ofTensor(const Request &request, const Form *place, mlir::Value tensor);
  void create(const Request &request, mlir::Value in, mlir::Value out, int64_t dimension, mlir::Value *result);
  std::string axesText() const;

  const Form *mesh = nullptr;
  llvm::SmallVector<std::string> names;
};
} // namespace lispier
#endif
