//===- Session.h - text in, runnable out -----------------------*- C++ -*-===//
//
// What the programs of tools/ share: one SourceMgr, one message sink, one MLIR
// context. Each stage is a method that takes what the stage before it made; all
// report to diags() and return something empty after an error.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_SESSION_SESSION_H
#define LISPIER_SESSION_SESSION_H

#include "lispier/Expand/Expand.h"
#include "lispier/IRGen/IRGen.h"
#include "lispier/Pipeline/Pipeline.h"
#include "lispier/Session/ProgramCache.h"
#include "lispier/Target/Cpu/CpuTarget.h"
#include "lispier/Target/Host/Gpu.h"
#include <memory>
#include <optional>

namespace mlir {
class DialectRegistry;
class OpPassManager;
class PassManager;
} // namespace mlir

namespace lispier {
/// Every upstream dialect, extension and translation, and ours.
void registerDialects(mlir::DialectRegistry &registry);

/// The most bytes that a source may have; what has no end, such as /dev/zero, is not read further.
constexpr uint64_t kMaxSourceBytes = 256 << 20;

/// Reads a source once and whole: a file, a pipe, or standard input for "-". The error says why that cannot be done.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readSource(llvm::StringRef path);

/// The one of several targets that this machine can run, as an executable for all of them would choose it.
llvm::Expected<ProgramTarget> chooseTarget(llvm::ArrayRef<ProgramTarget> targets);

/// A program at stage Target, and what it was lowered for.
struct Lowered {
  ProgramTarget target;
  Generated program;
};

/// Kernels as a driver loads them.
struct KernelFile {
  std::string bytes;
  /// JSON: the target, and for each kernel its name, its parameters in order, its block and its shared memory in bytes.
  std::string description;
};

struct SessionOptions {
  CpuOptions cpu;
  /// Follow the source's compilation form to the letter instead of our own pipeline.
  bool followRecipe = false;
  /// Use the kernel implementations of lib/Kernels; without, the ops are written out as loops, the reference.
  bool templates = true;
  /// After each pass, not only before the first and after the last.
  bool verifyEach = false;
  /// False: `module` hands out what was generated, right or wrong.
  bool verify = true;
  /// Passes after which the module is printed to `log`; "all" for every one.
  std::vector<std::string> printIrAfter;
  /// Ops, such as "nn.linear", of which to remark on each: which kernel it gets, and what is against the others.
  std::vector<std::string> whyKernels;
  bool printPipeline = false; ///< To `log`, before it runs.
  /// A file for the module as it is before the passes, with the passes: what `lispier-opt FILE` runs again.
  std::string reproducer;
  bool time = false;    ///< To `log`, when the session ends.
  bool verbose = false; ///< To `log`: each stage as it begins, and on what.
  llvm::raw_ostream *log = nullptr;
};

class Session {
public:
  explicit Session(SessionOptions options = {});
  ~Session();

  llvm::SourceMgr &sources();
  DiagSink &diags();
  mlir::MLIRContext &context();

  /// `readSource` of a path. Nothing: the reason is in diags().
  std::optional<unsigned> addFile(llvm::StringRef path);
  /// The same of what `readSource(path)` returned.
  std::optional<unsigned> addSource(llvm::StringRef path, llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> source);
  /// Text that came from no file, under the name that messages shall call it.
  unsigned addText(llvm::StringRef name, llvm::StringRef text);

  /// Text to forms.
  std::vector<const Form *> forms(unsigned buffer);
  /// Text to core forms: files loaded, macros expanded. Without `followRequires`, of this file alone.
  Program core(unsigned buffer, bool followRequires = true);
  /// The same, of definitions and an expression, which becomes `main`.
  Program expression(unsigned buffer);
  /// Core forms to a verified module.
  Generated module(const Program &program);
  /// The same from the text of a stage's module.
  Generated parseModule(unsigned buffer);
  /// A module of any stage as core forms, which read back as the same module.
  std::vector<const Form *> lisp(mlir::ModuleOp module);

  /// Adds the kernel implementations of the library that the program's nn ops may come to use.
  bool addKernels(Generated &program, const PipelineOptions &pipeline);

  /// Lets a `main` without a result return the value of its last op (eval).
  void returnLastValue(mlir::ModuleOp module);
  /// What `main` takes and returns; an error when there is none that can be run.
  std::optional<MainSignature> findMain(mlir::ModuleOp module);
  /// Makes everything but `main` private, so that the pipeline works on what is used only.
  void keepOnlyMain(mlir::ModuleOp module);

  /// Runs the phases from one stage to another on the module.
  bool lower(Generated &program, const PipelineOptions &options);

  /// Whether the passes and options that the program's compilation forms name exist.
  bool checkRecipes(const Generated &program);

  /// LLVM IR, assembly or an object file of a module of stage Target.
  bool emit(mlir::ModuleOp module, Stage stage, llvm::raw_pwrite_stream &os);
  /// The kernels of a module that was lowered with a format. Nothing: there are none, or several parts.
  std::optional<KernelFile> kernels(mlir::ModuleOp module);
  /// Links a program with the runtime's archives; `output` appears only when all went well. Of a program for several
  /// targets the executable runs the one that suits the machine (Runtime/Device/ChooseTarget.h).
  bool build(llvm::ArrayRef<Lowered> targets, llvm::StringRef output, llvm::ArrayRef<std::string> archives);
  /// A module of stage Target as all that it takes to run it in a process like this.
  std::optional<CompiledProgram> compile(Generated &program, const MainSignature &main);
  /// Calls its `main` in this process. `source` is what was compiled; `objects` may be null.
  std::optional<MainResult> run(const CompiledProgram &program, const Generated &source,
                                llvm::ArrayRef<std::string> arguments, ObjectStore *objects = nullptr);
  /// Puts a program into a cache, if another compilation of the file in `buffer` would have the same result.
  void keep(ProgramCache &cache, unsigned buffer, const CompiledProgram &program);

private:
  bool emitProgram(llvm::ArrayRef<Lowered> targets, llvm::raw_pwrite_stream &os);
  bool addFeatures(std::vector<std::string> &features);
  bool addPasses(mlir::OpPassManager &passes, const Generated &program, const PipelineOptions &pipeline);
  bool writeReproducer(mlir::PassManager &passes, mlir::ModuleOp module);
  struct State;
  std::unique_ptr<State> state;
};
} // namespace lispier
#endif
