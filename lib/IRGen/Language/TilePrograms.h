//===- TilePrograms.h - deftile and its launches ----------------*- C++ -*-===//
//
// A tile program is a kernel with the attribute `tile.program` (dialects/Tile). It
// is generated once for each set of constants that a launch names, after all
// functions, so that every launch is known.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_IRGEN_LANGUAGE_TILEPROGRAMS_H
#define LISPIER_LIB_IRGEN_LANGUAGE_TILEPROGRAMS_H

#include "Functions.h"
#include "Generator.h"
#include "Kernels.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <map>

namespace lispier {
class TilePrograms : public LanguagePart {
public:
  using LanguagePart::LanguagePart;
  /// Reads the signature and the options of a deftile.
  void collect(const Form *form);
  /// Reads (tuned program {...}); after all programs are collected, before launches are emitted.
  void readTuned(const Form *form);
  bool contains(llvm::StringRef name) const { return programs.contains(name); }
  llvm::SmallVector<std::string> names() const;
  /// (launch program {:grid [x y z] :const {:name value ...}} argument ...)
  mlir::FailureOr<Values> emitLaunch(const Form *form);
  /// Generates the programs that launches have asked for.
  void define();
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
  /// Values for what `:tune` lists and a launch leaves open, by name.
  using Setting = std::map<llvm::StringRef, int64_t>;
  /// What (tuned ...) says.
  struct Tuned {
    Setting values;
    llvm::SmallVector<std::string> targets; ///< Empty: all.
    std::optional<Numbers> sizes;           ///< Of the launch's memrefs; nothing: all.
  };
  /// A program for one set of constants.
  struct Instance {
    Constants constants;
    int64_t warps, stages;
    std::string symbol;
    const Form *launch;         ///< The first that asked for it; the deftile if there are no constants.
    const Form *grid = nullptr; ///< The sizes of the launch whose grid has the fewest dimensions; null for no launch.
  };
  struct Program {
    FunctionInfo info;
    const Form *parameters = nullptr;
    llvm::ArrayRef<const Form *> body;
    llvm::SmallVector<const Form *> constants; ///< Their names.
    int64_t warps = 4, stages = 1;
    std::optional<bool> ring;
    mlir::DictionaryAttr tune; ///< The values that a tuner may try, by constant; null without :tune.
    llvm::SmallVector<Tuned> tuned;
    llvm::SmallVector<Instance> instances;
    size_t defined = 0; ///< How many of them have been generated.
  };
  /// The value of one constant at a launch: the only one of `members`, or the one that `value` selects at run time.
  /// Without members the launch leaves it open.
  struct Choice {
    mlir::Value value;
    Constants members;
    const Form *form;
  };

  /// A launch under construction.
  struct Launch {
    Program &program;
    const Form *form;
    int64_t warps, stages;
    KernelGenerator::LaunchShape shape;
    llvm::SmallVector<mlir::Value> arguments;
    llvm::SmallVector<Choice> choices;
  };

  /// Two parameters of a program that are one memref at a launch.
  struct Alias {
    const Program *program;
    const Form *launch;
    std::string symbol; ///< Of the kernel.
    unsigned written, read;
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
  std::string symbolFor(Launch &launch, llvm::ArrayRef<Constant> constants);
  void emitVariants(Launch &launch, Constants &chosen);

  bool readTunedConstants(const Program &program, const Form *map, Setting &values);
  bool readTunedSizes(const Form *sizes, Numbers &out);
  static llvm::SmallVector<mlir::NamedAttribute> openConstants(const Program &program, const Form *given);
  static Setting defaultSetting(const Program &program, llvm::ArrayRef<mlir::NamedAttribute> open);
  llvm::SmallVector<Setting> settingsOf(const Launch &launch, llvm::ArrayRef<mlir::NamedAttribute> open,
                                        llvm::SmallVectorImpl<mlir::Attribute> &rules);
  static Setting combination(llvm::ArrayRef<mlir::NamedAttribute> open, uint64_t number, int64_t &count);
  bool emitSetting(Launch launch, const Form *map, const Setting &setting);
  Values operandSizes(const Launch &launch);
  bool emitTunedLaunch(Launch &launch, const Form *map, llvm::ArrayRef<mlir::NamedAttribute> open);

  bool defineInstances(Program &program);
  bool defineInstance(const Program &program, const Instance &instance);
  bool bindConstants(const Program &program, const Instance &instance, llvm::SmallVectorImpl<const Form *> &body);
  void inlineFunctions(mlir::gpu::GPUFuncOp kernel);
  void inlineCall(mlir::func::CallOp call, mlir::func::FuncOp callee);
  void checkBody(mlir::gpu::GPUFuncOp kernel);
  bool checkGrid(const Instance &instance);
  void dropInlined();
  // TileAliases.cpp
  void noteAliases(const Launch &launch, llvm::StringRef symbol);
  void checkAliases(const Alias &alias);

  llvm::MapVector<llvm::StringRef, Program> programs; ///< By name; references are stable once all are collected.
  llvm::SetVector<mlir::func::FuncOp> inlined;        ///< Functions whose bodies are part of tile programs.
  llvm::SmallVector<Alias> aliases;
  std::pair<const Program *, const Instance *> current; ///< What is being generated, else null.
};
} // namespace lispier
#endif
