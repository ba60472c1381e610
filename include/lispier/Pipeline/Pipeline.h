//===- Pipeline.h - every pass, in order -----------------------*- C++ -*-===//
//
// Stages are ordered: `--emit=` and `--from=` name one, and how far to go is one
// comparison. A phase is the run of passes that leads to its stage.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_PIPELINE_PIPELINE_H
#define LISPIER_PIPELINE_PIPELINE_H

#include "lispier/Target/Host/Gpu.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace lispier {
/// Kernels and DeviceLlvm are a GPU's: its kernels before any vendor's pass, and in the LLVM dialect. The CPU and the
/// simulator have no passes for them.
enum class Stage { Forms, Core, Module, Tensor, Loops, Kernels, DeviceLlvm, Target, Llvm, Asm, Obj };

/// "forms", "core", ...; nothing when there is no such stage.
std::optional<Stage> parseStage(llvm::StringRef name);
llvm::StringRef stageName(Stage stage);
llvm::ArrayRef<llvm::StringRef> stageNames();

/// What a program is lowered for: a GPU and the CPU beside it, or the CPU alone.
struct ProgramTarget {
  std::optional<GpuTarget> gpu;
  /// Without a GPU: kernels run on the CPU with a check at each access, in warps of this size. The target sim.
  bool checkKernels = false;
  unsigned warpSize = 32;

  /// As --target= has it: "cpu", "sim", "sim:64", "cuda:sm_90a".
  std::string name() const;
};

/// What kernel implementations are chosen for: "cpu" or "gpu", and what they may ask for after `+`.
struct KernelTarget {
  std::string name;
  /// Of a GPU the abilities of TargetInfo.h, the chip and those whose code it runs, and the vendor; of a processor
  /// LLVM's features too.
  std::vector<std::string> abilities;
};

struct PipelineOptions {
  Stage from = Stage::Module; ///< What the module is already.
  Stage until = Stage::Target;
  /// Code that runs once, on few values: no passes that only make it faster.
  bool quick = false;
  ProgramTarget target;
  /// Of a GPU, only the kernels as bytes of this format, all of them in one piece: "ptx", "hsaco". After stage
  /// DeviceLlvm.
  std::optional<std::string> format;
  GpuTools tools;
  /// The source's own pipeline has brought the kernels to the LLVM dialect.
  bool kernelsAreLowered = false;
  /// What the processor that the code is for can do, by LLVM's names: kernel templates may ask for it.
  std::vector<std::string> cpuFeatures;
  /// Ops, such as "nn.linear", for each of which to remark on why it got its kernel.
  std::vector<std::string> whyKernels;

  /// The simulator runs what any GPU would.
  KernelTarget kernelTarget() const;
};

/// The phases between two stages, for the CPU.
void addCpuPipeline(mlir::OpPassManager &pm, const PipelineOptions &options);

/// The phases between two stages, for a GPU: at stage Loops all kernels are in one gpu.module; at stages Kernels and
/// DeviceLlvm there is one for each part that is compiled alone; at stage Target they are binaries in the host's part.
void addGpuPipeline(mlir::OpPassManager &pm, const PipelineOptions &options);

/// Module on tensors and nn ops -> the same on buffers.
void addTensorPhase(mlir::OpPassManager &pm, const PipelineOptions &options);
/// For the CPU: buffers -> kernels in gpu.modules, and scalar and vector loops around them, the parallel ones outlined.
/// For the simulator: buffers -> the kernels that a GPU would run, and host code as it is.
void addLoopsPhase(mlir::OpPassManager &pm, const PipelineOptions &options);
/// For both: kernels and their launches -> functions that the runtime runs thread by thread, and calls of it; no gpu op
/// is left. The simulator's host code becomes loops here, after accesses have their checks.
void addHostKernelsPhase(mlir::OpPassManager &pm, const PipelineOptions &options);
/// Loops -> LLVM dialect.
void addCpuPhase(mlir::OpPassManager &pm, const PipelineOptions &options);

/// For a GPU that `device.target` of the module names: buffers -> kernels in one gpu.module, called with pointers and
/// numbers.
void addGpuPhase(mlir::OpPassManager &pm);
/// These -> parts, of which only what a vendor's conversion knows is left.
void addKernelsPhase(mlir::OpPassManager &pm, const PipelineOptions &options);
/// Parts -> the LLVM dialect.
void addDevicePhase(mlir::OpPassManager &pm, const PipelineOptions &options);
/// Parts of the LLVM dialect -> their bytes, as an attribute.
void addSerialization(mlir::OpPassManager &pm, const PipelineOptions &options);

/// `lispier-gpu-phase`, `lispier-kernels-phase`, `lispier-device-phase` and `lispier-emit-gpu`, by name.
void registerPipelines();
/// The passes of all rooms and of upstream, so that they can be named in text.
void registerPasses();
/// Those of our rooms.
void registerOwnPasses();
} // namespace lispier
#endif
