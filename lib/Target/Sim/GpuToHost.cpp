//===- GpuToHost.cpp - outlined kernels -> functions over a thread --------===//
//
// Before: gpu.module with gpu.func kernels, gpu.launch_func in host code.
// After: func.funcs whose first argument is the thread's record, and calls of
// lispier_sim_launch; no gpu op of the device side is left. CheckKernels, next
// in line for the target sim, relies on the attribute device.sim_thread.
//
//===----------------------------------------------------------------------===//

#include "RuntimeNumbers.h"
#include "VendorOps.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Loops/ByteSize.h"
#include "lispier/Loops/RuntimeCalls.h"
#include "lispier/Runtime/Sim/Sim.h"
#include "lispier/Target/Sim/Passes.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_GPUTOHOST
#include "lispier/Target/Sim/Passes.h.inc"

namespace {
constexpr int64_t kSharedAlignment = 16;

/// A function of a gpu.module on its way to the host.
struct Kernel {
  func::FuncOp function;
  int64_t sharedBytes = 0;
  bool hasCollectives = false;
};

/// What a thread needs a stack of its own for: it waits there, or the launch ends there.
bool isCollective(Operation *op) {
  return isVendorCollective(op) || isa<gpu::BarrierOp, gpu::ShuffleOp, gpu::SubgroupReduceOp, gpu::AllReduceOp,
                                       cf::AssertOp, device::RequireIndexOp>(op);
}

MemRefType withoutSpace(MemRefType type) {
  return MemRefType::get(type.getShape(), type.getElementType(), type.getLayout());
}

class Lowering {
public:
  Lowering(ModuleOp module, bool checked, unsigned warpSize)
      : module(module), calls(module), llvmTypes(module.getContext()), checked(checked), warpSize(warpSize) {}
  LogicalResult run();

private:
  func::FuncOp moveToHost(gpu::GPUModuleOp gpuModule, FunctionOpInterface device);
  LogicalResult lowerBody(Kernel &kernel, gpu::GPUModuleOp from);
  LogicalResult lowerOp(Operation *op, Kernel &kernel, gpu::GPUModuleOp from);
  void lowerShuffle(gpu::ShuffleOp op, Value thread);
  LogicalResult lowerReduction(Operation *op, Value value, gpu::AllReduceOperation kind, Type type, Value thread);
  LogicalResult lowerOwnReduction(gpu::AllReduceOp op, Value thread);
  LogicalResult lowerPrint(gpu::PrintfOp op);
  LogicalResult lowerAssert(cf::AssertOp op, Value thread);
  LogicalResult lowerRequire(device::RequireIndexOp op, Value thread);
  LogicalResult lowerLaunch(gpu::LaunchFuncOp launch);
  func::FuncOp entryOf(Kernel &kernel, LLVM::LLVMStructType packed);
  LLVM::LLVMStructType packedType(TypeRange types);

  Value field(OpBuilder &b, Location loc, Value thread, int32_t index, Type type);
  Value indexField(OpBuilder &b, Location loc, Value thread, int32_t index);
  Value toBits(OpBuilder &b, Location loc, Value value);
  Value fromBits(OpBuilder &b, Location loc, Value bits, Type type);
  Value constant(OpBuilder &b, Location loc, int64_t value, unsigned width);
  int64_t placeGlobals(gpu::GPUModuleOp gpuModule);
  Value sharedMemory(OpBuilder &b, Location loc, Value thread, MemRefType type, int64_t offset);
  Value dynamicSharedMemory(OpBuilder &b, Location loc, Value thread, MemRefType type);

  ModuleOp module;
  RuntimeCalls calls;
  LLVMTypeConverter llvmTypes;
  bool checked;
  unsigned warpSize;
  llvm::StringMap<Kernel> kernels;                     ///< By "module::function".
  llvm::DenseMap<Operation *, StringAttr> hostGlobals; ///< Names of the other globals' copies.
  llvm::DenseMap<Operation *, int64_t> globalOffsets;  ///< Of workgroup globals, in the block's shared memory.
};

std::string keyOf(StringRef gpuModule, StringRef function) { return (gpuModule + "::" + function).str(); }

//===-- Values ------------------------------------------------------------===//

Value Lowering::constant(OpBuilder &b, Location loc, int64_t value, unsigned width) {
  return arith::ConstantIntOp::create(b, loc, value, width);
}

Value Lowering::field(OpBuilder &b, Location loc, Value thread, int32_t index, Type type) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value address = LLVM::GEPOp::create(b, loc, pointer, b.getI64Type(), thread, ArrayRef<LLVM::GEPArg>{index});
  // Never written while the kernel runs, so LLVM may keep it in a register.
  auto load = LLVM::LoadOp::create(b, loc, type, address);
  load.setInvariant(true);
  return load;
}

