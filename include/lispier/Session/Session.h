//===- Session.h - the compiler's stages as methods ------------*- C++ -*-===//
//
// Used by the programs in tools/. A session owns a SourceMgr, a diagnostic sink and
// an MLIR context. Each stage is a method that takes the result of the previous
// one; all report errors to diags(). After an error, those that return forms return
// what there is (ask diags().hasErrors()), the others an empty result or false.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_SESSION_SESSION_H
#define LISPIER_SESSION_SESSION_H

#include "lispier/Expand/Expand.h"
#include "lispier/IRGen/IRGen.h"
#include "lispier/Interface/Interface.h"
#include "lispier/Pipeline/Pipeline.h"
#include "lispier/Session/ProgramCache.h"
#include "lispier/Target/Cpu/CodeParts.h"
#include "lispier/Target/Host/Gpu.h"
#include <memory>
#include <optional>

namespace mlir {
class DialectRegistry;
class OpPassManager;
class PassManager;
} // namespace mlir

namespace lispier {
struct RuntimeFiles;

/// Registers all dialects, extensions and translations, upstream's and Lispier's.
void registerDialects(mlir::DialectRegistry &registry);

/// Maximum size of a source; bounds the reading of endless files such as /dev/zero.
constexpr uint64_t kMaxSourceBytes = 256 << 20;

/// Reads a whole file or pipe, or standard input for "-", or returns the reason for failure.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readSource(llvm::StringRef path);

/// Chooses the target that an executable for all of them would run on this machine.
llvm::Expected<ProgramTarget> chooseTarget(llvm::ArrayRef<ProgramTarget> targets);

/// A tile program that leaves constants open, as `lispier tune` sees it.
struct TunedProgram {
  std::string name;
  uint64_t combinations = 0;      ///< Number of combinations of the values that `:tune` lists for open constants.
  std::vector<std::string> types; ///< The element types of its memrefs.
};
/// The programs of a module that was generated with GenerateOptions::tuneCandidate.
std::vector<TunedProgram> tunedPrograms(mlir::ModuleOp module);

/// A program at stage Target, with its target.
struct Lowered {
  ProgramTarget target;
  Generated program;
};

/// Kernels in a format that a driver loads.
struct KernelFile {
  std::string bytes;
  /// JSON: the target, and for each kernel its name, parameters in order, block size and shared memory in bytes.
  std::string description;
};

struct SessionOptions {
  CpuOptions cpu;
  /// The path of a program that is LLVM's linker when it is called as `ld.lld`.
  std::string linker;
  /// The arguments that the program is compiled for, which its macros may read; none: for any.
  std::vector<std::string> arguments;
  /// What a library exports, in place of what the program's `export` forms say: "f", "(f type ...)".
  std::vector<std::string> exports;
  GenerateOptions generate;
  /// Run the passes of the source's compilation form, then those of Lispier's pipeline that follow them
  /// (lib/Pipeline/README.md); otherwise Lispier's pipeline alone. No effect without a compilation form.
  bool followRecipe = false;
  /// Lower nn ops to the kernel implementations of lib/Kernels; otherwise to reference loops.
  bool templates = true;
  /// Verify after each pass, not only before the first and after the last.
  bool verifyEach = false;
  /// If false, neither `module` nor `lower` verifies its result.
  bool verify = true;
  /// Passes after which the module is printed to `log`; "all" means every pass.
  std::vector<std::string> printIrAfter;
  /// Op names, such as "nn.linear": for each such op, print which kernel is selected and why the others are not.
  std::vector<std::string> whyKernels;
  /// The kernel of tensor ops for which a timing program is made, and its sizes that only the run knows, each as
  /// "arg0[1]=512"; or those of all kernels that are explained.
  std::string isolatedGroup;
  std::vector<std::string> isolatedSizes;
  std::string precision;          ///< Of products of F32 that say none, such as "tf32"; empty: exact.
  bool fuse = true;               ///< Whether a kernel may be several tensor ops.
  bool explainGroups = false;     ///< Print to `log` the kernels that tensor ops become.
  bool interruptible = true;      ///< Whether a library's functions can be interrupted by their host.
  bool timeGroups = false;        ///< With that, let the program trace runs of these kernels.
  DeviceSpeed deviceSpeed;        ///< For the times that it predicts of them; unknown: the target's.
  bool explainMemory = false;     ///< Print to `log` where intermediate tensors lie.
  bool explainPlacements = false; ///< Print to `log` what tensors are on the ranks of a program.
  bool explainGradients = false;  ///< Print to `log` what gradients keep of the forward pass.
  bool printPipeline = false;     ///< Print the pass pipeline to `log` before it runs.
  /// File for the module before lowering and its pass pipeline, which `lispier-opt FILE` reruns.
  std::string reproducer;
  bool time = false;                ///< Print the times of stages and passes to `log` when the session ends.
  bool verbose = false;             ///< Print each stage to `log` as it begins.
  llvm::raw_ostream *log = nullptr; ///< Null: nothing is printed.
};

class Session {
public:
  explicit Session(SessionOptions options = {});
  ~Session();

