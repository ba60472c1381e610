//===- Passes.td - selecting kernel implementations -------*- tablegen -*-===//
#ifndef LISPIER_KERNELS_PASSES
#define LISPIER_KERNELS_PASSES

include "mlir/Pass/PassBase.td"

def SelectTemplates : Pass<"lispier-select-templates", "::mlir::ModuleOp"> {
  let summary = "Call kernel templates in the place of ops";
  let description = [{
    A function with the attribute `lispier.template = "nn.linear"` is a template of nn.linear for the targets in
    `lispier.template_targets`; a target may name features that it needs, as in `cpu+avx512bf16`. Its parameters are the op's operands in order, then the attributes that
    `lispier.template_attributes` names: floats as f32, integers and choices as i64, an absent one as -1. An absent
    operand is a memref without elements. Attributes that `lispier.template_values` names too are arguments of the call, the
    others constants in what is called.

    `lispier.template_sizes` names sizes of operands, `[operand, dimension, size ...]`: a size that is known must be
    among them.

    The first template in the order of the file that accepts every operand is taken: the types are equal, or the
    parameter's sizes, strides and offset are the operand's or dynamic. The op becomes a call of a copy of it in which
    attributes, absent operands and known sizes are constants; ops that need the same share one copy. Ops that no template accepts
    stay. Templates are erased. One without a body is never taken: it is there to be asked about by `why`.
    Example: test/Kernels/select-templates.mlir
  }];
  let options = [Option<"target", "target", "std::string", "\"cpu\"", "Consider the templates for this target">,
                 ListOption<"features", "features", "std::string",
                     "What the target can do: a template for cpu+avx512bf16 needs avx512bf16">,
                 ListOption<"why", "why", "std::string",
                     "Ops, such as nn.linear, of which to say which template each gets and what is against the others">,
                 Option<"share", "share", "bool", "true",
                     "One copy for all ops that need the same; without, a copy an op, whose launches have the op's place">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect", "::lispier::nn::NNDialect"];
}

#endif
