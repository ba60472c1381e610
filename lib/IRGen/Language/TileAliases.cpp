//===- TileAliases.cpp - parameters of tile programs that are one memory --===//
//
// A launch may give a tile program one memref as two parameters, of which the program
// writes one: in place, where it reads an element before it writes it. What it reads
// behind the write is another thread's, which may or may not have written it.
//
//===----------------------------------------------------------------------===//
#include "Core/ConstantIntegers.h"
#include "Core/Messages.h"
#include "Generator.h"
#include "Kernels.h"
#include "TilePrograms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace llvm;
namespace gpu = mlir::gpu;
namespace vector = mlir::vector;

namespace lispier {
namespace {
/// A read or a write of the elements of a parameter from `indices` on.
struct Access {
  mlir::Operation *op;
  SmallVector<mlir::Value> indices;
  SmallVector<int64_t> sizes;
};

std::optional<Access> accessOf(mlir::Operation *op, mlir::Value parameter, bool writes) {
  mlir::Value base;
  mlir::ValueRange indices;
  ArrayRef<int64_t> tile;
  if (auto read = dyn_cast<vector::TransferReadOp>(op); read && !writes)
    base = read.getBase(), indices = read.getIndices(), tile = read.getVectorType().getShape();
  else if (auto write = dyn_cast<vector::TransferWriteOp>(op); write && writes)
    base = write.getBase(), indices = write.getIndices(), tile = write.getVectorType().getShape();
  else if (auto load = dyn_cast<mlir::memref::LoadOp>(op); load && !writes)
    base = load.getMemRef(), indices = load.getIndices();
  else if (auto store = dyn_cast<mlir::memref::StoreOp>(op); store && writes)
    base = store.getMemRef(), indices = store.getIndices();
  if (base != parameter || !base)
    return std::nullopt;
  SmallVector<int64_t> sizes(indices.size() - tile.size(), 1);
  sizes.append(tile.begin(), tile.end());
  return Access{op, SmallVector<mlir::Value>(indices), std::move(sizes)};
}

SmallVector<Access> accessesOf(gpu::GPUFuncOp kernel, mlir::Value parameter, bool writes) {
  SmallVector<Access> all;
  kernel.walk([&](mlir::Operation *op) {
    if (std::optional<Access> access = accessOf(op, parameter, writes))
      all.push_back(std::move(*access));
  });
  return all;
}

/// Whether both are the same number, computed alike.
bool isEqual(mlir::Value a, mlir::Value b) {
  if (a == b)
    return true;
  mlir::Operation *one = a.getDefiningOp(), *other = b.getDefiningOp();
  return one && other && isPure(one) && one->getNumRegions() == 0 &&
         mlir::OperationEquivalence::isEquivalentTo(
             one, other, [](mlir::Value x, mlir::Value y) { return mlir::success(isEqual(x, y)); }, nullptr,
             mlir::OperationEquivalence::IgnoreLocations);
}

/// Whether some element is surely in both.
bool meet(const Access &write, const Access &read) {
  for (auto [a, aSize, b, bSize] : zip_equal(write.indices, write.sizes, read.indices, read.sizes)) {
    std::optional<int64_t> x = ConstantIntegers::known(a), y = ConstantIntegers::known(b);
    if (x && y ? *x >= *y + bSize || *y >= *x + aSize : !isEqual(a, b))
      return false;
  }
  return true;
}

/// Whether each execution of `read` comes after one of `write`.
bool isBehind(mlir::Operation *read, mlir::Operation *write) {
  for (; read && !isa<gpu::GPUFuncOp>(read); read = read->getParentOp())
    if (read->getBlock() == write->getBlock())
      return read != write && write->isBeforeInBlock(read);
  return false;
}
} // namespace

void TilePrograms::noteAliases(const Launch &launch, StringRef symbol) {
  auto memoryOf = [&](unsigned i) {
    mlir::Value value = launch.arguments[i];
    while (auto cast = value.getDefiningOp<mlir::memref::CastOp>())
      value = cast.getSource();
    return isa<mlir::BaseMemRefType>(value.getType()) ? value : mlir::Value();
  };
  for (unsigned i : seq(launch.arguments.size()))
    for (unsigned j : seq(launch.arguments.size()))
      if (i != j && memoryOf(i) && memoryOf(i) == memoryOf(j))
        aliases.push_back({&launch.program, launch.form, symbol.str(), i, j});
}

void TilePrograms::checkAliases(const Alias &alias) {
  auto kernel = gen.kernels.kernelModule(alias.launch).lookupSymbol<gpu::GPUFuncOp>(alias.symbol);
  if (!kernel)
    return;
  SmallVector<Access> reads = accessesOf(kernel, kernel.getArgument(alias.read), /*writes=*/false);
  for (const Access &write : accessesOf(kernel, kernel.getArgument(alias.written), /*writes=*/true))
    for (const Access &read : reads) {
      if (!isBehind(read.op, write.op) || !meet(write, read))
        continue;
      auto nameOf = [&](unsigned i) { return (*(*alias.program->parameters)[i])[1]->text(); };
      ArrayRef<const Form *> arguments = alias.launch->items().drop_front(3);
      error("tile-launch", arguments[std::max(alias.read, alias.written)],
            "this argument and argument " + Twine(std::min(alias.read, alias.written) + 1) +
                " are the same memory, of which `" + alias.program->info.name + "` reads through `" +
                nameOf(alias.read) + "` what it has written through `" + nameOf(alias.written) +
                "`: it may find the old or the new numbers")
          .note(arguments[std::min(alias.read, alias.written)]->range(), "the other argument is here")
          .note(sourceRange(write.op->getLoc(), diags.sourceMgr()), "this writes")
          .note(sourceRange(read.op->getLoc(), diags.sourceMgr()), "this reads afterwards")
          .withHint("give one of them memory of its own, read before the write, or read through `" +
                    nameOf(alias.written) + "`");
      return;
    }
}
} // namespace lispier
