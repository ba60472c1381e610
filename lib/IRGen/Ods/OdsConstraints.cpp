//===- OdsConstraints.cpp - the type constraints of ODS as functions ------===//
//
// The generated functions name the types of every dialect, so their headers are
// included in this file only.
//
//===----------------------------------------------------------------------===//
#include "lispier/IRGen/OdsTables.h"
#include "lispier/NN/NN.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/Bufferization/IR/BufferizationTypeInterfaces.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/IRDL/IR/IRDL.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/OpenACC/OpenACC.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/PDL/IR/PDLTypes.h"
#include "mlir/Dialect/Ptr/IR/PtrTypes.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/Dialect/SMT/IR/SMTTypes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVTypes.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/Dialect/WasmSSA/IR/WasmSSA.h"
#include "mlir/Dialect/XeGPU/IR/XeGPU.h"
#include "mlir/IR/BuiltinTypes.h"

// Some constraints name types, and a function of XeGPUOps.cpp, as code in their dialect would.
using namespace mlir;

static bool isSharedMemory(MemRefType type) {
  Attribute space = type.getMemorySpace();
  if (auto number = dyn_cast_if_present<IntegerAttr>(space))
    return number.getInt() == 3;
  if (auto named = dyn_cast_if_present<xegpu::MemorySpaceAttr>(space))
    return named.getValue() == xegpu::MemorySpace::SLM;
  return gpu::GPUDialect::isWorkgroupMemoryAddressSpace(space);
}

#include "OdsConstraints.inc"

bool lispier::ods::fits(const ValueRow &row, mlir::Type type) { return kConstraints[row.constraint](type); }
