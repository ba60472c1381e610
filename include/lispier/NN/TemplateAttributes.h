//===- TemplateAttributes.h - how kernel templates are marked ---*- C++ -*-===//
//
// `(deftemplate nn.op {:for [cpu] :attrs [activation]} [params] body)` becomes a
// private function with these attributes; lispier-select-templates (room Loops)
// puts calls of it in the place of ops that it fits.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_NN_TEMPLATEATTRIBUTES_H
#define LISPIER_NN_TEMPLATEATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

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

/// An array of arrays [operand, dimension, size ...]: where that size is known, the template is for these only.
inline constexpr llvm::StringLiteral kTemplateSizes = "lispier.template_sizes";

/// Marks a gpu.module whose kernels are there for templates: those that no copy of a template launches go.
inline constexpr llvm::StringLiteral kTemplateKernels = "lispier.template_kernels";

} // namespace lispier::nn
#endif
