//===- TileOpsToNvvm.cpp - thread-level tile ops -> NVIDIA's instructions -===//
#include "RingsToNvvm.h"
#include "lispier/Loops/ByteSize.h"
#include "lispier/Target/Nvidia/Passes.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_TILEOPSTONVVM
#include "lispier/Target/Nvidia/Passes.h.inc"

namespace {
constexpr int64_t kWordBytes = 4, kLargestCopy = 16;

/// The operands of mma.sync: words of 32 bits, of two halves as vector<2xf16> if they are F16, else as i32.
SmallVector<Value> wordsOf(ImplicitLocOpBuilder &b, Value fragment) {
  auto type = cast<VectorType>(fragment.getType());
  int64_t perWord = kWordBytes / byteSize(type.getElementType());
  SmallVector<Value> words;
  for (int64_t i = 0; i < type.getNumElements(); i += perWord) {
    Value part = vector::ExtractStridedSliceOp::create(b, fragment, ArrayRef<int64_t>{i}, ArrayRef<int64_t>{perWord},
                                                       ArrayRef<int64_t>{1});
    if (!type.getElementType().isF16()) {
      part = vector::BitCastOp::create(b, VectorType::get({1}, b.getI32Type()), part);
      part = vector::ExtractOp::create(b, part, ArrayRef<int64_t>{0});
    }
    words.push_back(part);
  }
  return words;
}

std::optional<NVVM::MMATypes> operandType(tile::MmaOp mma) {
  Type type = cast<VectorType>(mma.getA().getType()).getElementType();
  if (type.isBF16())
    return NVVM::MMATypes::bf16;
  if (type.isF16())
    return NVVM::MMATypes::f16;
  if (type.isF32() && mma.getTf32())
    return NVVM::MMATypes::tf32;
  if (type.isInteger(8))
    return NVVM::MMATypes::s8;
  return std::nullopt;
}

LogicalResult lower(tile::MmaOp mma) {
  ImplicitLocOpBuilder b(mma.getLoc(), mma);
  std::optional<NVVM::MMATypes> type = operandType(mma);
  if (!type)
    return mma.emitOpError("of ") << mma.getA().getType() << " is no instruction of NVIDIA's";
  auto sums = cast<VectorType>(mma.getType());
  SmallVector<Value> c;
  for (int64_t i = 0; i < sums.getNumElements(); ++i)
    c.push_back(vector::ExtractOp::create(b, mma.getC(), ArrayRef<int64_t>{i}));
  auto result = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(c.size(), sums.getElementType()));
  std::optional<NVVM::MMAIntOverflow> overflow;
  if (*type == NVVM::MMATypes::s8)
    overflow = NVVM::MMAIntOverflow::wrapped;
  auto product = NVVM::MmaOp::create(b, result, wordsOf(b, mma.getA()), wordsOf(b, mma.getB()), c,
                                     ArrayRef<int64_t>{int64_t(mma.getM()), int64_t(mma.getN()), int64_t(mma.getK())},
                                     std::nullopt, overflow, std::array{*type, *type},
                                     std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  SmallVector<Value> d;
  for (int64_t i = 0; i < sums.getNumElements(); ++i)
    d.push_back(LLVM::ExtractValueOp::create(b, product.getRes(), ArrayRef<int64_t>{i}));
  mma.replaceAllUsesWith(vector::FromElementsOp::create(b, sums, d).getResult());
  mma.erase();
  return success();
}

LogicalResult lower(tile::LoadMatrixOp load) {
  ImplicitLocOpBuilder b(load.getLoc(), load);
  auto type = cast<VectorType>(load.getType());
  Value loaded = nvgpu::LdMatrixOp::create(b, type, load.getSource(), load.getIndices(), load.getTransposed(),
                                           uint32_t(type.getDimSize(0)));
  load.replaceAllUsesWith(loaded);
  load.erase();
  return success();
}

/// A row of the one element at `indices`, for ops that take rows whose elements are one after the other.
Value elementOf(ImplicitLocOpBuilder &b, Value memory, ValueRange indices) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, memory);
  Value offset = metadata.getOffset();
  for (auto [index, stride] : llvm::zip_equal(indices, metadata.getStrides()))
    offset = arith::AddIOp::create(b, offset, arith::MulIOp::create(b, index, stride));
  auto type = cast<MemRefType>(memory.getType());
  auto layout = StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {1});
  auto row = MemRefType::get({1}, type.getElementType(), layout, type.getMemorySpace());
  SmallVector<OpFoldResult> one(1, b.getIndexAttr(1));
  return memref::ReinterpretCastOp::create(b, row, metadata.getBaseBuffer(), OpFoldResult(offset), one, one);
}

