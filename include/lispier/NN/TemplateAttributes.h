//===- TemplateAttributes.h - how kernel templates are marked ---*- C++ -*-===//
//
// `(deftemplate nn.op {:for [cpu] :attrs [activation]} [params] body)` becomes a
// private function with these attributes of the nn dialect, whose verifier checks
// them. lispier-select-templates (component Kernels) replaces ops by calls of it.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_NN_TEMPLATEATTRIBUTES_H
#define LISPIER_NN_TEMPLATEATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace lispier::nn {
/// What the names of template functions, and of all that is made from them, begin with.
inline constexpr llvm::StringLiteral kTemplatePrefix = "__template_";
/// A string: the op, such as "nn.linear".
inline constexpr llvm::StringLiteral kTemplate = "nn.template";
/// An array of strings, such as ["cpu", "cpu+avx512bf16"]: targets, and the features of them that the template needs.
/// Absent: every target.
inline constexpr llvm::StringLiteral kTemplateTargets = "nn.template_targets";
/// An array of attribute names whose values are the last arguments, such as ["activation"].
inline constexpr llvm::StringLiteral kTemplateAttributes = "nn.template_attributes";
/// Those of them that are passed when the program runs: ops that differ in nothing else share a copy of the template.
inline constexpr llvm::StringLiteral kTemplateValues = "nn.template_values";
/// An array of arrays [operand, dimension, size ...]: where that size is known, the template is for these only.
inline constexpr llvm::StringLiteral kTemplateSizes = "nn.template_sizes";
/// All attributes of a template function.
inline constexpr llvm::StringLiteral kTemplateMarks[] = {kTemplate, kTemplateTargets, kTemplateAttributes,
                                                         kTemplateValues, kTemplateSizes};
/// Unit attribute of a gpu.module whose kernels only templates launch: those that no copy of a template launches go.
inline constexpr llvm::StringLiteral kTemplateKernels = "nn.template_kernels";
} // namespace lispier::nn
#endif
