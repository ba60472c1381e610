//===- KeptFactors.cpp - factors that all steps of a loop read ------------===//
//
// ptxas before 13.3 gives the registers of such a factor to other factors, as if no
// next step read them, where the loop's body is several blocks: masked reads between
// two products are branches. What is marked here is read so that it cannot.
//
//===----------------------------------------------------------------------===//
#include "KeptFactors.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace lispier {
namespace {
bool isFromOutside(scf::ForOp loop, Value fragment) {
  auto made = fragment.getDefiningOp<vector::FromElementsOp>();
  return made ? llvm::all_of(made.getElements(), [&](Value v) { return loop.isDefinedOutsideOfLoop(v); })
              : loop.isDefinedOutsideOfLoop(fragment);
}
} // namespace

void markKeptFactors(gpu::GPUFuncOp kernel) {
  kernel.walk([](scf::ForOp loop) {
    SmallVector<tile::WarpgroupMmaOp> products(loop.getBody()->getOps<tile::WarpgroupMmaOp>());
    if (products.empty() ||
        llvm::none_of(llvm::make_range(products.front()->getIterator(), products.back()->getIterator()),
                      [](Operation &op) { return op.getNumRegions(); }))
      return;
    for (tile::WarpgroupMmaOp product : products)
      product.setKept(!product.getAIndex() && isFromOutside(loop, product.getA()));
  });
}
} // namespace lispier
