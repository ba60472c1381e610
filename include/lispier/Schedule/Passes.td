//===- Passes.td - the passes of the component Schedule ----*- tablegen -*-===//
#ifndef LISPIER_SCHEDULE_PASSES
#define LISPIER_SCHEDULE_PASSES

include "mlir/Pass/PassBase.td"

def AttendInBlocks : Pass<"lispier-attend-in-blocks", "::mlir::func::FuncOp"> {
  let summary = "Compute attention in blocks of tokens, whose scores stay in the cache";
  let description = [{
    Kernels of attention that nn.attention cannot compute, on the target cpu: a parallel loop over heads and blocks of
    tokens, in which linalg ops on buffers of the thread compute one chunk of positions after the other. A kernel that
    it cannot cut keeps its op, with the reason as the attribute `group.unscheduled`; of a number of tokens that only
    the run knows, few take it, too. With `explain` a remark says for each kernel how large its blocks are, or why there
    are none. Example: test/Schedule/attend-in-blocks.lisp
  }];
  let options = [Option<"explain", "explain", "bool", "false", "Remark on the blocks of each kernel">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def InlineGroups : Pass<"lispier-inline-groups", "::mlir::func::FuncOp"> {
  let summary = "Replace kernels of tensor ops by their ops, on memrefs";
  let description = [{
    Kernels without a schedule: on the target cpu all of them, of which lispier-fuse-rows and lispier-vectorize-linalg
    make loops, with loops over rows around what reads rows of tables by number, and lispier-lower-scans of scans; an
    index that is read from memory is checked. An intermediate value lies in the memory of the kernel's result where
    possible.
    Example: test/Schedule/inline-groups.mlir
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::cf::ControlFlowDialect", "::lispier::device::DeviceDialect"];
}

def ScheduleGroups : Pass<"lispier-schedule-groups", "::mlir::ModuleOp"> {
  let summary = "Make tile programs of groups of tensor ops";
  let description = [{
    A group.kernel on memrefs becomes a launch of a tile program, which produces a tile of each result from tiles of the
    operands, through the ops' indexing maps. Dimensions that all ops walk together are one; a reduced dimension is in
    registers or in a loop over chunks; the summed dimension of a contraction is a loop. Where sizes that only the call
    knows matter, there are a few programs, of which the launch takes one. The target comes from `device.target`;
    without it nothing changes. A group without a rule stays, with the reason as `group.unscheduled`.
    Passes of `trial` run on each program alone, in a module that is then erased: where they fail, it does not fit a
    block, and gets smaller tiles. With `explain` a remark says for each group what its programs' tiles are, or why
    there is no program.
    Example: test/Schedule/schedule-groups.mlir
  }];
  let options = [Option<"explain", "explain", "bool", "false", "Remark on each group's schedule">,
                 ListOption<"trial", "trial", "::mlir::OpPassManager",
                            "Passes for a module of one tile program, which fail if no block can run it">];
  let dependentDialects = ["::lispier::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def PackFactors : Pass<"lispier-pack-factors", "::mlir::func::FuncOp"> {
  let summary = "Copy weights to memory in which what a tile of a product has is contiguous";
  let description = [{
    For kernels on memrefs, before lispier-plan-memory, which places the copies: products of known sizes that sum
    several dimensions, such as convolutions, where a factor is much smaller than the result and contiguous along a
    dimension that no tile has, such as the places of a window. Also factors of large products whose rows begin
    anywhere, and with `rows` factors by columns of those that may round to TF32.
    Example: test/Schedule/tf32-by-rings.lisp
  }];
  let options = [Option<"rows", "rows", "bool", "false", "The GPU multiplies large tiles of TF32 by rows only">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect"];
}

def SplitSums : Pass<"lispier-split-sums", "::mlir::func::FuncOp"> {
  let summary = "Make long sums with few results in parts, by more programs of a GPU";
  let description = [{
    For kernels on memrefs, before lispier-plan-memory, which places the parts: products, and reductions of rows or
    columns. One length may be known only to the run, which then chooses between the parts and the kernel as it was.
    A kernel that reduces rows and sums them, too, is always made two.
    Example: test/Schedule/long-sums.lisp
  }];
  let options = [Option<"multiprocessors", "multiprocessors", "int64_t", "132", "Of the GPU; an H200 has 132">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

#endif
