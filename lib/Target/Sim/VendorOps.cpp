//===- VendorOps.cpp - matrix instructions and asynchronous copies --------===//
//
// The vendors' ops that tile programs are distributed to. A thread hands its part of
// the operands to the runtime in memory of its own, waits there for the other lanes
// of its warp, and takes its part of the result back.
//
//===----------------------------------------------------------------------===//
#include "VendorOps.h"
#include "RuntimeNumbers.h"
#include "lispier/Loops/ByteSize.h"
#include "lispier/Runtime/Sim/Sim.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier {
namespace {
constexpr int64_t kWordBytes = 4, kMatrixRow = 8, kSwizzledRowBytes = 128;

/// Types of a matrix instruction, as lispier_sim_matrix takes them.
struct MatrixTypes {
  LispierSimType operands, sums;
  bool tf32 = false;
};

class VendorOpLowering {
public:
  VendorOpLowering(Operation *op, Value thread, RuntimeCalls &calls)
      : op(op), thread(thread), calls(calls), b(op), loc(op->getLoc()) {}

  LogicalResult multiply(NVVM::MmaOp mma);
  LogicalResult multiply(amdgpu::MFMAOp mfma);
  LogicalResult multiply(amdgpu::WMMAOp wmma);
  LogicalResult multiply(tile::WarpgroupMmaOp mma);
  LogicalResult wait(tile::WarpgroupWaitOp wait);
  LogicalResult vacant(tile::VacantOp vacant);
  LogicalResult fill(tile::FillOp fill);
  LogicalResult storeMatrix(tile::StoreMatrixOp store);
  LogicalResult copy(tile::CopyBulkOp copy);
  LogicalResult elected(tile::ElectedOp elected);
  LogicalResult again(tile::AgainOp again) { return replace(again.getNumber()); }
  /// The site of the op, and the address and the slots of a ring, with which its calls begin.
  SmallVector<Value> ring(Value ring) { return {calls.site(b, loc), start(ring), slots(ring)}; }
  Value start(Value memref) {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(),
                                      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref));
  }
  Value slots(Value ring) { return i64(cast<MemRefType>(ring.getType()).getDimSize(1)); }
  template <typename... Operands> LogicalResult callRing(StringRef name, Value of, Operands... operands) {
    SmallVector<Value> all = ring(of);
    (all.push_back(operands), ...);
    return call(name, all);
  }
  LogicalResult loadMatrix(nvgpu::LdMatrixOp load);
  LogicalResult loadMatrix(NVVM::LdMatrixOp load);
  LogicalResult copy(nvgpu::DeviceAsyncCopyOp copy);
  LogicalResult copy(NVVM::CpAsyncOp copy);
  LogicalResult call(StringRef name, ValueRange operands = {}) {
    SmallVector<Value> all{thread};
    llvm::append_range(all, operands);
    calls.call(b, loc, name, all);
    op->erase();
    return success();
  }
  LogicalResult join(tile::JoinOp join) {
    if (join.getPasses())
      return call("lispier_sim_pass", {calls.site(b, loc), join.getId(), i64(join.getThreads())});
    return call("lispier_sim_join",
                {calls.site(b, loc), join.getId(), i64(join.getThreads()), i32(join.getPublishes())});
  }
  Value i32(int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 32); }
  Value i64(int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 64); }