Value Lowering::indexField(OpBuilder &b, Location loc, Value thread, int32_t index) {
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), field(b, loc, thread, index, b.getI64Type()));
}

Value Lowering::toBits(OpBuilder &b, Location loc, Value value) {
  Type type = value.getType(), i64 = b.getI64Type();
  if (type.isIndex())
    return arith::IndexCastOp::create(b, loc, i64, value);
  unsigned width = type.getIntOrFloatBitWidth();
  if (isa<FloatType>(type))
    value = arith::BitcastOp::create(b, loc, b.getIntegerType(width), value);
  return width == 64 ? value : arith::ExtUIOp::create(b, loc, i64, value).getResult();
}

Value Lowering::fromBits(OpBuilder &b, Location loc, Value bits, Type type) {
  if (type.isIndex())
    return arith::IndexCastOp::create(b, loc, type, bits);
  unsigned width = type.getIntOrFloatBitWidth();
  if (width < 64)
    bits = arith::TruncIOp::create(b, loc, b.getIntegerType(width), bits);
  return isa<FloatType>(type) ? arith::BitcastOp::create(b, loc, type, bits).getResult() : bits;
}

/// The offset of a new buffer behind the `sharedBytes` bytes in use.
int64_t place(MemRefType type, int64_t &sharedBytes) {
  int64_t offset = llvm::alignTo(sharedBytes, kSharedAlignment);
  sharedBytes = offset + type.getNumElements() * byteSize(type.getElementType());
  return offset;
}

/// Globals lie first and at the same place for every function of a module, since any of them may name one.
int64_t Lowering::placeGlobals(gpu::GPUModuleOp gpuModule) {
  int64_t bytes = 0;
  SymbolTable names(module);
  for (auto global : gpuModule.getOps<memref::GlobalOp>()) {
    if (gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(global.getType())) {
      globalOffsets[global] = place(global.getType(), bytes);
      continue;
    }
    auto copy = cast<memref::GlobalOp>(global->clone());
    hostGlobals[global] = names.insert(copy);
  }
  return bytes;
}

Value Lowering::sharedMemory(OpBuilder &b, Location loc, Value thread, MemRefType type, int64_t offset) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value base = field(b, loc, thread, kShared, pointer);
  Value start =
      LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), base, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
  Value descriptor = MemRefDescriptor::fromStaticShape(b, loc, llvmTypes, withoutSpace(type), start);
  return UnrealizedConversionCastOp::create(b, loc, withoutSpace(type), descriptor).getResult(0);
}

Value Lowering::dynamicSharedMemory(OpBuilder &b, Location loc, Value thread, MemRefType type) {
  Value start = field(b, loc, thread, kDynamicShared, LLVM::LLVMPointerType::get(b.getContext()));
  Value bytes = field(b, loc, thread, kDynamicSharedBytes, b.getI64Type());
  MemRefType plain = withoutSpace(type);
  auto descriptor = MemRefDescriptor::poison(b, loc, llvmTypes.convertType(plain));
  descriptor.setAllocatedPtr(b, loc, start);
  descriptor.setAlignedPtr(b, loc, start);
  descriptor.setConstantOffset(b, loc, 0);
  descriptor.setSize(b, loc, 0, bytes);
  descriptor.setConstantStride(b, loc, 0, 1);
  return UnrealizedConversionCastOp::create(b, loc, plain, Value(descriptor)).getResult(0);
}

//===-- Kernels -----------------------------------------------------------===//

