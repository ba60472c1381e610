//===- InPlace.h - tensors that are written in place ------------*- C++ -*-===//
//
// (: cache (inout (tensor l c f32))) is a tensor in the caller's memory, which
// `update` writes. In the IR each write makes a new value of the tensor, and its
// last value is a further result of the function. A name stands for the value at
// that place of the program; what still needs an earlier value would need a copy
// of the tensor, and is an error.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_IRGEN_LANGUAGE_INPLACE_H
#define LISPIER_LIB_IRGEN_LANGUAGE_INPLACE_H

#include "Generator.h"
#include "Values/TensorSizes.h"
#include <memory>

namespace lispier {
/// The memory of a tensor that the function under construction writes.
struct Storage {
  std::string name;              ///< As messages call it.
  mlir::Value bound;             ///< What the name was bound to: a tensor, or a memref, which is the memory itself.
  mlir::Value current;           ///< The tensor's value now; of a memref the memref.
  unsigned version;              ///< Another number after each write.
  const Form *written = nullptr; ///< What wrote it last.
  mlir::Block *block = nullptr;  ///< Where it may be written: elsewhere nothing carries the new value on.
  bool isPart = false;           ///< Of a record: its value is enough to recognize it, whatever the record's name is.
  const Form *parameter;         ///< Its declaration, if it is an `inout` parameter: `update` of it is a store.

  bool isMemref() const { return llvm::isa<mlir::MemRefType>(bound.getType()); }
};

class InPlace : public LanguagePart {
public:
  using LanguagePart::LanguagePart;
  /// A tensor that can be written, or the part of one that (at tensor index ...) is.
  struct Place {
    Storage *storage = nullptr;
    Sizes starts; ///< Indices of the first dimensions.
  };

  /// The indices of the parameters that are `inout`.
  static llvm::SmallVector<unsigned> inoutParameters(llvm::ArrayRef<const Form *> parameters);

  /// Begins the body of a function, and sets the attributes of its `inout` arguments. `types` and `values`: the type
  /// and the arguments of each parameter.
  void enter(mlir::func::FuncOp function, llvm::ArrayRef<const Form *> parameters, llvm::ArrayRef<mlir::Type> types,
             llvm::ArrayRef<mlir::ValueRange> values);
  /// The current values of the `inout` arguments. At its end the function returns them as further results, of the types
  /// parameterTypes().
  Values finalValues() const;
  llvm::SmallVector<mlir::Type> parameterTypes() const;
  /// Returns false, with an error, if a result is the memory of a parameter.
  bool checkReturned(const Form *place, mlir::Value value);

  /// What a name stands for now that was bound to `bound`; null after an error.
  mlir::Value read(const Form *symbol, mlir::Value bound);
  /// The same of a part of a record.
  mlir::Value readPart(const Form *form, mlir::Value part);
  /// The place that `form` names, for `user` to write. nullopt after an error.
  std::optional<Place> place(const Form *form, llvm::StringRef user);
  /// Whether `form` names an `inout` parameter or a part of one.
  bool isParameter(const Form *form);
  /// Returns false, with an error, if `tensor` is the memory of a parameter: an `update` that makes a new tensor of it
  /// would copy it.
  bool checkCopied(const Form *form, mlir::Value tensor);
  /// The value at the place now.
  mlir::Value load(const Form *form, const Place &place);
  /// The value of the whole tensor in which the place is, and a write of a new one.
  mlir::Value whole(const Form *form, const Place &place);
  void writeWhole(const Form *form, const Place &place, mlir::Value value);
  mlir::FailureOr<Values> emitUpdate(const Form *form);
  /// Writes the place.
  void store(const Form *form, const Place &place, mlir::Value value);

  /// The `inout` arguments of a call; of a record one for each part.
  struct Argument {
    unsigned number; ///< Of the parameter.
    Place place;
    mlir::Value value;
  };
  /// The value of an argument that `callee` writes, which is added to `written`; null after an error.
  mlir::Value argument(const Form *form, llvm::StringRef callee, unsigned number,
                       llvm::SmallVectorImpl<Argument> &written);
  /// Returns false, with an error, if two arguments are the same memory and the callee writes one of them.
  bool checkApart(llvm::ArrayRef<Argument> written, mlir::ValueRange arguments, llvm::ArrayRef<const Form *> places);
  /// Takes the last results of a call, one for each argument that it writes, as the new values of these.
  void storeResults(const Form *form, llvm::ArrayRef<Argument> written, mlir::ValueRange results);

  /// Names of a region for parts of what is outside, such as the element of a list.
  using Aliases = llvm::ArrayRef<std::pair<llvm::StringRef, const Form *>>;
  /// What a path names, a name in (at name index ...) and (:field name): a tensor, a memref, or the parts of a record.
  struct Target {
    mlir::Type type; ///< Null: nothing that can be written.
    Values parts;
    std::string name;
    bool isPart = false;
  };
  Target resolve(const Form *path, Aliases aliases = {}) const;
  Storage *find(const Target &target, mlir::Value part) const;
  /// The memory of an element of `whole` in the body of a loop over its elements.
  Storage &addElement(const Form *name, bool isPart, mlir::Value element, const Storage &whole);

private:
  friend class CarriedTensors;
  Storage *find(const Form *path) const;
  Storage *open(const Target &target, mlir::Value part);
  Storage &add(llvm::StringRef name, mlir::Value bound, const Form *parameter, bool isElement = false);
  mlir::Value current(const Form *form, mlir::Value bound, llvm::StringRef name, llvm::SMRange place);
  void newVersion(Storage &storage, mlir::Value value, const Form *written);
  mlir::Value rootOf(mlir::Value value) const;
  mlir::Value readRecord(const Form *symbol, mlir::Value record);
  bool checkWritable(const Form *form, const Storage &storage, llvm::StringRef user);
  std::optional<Place> placeOf(const Form *form, const Target &target, mlir::Value part, llvm::StringRef user);
  llvm::ArrayRef<const Form *> parametersOf(llvm::StringRef callee);
  using Written = llvm::SmallVector<std::pair<Storage *, const Form *>>;
  bool findWritten(const Form *form, llvm::SmallVectorImpl<std::pair<llvm::StringRef, const Form *>> &aliases,
                   Written &written);

  struct Version {
    Storage *storage;
    unsigned number;
  };
  struct State {
    std::vector<std::unique_ptr<Storage>> storages;
    llvm::DenseMap<mlir::Value, Version> versions; ///< Of values that are all of a storage.
    mlir::func::FuncOp function;
  };
  State state;
  unsigned lastVersion = 0;
  /// Forms that write nothing. Each form is in those around it, which are searched, too.
  llvm::DenseSet<const Form *> writeNothing;

public:
  /// RAII: sets the tensors of a function aside while another one is generated.
  class Separate {
  public:
    explicit Separate(InPlace &inPlace) : inPlace(inPlace) { std::swap(state, inPlace.state); }
    Separate(const Separate &) = delete;
    ~Separate() { std::swap(state, inPlace.state); }

  private:
    InPlace &inPlace;
    State state;
  };
};

/// The tensors that a region writes, which an op with regions carries as further operands and results.
class CarriedTensors {
public:
  /// Finds what `body` writes. `repeats`: it is a loop's, and reads what its last iteration has written.
  CarriedTensors(InPlace &inPlace, llvm::ArrayRef<const Form *> body, bool repeats, InPlace::Aliases aliases = {});
  CarriedTensors(const CarriedTensors &) = delete;
  /// After an error they have the values from before the op, of which nothing is left.
  ~CarriedTensors();
  /// Their values before the region.
  llvm::ArrayRef<mlir::Value> before() const { return values; }
  size_t size() const { return values.size(); }
  /// Begins a region of the op, in which they have the values `inside`.
  void enter(mlir::Block *block, mlir::ValueRange inside);
  /// Their values at the end of the region.
  Values current() const;
  /// Ends the op, after which they have the values `after`.
  void leave(mlir::ValueRange after);

private:
  InPlace &inPlace;
  struct Carried {
    Storage *storage;
    const Form *writer;
    mlir::Block *block;
    unsigned version;
  };
  llvm::SmallVector<Carried> all; ///< Those of memrefs last: nothing carries them.
  Values values;
  bool repeats;
  bool isEntered = false;
};
} // namespace lispier
#endif
