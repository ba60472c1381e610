//===- ValueKind.h - what the forms are on values of a kind -----*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_VALUES_VALUEKIND_H
#define LISPIER_LIB_IRGEN_VALUES_VALUEKIND_H

#include "ValueParts.h"

namespace mlir::vector {
enum class CombiningKind : uint32_t;
}

namespace lispier {
struct KeywordOperands;

/// The forms that tiles (TileForms, which takes scalars too) and tensors (TensorForms) have in common. ValueForms reads
/// the operands, checks what does not depend on the kind, and calls these. Each reports its errors.
class ValueKind : public ValuePart {
public:
  using ValuePart::ValuePart;
  virtual ~ValueKind() = default;
  /// The forms of operands, for messages.
  using Places = llvm::ArrayRef<const Form *>;
  /// Computes one number from numbers, or a tile from tiles of one shape.
  using Body = llvm::function_ref<mlir::Value(mlir::ValueRange)>;
  /// How tensors of narrow floats are computed.
  enum class Width {
    AsIs,         ///< 16-bit floats stay: the body moves numbers.
    AtF32,        ///< 16-bit floats are computed in f32, and the result is rounded if it leaves the kernel.
    AtF32Rounded, ///< The same of rounded operands, as memory would hold: for bodies that are not continuous.
  };

  /// Applies `body` to the elements, broadcast to one shape; null after an error, or if `body` returns null.
  virtual mlir::Value elementwise(const Form *form, Places places, llvm::ArrayRef<mlir::Value> values, Width width,
                                  Body body) = 0;
  /// Combines the elements along `axes`, those of 16-bit floats in f32 where they are added. `isMean`: divided by their
  /// number. `place`: the form of `value`.
  virtual mlir::FailureOr<Values> reduce(const Form *form, const Form *place, mlir::vector::CombiningKind kind,
                                         bool isMean, mlir::Value value, llvm::ArrayRef<int64_t> axes, bool keep) = 0;
  /// Which elements each element of a scan is combined with: those before it along the axis, or those after it; itself
  /// too, or not.
  struct ScanOrder {
    bool isReverse, isExclusive;
  };
  /// The combination of each element with those before it along the axis: the sums so far, and their like.
  virtual mlir::FailureOr<Values> scan(const Form *form, mlir::vector::CombiningKind kind, mlir::Value value,
                                       int64_t axis, ScanOrder order) = 0;
  /// The first place of the maximum or minimum, by `kind`. Without an axis: of all elements, in row-major order.
  /// `keep`: the value of `:keep`, null for false.
  virtual mlir::FailureOr<Values> argExtreme(const Form *form, mlir::vector::CombiningKind kind, mlir::Value value,
                                             std::optional<int64_t> axis, const Form *keep) = 0;

  /// `zeros` and `full`.
  virtual mlir::FailureOr<Values> full(const Form *form, SpecialForm kind) = 0;
  virtual mlir::FailureOr<Values> iota(const Form *form) = 0;
  /// To the sizes that are the second operand, as for `broadcast`.
  virtual mlir::FailureOr<Values> reshape(const Form *form, mlir::Value value) = 0;
  virtual mlir::FailureOr<Values> broadcast(const Form *form, mlir::Value value) = 0;
  /// Dimension i of the result is dimension axes[i] of `value`.
  virtual mlir::FailureOr<Values> transpose(const Form *form, mlir::Value value, llvm::ArrayRef<int64_t> axes) = 0;

  /// Reads what the operands in `call` name of `memory`, the first operand: a memref, or a tensor that is copied.
  virtual mlir::FailureOr<Values> load(const Form *form, const KeywordOperands &call, mlir::Value memory) = 0;
  /// Stores the first operand in `call` to a memref.
  virtual mlir::FailureOr<Values> store(const Form *form, const KeywordOperands &call, mlir::Value memref) = 0;
  /// Reads the elements of a table, a tensor or a memref, that indices name.
  virtual mlir::FailureOr<Values> gather(const Form *form, mlir::Value table) = 0;
};
} // namespace lispier
#endif
