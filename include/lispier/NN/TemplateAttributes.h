//===- TemplateAttributes.h - attributes of kernel templates ----*- C++ -*-===//
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
/// Prefix of the names of template functions, which no function of a program has; attributes say what they are.
inline constexpr llvm::StringLiteral kTemplatePrefix = "__template_";
/// A string: the op, such as "nn.linear".
inline constexpr llvm::StringLiteral kTemplate = "nn.template";
/// An array of strings, such as ["cpu", "gpu+wgmma"]: targets, each with what the template requires of it, by a name
/// in Pipeline.h's KernelTarget::abilities. If absent, the template is for every target.
inline constexpr llvm::StringLiteral kTemplateTargets = "nn.template_targets";
/// An array of names of the op's attributes that are the template's last parameters, such as ["activation"].
inline constexpr llvm::StringLiteral kTemplateAttributes = "nn.template_attributes";
/// Those of them that are passed at run time: ops that differ only in these share a clone of the template.
inline constexpr llvm::StringLiteral kTemplateValues = "nn.template_values";
/// An array of arrays [operand, dimension, size ...]: a static size of that dimension must be one of those listed.
inline constexpr llvm::StringLiteral kTemplateSizes = "nn.template_sizes";
/// An array of names of GroupKinds.h, such as ["product"]: the kinds of groups of tensor ops for which the template
/// competes with generated kernels. If absent, it computes ops only that the program has written.
inline constexpr llvm::StringLiteral kTemplateGroups = "nn.template_groups";
/// All attributes of a template function.
inline constexpr llvm::StringLiteral kTemplateAttributeNames[] = {
    kTemplate, kTemplateTargets, kTemplateAttributes, kTemplateValues, kTemplateSizes, kTemplateGroups};
/// Unit attribute of a gpu.module whose kernels only templates launch: kernels that no clone launches are erased.
inline constexpr llvm::StringLiteral kTemplateKernels = "nn.template_kernels";
} // namespace lispier::nn
#endif
