//===- Backend.h - interface that GPU vendors implement ---------*- C++ -*-===//
//
// A vendor provides its chips and the code generation from the LLVM dialect to a
// binary. The passes before that are in Pipeline. The default format needs no
// vendor's software; formats such as cubin use the vendor's assembler if present.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_TARGET_BACKEND_BACKEND_H
#define LISPIER_TARGET_BACKEND_BACKEND_H

#include "lispier/TargetInfo/TargetInfo.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/FunctionExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mlir {
class DialectRegistry;
class Operation;
namespace gpu {
class GPUModuleOp;
} // namespace gpu
} // namespace mlir

namespace lispier {
struct GpuChip {
  std::string name;     ///< "sm_90a", "gfx942": the part of --target= after the colon.
  std::string features; ///< LLVM target features; empty: the chip's defaults.
  TargetInfo info;
};

/// Ptx is text that the driver compiles; Cubin and Hsaco are machine code; Fatbin is a cubin and its PTX in one.
enum class GpuFormat { Ptx, Cubin, Fatbin, Hsaco };

/// Paths of external programs. Empty: search PATH and the default installation folders. `lld` is called as `ld.lld`,
/// whatever its name is.
struct GpuTools {
  std::string ptxas, fatbinary, lld;
  bool reports = false; ///< Whether GpuBinary::resources are wanted.
};

using GpuBytes = llvm::SmallVector<char, 0>;

/// What a kernel takes of a multiprocessor, in the vendor's terms: "40 registers, no spills, 1024 bytes of static
/// shared memory".
struct KernelResources {
  std::string kernel, text;
};

struct GpuBinary {
  GpuBytes bytes;
  std::vector<KernelResources> resources; ///< Of each kernel, as far as what made the binary knows them.
};

/// Makes the binary of a gpu.module, once. Any thread may call it, also when the module has changed.
using BinaryJob = llvm::unique_function<llvm::Expected<GpuBinary>()>;

class GpuBackend {
public:
  virtual ~GpuBackend() = default;
  /// The name in --target=: "cuda", "rocm".
  virtual llvm::StringRef name() const = 0;
  /// The runtime's name for devices of this vendor (DeviceTable::kind): "cuda", "hip".
  virtual llvm::StringRef runtimeKind() const = 0;
  /// All supported chips; the first is the default.
  virtual llvm::ArrayRef<GpuChip> chips() const = 0;
  /// The supported formats; the first is the default for execution.
  virtual llvm::ArrayRef<GpuFormat> formats() const = 0;
  /// Registers the dialects and LLVM IR translations that the vendor's passes and `compile` need.
  virtual void registerDialects(mlir::DialectRegistry &registry) const = 0;
  /// Names that kernel implementations may require after `gpu+` besides those of TargetInfo: the vendor, and the chips
  /// whose code this one can run.
  virtual std::vector<std::string> abilities(const GpuChip &chip) const = 0;
  /// Whether gpu.printf and cf.assert can be lowered without a vendor's device library.
  virtual bool prints() const = 0;
  /// Dialects whose ops exist on this vendor's GPUs only.
  virtual llvm::ArrayRef<llvm::StringRef> ownDialects() const = 0;
  /// Takes from a gpu.module in the LLVM dialect what its binary is made of. Reports errors at the module and fails.
  /// Several threads call it at once, each for a module of its own.
  virtual mlir::FailureOr<BinaryJob> compile(mlir::gpu::GPUModuleOp kernels, const GpuChip &chip, GpuFormat format,
                                             const GpuTools &tools) const = 0;
};
} // namespace lispier
#endif
