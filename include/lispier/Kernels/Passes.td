//===- Passes.td - selecting kernel implementations -------*- tablegen -*-===//
#ifndef LISPIER_KERNELS_PASSES
#define LISPIER_KERNELS_PASSES

include "mlir/Pass/PassBase.td"

def Canonicalize : Pass<"lispier-canonicalize"> {
  let summary = "Canonicalize structured control flow, outside of templates";
  let description = [{
    The patterns of upstream's canonicalize. Upstream's pass also looks, after each round, for blocks that nothing
    reaches and for arguments that nothing reads, which takes half of its time; where regions are single blocks it finds
    none. Templates, the library's kernels, are left alone: lispier-select-templates canonicalizes the clones that it
    makes of the few that are selected.
    Example: test/Kernels/canonicalize.mlir
  }];
}

def AddKernels : Pass<"lispier-add-kernels", "::mlir::ModuleOp"> {
  let summary = "Add the kernel implementations that nn ops may use";
  let description = [{
    Of a library (`KernelSource.h`), which lispier-opt does not have: there the pass changes nothing. The functions
    follow the program's own, which lispier-select-templates considers first. What an implementation needs for nn ops
    of its own is added, too.
    Example: test/Kernels/add-kernels.lisp
  }];
  let options = [ListOption<"why", "why", "std::string",
                     "Ops, such as nn.linear, of which to declare the other implementations, so that "
                     "lispier-select-templates can say why they are not selected">];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::gpu::GPUDialect"];
}

def SelectTemplates : Pass<"lispier-select-templates", "::mlir::ModuleOp"> {
  let summary = "Replace nn ops by calls of kernel implementations";
  let description = [{
    A function with the attribute `nn.template = "nn.linear"` is a template (kernel implementation) of nn.linear for the
    targets in `nn.template_targets`; a target may require abilities, as in `cpu+avx512-bf16`. Its parameters are the
    op's operands in order, then the attributes listed in `nn.template_attributes`: floats as f32, integers and
    enumerations as i64, an absent one as -1. An absent operand is passed as a memref without elements. Attributes that
    are also listed in `nn.template_values` are run-time arguments; the others become constants in the callee.

    `nn.template_sizes` restricts static sizes of operands, `[operand, dimension, size ...]`: a static size must be
    one of those listed.

    The pass selects the first template, in module order, that accepts every operand: the types are equal, or each size,
    stride and offset of the parameter equals the operand's or is dynamic. The op becomes a call of a clone in which
    attributes, absent operands and static sizes are constants; ops with equal constants share a clone. Ops without a
    matching template remain. Templates are erased. A template without a body is never selected; `why` reports on it all
    the same.
    Example: test/Kernels/select-templates.mlir
  }];
  let options = [Option<"target", "target", "std::string", "\"cpu\"", "Consider the templates for this target">,
                 ListOption<"features", "features", "std::string",
                     "Abilities of the target: a template for cpu+avx512-bf16 needs avx512-bf16">,
                 ListOption<"why", "why", "std::string",
                     "Ops, such as nn.linear, for which to remark which template is selected and why the "
                     "others are not">,
                 Option<"explainGroups", "explain-groups", "bool", "false",
                     "Remark which template is selected for each op that is a kernel of tensor ops, `group.kernel`">,
                 Option<"share", "share", "bool", "true",
                     "Share one clone among ops with equal constants; else each op has its own, whose launches have "
                     "the op's location">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect", "::lispier::nn::NNDialect"];
}

#endif