private:
  Type pointer() { return LLVM::LLVMPointerType::get(b.getContext()); }
  /// Memory of the thread for `bytes` bytes, allocated once in the function.
  Value memory(int64_t bytes);
  Value at(Value memory, int64_t byte) {
    return LLVM::GEPOp::create(b, loc, pointer(), b.getI8Type(), memory,
                               ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(byte)});
  }
  /// Writes the values one after the other to memory of the thread.
  Value inMemory(ValueRange values);
  void matrix(LispierSimMatrixFamily family, ArrayRef<int64_t> mnk, MatrixTypes types, Value a, Value b, Value c);
  /// A struct of type `type` whose fields are in `memory`.
  Value structFrom(Value memory, Type type);
  /// The address, as i64, of the first of `elements` neighbours in a memref; they must lie inside.
  Value address(Value memref, ValueRange indices, OpFoldResult elements);
  /// A memref's first element, rank, sizes, strides and `indices`, as the runtime takes a tile of a tensor; and the
  /// bytes of an element.
  SmallVector<Value> tensorTile(Value memref, ValueRange indices);
  /// Calls the runtime's ldmatrix; returns where the words are.
  Value loadWords(Value address, int64_t matrices, bool transposed);
  LogicalResult refuse(const Twine &what) { return op->emitOpError("has no meaning in the simulator: ") << what; }
  LogicalResult replace(Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    return success();
  }

  Operation *op;
  Value thread;
  RuntimeCalls &calls;
  OpBuilder b;
  Location loc;
};

Value VendorOpLowering::memory(int64_t bytes) {
  auto function = op->getParentOfType<func::FuncOp>();
  OpBuilder entry = OpBuilder::atBlockBegin(&function.getBody().front());
  Value count = arith::ConstantIntOp::create(entry, loc, bytes, 64);
  constexpr unsigned kAlignment = 64; // Of the widest vector.
  return LLVM::AllocaOp::create(entry, loc, pointer(), b.getI8Type(), count, kAlignment);
}

Value VendorOpLowering::inMemory(ValueRange values) {
  int64_t bytes = 0;
  for (Value value : values)
    bytes += byteSize(value.getType());
  Value start = memory(bytes);
  int64_t byte = 0;
  for (Value value : values) {
    LLVM::StoreOp::create(b, loc, value, at(start, byte), /*alignment=*/1);
    byte += byteSize(value.getType());
  }
  return start;
}

Value VendorOpLowering::structFrom(Value memory, Type type) {
  Value result = LLVM::PoisonOp::create(b, loc, type);
  int64_t byte = 0;
  for (auto [i, field] : llvm::enumerate(cast<LLVM::LLVMStructType>(type).getBody())) {
    Value value = LLVM::LoadOp::create(b, loc, field, at(memory, byte), /*alignment=*/1);
    result = LLVM::InsertValueOp::create(b, loc, result, value, i);
    byte += byteSize(field);
  }
  return result;
}

Value VendorOpLowering::address(Value memref, ValueRange indices, OpFoldResult elements) {
  // The view says to lispier-check-kernels which elements are read.
  SmallVector<OpFoldResult> offsets(indices.begin(), indices.end()), ones(indices.size(), b.getIndexAttr(1)),
      sizes = ones;
  sizes.back() = elements;
  Value view = memref::SubViewOp::create(b, loc, memref, offsets, sizes, ones);
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, view);
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, view);
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  Value scale = arith::ConstantIndexOp::create(b, loc, byteSize(element));
  Value byte = arith::MulIOp::create(b, loc, metadata.getOffset(), scale);
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), arith::AddIOp::create(b, loc, base, byte));
}

//===-- Products ----------------------------------------------------------===//

void VendorOpLowering::matrix(LispierSimMatrixFamily family, ArrayRef<int64_t> mnk, MatrixTypes types, Value a, Value b,
                              Value c) {
  calls.call(this->b, loc, "lispier_sim_matrix",
             {thread, calls.site(this->b, loc), i32(family), i32(mnk[0]), i32(mnk[1]), i32(mnk[2]), i32(types.operands),
              i32(types.tf32), i32(types.sums), a, b, c});
}

