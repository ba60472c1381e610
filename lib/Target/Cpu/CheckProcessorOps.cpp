//===- CheckProcessorOps.cpp - ops that the host's processor does not have ===//
//
// Before and after: host code. LLVM ends the process, without a place, at an
// instruction that its target does not have; here the op still has its name.
// Functions that say themselves which features they have are left alone.
//
//===----------------------------------------------------------------------===//
#include "lispier/Target/Cpu/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_CHECKPROCESSOROPS
#include "lispier/Target/Cpu/Passes.h.inc"

namespace {
/// Ops whose names begin alike need a feature, by LLVM's name. The longer row counts, and stands first.
struct NeededFeature {
  StringLiteral prefix, feature;
};
constexpr NeededFeature kNeeded[] = {
    {"amx.tile_mulf", "amx-bf16"},
    {"amx.tile_muli", "amx-int8"},
    {"amx.", "amx-tile"},
    {"x86vector.avx512.dot", "avx512bf16"},
    {"x86vector.avx512.cvt.", "avx512bf16"},
    {"x86vector.avx512.vp2intersect", "avx512vp2intersect"},
    {"x86vector.avx512.", "avx512f"},
    {"x86vector.avx.dot.i8", "avxvnniint8"},
    {"x86vector.avx.bcst_to_f32.", "avxneconvert"},
    {"x86vector.avx.cvt.", "avxneconvert"},
    {"x86vector.avx.", "avx"},
};

/// Dialects of other machines' instructions.
constexpr StringLiteral kForeign[] = {"nvvm",  "nvgpu",    "rocdl",   "amdgpu",  "xevm",
                                      "xegpu", "arm_neon", "arm_sve", "arm_sme", "vcix"};

StringRef neededFeature(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (name == "amx.tile_mulf" && cast<ShapedType>(op->getOperand(0).getType()).getElementType().isF16())
    return "amx-fp16";
  for (const NeededFeature &row : kNeeded)
    if (name.starts_with(row.prefix))
      return row.feature;
  return "";
}

struct CheckProcessorOps : impl::CheckProcessorOpsBase<CheckProcessorOps> {
  using CheckProcessorOpsBase::CheckProcessorOpsBase;

  void runOnOperation() override {
    WalkResult result = getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<FunctionOpInterface>(op) && (op->hasAttr("passthrough") || op->hasAttr("target_features")))
        return WalkResult::skip();
      if (llvm::is_contained(kForeign, op->getName().getDialectNamespace())) {
        op->emitError("op `") << op->getName() << "` is an instruction of other machines; this is host code";
        return WalkResult::interrupt();
      }
      StringRef feature = neededFeature(op);
      if (feature.empty() || llvm::is_contained(features, feature))
        return WalkResult::advance();
      op->emitError("op `") << op->getName() << "` needs a processor with " << feature
                            << ", and the one to compile for does not have it; --cpu=NAME chooses another";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
} // namespace lispier
