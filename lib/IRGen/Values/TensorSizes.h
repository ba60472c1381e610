//===- TensorSizes.h - sizes of tensors, and which are equal ----*- C++ -*-===//
//
// A size is an attribute where it is known while compiling, else an index value.
// Sizes are equal if they are one value, the same dimension of one tensor, or if
// the program has compared them before. Comparisons that only the run can make
// are calls of the runtime that end the program with both shapes and places.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_IRGEN_VALUES_TENSORSIZES_H
#define LISPIER_LIB_IRGEN_VALUES_TENSORSIZES_H

#include "ValueParts.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace lispier {
using Size = mlir::OpFoldResult;
using Sizes = llvm::SmallVector<Size, 4>;

class TensorSizes : public ValuePart {
public:
  using ValuePart::ValuePart;
  /// The size of one dimension. May create an op at the insertion point; with a null form it is null instead.
  Size size(const Form *form, mlir::Value tensor, int64_t dimension);
  Sizes sizes(const Form *form, mlir::Value tensor);
  /// The sizes in `vector`, such as [t 768 (* 2 n)], an operand of `form`. nullopt after an error.
  std::optional<Sizes> read(const Form *form, const Form *vector);
  /// Generates an expression as an index: a number, an index value, an integer, or a tensor of one integer. `what` it
  /// is, for the message.
  mlir::Value index(const Form *form, llvm::StringRef what);
  /// The size as a value of type index.
  mlir::Value value(const Form *form, Size size);
  Size product(const Form *form, llvm::ArrayRef<Size> sizes);
  static std::optional<int64_t> known(Size size) { return mlir::getConstantIntValue(size); }
  /// Whether a tensor of these sizes is known to have no elements.
  static bool hasZero(llvm::ArrayRef<Size> sizes) {
    return llvm::any_of(sizes, [](Size size) { return known(size) == 0; });
  }
  bool areEqual(Size a, Size b) const;
  /// Compares the sizes when the program runs unless they are known to be equal; `message` is what is wrong otherwise,
  /// with %ld for each of `numbers`. The sizes are not both known and different.
  void check(const Form *form, Size a, Size b, llvm::StringRef code, const llvm::Twine &message,
             llvm::ArrayRef<Size> numbers);
  /// Compares all sizes of two tensors of one rank: `what` was given, and has those of `whose`. False after an error.
  bool checkEqual(const Form *form, mlir::Value given, const llvm::Twine &what, mlir::Value wanted,
                  const llvm::Twine &whose);
  /// Ends the program unless `holds`.
  void require(const Form *form, mlir::Value holds, llvm::StringRef code, const llvm::Twine &message,
               llvm::ArrayRef<Size> numbers);
  /// Ends the program unless a tensor of these sizes, none of them negative, has at most as many bytes as an address
  /// reaches. Sizes that are known and too large are an error.
  void checkBytes(const Form *form, llvm::ArrayRef<Size> sizes, mlir::Type element);
  /// The tensor with a type that has the sizes that are known.
  mlir::Value refined(const Form *form, mlir::Value tensor, llvm::ArrayRef<Size> sizes);
  /// `f32 [t 768]`, with the names that the function gives to sizes.
  std::string text(mlir::Value tensor);
  /// `file:3:5`
  std::string site(const Form *form);

  /// Names a size of the function under construction.
  void name(llvm::StringRef name, Size size);
  /// The size of that name; nullopt if none has it.
  std::optional<Size> named(llvm::StringRef name) const;
  void setSizes(mlir::BlockArgument argument, Sizes sizes);
  /// Forgets what it knows of the function before.
  void beginFunction();

  /// Where a size of a function's result comes from, if that is known: the number of an argument, and of its dimension.
  using Source = std::optional<std::pair<unsigned, unsigned>>;
  /// By the function's symbol, by result, by dimension.
  llvm::StringMap<llvm::SmallVector<llvm::SmallVector<Source>>> ofResults;

private:
  void requireSize(const Form *form, mlir::Value size);
  bool isSmall(llvm::ArrayRef<mlir::Value> unknown, int64_t bytes) const;
  bool isAround(mlir::Block *block) const;
  Size reified(const Form *form, mlir::Value tensor, int64_t dimension);
  Size sizeOfResult(const Form *form, mlir::OpResult result, int64_t dimension);

  llvm::DenseMap<mlir::Value, Sizes> ofArguments;
  llvm::SmallVector<std::pair<std::string, Size>> names;
  /// What sizes that are one have in common: a number, a dimension of a tensor, or a value.
  using Key = std::pair<const void *, int64_t>;
  struct Fact {
    Key other;          ///< The size that this one has been compared with.
    mlir::Block *block; ///< The comparison stands here, and holds in what is nested.
  };
  using Facts = llvm::DenseMap<Key, llvm::SmallVector<Fact>>;
  static Key keyOf(Size size);

  Facts facts; ///< Of both sizes of each comparison.
  /// Sizes whose product times `bytes` does not overflow: of arguments, and of what was checked.
  struct Small {
    llvm::SmallVector<mlir::Value> unknown;
    int64_t bytes;
    mlir::Block *block;
  };
  llvm::SmallVector<Small> small;
  llvm::StringSet<> tooLarge; ///< Messages that were reported.

public:
  /// RAII: sets the facts and names of a function aside while another one is generated.
  class Separate {
  public:
    explicit Separate(TensorSizes &sizes) : sizes(sizes) { swap(); }
    Separate(const Separate &) = delete;
    ~Separate() { swap(); }

  private:
    void swap() {
      std::swap(names, sizes.names);
      std::swap(facts, sizes.facts);
      std::swap(small, sizes.small);
    }
    TensorSizes &sizes;
    llvm::SmallVector<std::pair<std::string, Size>> names;
    Facts facts;
    llvm::SmallVector<Small> small;
  };
};
} // namespace lispier
#endif