LogicalResult VendorOpLowering::multiply(NVVM::MmaOp mma) {
  auto type = mma.getMultiplicandAPtxType();
  if (!type || type != mma.getMultiplicandBPtxType())
    return refuse("its operands have two types, or none that it names");
  MatrixTypes types{kSimBF16, kSimF32};
  switch (*type) {
  case NVVM::MMATypes::bf16:
    break;
  case NVVM::MMATypes::f16:
    types.operands = kSimF16;
    break;
  case NVVM::MMATypes::tf32:
    types = {kSimF32, kSimF32, /*tf32=*/true};
    break;
  case NVVM::MMATypes::s8:
    types = {kSimInt8, kSimInt32};
    break;
  default:
    return refuse("products of " + NVVM::stringifyMMATypes(*type));
  }
  auto result = cast<LLVM::LLVMStructType>(mma.getType());
  Type sums = types.sums == kSimF32 ? Type(b.getF32Type()) : Type(b.getI32Type());
  if (llvm::any_of(result.getBody(), [&](Type field) { return field != sums; }))
    return refuse("sums of another type than f32, or i32 of integers");
  if (mma.getLayoutA() != NVVM::MMALayout::row || mma.getLayoutB() != NVVM::MMALayout::col)
    return refuse("layouts other than row and col");
  NVVM::MMAShapeAttr shape = mma.getShapeAttr();
  Value c = inMemory(mma.getOperandC());
  matrix(kSimMma, {shape.getM(), shape.getN(), shape.getK()}, types, inMemory(mma.getOperandA()),
         inMemory(mma.getOperandB()), c);
  return replace(structFrom(c, result));
}

LogicalResult VendorOpLowering::multiply(amdgpu::MFMAOp mfma) {
  auto operands = elementKind(getElementTypeOrSelf(mfma.getSourceA())),
       sums = elementKind(getElementTypeOrSelf(mfma.getDestC()));
  if (!operands || !sums || mfma.getSourceA().getType() != mfma.getSourceB().getType())
    return refuse("these types of operands");
  if (mfma.getBlocks() != 1 || mfma.getCbsz() || mfma.getAbid() || mfma.getBlgp() != amdgpu::MFMAPermB::none ||
      mfma.getNegateA() || mfma.getNegateB() || mfma.getNegateC())
    return refuse("several blocks, or changes of its operands");
  Value c = inMemory(mfma.getDestC());
  matrix(kSimMfma, {mfma.getM(), mfma.getN(), mfma.getK()}, {*operands, *sums}, inMemory(mfma.getSourceA()),
         inMemory(mfma.getSourceB()), c);
  return replace(LLVM::LoadOp::create(b, loc, mfma.getType(), c));
}

LogicalResult VendorOpLowering::multiply(amdgpu::WMMAOp wmma) {
  auto operands = elementKind(getElementTypeOrSelf(wmma.getSourceA())),
       sums = elementKind(getElementTypeOrSelf(wmma.getDestC()));
  if (!operands || !sums || wmma.getSourceA().getType() != wmma.getSourceB().getType() ||
      (sums != kSimF32 && sums != kSimInt32))
    return refuse("these types of operands and sums");
  if (wmma.getUnsignedA() || wmma.getUnsignedB() || wmma.getClamp() ||
      cast<VectorType>(wmma.getSourceA().getType()).getNumElements() != int64_t(wmma.getK()))
    return refuse("a form of another family than gfx11");
  Value c = inMemory(wmma.getDestC());
  matrix(kSimWmma, {wmma.getM(), wmma.getN(), wmma.getK()}, {*operands, *sums}, inMemory(wmma.getSourceA()),
         inMemory(wmma.getSourceB()), c);
  return replace(LLVM::LoadOp::create(b, loc, wmma.getType(), c));
}

//===-- Products of warpgroups --------------------------------------------===//

LogicalResult VendorOpLowering::multiply(tile::WarpgroupMmaOp mma) {
  auto kind = elementKind(cast<MemRefType>(mma.getB().getType()).getElementType());
  if (kind != kSimBF16 && kind != kSimF16 && kind != kSimF32)
    return refuse("products of warpgroups of other types than BF16, F16 and F32");
  Value registers = LLVM::ZeroOp::create(b, loc, pointer()), from = i64(0);
  if (mma.getAIndex())
    from = address(mma.getA(), mma.getAIndex(), b.getIndexAttr(1));
  else
    registers = inMemory(mma.getA());
  Value to = address(mma.getB(), mma.getBIndex(), b.getIndexAttr(1)), c = inMemory(mma.getC());
  calls.call(b, loc, "lispier_sim_warpgroup_multiply",
             {thread, calls.site(b, loc), i32(mma.getN()), i32(*kind), i32(mma.getATransposed()),
              i32(mma.getTransposed()), i64(mma.getApart()), registers, from, to, c});
  return replace(LLVM::LoadOp::create(b, loc, mma.getType(), c, /*alignment=*/kWordBytes));
}

