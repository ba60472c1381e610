//===- DeviceOps.td - the device dialect ------------------*- tablegen -*-===//
//
// Attributes by which passes on host code and on kernels exchange facts through the
// IR rather than through C++ state, and ops of host code.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_DEVICE_OPS
#define LISPIER_DEVICE_OPS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Device_Dialect : Dialect {
  let name = "device";
  let cppNamespace = "::lispier::device";
  let summary = "Host code that drives devices, and attributes that it shares with kernels";
  let description = [{
    Ops of host code that the gpu dialect lacks. Allocations, copies and launches are ops of the gpu dialect (gpu.alloc,
    gpu.memcpy, gpu.launch_func), which upstream's passes support. Discardable attributes, verified by the dialect:

    - `device.target = "cuda:sm_90a"` on a gpu.module: the target of its kernels. On a builtin.module: the target of the
      whole program. The names are those of `--target=`.
    - `device.kernel = #device.kernel<...>` on a kernel: its launch interface, independent of later changes of its
      types.
    - `device.reads_pointers` on a kernel: it loads pointers from memory.
    - `device.waits` on a kernel: the kernel itself waits for earlier work in the queue.
    - `device.constant` among a func.call's attributes of an argument: no kernel that may still be running when the call
      launches one writes that memory.
    - `device.dependent_launch` on a gpu.launch_func: the kernel may start before earlier work has completed
      (programmatic dependent launch). Requires `device.waits` on the kernel.
    - `device.code = #device.code<...>` on a gpu.module: the binary of its kernels, or its symbol.
    - `device.reduction` on a loop that will be part of a kernel: nothing else in it touches the element that it
      updates.
    - `device.sim_thread` on a host function made from a kernel: its first parameter is the simulator's record of a
      thread.
    - `device.parallel_body` on a function: its callers already run on the runtime's threads.
    - `device.tuned` on a host function: its loops have the vectors and tiles that they should have.
    - `device.plain` on a linalg op: it becomes loops over scalars. `device.cached`: its inputs are in the cache, so
      that none of them is prefetched. `device.prefetch = N : i64`: the last N inputs are not read but prefetched.
    - `device.checked` on a host function: the checks that its target makes at run time are inserted.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

class Device_Attr<string name, string word> : AttrDef<Device_Dialect, name> {
  let mnemonic = word;
  let assemblyFormat = "`<` struct(params) `>`";
}

def Device_Kernel : Device_Attr<"Kernel", "kernel"> {
  let summary = "Launch interface of a kernel";
  let description = [{
    Types of the parameters in order (`!llvm.ptr` for memory, i64 for an index); threads per block along x, y and z
    (absent if the launch may choose); static shared memory in bytes; whether launches add dynamic shared memory.
  }];
  let parameters = (ins "::mlir::ArrayAttr":$parameters, OptionalParameter<"::mlir::DenseI32ArrayAttr">:$block,
                        DefaultValuedParameter<"int64_t", "0">:$sharedBytes,
                        DefaultValuedParameter<"bool", "false">:$dynamicShared);
}

def Device_Code : Device_Attr<"Code", "code"> {
  let summary = "Binary that a driver can load";
  let description = [{
    `format` is ptx, cubin, fatbin or hsaco. With `symbol` the binary is still being made (KernelBinaries.h): that
    symbol will name it, and the one with `_size` behind it its number of bytes, an i64.
  }];
  let parameters = (ins StringRefParameter<"by its name">:$format, OptionalParameter<"::mlir::StringAttr">:$bytes,
                        OptionalParameter<"::mlir::StringAttr">:$symbol);
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

class Device_Op<string name, list<Trait> traits = []> : Op<Device_Dialect, name, traits>;

def Device_UploadOp : Device_Op<"upload", [AllTypesMatch<["source", "result"]>]> {
  let summary = "Allocate device memory with the contents of `source`";
  let description = [{
    The program frees the result by gpu.dealloc. The copy is asynchronous, in the device's queue: the host may read
    `source` at once, and waits for the copy before it writes to `source`. If kernels run on the host, the result is
    `source` itself. On a GPU the memref must have the identity layout.

    With `once`, what was uploaded with it before, from the same place and with as many bytes, is not copied again: the
    result is that memory, as for weights that two tensors share. The program neither writes to
    `source`, nor frees it or the result.

    ```mlir
    %weights = device.upload %host {once} : memref<?x768xbf16>
    ```
  }];
  let arguments = (ins Arg<AnyRankedOrUnrankedMemRef, "host memory", [MemRead]>:$source, UnitAttr:$once);
  let results = (outs Res<AnyRankedOrUnrankedMemRef, "the device's copy", [MemAlloc, MemWrite]>:$result);
  let assemblyFormat = "$source attr-dict `:` type($result)";
}

def Device_DownloadOp : Device_Op<"download", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "The contents of `source` in host memory";
  let description = [{
    Of a tensor: the same value, in memory that the host reads without waiting for the device. It is memory of its own:
    no pass computes the tensor there, and the memory plan does not place it. Of a memref: allocates host memory with
    the contents, once earlier work in the device's queue is done; memref.dealloc frees it. On the target cpu
    `lispier-drop-downloads` replaces the op on tensors by its operand.

    ```mlir
    %host = device.download %logits : tensor<1x50257xf32> to tensor<1x50257xf32>
    %memory = device.download %part : memref<4x?xf32, strided<[?, 1]>> to memref<4x?xf32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>:$source);
  let results = (outs AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

def Device_RequireIndexOp : Device_Op<"require_index", [MemoryEffects<[MemWrite]>]> {
  let summary = "End the program unless an index that is data is inside of an axis";
  let description = [{
    With a message that has the index, the axis and its size, if not 0 <= index < size. In host code, kernels and tile
    programs of targets that report errors (TargetInfo); others never get one.

    ```mlir
    device.require_index %token below %size axis 0
    ```
  }];
  let arguments = (ins Index:$index, Index:$size, I64Attr:$axis);
  let assemblyFormat = "$index `below` $size `axis` $axis attr-dict";
}

def Device_MayNotEndOp : Device_Op<"may_not_end", [MemoryEffects<[MemWrite]>]> {
  let summary = "Effect of a loop that may have no end";
  let description = [{
    Keeps an scf.while that nothing needs from being erased: the program may be meant to stay in it. Changes no memory.

    ```mlir
    device.may_not_end
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Device_ReplayOp : Device_Op<"replay", [RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getRegionInvocationBounds"]>]> {
  let summary = "A region whose launches may be captured as a graph and replayed";
  let description = [{
    The runtime records the launches in `body`, including those of functions that it calls. If a later execution makes
    the same launches, they are enqueued as one captured graph; if it makes others, it is executed as usual. If
    kernels run on the host, the op is equivalent to its body. The body ends in device.yield, whose operands are the
    results. Like that of scf.execute_region, it may have several blocks if the parent region may.

    ```mlir
    device.replay {
      gpu.launch_func @kernels::@k blocks in (%n, %c1, %c1) threads in (%c32, %c1, %c1) args(%out : memref<?xf32>)
      device.yield
    }
    ```
  }];
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region MinSizedRegion<1>:$body);
  let assemblyFormat = "(`->` type($results)^)? attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// Replaces the op by its body. Calls `atEnd` with a builder at each end of the body.
    void inlineBody(::llvm::function_ref<void(::mlir::OpBuilder &)> atEnd = {});
  }];
}

def Device_YieldOp : Device_Op<"yield", [Pure, ReturnLike, Terminator, ParentOneOf<["ReplayOp"]>]> {
  let summary = "Terminate the body of device.replay and return its results";
  let arguments = (ins Variadic<AnyType>:$results);
  let builders = [OpBuilder<(ins)>];
  let assemblyFormat = "($results^ `:` type($results))? attr-dict";
}

#endif
