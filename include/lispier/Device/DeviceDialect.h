//===- DeviceDialect.h - the device dialect ---------------------*- C++ -*-===//
//
// Ops of host code that drive a device, and attributes that host code and kernels share.
// dialects/Device/DeviceOps.td says what each means.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_DEVICE_DEVICEDIALECT_H
#define LISPIER_DEVICE_DEVICEDIALECT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/Error.h"

#include "lispier/Device/DeviceDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "lispier/Device/DeviceAttributes.h.inc"

#define GET_OP_CLASSES
#include "lispier/Device/DeviceOps.h.inc"

namespace lispier {
struct TargetInfo;
} // namespace lispier

namespace lispier::device {
inline constexpr llvm::StringLiteral kTarget = "device.target";
inline constexpr llvm::StringLiteral kKernel = "device.kernel";
inline constexpr llvm::StringLiteral kWaits = "device.waits";
inline constexpr llvm::StringLiteral kConstant = "device.constant";
inline constexpr llvm::StringLiteral kReadsPointers = "device.reads_pointers";
inline constexpr llvm::StringLiteral kDependentLaunch = "device.dependent_launch";
inline constexpr llvm::StringLiteral kCode = "device.code";
inline constexpr llvm::StringLiteral kReduction = "device.reduction";
inline constexpr llvm::StringLiteral kSimThread = "device.sim_thread";
inline constexpr llvm::StringLiteral kChecked = "device.checked";
/// Of a function whose callers run on the runtime's threads already: lispier-outline-parallel leaves its loops in
/// sequence.
inline constexpr llvm::StringLiteral kParallelBody = "device.parallel_body";
/// Of a host function whose loops have the vectors and tiles that they should have: LLVM neither unrolls nor vectorises
/// them further.
inline constexpr llvm::StringLiteral kTuned = "device.tuned";
inline constexpr llvm::StringLiteral kPlain = "device.plain";
inline constexpr llvm::StringLiteral kPrefetch = "device.prefetch";
inline constexpr llvm::StringLiteral kCached = "device.cached";

struct Target {
  std::string name; ///< In full: "cuda:sm_80" also where "cuda" was asked for.
  const TargetInfo *info;
};

/// Finds targets by name. The component that knows targets adds one to the dialect; without it no name is known.
class TargetTable : public mlir::DialectInterface::Base<TargetTable> {
public:
  using Base::Base;
  /// The error names what there is, near misses first. `info` lives as long as the process.
  virtual llvm::Expected<Target> find(llvm::StringRef name) const = 0;
};

/// The target of that name, from the context's table.
llvm::Expected<Target> findTarget(mlir::MLIRContext *context, llvm::StringRef name);

/// The name of the target that `op` is lowered for: of the op itself or the nearest around it that says so; null when
/// none does.
mlir::StringAttr targetOf(mlir::Operation *op);

/// The properties of that target; null when none is named, or the context's table does not know it.
const TargetInfo *targetInfoOf(mlir::Operation *op);
} // namespace lispier::device
#endif
