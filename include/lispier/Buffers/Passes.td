//===- Passes.td - the passes of the component Buffers -----*- tablegen -*-===//
#ifndef LISPIER_BUFFERS_PASSES
#define LISPIER_BUFFERS_PASSES

include "lispier/Buffers/CountWork.td"
include "mlir/Pass/PassBase.td"

def BufferizeTensors : Pass<"lispier-bufferize-tensors", "::mlir::ModuleOp"> {
  let summary = "Bufferize tensors, and free each buffer after its last use";
  let description = [{
    Leaves modules without tensors unchanged. Memory that the program allocates itself is neither freed by this pass
    nor kept alive. A function that returns a tensor transfers ownership of its buffer to the caller. A tensor that is
    joined of more than 16 parts is memory that these are stored in.
    Example: test/Buffers/bufferize-tensors.mlir
  }];
  let options = [CountWork<"insertions before others in the same tensor">,
                 ListOption<"outlining", "outlining", "::mlir::OpPassManager",
                            "Passes for a module of which a function with tensors launches kernels">,
                 ListOption<"simplification", "simplification", "::mlir::OpPassManager",
                            "Passes for each function that had tensors, before its buffers are exchanged and freed">,
                 ListOption<"deallocation", "deallocation", "::mlir::OpPassManager",
                            "Passes for a function of which only the run knows when to free memory">,
                 ListOption<"lowering", "lowering", "::mlir::OpPassManager",
                            "Passes for a module that had tensors, at the end">];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

def JoinCollectives : Pass<"lispier-join-collectives", "::mlir::ModuleOp"> {
  let summary = "Put collectives that follow each other into one comm.together";
  let description = [{
    Collectives of one kind over the same axes, of which none uses what another one writes. Between them may be
    computations of sizes, which are moved before them, and allocations, but no kernel, copy or call. Stands before
    lispier-plan-memory, so that none of them has memory that another one still uses.
    Example: test/Buffers/join-collectives.mlir
  }];
  let dependentDialects = ["::lispier::comm::CommDialect"];
}

def KeepReadValues : Pass<"lispier-keep-read-values", "::mlir::ModuleOp"> {
  let summary = "Copy what is read of memory that is written while the tensor is in use";
  let description = [{
    A tensor that is read of a memref is a value. Where an op may write the memory between the read and a use of the
    tensor, or of a view of it, on some path, what is read is copied; where the memref of a stored tensor may be
    accessed before the store, or written while the tensor is in use, the store is a copy. So lispier-bufferize-tensors,
    which is next, may take tensors for the memory itself. Allocations do not overlap; arguments of a function may, as
    far as its calls show.
    Example: test/Buffers/keep-read-values.mlir
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

def PassDestinations : Pass<"lispier-pass-destinations", "::mlir::ModuleOp"> {
  let summary = "Let functions make the tensors that they return in memory of their callers";
  let description = [{
    Of functions that are called in the module: each result whose sizes follow from the arguments becomes an argument
    with `group.out`, which the function writes and returns. Results whose sizes only the function knows remain.
    A function that others may call keeps its signature, and calls a private one with these arguments. One with
    `group.entry` has the arguments itself, and a function beside it returns the sizes of its results.
    Example: test/Buffers/pass-destinations.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def PassTensorsToKernels : Pass<"lispier-pass-tensors-to-kernels", "::mlir::ModuleOp"> {
  let summary = "Make parameters of kernels that are tensors memory, and pass it in launches";
  let description = [{
    Of these tensors a kernel reads elements and sizes only: another op on one is an error. Precedes bufferization,
    which copies the memory that a launch gets if something writes it and the tensor is needed later.
    Example: test/Buffers/pass-tensors-to-kernels.mlir
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

def PlanMemory : Pass<"lispier-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Place a function's intermediate tensors in one allocation";
  let description = [{
    Tensors that are not live at the same time share memory: each is placed, larger ones first, at the lowest offset
    that is free while it is live. Offsets are polynomials in the sizes that only the run knows. The allocation is
    before the first intermediate tensor, outside of loops and of steps that are replayed. A private function, unless it
    is recursive, is given it by its callers, if they can compute its size: it is an intermediate of theirs.
    Example: test/Buffers/plan-memory.mlir
  }];
  let options = [Option<"explain", "explain", "bool", "false", "Emit the plan as remarks">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

#endif
