//===- Passes.td - the passes of the component Tensor -------*- tablegen -*-===//
#ifndef LISPIER_TENSOR_PASSES
#define LISPIER_TENSOR_PASSES

include "lispier/Buffers/CountWork.td"
include "mlir/Pass/PassBase.td"

def CheckPlacements : Pass<"lispier-check-placements", "::mlir::ModuleOp"> {
  let summary = "Check what each value is on the ranks along each axis of the mesh";
  let description = [{
    Along an axis a value is the same on all ranks, split along a dimension, a partial sum over the ranks, or differs
    without such a meaning. This follows from where it comes from (lib/Tensor/README.md); what would compute with parts
    as if they were whole, count a value several times, or let ranks wait for each other for ever, is an error. Replaces
    comm.assume by its operand, and comm.settle by an all-reduce where a gradient is a partial sum. A module without a
    mesh stays as it is.
    Example: test/Tensor/Placements/check-placements.mlir
  }];
  let options = [Option<"explain", "explain", "bool", "false",
                        "Emit remarks on what tensors are on the ranks, and on collectives">,
                 Option<"early", "early", "bool", "false",
                        "Only of modules without gradients to compute: so that later ones are not checked again">];
  let dependentDialects = ["::lispier::comm::CommDialect", "::mlir::tensor::TensorDialect"];
}

