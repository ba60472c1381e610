//===- TensorForms.h - the forms on tensors ---------------------*- C++ -*-===//
//
// What `+`, `sum`, `reshape` and others become when an operand is a tensor: linalg
// on tensors, one op for each form. An elementwise form is one linalg.generic whose
// body is what the form is for numbers; operands that broadcast lack dimensions in
// their maps, and numbers are captured.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_IRGEN_VALUES_TENSORFORMS_H
#define LISPIER_LIB_IRGEN_VALUES_TENSORFORMS_H

#include "TensorSizes.h"
#include "ValueKind.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

namespace lispier {
class TensorForms : public ValueKind {
public:
  using ValueKind::ValueKind;
  // ValueKind. Of elementwise forms, floats are converted to the widest float type among them; a null value is a
  // literal, which takes that type.
  mlir::Value elementwise(const Form *form, Places places, llvm::ArrayRef<mlir::Value> values, Width width,
                          Body body) override;
  mlir::FailureOr<Values> reduce(const Form *form, const Form *place, mlir::vector::CombiningKind kind, bool isMean,
                                 mlir::Value value, llvm::ArrayRef<int64_t> axes, bool keep) override;
  mlir::FailureOr<Values> scan(const Form *form, mlir::vector::CombiningKind kind, mlir::Value value, int64_t axis,
                               ScanOrder order) override;
  mlir::FailureOr<Values> argExtreme(const Form *form, mlir::vector::CombiningKind kind, mlir::Value value,
                                     std::optional<int64_t> axis, const Form *keep) override;
  mlir::FailureOr<Values> full(const Form *form, SpecialForm kind) override;
  mlir::FailureOr<Values> iota(const Form *form) override;
  mlir::FailureOr<Values> reshape(const Form *form, mlir::Value value) override;
  mlir::FailureOr<Values> broadcast(const Form *form, mlir::Value value) override;
  mlir::FailureOr<Values> transpose(const Form *form, mlir::Value value, llvm::ArrayRef<int64_t> axes) override;
  mlir::FailureOr<Values> load(const Form *form, const KeywordOperands &call, mlir::Value memory) override;
  mlir::FailureOr<Values> store(const Form *form, const KeywordOperands &call, mlir::Value memref) override;
  mlir::FailureOr<Values> gather(const Form *form, mlir::Value table) override;

  /// Converts the elements of a tensor, floats as `widened` and `rounded` do.
  mlir::Value converted(const Form *form, mlir::Value tensor, mlir::Type element);
  /// (cast type tensor): floats are rounded to a narrower type also inside of a kernel.
  mlir::Value castElements(const Form *form, mlir::Value tensor, mlir::Type element);
  /// A wider number of a float, and the value of a form that was computed in wider numbers. Of less than 32 bits
  /// neither is done between two forms of one kernel: both have `contract`, by which MLIR folds the one of the other.
  mlir::Value widened(const Form *form, mlir::Value number, mlir::Type type);
  mlir::Value rounded(const Form *form, mlir::Value number, mlir::Type type);
  /// A tensor of these sizes, all elements `value`.
  mlir::Value filled(const Form *form, llvm::ArrayRef<Size> sizes, mlir::Value value);
  /// A tensor of these sizes whose elements are not defined.
  mlir::Value empty(const Form *form, llvm::ArrayRef<Size> sizes, mlir::Type element);

  // TensorShapes.cpp
  /// Dimension i of the result is dimension axes[i] of the tensor.
  mlir::Value transposed(const Form *form, mlir::Value tensor, llvm::ArrayRef<int64_t> axes);
  mlir::FailureOr<Values> emitConcat(const Form *form, SpecialForm kind);
  /// Tensors of one shape along a new axis, the first, as (stack a b ...); null after an error.
  mlir::Value stacked(const Form *form, Places places, mlir::ValueRange parts);
  mlir::FailureOr<Values> emitPad(const Form *form);

  // TensorSlices.cpp
  mlir::FailureOr<Values> emitSlice(const Form *form);
  mlir::FailureOr<Values> emitSplit(const Form *form);
  /// Reads the offsets of `update`, the third operand, at which `part` takes the place of elements of `tensor`. nullopt
  /// after an error: the part does not fit.
  std::optional<Sizes> partOffsets(const Form *form, mlir::Value tensor, mlir::Value part);
  mlir::FailureOr<Values> emitAt(const Form *form);
  /// Reads `items` as indices of the first dimensions, and checks that they are inside. nullopt after an error.
  std::optional<Sizes> indices(const Form *form, mlir::Value tensor, llvm::ArrayRef<const Form *> items);
  /// The part of a tensor at indices of its first dimensions, without these. At least one dimension is left.
  mlir::Value element(const Form *form, mlir::Value tensor, llvm::ArrayRef<Size> starts);
  /// `whole` with `part` at `offsets`; of the sizes of `part`, or of `sizes`, with leading dimensions of size 1 where
  /// `part` has fewer.
  mlir::Value insert(const Form *form, mlir::Value part, mlir::Value whole, llvm::ArrayRef<Size> offsets);
  mlir::Value insert(const Form *form, mlir::Value part, mlir::Value whole, llvm::ArrayRef<Size> offsets, Sizes sizes);
  mlir::FailureOr<Values> emitDim(const Form *form);
  mlir::Value summand(const Form *form, mlir::Value number, mlir::Type sums);
  std::optional<int64_t> sharedDimensions(const Form *form, const KeywordOperands &call, mlir::Value table,
                                          mlir::Value indices, int64_t axis);