LogicalResult lower(tile::CopyAsyncOp copy) {
  ImplicitLocOpBuilder b(copy.getLoc(), copy);
  int64_t bytes = copy.getElements() * byteSize(cast<MemRefType>(copy.getSource().getType()).getElementType());
  // Copies of 16 bytes may pass the first-level cache by, in which a tile is not found again.
  UnitAttr bypass = bytes == kLargestCopy ? b.getUnitAttr() : nullptr;
  Value source = copy.getSource();
  SmallVector<Value> indices = copy.getSourceIndices();
  if (!cast<MemRefType>(source.getType()).isLastDimUnitStride()) { // It copies one element.
    source = elementOf(b, source, indices);
    indices.assign(1, arith::ConstantIndexOp::create(b, 0));
  }
  nvgpu::DeviceAsyncCopyOp::create(b, nvgpu::DeviceAsyncTokenType::get(b.getContext()), copy.getDestination(),
                                   copy.getDestinationIndices(), source, indices, b.getIndexAttr(copy.getElements()),
                                   copy.getRead(), bypass);
  copy.erase();
  return success();
}

/// What the instruction knows of a matrix in shared memory: its address in units of 16 bytes, 1024 bytes to the next
/// eight rows, `apart` bytes to the next 64 columns, and the 128-byte swizzle (PTX ISA, "Matrix descriptor").
Value descriptor(ImplicitLocOpBuilder &b, Value memory, Value index, int64_t apart) {
  constexpr int64_t kUnit = 16, kEightRows = 1024, kSwizzle128 = int64_t(1) << 62;
  int64_t bytes = byteSize(cast<MemRefType>(memory.getType()).getElementType());
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(b, memory);
  Value offset = arith::MulIOp::create(b, index, arith::ConstantIndexOp::create(b, bytes));
  Value address = arith::IndexCastUIOp::create(b, b.getI32Type(), arith::AddIOp::create(b, start, offset));
  Value units = arith::ShRUIOp::create(b, address, arith::ConstantIntOp::create(b, 4, 32));
  int64_t rest = kSwizzle128 | kEightRows / kUnit << 32 | apart / kUnit << 16;
  return arith::OrIOp::create(b, arith::ExtUIOp::create(b, b.getI64Type(), units),
                              arith::ConstantIntOp::create(b, rest, 64));
}

/// The same of one of several matrices at constant distances: an addition to the first one's. Of a ring's slots, whose
/// addresses are new in each step, these are most of what a step computes; loops that copy for themselves keep theirs.
Value descriptorApart(ImplicitLocOpBuilder &b, Value memory, Value index, int64_t apart) {
  constexpr int64_t kUnit = 16, kEightRows = 1024, kSwizzle128 = int64_t(1) << 62;
  int64_t bytes = byteSize(cast<MemRefType>(memory.getType()).getElementType()), further = 0;
  APInt constant;
  if (auto sum = index.getDefiningOp<arith::AddIOp>();
      sum && matchPattern(sum.getRhs(), m_ConstantInt(&constant)) && constant.getSExtValue() * bytes % kUnit == 0) {
    further = constant.getSExtValue() * bytes / kUnit;
    index = sum.getLhs();
  }
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(b, memory);
  Value offset = arith::MulIOp::create(b, index, arith::ConstantIndexOp::create(b, bytes));
  Value address = arith::IndexCastUIOp::create(b, b.getI32Type(), arith::AddIOp::create(b, start, offset));
  Value units = arith::ShRUIOp::create(b, address, arith::ConstantIntOp::create(b, 4, 32));
  Value low = arith::AddIOp::create(b, units, arith::ConstantIntOp::create(b, (apart / kUnit << 16) + further, 32));
  return arith::OrIOp::create(b, arith::ExtUIOp::create(b, b.getI64Type(), low),
                              arith::ConstantIntOp::create(b, kSwizzle128 | kEightRows / kUnit << 32, 64));
}

