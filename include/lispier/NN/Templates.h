//===- Templates.h - how kernel templates are marked -----------*- C++ -*-===//
//
// `(deftemplate nn.op {:for [cpu] :attrs [activation]} [params] body)` becomes a
// private function with these attributes; lispier-select-templates (room Loops)
// puts calls of it in the place of ops that it fits.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_NN_TEMPLATES_H
#define LISPIER_NN_TEMPLATES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
}

namespace lispier::nn {
/// What the names of template functions, and of all that is made from them, begin with.
inline constexpr llvm::StringLiteral kTemplatePrefix = "__template_";
/// A string: the op, such as "nn.linear".
inline constexpr llvm::StringLiteral kTemplate = "lispier.template";
/// An array of strings, such as ["cpu", "cpu+avx512bf16"]: targets, and the features of them that the template needs.
/// Absent: every target.
inline constexpr llvm::StringLiteral kTemplateTargets = "lispier.template_targets";
/// An array of attribute names whose values are the last arguments, such as ["activation"].
inline constexpr llvm::StringLiteral kTemplateAttributes = "lispier.template_attributes";
/// Those of them that are passed when the program runs: ops that differ in nothing else share a copy of the template.
inline constexpr llvm::StringLiteral kTemplateValues = "lispier.template_values";

/// Marks a gpu.module whose kernels are there for templates: those that no copy of a template launches go.
inline constexpr llvm::StringLiteral kTemplateKernels = "lispier.template_kernels";

/// Whether a template's target, "cpu" or "cpu+avx512bf16", is `target` and asks for nothing that `features` lack.
bool serves(llvm::StringRef wanted, llvm::StringRef target, llvm::ArrayRef<std::string> features);

/// The names of the nn ops in the module, such as "nn.linear": sorted, each once. What a program names here is what it
/// may need templates of; the templates' own bodies count when they are in the module.
std::vector<std::string> opsIn(mlir::ModuleOp module);
} // namespace lispier::nn
#endif
