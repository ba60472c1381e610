//===- TilePrograms.h - deftile and its launches ----------------*- C++ -*-===//
//
// A tile program is a kernel with the attribute `tile.program` (dialects/Tile). It
// is generated once for each set of constants that a launch names, after all
// functions, so that every launch is known.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_IRGEN_TILEPROGRAMS_H
#define LISPIER_LIB_IRGEN_TILEPROGRAMS_H

#include "Functions.h"
#include "Part.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace lispier {
class TilePrograms : public Part {
public:
  using Part::Part;
  /// Reads the signature and the options of a deftile.
  void collect(const Form *form);
  bool contains(llvm::StringRef name) const { return programs.contains(name); }
  llvm::SmallVector<std::string> names() const;
  /// (launch program {:grid [x y z] :const {:name value ...}} argument ...)
  mlir::FailureOr<Values> emitLaunch(const Form *form);
  /// Generates the programs that launches have asked for.
  void define();
  /// Whether the body of a tile program is being generated.
  bool isInside() const { return inside; }
  /// Adds to an error in a tile program the launch that asked for its constants.
  void noteLaunch(Diag &diag);
  mlir::FailureOr<Values> emitProgramId(const Form *form, SpecialForm kind);
  mlir::FailureOr<Values> emitNextPowerOf2(const Form *form);

private:
  using Numbers = llvm::SmallVector<int64_t>;
  /// The value of a constant: a number, which the program knows by an index value, or the name of a function or a type,
  /// which is put in its place.
  struct Constant {
    int64_t number = 0;
    const Form *name = nullptr; ///< Null for a number.
    std::string text() const { return name ? name->text().str() : std::to_string(number); }
    bool operator==(const Constant &other) const { return text() == other.text(); }
  };
  using Constants = llvm::SmallVector<Constant>;
  /// A program for one set of constants.
  struct Instance {
    Constants constants;
    std::string symbol;
    const Form *launch; ///< The first that asked for it; the deftile if there are no constants.
  };
  struct Program {
    FunctionInfo info;
    const Form *parameters = nullptr;
    llvm::ArrayRef<const Form *> body;
    llvm::SmallVector<const Form *> constants; ///< Their names.
    int64_t warps = 4, stages = 1;
    mlir::DictionaryAttr tune; ///< The values that a tuner may try, by constant; null without :tune.
    llvm::SmallVector<Instance> instances;
    size_t defined = 0; ///< How many of them have been generated.
  };
  /// The value of one constant at a launch: the only one of `members`, or the one that `value` selects at run time.
  struct Choice {
    mlir::Value value;
    Constants members;
    const Form *form;
  };

  bool readOptions(Program &program, const Form *options);
  bool readConstants(Program &program, const Form *names);
  bool readTune(Program &program, const Form *map);
  std::optional<int64_t> countOption(const Form *form, llvm::StringRef key);

  Program *find(llvm::StringRef name);
  bool checkKeys(const Program &program, const Form *map);
  bool choices(const Program &program, const Form *launch, const Form *map, llvm::SmallVectorImpl<Choice> &out);
  std::optional<Choice> namedChoice(const Program &program, const Form *name, const Form *value);
  std::optional<Choice> choice(const Program &program, const Form *name, const Form *value);
  bool readMembers(const Form *vector, Numbers &out);
  void assertMember(const Program &program, const Form *name, const Choice &choice);
  std::string symbolFor(Program &program, llvm::ArrayRef<Constant> constants, const Form *launch);
  struct Launch;
  void emitVariants(Launch &launch, Constants &chosen);

  bool defineInstances(Program &program);
  bool defineInstance(const Program &program, const Instance &instance);
  bool bindConstants(const Program &program, const Instance &instance, llvm::SmallVectorImpl<const Form *> &body);
  void inlineFunctions(mlir::gpu::GPUFuncOp kernel);
  void inlineCall(mlir::func::CallOp call, mlir::func::FuncOp callee);
  void checkBody(mlir::gpu::GPUFuncOp kernel);
  void dropInlined();

  llvm::MapVector<llvm::StringRef, Program> programs; ///< By name; references are stable once all are collected.
  llvm::SetVector<mlir::func::FuncOp> inlined;        ///< Functions whose bodies are part of tile programs.
  bool inside = false;
  std::pair<const Program *, const Instance *> current; ///< What is being generated, else null.
};
} // namespace lispier
#endif
