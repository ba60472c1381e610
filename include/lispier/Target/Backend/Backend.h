//===- Backend.h - one maker of GPUs, as the compiler sees it --*- C++ -*-===//
//
// What differs between vendors: the chips, and the last mile from the LLVM dialect
// to bytes. The passes before it are in Pipeline.
// A vendor's software is never needed; its assembler is used where it is found
// and a format asks for it.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_TARGET_BACKEND_BACKEND_H
#define LISPIER_TARGET_BACKEND_BACKEND_H

#include "lispier/TargetInfo/TargetInfo.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
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
  std::string name;     ///< "sm_90a", "gfx942": what --target= takes after the colon.
  std::string features; ///< In LLVM's words; empty means the chip's own.
  TargetInfo info;
};

/// Ptx is text that the driver compiles; Cubin and Hsaco are machine code; Fatbin is a cubin and its PTX in one.
enum class GpuFormat { Ptx, Cubin, Fatbin, Hsaco };

/// Where the programs of the last mile are. Empty: looked for in PATH and where their packages put them.
struct GpuTools {
  std::string ptxas, fatbinary, lld;
};

using GpuBytes = llvm::SmallVector<char, 0>;

class GpuBackend {
public:
  virtual ~GpuBackend() = default;
  /// What --target= calls it: "cuda", "rocm".
  virtual llvm::StringRef name() const = 0;
  /// The kind of device that the runtime loads its code into (DeviceTable::kind): "cuda", "hip".
  virtual llvm::StringRef runtimeKind() const = 0;
  /// All chips; the first is the one taken when none is named.
  virtual llvm::ArrayRef<GpuChip> chips() const = 0;
  /// The formats it can make, the one to run first.
  virtual llvm::ArrayRef<GpuFormat> formats() const = 0;
  /// Dialects and translations that passes and emit need, for the context.
  virtual void registerDialects(mlir::DialectRegistry &registry) const = 0;
  /// What kernel templates may ask for after `gpu+` beside abilities: the vendor, and the chips whose code this one
  /// runs.
  virtual std::vector<std::string> capabilities(const GpuChip &chip) const = 0;
  /// Whether gpu.printf and cf.assert can be lowered with what this backend needs: nothing of the vendor.
  virtual bool prints() const = 0;
  /// Dialects whose ops only this vendor's GPUs have.
  virtual llvm::ArrayRef<llvm::StringRef> ownDialects() const = 0;
  /// The bytes of a module that the passes have lowered. Errors are reported at the module.
  virtual mlir::FailureOr<GpuBytes> emit(mlir::gpu::GPUModuleOp kernels, const GpuChip &chip, GpuFormat format,
                                         const GpuTools &tools) const = 0;
};
} // namespace lispier
#endif