LogicalResult VendorOpLowering::wait(tile::WarpgroupWaitOp wait) {
  Value sums = inMemory(wait.getSums());
  int64_t count = cast<VectorType>(wait.getType()).getNumElements();
  calls.call(b, loc, "lispier_sim_warpgroup_wait", {thread, i64(wait.getPending()), sums, i64(count)});
  return replace(LLVM::LoadOp::create(b, loc, wait.getType(), sums, /*alignment=*/kWordBytes));
}

//===-- Rings of tiles ----------------------------------------------------===//

SmallVector<Value> VendorOpLowering::tensorTile(Value memref, ValueRange indices) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
  auto type = cast<MemRefType>(memref.getType());
  int64_t bytes = byteSize(type.getElementType());
  Value offset = arith::IndexCastOp::create(b, loc, b.getI64Type(), metadata.getOffset());
  Value first = arith::AddIOp::create(b, loc, start(memref), arith::MulIOp::create(b, loc, offset, i64(bytes)));
  SmallVector<Value> numbers;
  for (ValueRange each : {ValueRange(metadata.getSizes()), ValueRange(metadata.getStrides()), indices})
    for (Value number : each)
      numbers.push_back(arith::IndexCastOp::create(b, loc, b.getI64Type(), number));
  return {first, i64(type.getRank()), inMemory(numbers), i64(bytes)};
}

LogicalResult VendorOpLowering::vacant(tile::VacantOp vacant) {
  return callRing("lispier_sim_ring_vacant", vacant.getRing(), vacant.getN(), i64(vacant.getBytes()),
                  i64(vacant.getLate()));
}

LogicalResult VendorOpLowering::fill(tile::FillOp fill) {
  SmallVector<Value> operands = ring(fill.getRing());
  auto type = cast<MemRefType>(fill.getSlots().getType());
  int64_t rowBytes = type.getDimSize(2) * byteSize(type.getElementType());
  operands.append({fill.getN(), start(fill.getSlots()), i64(type.getDimSize(1)), i64(rowBytes / kSwizzledRowBytes)});
  llvm::append_range(operands, tensorTile(fill.getSource(), fill.getIndices()));
  return call("lispier_sim_ring_fill", operands);
}

LogicalResult VendorOpLowering::storeMatrix(tile::StoreMatrixOp store) {
  auto type = cast<VectorType>(store.getMatrices().getType());
  Value row = address(store.getDestination(), store.getIndices(), b.getIndexAttr(kMatrixRow));
  Value words = memory(type.getDimSize(0) * kWordBytes);
  auto flat = VectorType::get({type.getNumElements()}, type.getElementType());
  LLVM::StoreOp::create(b, loc, vector::ShapeCastOp::create(b, loc, flat, store.getMatrices()), words,
                        /*alignment=*/kWordBytes);
  return call("lispier_sim_store_matrix", {calls.site(b, loc), row, i32(type.getDimSize(0)), words});
}

LogicalResult VendorOpLowering::copy(tile::CopyBulkOp copy) {
  Value from = address(copy.getSource(), copy.getSourceIndex(), b.getIndexAttr(1));
  SmallVector<Value> operands{calls.site(b, loc), from, i64(copy.getRows())};
  llvm::append_range(operands, tensorTile(copy.getDestination(), copy.getIndices()));
  return call("lispier_sim_copy_bulk", operands);
}

LogicalResult VendorOpLowering::elected(tile::ElectedOp elected) {
  Value number = calls.call(b, loc, "lispier_sim_elected", {thread}, b.getI32Type()).getResult(0);
  return replace(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, number, i32(0)));
}

//===-- Shared memory -----------------------------------------------------===//

