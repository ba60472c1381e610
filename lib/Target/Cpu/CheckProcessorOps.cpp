//===- CheckProcessorOps.cpp - reject ops that the processor lacks --------===//
//
// Before and after: host code. LLVM would abort, without a source location, at an
// instruction that its target lacks; here the message can name the op. Functions
// with their own target features are not checked.
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
/// Prefixes of op names, with the feature that these ops need, by LLVM's name. The first match counts, so longer
/// prefixes come first.
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

/// Dialects of instructions that no host processor here has.
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
