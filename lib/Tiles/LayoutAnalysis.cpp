//===- LayoutAnalysis.cpp - which layout each tile should have ------------===//
#include "LayoutAnalysis.h"
#include "LayoutRules.h"
#include "ProductLayouts.h"
#include "ScanLayout.h"
#include "SharedSlot.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using lispier::tile::Layout;

namespace lispier {
namespace {
/// Neighbours that a thread copies one by one to shared memory, in bytes: they have one address, which is in registers
/// in all of a loop. More would touch more lines of memory at a time.
constexpr int64_t kBytesCopied = 16;

/// What an open tile would be written with: elements of 16 bytes' worth in each thread.
int64_t defaultVector(Value tile) { return std::max<int64_t>(1, 16 / elementBytes(tile)); }

/// What comes from the memory of a block can come in any layout; but rows that are kept there have that in which they
/// are copied.
bool comesInAnyLayout(vector::TransferReadOp read) { return isShared(read) && !read->hasAttr(tile::kVector); }
} // namespace

LayoutAnalysis::LayoutAnalysis(gpu::GPUFuncOp kernel, const TargetInfo &target, BlockShape block)
    : target(target), block(block) {
  findLeastVectors(kernel);
  // Strengths only rise, so that this ends.
  auto run = [&] {
    for (bool changed = true; changed;) {
      changed = false;
      kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { changed |= visit(op); });
    }
  };
  run();
  while (closeCarriedValues(kernel) || closeReductions(kernel) || raiseOperands(kernel))
    run();
}

/// In loops without products, a thread reads as many neighbours of tiles of one shape whatever their elements' width,
/// at most 16 bytes: else it would combine them with those of other threads in each step, or read the one a second
/// time.
void LayoutAnalysis::findLeastVectors(gpu::GPUFuncOp kernel) {
  bool hasLoop = false, hasProduct = false;
  kernel.walk([&](Operation *op) {
    hasLoop |= isa<scf::ForOp>(op);
    hasProduct |= isa<vector::ContractionOp>(op);
  });
  if (!hasLoop || hasProduct)
    return;
  kernel.walk([&](vector::TransferReadOp read) {
    if (!isTile(read.getResult()) || comesInAnyLayout(read))
      return;
    int64_t vector = defaultVector(read.getResult());
    auto [least, isNew] = leastVectors.try_emplace(SmallVector<int64_t>(shapeOfTile(read.getResult())), vector);
    least->second = std::min(least->second, vector);
  });
}

Layout LayoutAnalysis::layoutOrDefault(Value tile) {
  const Choice &choice = of(tile);
  return choice.strength == Strength::Open ? memoryLayout(shapeOfTile(tile), defaultVector(tile), block)
                                           : choice.layout;
}

bool LayoutAnalysis::raise(Value tile, const Choice &choice) {
  Choice &own = choices[tile];
  if (choice.strength <= own.strength)
    return false;
  own = choice;
  return true;
}

LayoutAnalysis::Choice LayoutAnalysis::strongest(ValueRange values) {
  Choice best;
  for (Value value : values)
    if (isTile(value) && of(value).strength > best.strength)
      best = of(value);
  return best;
}

bool LayoutAnalysis::visit(Operation *op) {
  bool changed = false;
  for (const CarriedValue &value : carriedValues(op)) {
    if (!isTile(value.targets.front()))
      continue;
    Choice best = strongest(llvm::map_to_vector(value.sources, [](OpOperand *source) { return source->get(); }));
    for (Value target : value.targets)
      changed |= raise(target, best);
  }
  if (carriesValues(op))
    return changed;
  for (Value result : op->getResults())
    if (isTile(result) && result == op->getResult(0))
      changed |= raise(result, choose(op));
  if (auto scan = dyn_cast<vector::ScanOp>(op)) {
    Choice total = of(scan.getDest());
    total.layout = total.layout.without(scan.getReductionDim());
    changed |= raise(scan.getAccumulatedValue(), total);
  }
  return changed;
}