/// Runs `text` with sums in registers, as $0, $1, ... , that it makes, or those of `sums`, if there are, that it
/// updates, and `inputs` after them: i32 in registers of 32 bits, i64 in such of 64.
Value updateSums(ImplicitLocOpBuilder &b, VectorType type, Value sums, ValueRange inputs, const std::string &text) {
  int64_t count = type.getNumElements();
  std::string constraints;
  for (int64_t i = 0; i < count; ++i)
    constraints += "=f,";
  for (Value input : inputs)
    constraints += input.getType().isInteger(64) ? "l," : "r,";
  SmallVector<Value> operands(inputs);
  for (int64_t i = 0; sums && i < count; ++i)
    constraints += std::to_string(i) + ",";
  if (sums)
    llvm::append_range(operands, vector::ToElementsOp::create(b, sums).getResults());
  constraints.pop_back();
  auto result = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(count, type.getElementType()));
  auto made = LLVM::InlineAsmOp::create(b, result, operands, text, constraints, /*has_side_effects=*/true,
                                        /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
                                        LLVM::AsmDialectAttr(), ArrayAttr());
  SmallVector<Value> elements;
  for (int64_t i = 0; i < count; ++i)
    elements.push_back(LLVM::ExtractValueOp::create(b, made.getRes(), ArrayRef<int64_t>{i}));
  return vector::FromElementsOp::create(b, type, elements);
}

/// Of a fragment that is rows of two elements, of matrices that ldmatrix has read: each row's matrix and number.
SmallVector<std::pair<Value, int64_t>> rowsOf(Value fragment) {
  auto parts = fragment.getDefiningOp<vector::FromElementsOp>();
  if (!parts || 2 * byteSize(getElementTypeOrSelf(fragment.getType())) != kWordBytes)
    return {};
  SmallVector<std::pair<Value, int64_t>> rows;
  for (size_t i = 0; i + 1 < parts.getElements().size(); i += 2) {
    auto first = dyn_cast<OpResult>(parts.getElements()[i]), second = dyn_cast<OpResult>(parts.getElements()[i + 1]);
    auto matrix = first ? dyn_cast<vector::ToElementsOp>(first.getOwner()) : vector::ToElementsOp();
    if (!matrix || !second || second.getOwner() != matrix || first.getResultNumber() % 2 ||
        second.getResultNumber() != first.getResultNumber() + 1)
      return {};
    auto type = cast<VectorType>(matrix.getSource().getType());
    if (type.getRank() != 2 || type.getDimSize(1) != 2)
      return {};
    rows.push_back({matrix.getSource(), first.getResultNumber() / 2});
  }
  return rows;
}

/// A fragment as i32. Words that ldmatrix has read stay whole: where they are taken apart in one block and put together
/// in another, ptxas 13.0 (-O1 to -O3) takes them for dead behind a product in a loop that they are factors of, and
/// gives their registers to other factors.
SmallVector<Value> bitsOf(ImplicitLocOpBuilder &b, Value fragment) {
  auto type = cast<VectorType>(fragment.getType());
  SmallVector<std::pair<Value, int64_t>> rows = rowsOf(fragment);
  if (!rows.empty())
    return llvm::map_to_vector(rows, [&](std::pair<Value, int64_t> row) -> Value {
      Value pair = vector::ExtractOp::create(b, row.first, ArrayRef<int64_t>{row.second});
      Value word = vector::BitCastOp::create(b, VectorType::get({1}, b.getI32Type()), pair);
      return vector::ExtractOp::create(b, word, ArrayRef<int64_t>{0});
    });
  auto words = VectorType::get({type.getNumElements() * byteSize(type.getElementType()) / kWordBytes}, b.getI32Type());
  return SmallVector<Value>(
      vector::ToElementsOp::create(b, vector::BitCastOp::create(b, words, fragment)).getResults());
}