  // TensorScatter.cpp
  mlir::FailureOr<Values> emitAddAt(const Form *form);

  // TensorOrder.cpp
  mlir::FailureOr<Values> emitFirstPlaces(const Form *form);

  // TensorWindows.cpp
  mlir::FailureOr<Values> emitWindows(const Form *form);
  /// Every `step`-th element of a dimension of the tensor from `from` on, `count` of them; backwards if it is negative.
  mlir::Value stepped(const Form *form, mlir::Value tensor, int64_t axis, Size from, Size count, int64_t step);

  // TensorMemory.cpp
  /// Casts a tensor or a memref to another tensor type, and generates comparisons of the sizes that only the run knows,
  /// in whose messages `what` names the value. Returns the value itself if it cannot be cast.
  mlir::Value fitted(const Form *form, mlir::Value value, mlir::RankedTensorType type, const llvm::Twine &what);

  // TensorRandom.cpp
  mlir::FailureOr<Values> emitRandom(const Form *form, SpecialForm kind);

  // TensorProducts.cpp
  mlir::FailureOr<Values> emitEinsum(const Form *form);
  mlir::FailureOr<Values> emitMatmul(const Form *form);

  // TensorFiles.cpp
  /// (println tensor): type, shape and elements, of large tensors some of them.
  mlir::FailureOr<Values> emitPrint(const Form *form, mlir::Value tensor, unsigned digits);
  mlir::FailureOr<Values> emitHost(const Form *form);
  mlir::FailureOr<Values> emitToMemref(const Form *form);
  mlir::FailureOr<Values> emitSaveNpy(const Form *form);
  mlir::FailureOr<Values> emitLoadNpy(const Form *form);
  /// A pointer to a path: a text in quotes, or a pointer to one; null after an error.
  mlir::Value path(const Form *form, const Form *place);
  /// The operand of a form that takes a tensor; null after an error.
  mlir::Value operand(const Form *form, const Form *place);

private:
  std::optional<Sizes> wholeOffsets(const Form *form, mlir::Value tensor, mlir::Value part);
  /// Computes `tensor` in the memory of `memref`.
  void materialize(const Form *form, mlir::Value tensor, mlir::Value memref);
  /// The tensors among the operands of an elementwise op, with their maps.
  struct Inputs {
    Values tensors;
    llvm::SmallVector<mlir::AffineMap> maps;
  };
  std::optional<Sizes> broadcastSizes(const Form *form, Places places, llvm::ArrayRef<mlir::Value> values);
  void cannotBroadcast(const Form *form, const Form *a, mlir::Value left, const Form *b, mlir::Value right);
  void checkBroadcast(const Form *form, const Form *a, mlir::Value left, Size leftSize, const Form *b,
                      mlir::Value right, Size rightSize);
  void addInput(const Form *place, mlir::Value tensor, llvm::ArrayRef<Size> shape, Inputs &inputs);
  mlir::Value withoutUnits(const Form *form, mlir::Value tensor, const llvm::SmallBitVector &dropped);
  mlir::Value withUnits(const Form *form, mlir::Value tensor, llvm::ArrayRef<int64_t> axes, int64_t rank);
  std::string runShape(const Form *form, mlir::Value tensor, llvm::SmallVectorImpl<Size> &numbers);

  /// Creates a linalg.generic. `body` takes the elements of the inputs, then of the inits, and returns those of the
  /// results. Returns no results if one of these is null.
  mlir::ValueRange generic(const Form *form, const Inputs &inputs, mlir::ValueRange inits,
                           llvm::ArrayRef<mlir::AffineMap> outputs, llvm::ArrayRef<mlir::utils::IteratorType> iterators,
                           llvm::function_ref<Values(mlir::ValueRange)> body);
  // TensorRandom.cpp
  std::optional<Sizes> sizesLike(const Form *form, const Form *place);
  bool addCounter(const Form *form, const Form *place, llvm::ArrayRef<Size> shape, Inputs &inputs, mlir::Value &value);
  mlir::Value randomNumber(const Form *form, SpecialForm kind, mlir::Type element, llvm::ArrayRef<mlir::Value> extents,
                           unsigned rank, mlir::Value seed, mlir::Value stream);

  // TensorShapes.cpp
  mlir::Value joinedAlong(const Form *form, Places places, mlir::ValueRange parts, int64_t axis, bool stacks);
  Size sum(const Form *form, Size a, Size b);
  mlir::Value reshaped(const Form *form, mlir::Value tensor, llvm::ArrayRef<Size> sizes);
  std::optional<int64_t> axisOf(const KeywordOperands &call, int64_t rank, int64_t otherwise);