func::FuncOp Lowering::moveToHost(gpu::GPUModuleOp gpuModule, FunctionOpInterface device) {
  OpBuilder b(gpuModule);
  SmallVector<Type> arguments{LLVM::LLVMPointerType::get(b.getContext())};
  llvm::append_range(arguments, device.getArgumentTypes());
  std::string name = (gpuModule.getName() + "_" + device.getName()).str();
  for (unsigned i = 0; module.lookupSymbol(name); ++i)
    name = (gpuModule.getName() + "_" + device.getName() + "_" + Twine(i)).str();
  auto function = func::FuncOp::create(b, device.getLoc(), name, b.getFunctionType(arguments, device.getResultTypes()));
  function.setPrivate();
  function->setAttr(device::kSimThread, b.getUnitAttr());
  function.getBody().takeBody(device.getFunctionBody());
  function.getBody().insertArgument(0u, arguments[0], device.getLoc());
  return function;
}

LogicalResult Lowering::lowerReduction(Operation *op, Value value, gpu::AllReduceOperation kind, Type type,
                                       Value thread) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  std::optional<LispierSimType> element = elementKind(type);
  if (!element)
    return op->emitOpError("reduces ") << type << ", which has no meaning on the CPU; reduce scalars";
  if (type.isInteger(1)) // As signed numbers a set bit is the smaller one, which a byte that holds 1 does not say.
    kind = kind == gpu::AllReduceOperation::MINSI   ? gpu::AllReduceOperation::OR
           : kind == gpu::AllReduceOperation::MAXSI ? gpu::AllReduceOperation::AND
                                                    : kind;
  SmallVector<Value> operands{thread, calls.site(b, loc), constant(b, loc, static_cast<int32_t>(kind), 32),
                              constant(b, loc, *element, 32), toBits(b, loc, value)};
  StringRef callee = "lispier_sim_all_reduce";
  if (auto subgroup = dyn_cast<gpu::SubgroupReduceOp>(op)) {
    callee = "lispier_sim_subgroup_reduce";
    operands.push_back(constant(b, loc, subgroup.getClusterSize().value_or(0), 32));
    operands.push_back(constant(b, loc, subgroup.getClusterStride(), 32));
  }
  Value bits = calls.call(b, loc, callee, operands, b.getI64Type()).getResult(0);
  op->getResult(0).replaceAllUsesWith(fromBits(b, loc, bits, type));
  op->erase();
  return success();
}

void Lowering::lowerShuffle(gpu::ShuffleOp op, Value thread) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto function = op->getParentOfType<func::FuncOp>();
  OpBuilder entry = OpBuilder::atBlockBegin(&function.getBody().front());
  Value one = constant(entry, loc, 1, 32);
  Value validByte = LLVM::AllocaOp::create(entry, loc, LLVM::LLVMPointerType::get(b.getContext()), b.getI8Type(), one);
  Value bits = calls
                   .call(b, loc, "lispier_sim_shuffle",
                         {thread, calls.site(b, loc), constant(b, loc, static_cast<int32_t>(op.getMode()), 32),
                          toBits(b, loc, op.getValue()), op.getOffset(), op.getWidth(), validByte},
                         b.getI64Type())
                   .getResult(0);
  Value valid = LLVM::LoadOp::create(b, loc, b.getI8Type(), validByte);
  op.getShuffleResult().replaceAllUsesWith(fromBits(b, loc, bits, op.getValue().getType()));
  op.getValid().replaceAllUsesWith(arith::TruncIOp::create(b, loc, b.getI1Type(), valid));
  op.erase();
}

/// Each thread combines the values of all, in their order, by the reduction's own region.
LogicalResult Lowering::lowerOwnReduction(gpu::AllReduceOp op, Value thread) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  if (!op.getBody().hasOneBlock() || !elementKind(op.getType()))
    return op->emitOpError("reduces ") << op.getType()
                                       << " by a region; on the CPU it combines scalars and has one block";
  calls.call(b, loc, "lispier_sim_gather", {thread, calls.site(b, loc), toBits(b, loc, op.getValue())});
  auto valueOf = [&](OpBuilder &at, Value index) {
    return fromBits(at, loc, calls.call(at, loc, "lispier_sim_gathered", {thread, index}, b.getI64Type()).getResult(0),
                    op.getType());
  };
  Value count = field(b, loc, thread, kBlockDim, b.getI64Type());
  for (int32_t axis : {1, 2})
    count = arith::MulIOp::create(b, loc, count, field(b, loc, thread, kBlockDim + axis, b.getI64Type()));
  Value first = valueOf(b, constant(b, loc, 0, 64)), one = constant(b, loc, 1, 64);
  auto loop =
      scf::ForOp::create(b, loc, one, count, one, first, [&](OpBuilder &body, Location, Value i, ValueRange total) {
        IRMapping mapping;
        Block &combine = op.getBody().front();
        mapping.map(combine.getArguments(), ValueRange{total[0], valueOf(body, i)});
        for (Operation &step : combine.without_terminator())
          body.clone(step, mapping);
        scf::YieldOp::create(body, loc, mapping.lookupOrDefault(combine.getTerminator()->getOperand(0)));
      });
  op.replaceAllUsesWith(loop.getResult(0));
  op.erase();
  return success();
}

