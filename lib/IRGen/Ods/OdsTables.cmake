# Generates the rows of OdsTables.h from the .td files of every dialect that Session/RegisterDialects.cpp registers.
# A dialect that is registered and not listed is found by test/Unit/IRGen.
set(td_files
  Dialect/AMDGPU/IR/AMDGPU.td
  Dialect/AMX/AMX.td
  Dialect/Affine/IR/AffineOps.td
  Dialect/Affine/TransformOps/AffineTransformOps.td
  Dialect/Arith/IR/ArithOps.td
  Dialect/ArmNeon/ArmNeon.td
  Dialect/ArmNeon/TransformOps/ArmNeonVectorTransformOps.td
  Dialect/ArmSME/IR/ArmSMEIntrinsicOps.td
  Dialect/ArmSME/IR/ArmSMEOps.td
  Dialect/ArmSVE/IR/ArmSVE.td
  Dialect/ArmSVE/TransformOps/ArmSVEVectorTransformOps.td
  Dialect/Async/IR/AsyncOps.td
  Dialect/Bufferization/IR/BufferizationOps.td
  Dialect/Bufferization/TransformOps/BufferizationTransformOps.td
  Dialect/Complex/IR/ComplexOps.td
  Dialect/ControlFlow/IR/ControlFlowOps.td
  Dialect/DLTI/TransformOps/DLTITransformOps.td
  Dialect/EmitC/IR/EmitC.td
  Dialect/Func/IR/FuncOps.td
  Dialect/Func/TransformOps/FuncTransformOps.td
  Dialect/GPU/IR/GPUOps.td
  Dialect/GPU/TransformOps/GPUTransformOps.td
  Dialect/IRDL/IR/IRDLOps.td
  Dialect/Index/IR/IndexOps.td
  Dialect/LLVMIR/LLVMIntrinsicOps.td
  Dialect/LLVMIR/LLVMOps.td
  Dialect/LLVMIR/NVVMOps.td
  Dialect/LLVMIR/ROCDLOps.td
  Dialect/LLVMIR/VCIXOps.td
  Dialect/LLVMIR/XeVMOps.td
  Dialect/Linalg/IR/LinalgOps.td
  Dialect/Linalg/IR/LinalgRelayoutOps.td
  Dialect/Linalg/IR/LinalgStructuredOps.td
  Dialect/Linalg/TransformOps/LinalgMatchOps.td
  Dialect/Linalg/TransformOps/LinalgTransformOps.td
  Dialect/MLProgram/IR/MLProgramOps.td
  Dialect/MPI/IR/MPIOps.td
  Dialect/Math/IR/MathOps.td
  Dialect/MemRef/IR/MemRefOps.td
  Dialect/MemRef/TransformOps/MemRefTransformOps.td
  Dialect/NVGPU/IR/NVGPUOps.td
  Dialect/NVGPU/TransformOps/NVGPUTransformOps.td
  Dialect/OpenACC/OpenACCOps.td
  Dialect/OpenMP/OpenMPOps.td
  Dialect/PDL/IR/PDLOps.td
  Dialect/PDLInterp/IR/PDLInterpOps.td
  Dialect/Ptr/IR/PtrOps.td
  Dialect/Quant/IR/QuantOps.td
  Dialect/SCF/IR/SCFOps.td
  Dialect/SCF/TransformOps/SCFTransformOps.td
  Dialect/SMT/IR/SMT.td
  Dialect/SPIRV/IR/SPIRVOps.td
  Dialect/Shape/IR/ShapeOps.td
  Dialect/Shard/IR/ShardOps.td
  Dialect/SparseTensor/IR/SparseTensorOps.td
  Dialect/SparseTensor/TransformOps/SparseTensorTransformOps.td
  Dialect/Tensor/IR/TensorOps.td
  Dialect/Tensor/TransformOps/TensorTransformOps.td
  Dialect/Tosa/IR/TosaOps.td
  Dialect/Transform/DebugExtension/DebugExtensionOps.td
  Dialect/Transform/IR/TransformOps.td
  Dialect/Transform/IRDLExtension/IRDLExtensionOps.td
  Dialect/Transform/LoopExtension/LoopExtensionOps.td
  Dialect/Transform/PDLExtension/PDLExtensionOps.td
  Dialect/Transform/SMTExtension/SMTExtensionOps.td
  Dialect/Transform/TuneExtension/TuneExtensionOps.td
  Dialect/UB/IR/UBOps.td
  Dialect/Vector/IR/VectorOps.td
  Dialect/Vector/TransformOps/VectorTransformOps.td
  Dialect/WasmSSA/IR/WasmSSAOps.td
  Dialect/X86Vector/TransformOps/X86VectorTransformOps.td
  Dialect/X86Vector/X86Vector.td
  Dialect/XeGPU/IR/XeGPUOps.td
  Dialect/XeGPU/TransformOps/XeGPUTransformOps.td
  IR/BuiltinOps.td
)
list(TRANSFORM td_files PREPEND ${MLIR_INSTALL_PREFIX}/include/mlir/)
list(APPEND td_files ${CMAKE_SOURCE_DIR}/dialects/NN/NNOps.td ${CMAKE_SOURCE_DIR}/dialects/Device/DeviceOps.td
  ${CMAKE_SOURCE_DIR}/dialects/Tile/TileOps.td
  ${CMAKE_SOURCE_DIR}/dialects/Group/GroupOps.td ${CMAKE_SOURCE_DIR}/dialects/Grad/GradOps.td ${CMAKE_SOURCE_DIR}/dialects/Comm/CommOps.td)

# MLIR's shared library holds no TableGen: the two archives, over LLVM's shared library.
add_executable(lispier-ods-gen ${CMAKE_CURRENT_LIST_DIR}/Generate.cpp)
target_include_directories(lispier-ods-gen SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_link_libraries(lispier-ods-gen PRIVATE $<TARGET_FILE:MLIRTableGen> $<TARGET_FILE:LLVMTableGen> LLVM)

# It runs while the build does; what the packages hold is not ours to sanitize.
target_compile_options(lispier-ods-gen PRIVATE -fno-sanitize=all)
target_link_options(lispier-ods-gen PRIVATE -fno-sanitize=all)

set(rows ${CMAKE_CURRENT_BINARY_DIR}/OdsRows.inc)
set(constraints ${CMAKE_CURRENT_BINARY_DIR}/OdsConstraints.inc)
list(TRANSFORM MLIR_INCLUDE_DIRS PREPEND "-I;" OUTPUT_VARIABLE include_options)
add_custom_command(OUTPUT ${rows} ${constraints}
  COMMAND lispier-ods-gen ${rows} ${constraints} ${include_options} ${td_files}
  DEPENDS lispier-ods-gen ${td_files} COMMAND_EXPAND_LISTS VERBATIM)
target_sources(LispierIRGen PRIVATE ${CMAKE_CURRENT_LIST_DIR}/OdsTables.cpp ${rows}
  ${CMAKE_CURRENT_LIST_DIR}/OdsConstraints.cpp ${constraints})
target_include_directories(LispierIRGen PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