  llvm::SourceMgr &sources();
  DiagSink &diags();
  mlir::MLIRContext &context();

  /// Reads a source with `readSource` and returns its buffer id; nothing, after an error in diags(), if that fails.
  std::optional<unsigned> addFile(llvm::StringRef path);
  /// As addFile, with the result of `readSource(path)`.
  std::optional<unsigned> addSource(llvm::StringRef path, llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> source);
  /// Adds text that is not from a file; messages refer to it by `name`.
  unsigned addText(llvm::StringRef name, llvm::StringRef text);

  /// Reads text to forms.
  std::vector<const Form *> forms(unsigned buffer);
  /// Reads text to core forms: loads required files, if `followRequires`, and expands macros.
  Program core(unsigned buffer, bool followRequires = true);
  /// As core, for definitions followed by an expression, which becomes the body of `main`.
  Program expression(unsigned buffer);
  /// Generates a module from core forms and verifies it.
  Generated module(const Program &program);
  /// Parses a module from MLIR text of any stage.
  Generated parseModule(unsigned buffer);
  /// Converts a module of any stage to core forms that generate the same module.
  std::vector<const Form *> lisp(mlir::ModuleOp module);

  /// The functions that a library of this module exports, with C names that begin with `prefix`; nothing, after an
  /// error, if there are none or two have one C name. After `lower` it also says where their results are.
  std::optional<Interface> findEntries(mlir::ModuleOp module, llvm::StringRef prefix);
  /// Returns the signature of `main`; nothing, after an error, if there is no `main` that can be called.
  std::optional<MainSignature> findMain(mlir::ModuleOp module);
  /// Makes all functions except these private, and erases those that they never call.
  void keepOnlyFunctions(mlir::ModuleOp module, llvm::ArrayRef<std::string> functions);

  /// Runs the pass pipeline from one stage to another on the module. Of the fields that both have, the session's
  /// options count, not those of `options`.
  bool lower(Generated &program, const PipelineOptions &options);

  /// For PipelineOptions::binaries, of programs that `build` or `compile` takes next.
  KernelBinaries &binaries();

  /// Checks that the passes and options in the program's compilation forms exist.
  bool checkRecipes(const Generated &program);

  /// Optimises a module of stage Target, and writes it as LLVM IR, assembly or an object file.
  bool emit(mlir::ModuleOp module, Stage stage, llvm::raw_pwrite_stream &os);
  /// Returns the kernels of a module that was lowered for a GPU format; nothing, after an error, unless there is
  /// exactly one gpu.module.
  std::optional<KernelFile> kernels(mlir::ModuleOp module);
  /// Links a program. `output` is created only on success. An executable for several targets chooses one at startup
  /// (Runtime/Device/ChooseTarget.h).
  bool build(llvm::ArrayRef<Lowered> targets, llvm::StringRef output, const RuntimeFiles &runtime);
  /// Links a shared library of a program with the entries of findEntries, those of each target. Each call chooses one
  /// by the device that its tensors lie on.
  bool buildLibrary(llvm::ArrayRef<Lowered> targets, llvm::ArrayRef<Interface> libraries, llvm::StringRef output,
                    const RuntimeFiles &runtime);
  /// Compiles a module of stage Target to a form that can be stored and run without the session.
  std::optional<CompiledProgram> compile(Generated &program, const MainSignature &main);
  /// Calls the program's `main` in this process. `source` is the module it was compiled from; `objects` may be null.
  std::optional<MainResult> run(const CompiledProgram &program, const Generated &source,
                                llvm::ArrayRef<std::string> arguments, ObjectStore *objects = nullptr);
  /// Stores a program in a cache, unless recompiling the file in `buffer` could give a different result.
  void keep(ProgramCache &cache, unsigned buffer, const CompiledProgram &program);

private:
  /// The code of an executable, or of a library and the names that it exports, as objects to be linked. A library has
  /// an interface for each target, an executable none.
  std::optional<std::vector<ObjectCode>> compileProgram(llvm::ArrayRef<Lowered> targets,
                                                        llvm::ArrayRef<Interface> libraries,
                                                        std::vector<std::string> &exported);
  bool build(llvm::ArrayRef<Lowered> targets, llvm::StringRef output, const RuntimeFiles &runtime,
             llvm::ArrayRef<Interface> libraries);
  bool checkPrinted(const Generated &program, const PipelineOptions &pipeline);
  bool runPasses(Generated &program, const PipelineOptions &pipeline);
  /// Null, after an error, if --why-kernel is about an op that there is not.
  std::shared_ptr<KernelSource> kernelSource(const PipelineOptions &pipeline);
  bool addProcessor(PipelineOptions &pipeline);
  bool addPasses(mlir::OpPassManager &passes, const Generated &program, const PipelineOptions &pipeline);
  bool writeReproducer(mlir::PassManager &passes, mlir::ModuleOp module);
  void reproduceKernels(mlir::PassManager &passes, Generated &program, const PipelineOptions &pipeline);
  struct State;
  class Kernels;
  std::unique_ptr<State> state;
};
} // namespace lispier
#endif