/// By C's rules for the arguments that a format takes.
LogicalResult Lowering::lowerPrint(gpu::PrintfOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type = LLVM::LLVMFunctionType::get(b.getI32Type(), {pointer}, /*isVarArg=*/true);
  constexpr StringLiteral kName = "lispier_sim_printf";
  if (!module.lookupSymbol(kName)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    LLVM::LLVMFuncOp::create(b, module.getLoc(), kName, type);
  }
  SmallVector<Value> operands{calls.text(b, loc, op.getFormat())};
  for (Value value : op.getArgs()) {
    if (value.getType().isIndex())
      value = arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
    else if (value.getType().isInteger() && value.getType().getIntOrFloatBitWidth() < 32)
      value = arith::ExtSIOp::create(b, loc, b.getI32Type(), value);
    else if (isa<FloatType>(value.getType()) && value.getType().getIntOrFloatBitWidth() < 64)
      value = arith::ExtFOp::create(b, loc, b.getF64Type(), value);
    operands.push_back(value);
  }
  LLVM::CallOp::create(b, loc, type, kName, operands);
  op.erase();
  return success();
}

LogicalResult Lowering::lowerAssert(cf::AssertOp op, Value thread) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value fails = arith::XOrIOp::create(b, loc, op.getArg(), arith::ConstantIntOp::create(b, loc, 1, 1));
  auto branch = scf::IfOp::create(b, loc, fails, /*withElseRegion=*/false);
  OpBuilder then = branch.getThenBodyBuilder();
  calls.call(then, loc, "lispier_sim_assert", {thread, calls.site(then, loc), calls.text(then, loc, op.getMsg())});
  op.erase();
  return success();
}

LogicalResult Lowering::lowerRequire(device::RequireIndexOp op, Value thread) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value fails = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, op.getIndex(), op.getSize());
  OpBuilder then = scf::IfOp::create(b, loc, fails, /*withElseRegion=*/false).getThenBodyBuilder();
  Value callers = calls.text(then, loc, RuntimeCalls::callersOf(loc));
  calls.call(then, loc, "lispier_sim_outside",
             {thread, calls.site(then, loc), callers, toBits(then, loc, op.getIndex()),
              constant(then, loc, op.getAxis(), 64), toBits(then, loc, op.getSize())});
  op.erase();
  return success();
}