  // TensorWindows.cpp
  struct WindowAxis {
    int64_t axis, tap; ///< Dimensions of the tensor, and of the result.
    Size taps;
    int64_t stride, dilation, spread;
    Size before, after;
  };
  std::optional<llvm::SmallVector<WindowAxis>> windowAxes(const Form *form, const KeywordOperands &call,
                                                          mlir::Value tensor);
  std::optional<int64_t> constantOf(const Form *place, llvm::StringRef what, int64_t least);
  std::optional<llvm::SmallVector<const Form *>> perAxis(const Form *form, const KeywordOperands &call,
                                                         llvm::StringRef key, size_t count);
  std::optional<Size> elementsAround(const Form *place);
  bool readSides(const Form *form, WindowAxis &window, const Form *pad, const Form *crop, const Form *extra);
  std::optional<Sizes> windowSizes(const Form *form, const Form *extents, const Form *axes, mlir::Value tensor);
  mlir::Value padded(const Form *form, mlir::Value tensor, llvm::ArrayRef<WindowAxis> axes, mlir::Value around);
  mlir::Value spreadOut(const Form *form, mlir::Value tensor, int64_t axis, int64_t step);
  std::optional<Size> windowCount(const Form *form, mlir::Value tensor, const WindowAxis &window);
  Size dividedUp(const Form *form, Size a, int64_t by);
  mlir::Value numberAround(const Form *form, const Form *place, mlir::Type element);

  // TensorSlices.cpp
  std::optional<Size> place(const Form *form, Size whole, llvm::StringRef what);
  std::optional<Sizes> offsetsAlong(const Form *form, const KeywordOperands &call, mlir::Value tensor,
                                    mlir::Value part);
  std::optional<int64_t> stepOf(const KeywordOperands &call);
  Size minus(const Form *form, Size a, Size b);
  mlir::FailureOr<Values> emitSliceOfSize(const Form *form, const KeywordOperands &call, mlir::Value tensor,
                                          int64_t axis, Size from);
  mlir::FailureOr<Values> emitSliceAlong(const Form *form, const KeywordOperands &call, mlir::Value tensor);
  /// Indices of `gather` and its like, which are integers; null after an error.
  mlir::Value indexOperand(const Form *form, const Form *place);
  bool checkConstantIndices(const Form *form, const Form *place, mlir::Value indices, mlir::Value table, int64_t axis);
  std::optional<Sizes> offsets(const Form *form, const Form *vector, llvm::ArrayRef<Size> sizes);
  bool checkRange(const Form *place, const Form *form, mlir::Value tensor, int64_t dimension, Size offset, Size size);
  mlir::Value extract(const Form *form, mlir::Value tensor, llvm::ArrayRef<Size> offsets, llvm::ArrayRef<Size> sizes,
                      unsigned dropped = 0);

  /// The operands of a product: each with a letter for each dimension.
  struct Factor {
    const Form *place;
    mlir::Value value;
    std::string letters;
  };
  mlir::Value product(const Form *form, llvm::SmallVectorImpl<Factor> &factors, llvm::StringRef result,
                      const KeywordOperands &call);
  std::string nameBatches(const Form *form, llvm::MutableArrayRef<Factor> factors, llvm::ArrayRef<Sizes> sizes);
  bool unifySizes(const Form *form, llvm::MutableArrayRef<Factor> factors);
  mlir::Value contract(const Form *form, Factor a, Factor b, llvm::StringRef result, mlir::Type sums,
                       mlir::Attribute precision);
  Factor summed(const Form *form, Factor factor, llvm::StringRef kept);
  std::optional<mlir::Attribute> precision(const KeywordOperands &call, llvm::ArrayRef<Factor> factors);

  mlir::Value combined(const Form *form, mlir::vector::CombiningKind kind, mlir::Value tensor,
                       llvm::ArrayRef<int64_t> axes, mlir::Type sums);
  mlir::Type elementType(const Form *form);
  // TensorScatter.cpp
  enum class AddAtKind { Add, Set, Max, Min };
  std::optional<AddAtKind> addAtKind(const KeywordOperands &call);
  bool checkRows(const Form *form, mlir::Value table, mlir::Value indices, mlir::Value rows);
  bool checkRowTypes(const Form *form, AddAtKind kind, mlir::Value table, mlir::Value rows);
  mlir::Value extremeAt(const Form *form, AddAtKind kind, mlir::Value indices, mlir::Value rows, mlir::Value table);
  mlir::Value asI32(const Form *form, mlir::Value indices, mlir::Value table);
  mlir::Value unranked(const Form *form, mlir::Value tensor);
  mlir::FailureOr<Values> callRuntime(const Form *form, const llvm::Twine &name, llvm::ArrayRef<mlir::Value> arguments);
  mlir::Value inverse(const Form *form, Size count, mlir::Type type);
  bool requireCountable(const Form *form, Size count);
};
} // namespace lispier
#endif