Value VendorOpLowering::loadWords(Value address, int64_t matrices, bool transposed) {
  Value words = memory(matrices * kWordBytes);
  calls.call(b, loc, "lispier_sim_load_matrix",
             {thread, calls.site(b, loc), address, i32(matrices), i32(transposed), words});
  return words;
}

LogicalResult VendorOpLowering::loadMatrix(nvgpu::LdMatrixOp load) {
  auto type = cast<VectorType>(load.getType());
  if (byteSize(type.getElementType()) != 2)
    return refuse("elements of other than 16 bits");
  Value row = address(load.getSrcMemref(), load.getIndices(), b.getIndexAttr(kMatrixRow));
  Value words = loadWords(row, load.getNumTiles(), load.getTranspose());
  auto flat = VectorType::get({type.getNumElements()}, type.getElementType());
  Value elements = LLVM::LoadOp::create(b, loc, flat, words, /*alignment=*/kWordBytes);
  return replace(vector::ShapeCastOp::create(b, loc, type, elements));
}

LogicalResult VendorOpLowering::loadMatrix(NVVM::LdMatrixOp load) {
  if (load.getShape().getM() != kMatrixRow || load.getShape().getN() != kMatrixRow ||
      load.getEltType() != NVVM::LdStMatrixEltType::B16)
    return refuse("matrices other than 8 x 8 of 16 bits");
  Value row = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), load.getPtr());
  Value words = loadWords(row, load.getNum(), load.getLayout() == NVVM::MMALayout::col);
  if (isa<LLVM::LLVMStructType>(load.getType()))
    return replace(structFrom(words, load.getType()));
  return replace(LLVM::LoadOp::create(b, loc, load.getType(), words));
}

LogicalResult VendorOpLowering::copy(nvgpu::DeviceAsyncCopyOp copy) {
  int64_t elementBytes = byteSize(cast<MemRefType>(copy.getDst().getType()).getElementType());
  int64_t elements = copy.getDstElements().getSExtValue();
  OpFoldResult readElements = b.getIndexAttr(elements);
  Value readBytes = i64(elements * elementBytes);
  SmallVector<Value> fromIndices(copy.getSrcIndices());
  if (Value some = copy.getSrcElements()) {
    readElements = some;
    // What reads nothing may be anywhere.
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value none = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, some, zero);
    for (Value &index : fromIndices)
      if (!isZeroInteger(index))
        index = arith::SelectOp::create(b, loc, none, zero, index);
    readBytes =
        arith::MulIOp::create(b, loc, arith::IndexCastOp::create(b, loc, b.getI64Type(), some), i64(elementBytes));
  }
  Value to = address(copy.getDst(), copy.getDstIndices(), b.getIndexAttr(elements));
  Value from = address(copy.getSrc(), fromIndices, readElements);
  return call("lispier_sim_copy_async", {calls.site(b, loc), to, from, i64(elements * elementBytes), readBytes});
}

LogicalResult VendorOpLowering::copy(NVVM::CpAsyncOp copy) {
  Type wide = b.getI64Type();
  Value to = LLVM::PtrToIntOp::create(b, loc, wide, copy.getDst());
  Value from = LLVM::PtrToIntOp::create(b, loc, wide, copy.getSrc());
  Value read = copy.getCpSize() ? Value(arith::ExtUIOp::create(b, loc, wide, copy.getCpSize())) : i64(copy.getSize());
  return call("lispier_sim_copy_async", {calls.site(b, loc), to, from, i64(copy.getSize()), read});
}
} // namespace

void dropCopyTokens(func::FuncOp kernel) {
  kernel.walk([](nvgpu::DeviceAsyncWaitOp wait) {
    OpBuilder b(wait);
    NVVM::CpAsyncWaitGroupOp::create(b, wait.getLoc(), wait.getNumGroups().value_or(0));
    wait.erase();
  });
  kernel.walk([](nvgpu::DeviceAsyncCreateGroupOp group) {
    OpBuilder b(group);
    NVVM::CpAsyncCommitGroupOp::create(b, group.getLoc());
    if (group.use_empty()) // Else, a loop carries the token: lowerOp reports the op.
      group.erase();
  });
}