LogicalResult Lowering::lowerOp(Operation *op, Kernel &kernel, gpu::GPUModuleOp from) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value thread = kernel.function.getArgument(0);
  auto replace = [&](Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    return success();
  };
  auto axis = [&](gpu::Dimension d) { return static_cast<int32_t>(d); };
  if (auto id = dyn_cast<gpu::ThreadIdOp>(op))
    return replace(indexField(b, loc, thread, kThreadId + axis(id.getDimension())));
  if (auto id = dyn_cast<gpu::BlockIdOp>(op))
    return replace(indexField(b, loc, thread, kBlockId + axis(id.getDimension())));
  if (auto dim = dyn_cast<gpu::BlockDimOp>(op))
    return replace(indexField(b, loc, thread, kBlockDim + axis(dim.getDimension())));
  if (auto dim = dyn_cast<gpu::GridDimOp>(op))
    return replace(indexField(b, loc, thread, kGridDim + axis(dim.getDimension())));
  if (auto id = dyn_cast<gpu::GlobalIdOp>(op)) {
    Value block = indexField(b, loc, thread, kBlockId + axis(id.getDimension()));
    Value size = indexField(b, loc, thread, kBlockDim + axis(id.getDimension()));
    Value first = arith::MulIOp::create(b, loc, block, size);
    return replace(
        arith::AddIOp::create(b, loc, first, indexField(b, loc, thread, kThreadId + axis(id.getDimension()))));
  }
  if (isa<gpu::LaneIdOp>(op))
    return replace(indexField(b, loc, thread, kLane));
  if (isa<gpu::SubgroupIdOp>(op))
    return replace(indexField(b, loc, thread, kWarp));
  if (isa<gpu::NumSubgroupsOp>(op))
    return replace(indexField(b, loc, thread, kWarps));
  if (isa<gpu::SubgroupSizeOp>(op))
    return replace(indexField(b, loc, thread, kWarpSize));
  if (isa<gpu::BarrierOp>(op)) {
    calls.call(b, loc, "lispier_sim_barrier", {thread, calls.site(b, loc)});
    op->erase();
    return success();
  }
  if (auto shuffle = dyn_cast<gpu::ShuffleOp>(op)) {
    if (!shuffle.getValue().getType().isIntOrFloat() || shuffle.getValue().getType().getIntOrFloatBitWidth() > 64)
      return shuffle.emitOpError("moves ")
             << shuffle.getValue().getType() << " between lanes; the CPU moves scalars of up to 64 bits";
    lowerShuffle(shuffle, thread);
    return success();
  }
  if (auto reduce = dyn_cast<gpu::SubgroupReduceOp>(op))
    return lowerReduction(op, reduce.getValue(), reduce.getOp(), reduce.getType(), thread);
  if (auto reduce = dyn_cast<gpu::AllReduceOp>(op)) {
    if (!reduce.getOp())
      return lowerOwnReduction(reduce, thread);
    return lowerReduction(op, reduce.getValue(), *reduce.getOp(), reduce.getType(), thread);
  }
  if (auto print = dyn_cast<gpu::PrintfOp>(op))
    return lowerPrint(print);
  if (auto assertion = dyn_cast<cf::AssertOp>(op))
    return lowerAssert(assertion, thread);
  if (auto check = dyn_cast<device::RequireIndexOp>(op))
    return lowerRequire(check, thread);
  if (isa<gpu::YieldOp>(op)) // goes with its reduction, which is visited after it
    return success();
  if (auto memory = dyn_cast<gpu::DynamicSharedMemoryOp>(op))
    return replace(dynamicSharedMemory(b, loc, thread, memory.getType()));
  if (auto get = dyn_cast<memref::GetGlobalOp>(op))
    if (auto global = from.lookupSymbol<memref::GlobalOp>(get.getName())) {
      if (StringAttr copy = hostGlobals.lookup(global)) {
        get.setName(copy);
        return success();
      }
      return replace(sharedMemory(b, loc, thread, get.getType(), globalOffsets[global]));
    }
  if (auto ret = dyn_cast<gpu::ReturnOp>(op)) {
    func::ReturnOp::create(b, loc, ret.getOperands());
    op->erase();
    return success();
  }
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = kernels.find(keyOf(from.getName(), call.getCallee()));
    if (callee == kernels.end())
      return success();
    SmallVector<Value> operands{thread};
    llvm::append_range(operands, call.getOperands());
    auto moved = func::CallOp::create(b, loc, callee->second.function, operands);
    call.replaceAllUsesWith(moved);
    call.erase();
    return success();
  }
  if (isVendorOp(op))
    return lowerVendorOp(op, thread, calls);
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "gpu" || dialect == "nvvm" || dialect == "rocdl" || dialect == "nvgpu" || dialect == "amdgpu")
    return op->emitOpError("has no meaning on the CPU; give the kernel a variant without it");
  return success();
}

