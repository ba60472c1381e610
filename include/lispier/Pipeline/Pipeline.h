//===- Pipeline.h - every pass, in order -----------------------*- C++ -*-===//
//
// A stage is a form of the program between phases; stages are ordered, and
// `--emit=` and `--from=` name one. A phase is a sequence of passes, most of which
// lead to one stage; to Target, the CPU and the simulator take two phases
// (addHostKernelsPhase, addCpuPhase).
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_PIPELINE_PIPELINE_H
#define LISPIER_PIPELINE_PIPELINE_H

#include "lispier/Target/Host/Gpu.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace lispier {
class KernelBinaries;
class KernelSource;

/// At stage Tiles kernel implementations are selected, and tile programs are not yet distributed. Kernels and
/// DeviceLlvm exist for GPUs only: kernels before the vendor's passes, and in the LLVM dialect. For the CPU and the
/// simulator no passes lead to them. At Target the program is in the LLVM dialect; the session, not a phase, makes Llvm
/// (LLVM IR), Asm and Obj from it.
enum class Stage { Forms, Core, Module, Tensor, Tiles, Loops, Kernels, DeviceLlvm, Target, Llvm, Asm, Obj };

/// Parses "forms", "core" ...; nullopt if there is no such stage.
std::optional<Stage> parseStage(llvm::StringRef name);
llvm::StringRef stageName(Stage stage);
llvm::ArrayRef<llvm::StringRef> stageNames();

/// The target of a program: a GPU with its host CPU, or the CPU alone.
struct ProgramTarget {
  std::optional<GpuTarget> gpu;
  /// Without a GPU: the target sim, on which kernels run on the CPU with checked accesses, in warps of `warpSize`
  /// lanes (with `simulated`, the caller sets it to that chip's).
  bool checkKernels = false;
  unsigned warpSize = 32;
  /// The GPU in whose layouts and by whose instructions the simulator runs tile programs: "sim:sm_80". Without one,
  /// their blocks are run as they are written.
  std::optional<GpuTarget> simulated;

  /// The name that --target= accepts: "cpu", "sim", "sim:64", "sim:sm_80", "cuda:sm_90a".
  std::string name() const;
};

/// The target for which kernel implementations are selected: "cpu" or "gpu", with the abilities that they may require.
struct KernelTarget {
  std::string name;
  /// GPU: abilities of TargetInfo.h, the vendor, the chip, and the chips whose code it can run. CPU: also LLVM's target
  /// features and name of the processor.
  std::vector<std::string> abilities;
  int64_t multiprocessors = 0; ///< Or compute units, of a GPU.
};

struct PipelineOptions {
  Stage from = Stage::Module; ///< The stage of the input module.
  Stage until = Stage::Target;
  /// Skip passes that only optimize: for code that runs once on little data, such as macros.
  bool quick = false;
  ProgramTarget target;
  /// For a GPU: compile only the kernels, to one binary of this format ("ptx", "hsaco"), after stage DeviceLlvm.
  std::optional<std::string> format;
  GpuTools tools;
  /// Make the kernels' binaries while the host code is lowered, which at stage Target declares them. Null: the module
  /// has them.
  KernelBinaries *binaries = nullptr;
  /// The program's own pass pipeline (a recipe) has lowered the kernels to the LLVM dialect.
  bool kernelsAreLowered = false;
  /// LLVM's target features of the processor, which kernel implementations may require.
  std::vector<std::string> cpuFeatures;
  std::string cpuName; ///< LLVM's name of the processor, such as "znver4".
  /// Ops, such as "nn.linear", for which to emit remarks on the selection of their kernel implementation.
  std::vector<std::string> whyKernels;
  /// The library of kernel implementations, from which nn ops get theirs; null: the program has all that there are.
  std::shared_ptr<KernelSource> kernels;
  /// Whether the tensor phase makes nn ops of groups that have an implementation in `kernels`.
  bool matchesKernels = false;
  /// Whether the list of passes is printed: those that get `kernels` then show as options what they ask it for.
  bool isPrinted = false;
  /// A kernel of tensor ops: the tensor phase replaces the program by one that times this kernel. That program is of
  /// stage Module, and `until` must be Tensor. Empty: no such kernel.
  std::string isolatedGroup;
  /// Its sizes that only the run knows, or those of all kernels that remarks are about: "arg0[1]=512".
  std::vector<std::string> isolatedSizes;
  std::string precision;          ///< Of products of F32 that say none, such as "tf32"; empty: exact.
  bool fuse = true;               ///< Whether a kernel may be several tensor ops.
  bool explainGroups = false;     ///< Emit remarks on the kernels that tensor ops become.
  bool interruptible = false;     ///< Whether loops of host code end when a host interrupts the call.
  bool timeGroups = false;        ///< With that, let the program trace runs of these kernels.
  DeviceSpeed deviceSpeed;        ///< For the times in these remarks; unknown: the target's.
  bool explainMemory = false;     ///< Emit remarks on the places of intermediate tensors.
  bool explainPlacements = false; ///< Emit remarks on what tensors are on the ranks of a program.
  bool explainGradients = false;  ///< Emit remarks on what gradients keep of the forward pass.