void registerCopyDialect(DialectRegistry &registry) { registry.insert<NVVM::NVVMDialect>(); }

bool isVendorCollective(Operation *op) {
  return isa<NVVM::MmaOp, NVVM::LdMatrixOp, nvgpu::LdMatrixOp, amdgpu::MFMAOp, amdgpu::WMMAOp, tile::WarpgroupMmaOp,
             tile::VacantOp, tile::FilledOp, tile::JoinOp, tile::StoreMatrixOp>(op);
}

bool isVendorOp(Operation *op) {
  return isVendorCollective(op) ||
         isa<nvgpu::DeviceAsyncCopyOp, NVVM::CpAsyncOp, NVVM::CpAsyncCommitGroupOp, NVVM::CpAsyncWaitGroupOp,
             NVVM::FenceProxyOp, tile::WarpgroupFenceOp, tile::WarpgroupCommitOp, tile::WarpgroupWaitOp,
             tile::RingStartOp, tile::FillOp, tile::ReleaseOp, tile::DrainedOp, tile::ElectedOp, tile::AgainOp,
             tile::CopyBulkOp, tile::RegistersOp>(op);
}

LogicalResult lowerVendorOp(Operation *op, Value thread, RuntimeCalls &calls) {
  VendorOpLowering lowering(op, thread, calls);
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<NVVM::MmaOp, amdgpu::MFMAOp, amdgpu::WMMAOp, tile::WarpgroupMmaOp>(
          [&](auto product) { return lowering.multiply(product); })
      .Case<NVVM::LdMatrixOp, nvgpu::LdMatrixOp>([&](auto load) { return lowering.loadMatrix(load); })
      .Case<NVVM::CpAsyncOp, nvgpu::DeviceAsyncCopyOp>([&](auto copy) { return lowering.copy(copy); })
      .Case([&](tile::WarpgroupFenceOp) { return lowering.call("lispier_sim_warpgroup_fence"); })
      .Case([&](tile::WarpgroupCommitOp) { return lowering.call("lispier_sim_warpgroup_commit"); })
      .Case([&](tile::WarpgroupWaitOp wait) { return lowering.wait(wait); })
      .Case([&](tile::RingStartOp start) {
        return lowering.call(
            "lispier_sim_ring_start",
            {lowering.start(start.getRing()), lowering.slots(start.getRing()), lowering.i64(start.getConsumers())});
      })
      .Case([&](tile::VacantOp vacant) { return lowering.vacant(vacant); })
      .Case([&](tile::FillOp fill) { return lowering.fill(fill); })
      .Case([&](tile::FilledOp filled) {
        return lowering.callRing("lispier_sim_ring_filled", filled.getRing(), filled.getN());
      })
      .Case([&](tile::ReleaseOp release) {
        return lowering.callRing("lispier_sim_ring_release", release.getRing(), release.getN(),
                                 lowering.i64(release.getLate()));
      })
      .Case([&](tile::JoinOp join) { return lowering.join(join); })
      .Case([&](tile::ElectedOp elected) { return lowering.elected(elected); })
      .Case([&](tile::AgainOp again) { return lowering.again(again); })
      .Case([&](tile::StoreMatrixOp store) { return lowering.storeMatrix(store); })
      .Case([&](tile::CopyBulkOp copy) { return lowering.copy(copy); })
      .Case([&](tile::DrainedOp drained) {
        return lowering.call("lispier_sim_drained", lowering.i64(drained.getPending()));
      })
      .Case([&](tile::RegistersOp registers) { // Threads of the simulator have as many as they want.
        registers.erase();
        return success();
      })
      .Case([&](NVVM::FenceProxyOp) { return lowering.call("lispier_sim_proxy_fence"); })
      .Case([&](NVVM::CpAsyncCommitGroupOp) { return lowering.call("lispier_sim_copy_commit"); })
      .Case([&](NVVM::CpAsyncWaitGroupOp wait) {
        return lowering.call("lispier_sim_copy_wait", lowering.i64(wait.getN()));
      });
}
} // namespace lispier