LayoutAnalysis::Choice LayoutAnalysis::choose(Operation *op) {
  Value result = op->getResult(0);
  if (auto layout = op->getAttrOfType<tile::LayoutAttr>(tile::kLayout))
    return {Strength::User, layout.layoutOf(shapeOfTile(result))};
  return llvm::TypeSwitch<Operation *, Choice>(op)
      .Case([&](tile::ConvertOp convert) {
        return Choice{Strength::User, convert.getLayout().layoutOf(shapeOfTile(result))};
      })
      .Case([&](vector::TransferReadOp read) {
        if (comesInAnyLayout(read))
          return Choice();
        int64_t vector = vectorOf(read);
        if (isCopied(read) && areTurned(cast<vector::TransferWriteOp>(*read->user_begin()).getBase(), target))
          return Choice{Strength::Memory, layoutForTurnedSlot(shapeOfTile(result), vector, block)};
        if (vector == 1 && isCopied(read))
          vector = std::max<int64_t>(1, kBytesCopied / elementBytes(result));
        if (auto least = leastVectors.find(SmallVector<int64_t>(shapeOfTile(result))); least != leastVectors.end())
          vector = std::min(vector, least->second);
        return Choice{Strength::Memory, memoryLayout(shapeOfTile(result), vector, block)};
      })
      .Case([&](tile::GatherOp gather) {
        Choice indices = strongest(gather.getIndices());
        return indices.strength == Strength::Open
                   ? Choice{Strength::Memory, memoryLayout(shapeOfTile(result), 1, block)}
                   : indices;
      })
      .Case([&](vector::ContractionOp product) {
        return Choice{Strength::Product, productLayouts(product, target, block).result};
      })
      .Case([&](vector::ScanOp scan) {
        Choice source = of(scan.getSource());
        source.layout = layoutOrDefault(scan.getSource());
        if (!isScanned(source.layout, scan.getReductionDim()))
          source.layout = memoryLayout(shapeOfTile(result), defaultVector(result), block);
        source.strength = std::max(source.strength, Strength::Memory);
        return source;
      })
      .Case([&](vector::MultiDimReductionOp reduction) {
        Choice source = of(reduction.getSource());
        if (source.strength != Strength::Open) // An open one may still get its layout from what a loop carries.
          source.layout = *resultLayout(reduction.getSourceMutable(), source.layout);
        return source;
      })
      .Case<vector::TransposeOp, vector::ShapeCastOp, vector::ExtractStridedSliceOp>([&](Operation *reshaping) {
        Choice source = of(reshaping->getOperand(0));
        if (source.strength == Strength::Open)
          return source;
        if (std::optional<Layout> layout = resultLayout(reshaping->getOpOperand(0), source.layout))
          return Choice{source.strength, *layout};
        return Choice{Strength::Memory, memoryLayout(shapeOfTile(result), defaultVector(result), block)};
      })
      .Default([&](Operation *other) { return isElementwise(other) ? strongest(other->getOperands()) : Choice(); });
}

/// An op that combines a product with what others make of memory, such as a derivative at another tensor's elements,
/// would have that moved between threads. These others compute in the product's layout instead if they serve only such
/// ops, and what they read is no longer than what they make: then it is read, or moved, in that layout. Raises those of
/// the first such op; whether there was one.
bool LayoutAnalysis::raiseOperands(gpu::GPUFuncOp kernel) {
  return kernel
      .walk([&](Operation *op) {
        if (!isElementwise(op) || of(op->getResult(0)).strength != Strength::Product)
          return WalkResult::advance();
        const Choice wanted = of(op->getResult(0));
        for (Value operand : op->getOperands()) {
          llvm::SetVector<Operation *> makers = makersFor(operand, wanted.layout);
          for (Operation *maker : makers)
            raise(maker->getResult(0), wanted);
          if (!makers.empty())
            return WalkResult::interrupt();
        }
        return WalkResult::advance();
      })
      .wasInterrupted();
}

/// The elementwise ops that make `tile` of memory and serve only ops in `layout`, the last first; none if what they
/// need is longer than the tile.
llvm::SetVector<Operation *> LayoutAnalysis::makersFor(Value tile, const Layout &layout) {
  llvm::SetVector<Operation *> makers;
  llvm::SmallSetVector<Value, 4> needed;
  auto servesOnly = [&](Operation *op) {
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      return makers.contains(user) || (isElementwise(user) && of(user->getResult(0)).strength == Strength::Product &&
                                       of(user->getResult(0)).layout == layout);
    });
  };
  needed.insert(tile);
  for (bool changed = true; changed;) {
    changed = false;
    for (Value each : llvm::to_vector(needed)) {
      Operation *maker = each.getDefiningOp();
      if (!maker || !isElementwise(maker) || of(each).strength != Strength::Memory || !servesOnly(maker))
        continue;
      makers.insert(maker);
      needed.remove(each);
      for (Value operand : maker->getOperands())
        if (isTile(operand) && of(operand).strength == Strength::Memory && !makers.contains(operand.getDefiningOp()))
          needed.insert(operand);
      changed = true;
    }
  }
  int64_t bytes = 0;
  for (Value each : needed)
    bytes += elementBytes(each);
  return bytes <= elementBytes(tile) ? makers : llvm::SetVector<Operation *>();
}

/// A carried value cannot be made where it is used. Closes the first open one; whether there was one.
bool LayoutAnalysis::closeCarriedValues(gpu::GPUFuncOp kernel) {
  return kernel
      .walk([&](Operation *op) {
        for (const CarriedValue &value : carriedValues(op))
          if (isTile(value.targets.front()) && isOpen(value.targets.front())) {
            Choice choice{Strength::Memory, layoutOrDefault(value.targets.front())};
            for (Value target : value.targets)
              raise(target, choice);
            return WalkResult::interrupt();
          }
        return WalkResult::advance();
      })
      .wasInterrupted();
}

/// Nor can a reduction. Closes the first open one, whose source is open too; whether there was one.
bool LayoutAnalysis::closeReductions(gpu::GPUFuncOp kernel) {
  return kernel
      .walk([&](vector::MultiDimReductionOp reduction) {
        Value result = reduction.getResult();
        if (!isTile(result) || !isOpen(result))
          return WalkResult::advance();
        Layout source = layoutOrDefault(reduction.getSource());
        raise(result, {Strength::Memory, *resultLayout(reduction.getSourceMutable(), source)});
        return WalkResult::interrupt();
      })
      .wasInterrupted();
}
} // namespace lispier