  /// The GPU that kernels run on, or that is simulated; none for a CPU.
  std::optional<TargetInfo> gpuInfo() const;
  /// For the simulator: a GPU without optional abilities; with `target.simulated`, with those of its abilities that the
  /// simulator has.
  KernelTarget kernelTarget() const;
  /// All names by which source text may mean the target: "cuda:sm_90a", "cuda", "gpu", "sm_90a", abilities.
  llvm::SmallVector<std::string> targetNames() const;
};

/// Adds the phases from `options.from` to `options.until`, for the CPU or the simulator.
void addCpuPipeline(mlir::OpPassManager &pm, const PipelineOptions &options);

/// Adds the phases from `options.from` to `options.until`, for a GPU. At stage Loops all kernels are in one gpu.module;
/// at stages Kernels and DeviceLlvm there is one gpu.module per separately compiled part; at stage Target the host
/// module contains their binaries.
void addGpuPipeline(mlir::OpPassManager &pm, const PipelineOptions &options);

/// Tensors -> memrefs. What computes on them are group.kernel ops, whose bodies are on tensors still, and nn ops.
void addTensorPhase(mlir::OpPassManager &pm, const PipelineOptions &options);
/// nn ops -> the same, with the implementations that they may use, of `options.kernels`, beside the program's.
void addKernelBodies(mlir::OpPassManager &pm, const PipelineOptions &options);
/// group.kernel ops -> launches of tile programs, or linalg ops on memrefs where none is made; nn ops -> calls of
/// kernel implementations, or linalg ops and loops where there is none.
void addTilesPhase(mlir::OpPassManager &pm, const PipelineOptions &options);
/// For the CPU: buffers -> kernels in gpu.modules, and scalar and vector loops around them, the parallel ones outlined.
/// For the simulator: buffers -> the kernels that a GPU would run, and host code as it is.
void addLoopsPhase(mlir::OpPassManager &pm, const PipelineOptions &options);
/// For the CPU and the simulator: kernels and their launches -> functions that the runtime runs thread by thread, and
/// calls of it; no gpu op is left. The simulator's host code becomes loops here, after accesses have their checks.
void addHostKernelsPhase(mlir::OpPassManager &pm, const PipelineOptions &options);
/// Loops -> LLVM dialect.
void addCpuPhase(mlir::OpPassManager &pm, const PipelineOptions &options);

/// For the GPU in the module's `device.target`: memrefs -> kernels in one gpu.module, launched with pointers and
/// scalars.
void addGpuPhase(mlir::OpPassManager &pm);
/// That gpu.module -> one per part, with only ops that the vendor's conversion supports.
void addKernelsPhase(mlir::OpPassManager &pm, const PipelineOptions &options);
/// Each part -> the LLVM dialect.
void addDevicePhase(mlir::OpPassManager &pm, const PipelineOptions &options);
/// Parts in the LLVM dialect -> binaries, in the attribute `device.code`, or made by `options.binaries`.
void addSerialization(mlir::OpPassManager &pm, const PipelineOptions &options);

/// Registers the pipelines `lispier-gpu-phase`, `lispier-kernels-phase`, `lispier-device-phase` and `lispier-emit-gpu`.
void registerPipelines();
/// Registers the passes of all components and of upstream for textual pipelines.
void registerPasses();
/// Registers the passes of this project's components only.
void registerOwnPasses();
} // namespace lispier
#endif
