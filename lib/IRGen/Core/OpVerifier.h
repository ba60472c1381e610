//===- OpVerifier.h - what is wrong with an op, and where -------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_OPVERIFIER_H
#define LISPIER_LIB_IRGEN_CORE_OPVERIFIER_H

#include "Part.h"

namespace lispier {
/// The first part of an op that its ODS definition, or an interface of it, does not allow.
struct Violation {
  enum Kind { MissingAttribute, Attribute, Operand, Result, Successor, Region, Types }; ///< In the order of verifiers.
  Kind kind;
  /// The i of op->getOperand(i) or getResult(i); ~0u if an operand or result that ODS declares optional has several
  /// values.
  unsigned index = 0;
  llvm::StringRef attribute; ///< Its name.
  llvm::StringRef expected;  ///< The kind of the attribute, in MLIR's words.
};

/// Verifies ops as soon as they are generated, so that no later op uses an invalid one, and reports failures. The code
/// and the place of an error come from the ODS tables and from interfaces; MLIR's text is passed on and never read.
class OpVerifier : public Part {
public:
  using Part::Part;
  /// Runs the op's verifier; reports a failure at the operand, attribute or result type that it concerns (`places`: the
  /// operands' forms), else at `form`. False after an error.
  bool verifyNow(mlir::Operation *op, const Form *form, llvm::ArrayRef<const Form *> places = {});
  bool hasDimension(mlir::Operation *op, const Form *form, llvm::ArrayRef<const Form *> places);
  /// Reports `why`, which MLIR said of the op; `op` is null if it could not be made.
  void reportInvalid(llvm::StringRef name, const Form *form, const Captured &why, mlir::Operation *op = nullptr,
                     llvm::ArrayRef<const Form *> places = {});
  /// Reports an op whose attributes or operands are not as the code that generates its regions expects them: that is
  /// `inputsFit`, and for functions and gpu.launch more. False after an error.
  bool readyForRegions(mlir::Operation *op, const OpDraft &draft);
  /// Searches in the order in which MLIR's verifiers do; nullopt if only C++ code of the op can tell.
  std::optional<Violation> findViolation(mlir::Operation *op);
  /// Whether attributes and operands are as ODS declares them; reports nothing.
  bool inputsFit(mlir::Operation *op);

private:
  std::optional<Violation> findInAttributes(mlir::Operation *op);
  llvm::StringRef codeOf(const std::optional<Violation> &violation, mlir::Operation *op, bool operandsWritten);
};
} // namespace lispier
#endif