/// 0, which ptxas cannot know: the highest bit of the device's clock, once a block.
Value unknownZero(OpBuilder &b, Location loc, Operation *before) {
  constexpr StringRef kText = "mov.u32 $0, %clock_hi; shr.u32 $0, $0, 31;";
  for (auto made : before->getBlock()->getOps<LLVM::InlineAsmOp>())
    if (made.getAsmString() == kText)
      return made.getRes();
  return LLVM::InlineAsmOp::create(b, loc, b.getI32Type(), ValueRange(), kText, "=r", /*has_side_effects=*/true,
                                   /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
                                   LLVM::AsmDialectAttr(), ArrayAttr())
      .getRes();
}

/// The words of a factor that is read from registers; of a kept one, copies of this step (KeptFactors.cpp says why).
SmallVector<Value> wordsOfFactor(ImplicitLocOpBuilder &b, tile::WarpgroupMmaOp mma) {
  SmallVector<Value> words = bitsOf(b, mma.getA());
  if (mma.getKept())
    for (Value &word : words)
      word = arith::XOrIOp::create(b, word, unknownZero(b, b.getLoc(), mma));
  return words;
}

/// Whether the tile is 0 everywhere.
bool isZero(Value sums) {
  if (auto parts = sums.getDefiningOp<vector::FromElementsOp>())
    return llvm::all_of(parts.getElements(), [](Value element) { return matchPattern(element, m_AnyZeroFloat()); });
  return matchPattern(sums, m_AnyZeroFloat());
}

/// "$first, $(first + 1), ..."
std::string operandNumbers(int64_t first, int64_t count) {
  std::string names;
  for (int64_t i = 0; i < count; ++i)
    names += (i ? ", $" : "$") + std::to_string(first + i);
  return names;
}

LogicalResult lower(tile::WarpgroupMmaOp mma, bool isOfRing) {
  ImplicitLocOpBuilder b(mma.getLoc(), mma);
  auto descriptor = isOfRing ? descriptorApart : lispier::descriptor;
  Type element = cast<MemRefType>(mma.getB().getType()).getElementType();
  int64_t count = cast<VectorType>(mma.getType()).getNumElements();
  bool inRegisters = !mma.getAIndex();
  SmallVector<Value> inputs =
      inRegisters ? wordsOfFactor(b, mma) : SmallVector<Value>{descriptor(b, mma.getA(), mma.getAIndex(), 16)};
  std::string a = operandNumbers(count, inputs.size()),
              type = element.isF32()    ? "tf32"
                     : element.isBF16() ? "bf16"
                                        : "f16",
              k = element.isF32() ? "k8" : "k16";
  inputs.push_back(descriptor(b, mma.getB(), mma.getBIndex(), mma.getApart()));
  // The first product of a ring's step does not add to zeros, which would be moved to its registers in each step.
  bool adds = !isOfRing || !isZero(mma.getC());
  // Behind the matrices: add to the sums, signs, and which of those in shared memory are transposed, of 16 bits alone.
  std::string text = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(mma.getN()) + k + ".f32." + type + "." +
                     type + " {" + operandNumbers(0, count) + "}, " + (inRegisters ? "{" + a + "}" : a) + ", " +
                     operandNumbers(count + inputs.size() - 1, 1) + (adds ? ", 1, 1, 1" : ", 0, 1, 1") +
                     (element.isF32() || inRegisters ? ""
                      : mma.getATransposed()         ? ", 1"
                                                     : ", 0") +
                     (element.isF32()       ? ""
                      : mma.getTransposed() ? ", 1"
                                            : ", 0") +
                     ";";
  auto sums = cast<VectorType>(mma.getType());
  mma.replaceAllUsesWith(updateSums(b, sums, adds ? mma.getC() : Value(), inputs, text));
  mma.erase();
  return success();
}