LogicalResult Lowering::lowerBody(Kernel &kernel, gpu::GPUModuleOp from) {
  dropCopyTokens(kernel.function);
  SmallVector<Operation *> ops;
  kernel.function.walk([&](Operation *op) {
    kernel.hasCollectives |= isCollective(op);
    if (op != kernel.function)
      ops.push_back(op);
  });
  for (Operation *op : ops)
    if (failed(lowerOp(op, kernel, from)))
      return failure();
  // Address spaces mean nothing on the host, and its lowering of memrefs would refuse them.
  AttrTypeReplacer replacer;
  replacer.addReplacement([](MemRefType type) { return withoutSpace(type); });
  replacer.addReplacement(
      [](UnrankedMemRefType type) { return UnrankedMemRefType::get(type.getElementType(), Attribute()); });
  replacer.recursivelyReplaceElementsIn(kernel.function, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  return success();
}

//===-- Launches ----------------------------------------------------------===//

LLVM::LLVMStructType Lowering::packedType(TypeRange types) {
  SmallVector<Type> fields;
  for (Type type : types)
    fields.push_back(llvmTypes.convertType(type));
  return LLVM::LLVMStructType::getLiteral(module.getContext(), fields);
}

/// kernel_entry(thread, packed): what the runtime calls.
func::FuncOp Lowering::entryOf(Kernel &kernel, LLVM::LLVMStructType packed) {
  std::string name = (kernel.function.getName() + "_entry").str();
  if (auto entry = module.lookupSymbol<func::FuncOp>(name))
    return entry;
  OpBuilder b(kernel.function);
  Location loc = kernel.function.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto entry = func::FuncOp::create(b, loc, name, b.getFunctionType({pointer, pointer}, {}));
  entry.setPrivate();
  Block *body = entry.addEntryBlock();
  b.setInsertionPointToStart(body);
  SmallVector<Value> operands{body->getArgument(0)};
  for (auto [i, type] : llvm::enumerate(kernel.function.getArgumentTypes().drop_front())) {
    Value address = LLVM::GEPOp::create(b, loc, pointer, packed, body->getArgument(1),
                                        ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(i)});
    Value field = LLVM::LoadOp::create(b, loc, packed.getBody()[i], address);
    operands.push_back(UnrealizedConversionCastOp::create(b, loc, type, field).getResult(0));
  }
  func::CallOp::create(b, loc, kernel.function, operands);
  func::ReturnOp::create(b, loc);
  return entry;
}

LogicalResult Lowering::lowerLaunch(gpu::LaunchFuncOp launch) {
  auto found = kernels.find(keyOf(launch.getKernelModuleName(), launch.getKernelName()));
  if (found == kernels.end())
    return launch.emitOpError("launches an unknown kernel");
  if (launch.hasClusterSize())
    return launch.emitError("launches clusters of blocks, which only NVIDIA's GPUs from sm_90 on have");
  Kernel &kernel = found->second;
  OpBuilder b(launch);
  Location loc = launch.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64 = b.getI64Type();
  SmallVector<Type> types;
  for (Type type : kernel.function.getArgumentTypes().drop_front())
    types.push_back(type);
  LLVM::LLVMStructType packed = packedType(types);
  // In the entry block: a launch in a loop must not grow the stack.
  auto host = launch->getParentOfType<FunctionOpInterface>();
  OpBuilder entryBuilder = OpBuilder::atBlockBegin(&host.getFunctionBody().front());
  Value one = constant(entryBuilder, loc, 1, 64);
  Value memory = LLVM::AllocaOp::create(entryBuilder, loc, pointer, packed, one);
  for (auto [i, operand, type] : llvm::enumerate(launch.getKernelOperands(), types)) {
    Value plain = operand;
    if (plain.getType() != type) // the kernel's side has lost its address spaces
      plain = UnrealizedConversionCastOp::create(b, loc, type, plain).getResult(0);
    Value field = llvmTypes.convertType(type) == type
                      ? plain
                      : UnrealizedConversionCastOp::create(b, loc, packed.getBody()[i], plain).getResult(0);
    Value address =
        LLVM::GEPOp::create(b, loc, pointer, packed, memory, ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(i)});
    LLVM::StoreOp::create(b, loc, field, address);
  }
  func::FuncOp entry = entryOf(kernel, packed);
  Value function = func::ConstantOp::create(b, loc, entry.getFunctionType(), SymbolRefAttr::get(entry));
  Value callee = UnrealizedConversionCastOp::create(b, loc, pointer, function).getResult(0);
  auto wide = [&](Value v) -> Value {
    if (v.getType().isIndex())
      return arith::IndexCastOp::create(b, loc, i64, v);
    return v.getType() == i64 ? v : arith::ExtSIOp::create(b, loc, i64, v).getResult();
  };
  gpu::KernelDim3 grid = launch.getGridSizeOperandValues(), block = launch.getBlockSizeOperandValues();
  Value dynamicBytes =
      launch.getDynamicSharedMemorySize() ? wide(launch.getDynamicSharedMemorySize()) : constant(b, loc, 0, 64);
  int32_t flags =
      (checked ? kSimChecked : 0) | (kernel.hasCollectives ? kSimCollective : 0) | (warpSize == 64 ? kSimWarp64 : 0);
  Value message =
      calls
          .call(b, loc, "lispier_sim_launch",
                {callee, memory, wide(grid.x), wide(grid.y), wide(grid.z), wide(block.x), wide(block.y), wide(block.z),
                 constant(b, loc, kernel.sharedBytes, 64), dynamicBytes, constant(b, loc, flags, 32),
                 calls.text(b, loc, launch.getKernelName()), calls.site(b, loc)},
                pointer)
          .getResult(0);
  calls.call(b, loc, "lispier_sim_check", {message});
  launch.erase();
  return success();
}

