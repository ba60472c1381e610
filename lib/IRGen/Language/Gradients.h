//===- Gradients.h - value-and-grad, grad, vjp, stop-gradient ---*- C++ -*-===//
//
// A call whose gradient is asked for is generated as any other, and then becomes
// one grad.call, whose further results are the gradients.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_IRGEN_LANGUAGE_GRADIENTS_H
#define LISPIER_LIB_IRGEN_LANGUAGE_GRADIENTS_H

#include "Generator.h"
#include "InPlace.h"

namespace lispier {
class Gradients : public LanguagePart {
public:
  using LanguagePart::LanguagePart;
  /// (value-and-grad f argument ...), (grad ...), (vjp ...)
  mlir::FailureOr<Values> emit(const Form *form, SpecialForm kind);
  /// (stop-gradient x)
  mlir::FailureOr<Values> emitStop(const Form *form);
  /// (recompute x)
  mlir::FailureOr<Values> emitRecompute(const Form *form);
  /// The number of iterations of which a gradient keeps one; null, after an error, for what is none.
  mlir::IntegerAttr every(const Form *number);

private:
  /// The operands of a form, by what they are for.
  struct Request {
    const Form *form;
    const Form *function = nullptr;
    llvm::SmallVector<const Form *> arguments; ///< And the keywords of the function.
    const Form *wrt = nullptr, *into = nullptr, *seed = nullptr, *recompute = nullptr;
    llvm::StringRef name() const { return function->text().ltrim('@'); }
  };
  /// The call of the function, with what was generated of its results.
  struct Called {
    mlir::func::CallOp call;
    llvm::SmallVector<mlir::Type> arguments; ///< Which may be records.
    Values results;
    llvm::SmallVector<mlir::Operation *> after; ///< Ops that stand behind the call.
  };
  /// What a gradient is taken by: an argument, or a field of one.
  struct Target {
    const Form *place;  ///< What names it.
    mlir::Type type;    ///< Of a tensor, a number or a record.
    unsigned first = 0; ///< Its first value among those of all arguments.
    llvm::SmallVector<mlir::Type> parts;
  };
  /// The places to which gradients are added, and their values now.
  struct Into {
    Values values;
    llvm::SmallVector<InPlace::Argument> written;
  };
  bool read(const Form *form, SpecialForm kind, Request &request);
  bool checkFunction(const Request &request, const Form *definition);
  std::optional<Called> emitCall(const Request &request);
  bool targets(const Request &request, const Called &called, llvm::SmallVectorImpl<Target> &found);
  bool target(const Request &request, const Form *place, llvm::ArrayRef<const Form *> path, const Called &called,
              llvm::SmallVectorImpl<Target> &found);
  bool field(const Form *name, Target &target);
  bool checkValue(const Request &request, mlir::Type type);
  bool seed(const Request &request, mlir::Type type, Values &values);
  bool into(const Request &request, llvm::ArrayRef<Target> targets, mlir::ValueRange arguments, Into &into);
  bool intoPart(const Form *place, mlir::Value argument, const InPlace::Argument &part, Into &into);
  Values gradientsOf(const Form *form, llvm::ArrayRef<Target> targets, mlir::ValueRange arguments,
                     mlir::ValueRange gradients);
  mlir::Value zeroLike(const Form *form, mlir::Value part);
};
} // namespace lispier
#endif