LogicalResult lower(tile::WarpgroupFenceOp fence) {
  OpBuilder b(fence);
  NVVM::WgmmaFenceAlignedOp::create(b, fence.getLoc());
  fence.erase();
  return success();
}

LogicalResult lower(tile::WarpgroupCommitOp commit) {
  OpBuilder b(commit);
  NVVM::WgmmaGroupSyncAlignedOp::create(b, commit.getLoc());
  commit.erase();
  return success();
}

/// The sums pass through the wait, so that nothing uses them before it, and factors that are read from registers are
/// its operands, so that these are not reused before it.
LogicalResult lower(tile::WarpgroupWaitOp wait) {
  ImplicitLocOpBuilder b(wait.getLoc(), wait);
  std::string text = "wgmma.wait_group.sync.aligned " + std::to_string(wait.getPending()) + ";";
  SmallVector<Value> factors;
  for (Value factor : wait.getFactors())
    llvm::append_range(factors, bitsOf(b, factor));
  auto sums = cast<VectorType>(wait.getType());
  wait.replaceAllUsesWith(updateSums(b, sums, wait.getSums(), factors, text));
  wait.erase();
  return success();
}

LogicalResult lower(tile::CommitCopiesOp commit) {
  OpBuilder b(commit);
  NVVM::CpAsyncCommitGroupOp::create(b, commit.getLoc());
  commit.erase();
  return success();
}

LogicalResult lower(tile::WaitCopiesOp wait) {
  OpBuilder b(wait);
  NVVM::CpAsyncWaitGroupOp::create(b, wait.getLoc(), uint32_t(wait.getPending()));
  // Products of warpgroups read shared memory by another path than threads and their copies write it.
  bool areReadByGroups = false;
  wait->getParentOfType<gpu::GPUFuncOp>().walk([&](tile::WarpgroupMmaOp) { areReadByGroups = true; });
  if (areReadByGroups)
    NVVM::FenceProxyOp::create(b, wait.getLoc(),
                               NVVM::ProxyKindAttr::get(b.getContext(), NVVM::ProxyKind::async_shared),
                               NVVM::SharedSpaceAttr::get(b.getContext(), NVVM::SharedSpace::shared_cta));
  wait.erase();
  return success();
}

struct TileOpsToNvvm : impl::TileOpsToNvvmBase<TileOpsToNvvm> {
  using TileOpsToNvvmBase::TileOpsToNvvmBase;

  void runOnOperation() override {
    getOperation()->walk([](tile::WaitCopiesOp wait) { (void)lower(wait); }); // While products have their names.
    llvm::DenseSet<Operation *> rings;
    getOperation()->walk([&](tile::FilledOp wait) { rings.insert(wait->getParentOfType<gpu::GPUFuncOp>()); });
    WalkResult walked = getOperation()->walk([&](Operation *op) {
      LogicalResult lowered =
          TypeSwitch<Operation *, LogicalResult>(op)
              .Case<tile::MmaOp, tile::LoadMatrixOp, tile::CopyAsyncOp, tile::CommitCopiesOp>(
                  [](auto of) { return lower(of); })
              .Case([&](tile::WarpgroupMmaOp mma) {
                return warpgroups ? lower(mma, rings.contains(mma->getParentOfType<gpu::GPUFuncOp>())) : success();
              })
              .Case<tile::WarpgroupFenceOp, tile::WarpgroupCommitOp, tile::WarpgroupWaitOp>(
                  [&](auto of) { return warpgroups ? lower(of) : success(); })
              .Default([&](Operation *other) { return warpgroups ? ringToNvvm(other) : success(); });
      return failed(lowered) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walked.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
} // namespace lispier