//===-- The module --------------------------------------------------------===//

LogicalResult Lowering::run() {
  SmallVector<gpu::GPUModuleOp> modules(module.getOps<gpu::GPUModuleOp>());
  for (gpu::GPUModuleOp gpuModule : modules) {
    int64_t globalBytes = placeGlobals(gpuModule);
    for (auto device : llvm::make_early_inc_range(gpuModule.getOps<FunctionOpInterface>())) {
      if (device.isExternal())
        continue;
      Kernel kernel;
      kernel.sharedBytes = globalBytes;
      SmallVector<MemRefType> workgroup, privates;
      if (auto kernelOp = dyn_cast<gpu::GPUFuncOp>(device.getOperation())) {
        for (BlockArgument argument : kernelOp.getWorkgroupAttributions())
          workgroup.push_back(cast<MemRefType>(argument.getType()));
        for (BlockArgument argument : kernelOp.getPrivateAttributions())
          privates.push_back(cast<MemRefType>(argument.getType()));
      }
      unsigned arguments = device.getNumArguments();
      std::string key = keyOf(gpuModule.getName(), device.getName());
      kernel.function = moveToHost(gpuModule, device);
      Block &entry = kernel.function.getBody().front();
      OpBuilder b = OpBuilder::atBlockBegin(&entry);
      Location loc = kernel.function.getLoc();
      for (auto [i, type] : llvm::enumerate(workgroup))
        entry.getArgument(1 + arguments + i)
            .replaceAllUsesWith(sharedMemory(b, loc, entry.getArgument(0), type, place(type, kernel.sharedBytes)));
      for (auto [i, type] : llvm::enumerate(privates))
        entry.getArgument(1 + arguments + workgroup.size() + i)
            .replaceAllUsesWith(memref::AllocaOp::create(b, loc, withoutSpace(type)));
      entry.eraseArguments(1 + arguments, workgroup.size() + privates.size());
      kernels[key] = kernel;
    }
  }
  for (gpu::GPUModuleOp gpuModule : modules)
    for (auto &entry : kernels)
      if (StringRef(entry.getKey()).starts_with((gpuModule.getName() + "::").str()) &&
          failed(lowerBody(entry.second, gpuModule)))
        return failure();
  // A kernel meets others where a function that it calls does.
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &entry : kernels)
      entry.second.function.walk([&](func::CallOp call) {
        for (auto &callee : kernels)
          if (callee.second.function.getName() == call.getCallee()) {
            bool more = callee.second.hasCollectives && !entry.second.hasCollectives;
            entry.second.hasCollectives |= callee.second.hasCollectives;
            changed |= more;
          }
      });
  }
  WalkResult launches = module.walk([&](gpu::LaunchFuncOp launch) {
    return failed(lowerLaunch(launch)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (launches.wasInterrupted())
    return failure();
  module.walk([](gpu::WaitOp wait) { wait.erase(); }); // Everything is synchronous here.
  for (gpu::GPUModuleOp gpuModule : modules)
    gpuModule.erase();
  module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  return success();
}

struct GpuToHost : impl::GpuToHostBase<GpuToHost> {
  using GpuToHostBase::GpuToHostBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    GpuToHostBase::getDependentDialects(registry);
    registerCopyDialect(registry);
  }

  void runOnOperation() override {
    if (failed(Lowering(getOperation(), checked, warpSize).run()))
      signalPassFailure();
  }
};
} // namespace
} // namespace lispier