def DivideSpreadWindows : Pass<"lispier-divide-spread-windows", "::mlir::func::FuncOp"> {
  let summary = "Multiply windows of a tensor with zeros between its elements without the zeros";
  let description = [{
    A product of windows of a tensor with u - 1 zeros between two elements, such as a transposed convolution with stride
    u, becomes one of windows of the tensor itself, with the weights of each remainder of a place by u in a dimension of
    their own. Where weights are d elements apart, places of which each is 0 are not computed. Products for which that
    is no less work stay.
    Example: test/Tensor/Structures/divide-spread-windows.lisp
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ExplainGroups : Pass<"lispier-explain-groups", "::mlir::func::FuncOp"> {
  let summary = "Emit a remark for each kernel of tensor ops";
  let description = [{
    Source lines, bytes, operations, and why the kernel does not begin earlier. Where all sizes are known, by their
    types or by `sizes`, also how long a device of the speed that is given takes at least for the bytes and for the
    operations. Changes nothing. With `note-costs`, before lispier-match-kernels, it only gives each kernel
    its cost as an attribute, for a hand-written one that replaces it; afterwards it takes that off again.
    Example: test/Tensor/Explain/explain-groups.mlir
  }];
  let options = [
    Option<"noteCosts", "note-costs", "bool", "false", "Only give each kernel its cost">,
    ListOption<"sizes", "sizes", "std::string", "Sizes that only the run knows, each as arg0[1]=512">,
    Option<"gigabytes", "gigabytes-per-second", "double", "0", "Memory bandwidth of the device; 0: no times">,
    Option<"teraflops", "teraflops", "double", "0", "F32 operations a second, in 10^12">,
    Option<"productFlops", "product-teraflops", "double", "0", "In products of 16-bit factors; 0: as others">,
    Option<"exponentials", "tera-exponentials", "double", "0", "Exponentials; 0: a formula of other operations">];
}

def FormGroups : Pass<"lispier-form-groups", "::mlir::func::FuncOp"> {
  let summary = "Put each linalg op on tensors into a kernel, with the ops that can share it";
  let description = [{
    Elementwise ops join the product or the reduction that makes their operand, or else the op that uses their result;
    reductions over the same axes of the same rows are one kernel with the elementwise ops between them.
    lib/Tensor/README.md has the rules. Each kernel's `apart` says why it does not begin earlier.
    With `alone` each op is a kernel: what a result is to be compared with.
    Example: test/Tensor/Groups/form-groups.mlir
  }];
  let options = [Option<"alone", "alone", "bool", "false", "Whether each op is a kernel">,
                 Option<"tilePrograms", "tile-programs", "bool", "false",
                        "Whether kernels become tile programs: then two products of one operand may be one">,
                 Option<"columnSums", "column-sums", "bool", "false",
                        "Whether kernels of rows have sums of their columns, which lispier-split-sums makes in parts">,
                 Option<"rings", "rings", "bool", "false",
                        "Whether large products of 16-bit floats are made by rings, beside which little is computed">,
                 CountWork<"ops in pairs of groups that were compared">];
  let dependentDialects = ["::lispier::group::GroupDialect", "::mlir::bufferization::BufferizationDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FormScans : Pass<"lispier-form-scans", "::mlir::func::FuncOp"> {
  let summary = "Make group.scan of loops that combine the slices of a tensor one by one";
  let description = [{
    Cumulative sums, products and extremes are loops until gradients are computed. What a loop combines may be computed
    of slices of several tensors, and converted after it: these are elementwise ops on whole tensors then.
    Example: test/Tensor/Structures/form-scans.lisp
  }];
  let options = [Option<"inOrder", "in-order", "bool", "false",
                        "Also of loops that combine by several ops, from one element to the next">];
  let dependentDialects = ["::lispier::group::GroupDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FormStructures : Pass<"lispier-form-structures", "::mlir::func::FuncOp"> {
  let summary = "Make ops of what linalg ops on tensors compute together: attention";
  let description = [{
    group.attention in place of two products with a softmax between them, in any order of dimensions, with any number of
    batches and of heads that share keys, and with any changes of the scores; the log-sum-exp of the scores is a second
    result if the program has it. If anything else between the products is used elsewhere, the ops stay. Copies and
    conversions of operands and of the result become part of the op's maps and types, constant multiples of queries and
    keys part of its region.
    Example: test/Tensor/Structures/form-structures.lisp
  }];
  let dependentDialects = ["::lispier::group::GroupDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FuseElementwise : Pass<"lispier-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Merge chains of elementwise linalg ops on tensors, also with the reduction at their end";
  let description = [{
    An op with several uses is computed for each of them if that is cheaper than to read its result from memory. Ops
    that follow a product stay apart from what uses their result: they belong to the product's kernel. No op gets more
    than 32 operands.
    Example: test/Tensor/Simplify/fuse-elementwise.mlir
  }];
  let options = [CountWork<"operands of ops that others were fused into">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def IsolateGroup : Pass<"lispier-isolate-group", "::mlir::ModuleOp"> {
  let summary = "Replace the program by one that times and checks a kernel of it";
  let description = [{
    After lispier-form-groups. The result has the kernel as a function, the same ops one after the other as a function
    in a module of its own, of which passes make loops of the host before lispier-unnest-modules, and a main that fills
    operands with fixed random numbers, compares what the two make, and prints the kernel's time, bandwidth and speed.
    Sizes that only the run knows are 256 unless `sizes` has them by the names that --explain prints, or the kernel's
    ops say that they are equal to others.
    Example: test/Tensor/Explain/isolate-group.lisp
  }];
  let options = [Option<"groupName", "name", "std::string", "\"\"", "The kernel's name, as --explain prints it">,
                 ListOption<"sizes", "sizes", "std::string", "Sizes that only the run knows, each as arg0[1]=512">];
  let dependentDialects = ["::lispier::device::DeviceDialect", "::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect", "::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def KeepEndlessLoops : Pass<"lispier-keep-endless-loops", "::mlir::ModuleOp"> {
  let summary = "Keep while loops whose results are not needed: they may have no end";
  let description = [{
    Gives each scf.while that would be erased as dead code an effect in its condition, device.may_not_end. Loops over a
    range end, and may be erased. Example: test/Tensor/Simplify/keep-endless-loops.mlir
  }];
  let options = [Option<"lower", "lower", "bool", "false",
                        "Instead make these effects ones of LLVM, which code generation leaves out">];
  let dependentDialects = ["::lispier::device::DeviceDialect", "::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def SetPrecision : Pass<"lispier-set-precision", "::mlir::func::FuncOp"> {
  let summary = "Let the products of a program take their F32 factors with less precision";
  let description = [{
    Gives each product of F32 factors in a kernel, and each convolution, the attribute `tile.precision`, which
    `:precision` of the source gives to one. Products that have it keep theirs, f32 too, which is exact; so do kernels
    that a hand-written one computes, and attention. Example: test/Tensor/Kernels/set-precision.lisp
  }];
  let options = [Option<"precision", "precision", "std::string", "", "f32, tf32x3, bf16x3, tf32 or bf16">];
  let dependentDialects = ["::lispier::tile::TileDialect"];
}

def MatchKernels : Pass<"lispier-match-kernels", "::mlir::ModuleOp"> {
  let summary = "Replace groups of tensor ops that an nn op computes by the op";
  let description = [{
    On memrefs, before memory is planned: attention, products with bias, activation and residual, and with the
    normalisation before them, and normalisations, where the library (`KernelSource.h`) has an implementation that
    competes for groups of the kind; in lispier-opt, which has no library, where the options say so. Weights that no
    kernel writes are constant. What a group computes is compared, formula by formula, with what the implementation's
    op does. The op keeps the group's name as `group.kernel`.
    Example: test/Tensor/Kernels/match-linear.lisp
  }];
  // Whether memory is constant depends on all callers of a function: functions are not matched at the same time.
  let options = [Option<"multiprocessors", "multiprocessors", "int64_t", "0",
                        "Of the GPU that kernels run on; 0: they run on the CPU">,
                 Option<"wideProduct", "wide-product", "int64_t", "0",
                        "Results, at least, of a product that is a wide one; 0: none is">,
                 Option<"wideFinishedProduct", "wide-finished-product", "int64_t", "0",
                        "The same with a bias, an activation or a residual">,
                 ListOption<"wideAttention", "wide-attention", "int64_t",
                            "Of wide attention the least tokens of all heads, least and greatest size; none: none is">,
                 ListOption<"groups", "groups", "std::string",
                            "The kinds of groups that have hand-written kernels for all operands; none: all kinds">,
                 Option<"match", "match", "bool", "true",
                        "Whether groups become nn ops; else only constant weights of the program's nn ops are found">,
                 ListOption<"why", "why", "std::string",
                            "Ops, such as nn.linear, for which to remark which implementation a group has, and why not "
                            "the others">];
  let dependentDialects = ["::lispier::nn::NNDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def TimeGroups : Pass<"lispier-time-groups", "::mlir::func::FuncOp"> {
  let summary = "Put each kernel of tensor ops between group.begin and group.end";
  let description = [{
    After lispier-plan-memory: for kernels on memrefs, and for what lispier-match-kernels has made of others. The ops
    say what the kernel reads and writes, as computed from the sizes of the call, and how long a device of the speed
    that is given takes at least. Kernels in parallel loops and in launches are left out.
    Example: test/Tensor/Explain/time-groups.mlir
  }];
  let options = [
    Option<"gigabytes", "gigabytes-per-second", "double", "0", "Memory bandwidth of the device; 0: no times">,
    Option<"teraflops", "teraflops", "double", "0", "F32 operations a second, in 10^12">,
    Option<"productFlops", "product-teraflops", "double", "0", "In products of 16-bit factors; 0: as others">,
    Option<"exponentials", "tera-exponentials", "double", "0", "Exponentials; 0: a formula of other operations">];
  let dependentDialects = ["::lispier::group::GroupDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def InlineTensorCalls : Pass<"lispier-inline-tensor-calls", "::mlir::ModuleOp"> {
  let summary = "Replace calls of functions with tensors by their bodies";
  let description = [{
    Groups and the memory plan are a function's. Calls of recursive functions, of functions with several blocks and of
    large ones remain; so do the functions themselves.
    Example: test/Tensor/Simplify/inline-tensor-calls.mlir
  }];
  let options = [Option<"ops", "ops", "unsigned", "1000",
                        "The most ops on tensors and memory, loops and calls of a function afterwards">];
}

def SpecializeCalls : Pass<"lispier-specialize-calls", "::mlir::ModuleOp"> {
  let summary = "Tell functions with tensors the sizes that all of their calls give";
  let description = [{
    Private functions that remain calls: a number that each call gives alike, if it may be a size, and the sizes of
    tensors and memrefs that all calls have alike, become part of the function; callers come first, so that a size goes
    through several calls. Results have the sizes that all returns have alike.
    Example: test/Tensor/Simplify/specialize-calls.mlir
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def SimplifyShapes : Pass<"lispier-simplify-shapes", "::mlir::func::FuncOp"> {
  let summary = "Drop dimensions of size 1 of elementwise ops and reductions on tensors";
  let description = [{
    The remaining reshapes are at products, arguments and results, where they cost nothing. Sizes of results become
    sizes of operands. Also makes one op of parts that are computed and joined, stores tensors before they are reshaped,
    and merges reshapes (lib/Tensor/README.md, step 3).
    Example: test/Tensor/Simplify/simplify-shapes.mlir
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::affine::AffineDialect"];
}

def SplitScans : Pass<"lispier-split-scans", "::mlir::func::FuncOp"> {
  let summary = "Scan few, long rows in parts, of which a GPU has many";
  let description = [{
    Of at most 64 rows of 32,768 elements or more, of known sizes: what each part combines to, a scan of these, and a
    scan of each part that is combined with what is before it. A row whose length no number of parts divides stays.
    Example: test/Tensor/Groups/split-scans.lisp
  }];
  let dependentDialects = ["::lispier::group::GroupDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif
