//===- ComputingLoops.cpp - rings of loops that compute -------------------===//
//
// Before: a tile program with `ring`, whose loops compute something of their products
// in each step, such as a softmax between two products. After: tile.roles, as of loops
// of products alone, but each tile that loops multiply comes by a ring of its own:
// it is waited for right before the product that reads it, and released as soon as that
// product is complete. What is multiplied in all steps, such as queries, comes by a
// ring, too. The warps of the program, in groups of four, take turns to begin the
// products of a step where these need nothing of each other: the others compute
// meanwhile (Shah et al., "FlashAttention-3", 2024).
//
//===----------------------------------------------------------------------===//
#include "ComputingLoops.h"
#include "LayoutRules.h"
#include "PersistentTiles.h"
#include "ProductLayouts.h"
#include "RingResults.h"
#include "RingSlots.h"
#include "StepOrder.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier {
namespace {
constexpr int64_t kWarpsOfTurn = 4, kStagedColumns = 16;

bool isScalar(Operation *op) {
  return isMemoryEffectFree(op) && !op->getNumRegions() && llvm::none_of(op->getResults(), isTile) &&
         llvm::none_of(op->getOperands(), isTile);
}

bool feedsProducts(vector::TransferReadOp read) {
  return llvm::any_of(read->getUsers(), llvm::IsaPred<vector::ContractionOp>);
}

vector::TransferReadOp readOf(Value tile) { return tile.getDefiningOp<vector::TransferReadOp>(); }

/// Tiles of one shape and memory that each loop reads once, or that are read before the loops.
struct Stream {
  Value base;
  VectorType type;
  bool isOutside; ///< Of the loops.
  int64_t stages;
  Value slots = {}, ring = {};

  int64_t bytes() const { return llvm::alignTo(type.getNumElements() * kSlotElementBytes, kSlotAlignment); }
};

/// A loop, or what is multiplied outside of loops, and what its products read.
struct Loop {
  scf::ForOp op;                             ///< Null outside of loops.
  SmallVector<vector::TransferReadOp> reads; ///< By rings.
  SmallVector<vector::ContractionOp> products;
  llvm::DenseMap<Operation *, SmallVector<unsigned>> released; ///< Streams, by the op before which they are.
  llvm::SetVector<Operation *> addresses;                      ///< In it, of what `reads` read.
  bool hasTurns = false;
  bool isChain = false; ///< Products of what others of the same step make.
};

class ComputingLoops {
public:
  ComputingLoops(gpu::GPUFuncOp kernel, const TargetInfo &target, ArrayRef<gpu::LaunchFuncOp> launches)
      : kernel(kernel), target(target), program(tile::programOf(kernel)), b(kernel.getLoc(), kernel.getContext()),
        tiles(b, kernel, target, launches) {}

  /// Whether the program is one that `run` can rewrite.
  bool fits();
  void run();

private:
  using Numbers = SmallVector<Value>; ///< Of the next fill, by stream.

  bool fitsOp(Operation &op);
  bool fitsLoop(Loop &loop);
  bool fitsOutside(vector::TransferReadOp read);
  bool fitsProduct(vector::ContractionOp product);
  int64_t otherBytes();
  bool fitsMemory();
  void addStream(vector::TransferReadOp read, unsigned occurrence, bool isOutside);
  bool findAddress(Value value, llvm::SetVector<Operation *> &ops);
  void planReleases(Loop &loop, Block &block);
  void plan();

  void fill(vector::TransferReadOp read, IRMapping &mapping, Numbers &numbers);
  void receive(vector::TransferReadOp read, IRMapping &mapping, ArrayRef<Value> numbers);
  void fillLoop(Loop &loop, IRMapping &mapping, Numbers &numbers);
  void computeLoop(Loop &loop, IRMapping &mapping, Numbers &numbers);
  Numbers release(ArrayRef<unsigned> streams, Numbers numbers);
  void receiveAgain(Loop &loop, IRMapping &mapping, ArrayRef<Value> numbers);
  void compute(Operation *op, Loop &loop, IRMapping &mapping, Numbers &numbers);
  void makeProducer(Block &block);
  void makeConsumer(Block &block);
  void writeResults(IRMapping &mapping);
  scf::ForOp cloneLoop(Loop &loop, IRMapping &mapping, ValueRange inits);

  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }
  Value i32(int64_t value) { return arith::ConstantIntOp::create(b, value, 32); }
  int64_t groups() { return program.getWarps() / kWarpsOfTurn; }
  MemRefType buffersType();
  SmallVector<unsigned> streamsOf(Loop &loop) {
    return llvm::map_to_vector(loop.reads, [&](vector::TransferReadOp read) { return streamOf.lookup(read); });
  }

  gpu::GPUFuncOp kernel;
  const TargetInfo &target;
  tile::ProgramAttr program;
  ImplicitLocOpBuilder b;
  PersistentTiles tiles;
  SmallVector<Operation *> before; ///< The program's ops.
  SmallVector<Loop, 0> loops;
  Loop top; ///< Outside of loops.
  llvm::DenseMap<std::pair<Value, Type>, unsigned> topOccurrences;
  llvm::DenseMap<Operation *, Loop *> loopOf;
  SmallVector<vector::TransferReadOp> outside; ///< Reads by rings before the loops.
  SmallVector<vector::TransferWriteOp> writes, drained;
  llvm::DenseMap<Operation *, SmallVector<unsigned>>
      releasedBehind;                     ///< Streams of `outside`, by the last loop of them.
  llvm::SetVector<Operation *> addresses; ///< Before the loops.
  SmallVector<Stream> streams;
  llvm::DenseMap<Operation *, unsigned> streamOf; ///< Of a read.
  int64_t resultBuffers = 2;                      ///< For 64 columns each.
  Value buffers;
};

//===-- What fits ---------------------------------------------------------===//

/// The second factor by a ring; the first one, too, or from registers.
bool ComputingLoops::fitsProduct(vector::ContractionOp product) {
  vector::TransferReadOp rhs = readOf(product.getRhs());
  return rhs && streamOf.contains(rhs) && elementBytes(rhs.getVector()) == kSlotElementBytes &&
         multipliesFromSlots(product, program.getWarps());
}

/// Collects the scalar ops that the value is computed of; false if there are other ones, or what a loop carries.
bool ComputingLoops::findAddress(Value value, llvm::SetVector<Operation *> &ops) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto argument = cast<BlockArgument>(value);
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return !loop || argument == loop.getInductionVar();
  }
  if (op->getBlock() != &kernel.getBody().front() && !isa<scf::ForOp>(op->getParentOp()))
    return false;
  if (!isScalar(op))
    return false;
  if (op->getBlock() == &kernel.getBody().front())
    addresses.insert(op);
  else
    ops.insert(op);
  return llvm::all_of(op->getOperands(), [&](Value operand) { return findAddress(operand, ops); });
}

/// The n-th read of such tiles in each of the loops is of one stream.
void ComputingLoops::addStream(vector::TransferReadOp read, unsigned occurrence, bool isOutside) {
  unsigned number = 0;
  for (auto [i, stream] : llvm::enumerate(streams))
    if (stream.base == read.getBase() && stream.type == read.getVectorType() && !stream.isOutside && !isOutside &&
        number++ == occurrence) {
      streamOf[read] = i;
      return;
    }
  streamOf[read] = streams.size();
  streams.push_back({read.getBase(), read.getVectorType(), isOutside, isOutside ? 1 : program.getStages()});
}

bool ComputingLoops::fitsLoop(Loop &loop) {
  llvm::DenseMap<std::pair<Value, Type>, unsigned> occurrences;
  auto isAddress = [&](Value value) { return findAddress(value, loop.addresses); };
  for (Operation &op : loop.op.getBody()->without_terminator()) {
    if (auto read = dyn_cast<vector::TransferReadOp>(op); read && feedsProducts(read)) {
      if (!fitsSlot(read) || !llvm::all_of(read.getIndices(), isAddress))
        return false;
      addStream(read, occurrences[{read.getBase(), read.getVectorType()}]++, /*isOutside=*/false);
      loop.reads.push_back(read);
    } else if (auto product = dyn_cast<vector::ContractionOp>(op)) {
      loop.products.push_back(product);
    } else if (!isa<vector::TransferReadOp, memref::LoadOp>(op) && (!isMemoryEffectFree(&op) || op.getNumRegions())) {
      return false;
    }
  }
  return !loop.products.empty() && isAddress(loop.op.getLowerBound()) && isAddress(loop.op.getUpperBound()) &&
         isAddress(loop.op.getStep());
}

/// What is read outside of loops is for these, or for products behind them.
bool ComputingLoops::fitsOutside(vector::TransferReadOp read) {
  bool isOfTop = llvm::all_of(read->getUsers(), [&](Operation *user) { return user->getBlock() == read->getBlock(); });
  if (isOfTop) {
    addStream(read, topOccurrences[{read.getBase(), read.getVectorType()}]++, /*isOutside=*/false);
    top.reads.push_back(read);
  } else {
    addStream(read, 0, /*isOutside=*/true);
    outside.push_back(read);
  }
  return (isOfTop || loops.empty()) && fitsSlot(read) &&
         llvm::all_of(read.getIndices(), [&](Value index) { return findAddress(index, addresses); });
}

bool ComputingLoops::fitsOp(Operation &op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    loops.emplace_back().op = loop;
    return writes.empty() && fitsLoop(loops.back());
  }
  if (auto read = dyn_cast<vector::TransferReadOp>(op))
    return !feedsProducts(read) || fitsOutside(read);
  if (auto product = dyn_cast<vector::ContractionOp>(op)) {
    top.products.push_back(product);
    return true;
  }
  if (auto write = dyn_cast<vector::TransferWriteOp>(op)) {
    writes.push_back(write);
    VectorType tile = write.getVectorType();
    if (elementBytes(write.getValueToStore()) == kSlotElementBytes && isAlignedParameter(write) &&
        tile.getShape()[0] % (kSlotPart * groups()) == 0 && tile.getShape()[1] % kSlotPart == 0)
      drained.push_back(write);
    return true;
  }
  return isa<memref::LoadOp>(op) || (isMemoryEffectFree(&op) && !op.getNumRegions());
}

MemRefType ComputingLoops::buffersType() {
  if (drained.empty())
    return {};
  auto space = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  VectorType type = drained.front().getVectorType();
  return MemRefType::get({resultBuffers, type.getShape()[0], kSlotPart}, type.getElementType(),
                         MemRefLayoutAttrInterface(), space);
}

/// Beside the rings: results that are written in another layout than products have, and small tiles that are read.
int64_t ComputingLoops::otherBytes() {
  constexpr int64_t kSmallTiles = 4096, kWholeSector = 4; // Of two neighbours in each of four lanes.
  int64_t bytes = kSmallTiles;
  for (vector::TransferWriteOp write : writes) {
    VectorType tile = write.getVectorType();
    int64_t ofElement = elementBytes(write.getValueToStore());
    if (!llvm::is_contained(drained, write) && (tile.getRank() < 2 || ofElement < kWholeSector))
      bytes += tile.getNumElements() * ofElement;
  }
  if (MemRefType type = buffersType())
    bytes += type.getNumElements() * kSlotElementBytes;
  return bytes;
}

/// Results have a second buffer, which threads fill while the first is copied, if shared memory has room for it, and
/// then tiles that are read before the loops a second slot, which the copying warp fills for the block's next tile
/// while the loops still read the first.
bool ComputingLoops::fitsMemory() {
  int64_t ofRings = 0, ofOutside = 0, most = std::max(target.sharedBytes, target.maxSharedBytes);
  for (const Stream &stream : streams) {
    ofRings += stream.stages * stream.bytes() + kSlotAlignment; // And the ring itself.
    ofOutside += stream.isOutside ? stream.bytes() : 0;
  }
  if (ofRings + otherBytes() > most)
    resultBuffers = 1;
  int64_t bytes = ofRings + otherBytes();
  if (bytes + ofOutside <= most)
    for (Stream &stream : streams)
      stream.stages += stream.isOutside;
  return bytes <= most;
}

/// A tile's slot is vacant once all products that read it are complete, which they are where one of their results is
/// used.
void ComputingLoops::planReleases(Loop &loop, Block &block) {
  for (vector::TransferReadOp read : loop.reads) {
    Operation *last = nullptr;
    for (Operation *product : read->getUsers()) {
      Operation *first = block.getTerminator();
      for (Operation *user : product->getUsers())
        if (Operation *own = block.findAncestorOpInBlock(*user); own->isBeforeInBlock(first))
          first = own;
      if (!last || last->isBeforeInBlock(first))
        last = first;
    }
    loop.released[last].push_back(streamOf.lookup(read));
  }
}

bool ComputingLoops::fits() {
  constexpr int64_t kFewestStages = 2;
  if (!program.getRing() || !target.has(Ability::Wgmma) || program.getWarps() % kWarpsOfTurn ||
      program.getStages() < kFewestStages || !llvm::hasSingleElement(kernel.getBody()) || !tiles.fits())
    return false;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    before.push_back(&op);
    if (!fitsOp(op))
      return false;
  }
  bool computes = false;
  for (Loop &loop : loops) {
    if (!llvm::all_of(loop.products, [&](vector::ContractionOp product) { return fitsProduct(product); }))
      return false;
    for (vector::ContractionOp product : loop.products)
      computes |= llvm::any_of(product->getUsers(),
                               [](Operation *user) { return !isa<scf::YieldOp, vector::ContractionOp>(user); });
  }
  return computes && llvm::all_of(top.products, [&](vector::ContractionOp product) { return fitsProduct(product); }) &&
         fitsMemory() && !writes.empty();
}

//===-- What is made ------------------------------------------------------===//

void ComputingLoops::fill(vector::TransferReadOp read, IRMapping &mapping, Numbers &numbers) {
  unsigned stream = streamOf.lookup(read);
  const Stream &of = streams[stream];
  tile::VacantOp::create(b, of.ring, numbers[stream], of.type.getNumElements() * kSlotElementBytes, /*late=*/0);
  SmallVector<Value> indices =
      llvm::map_to_vector(read.getIndices(), [&](Value each) { return mapping.lookupOrDefault(each); });
  tile::FillOp::create(b, read.getBase(), indices, of.slots, of.ring, numbers[stream], /*map=*/Value());
  numbers[stream] = arith::AddIOp::create(b, numbers[stream], i32(1));
}

/// Waits for the tile, and maps it to its slot.
void ComputingLoops::receive(vector::TransferReadOp read, IRMapping &mapping, ArrayRef<Value> numbers) {
  unsigned stream = streamOf.lookup(read);
  const Stream &of = streams[stream];
  tile::FilledOp::create(b, of.ring, numbers[stream]);
  mapping.map(read.getResult(), readSlot(b, of.type, of.slots, numbers[stream], of.stages));
}

/// Where sums fill the registers, addresses of what is read in all steps are computed in each of them.
void ComputingLoops::receiveAgain(Loop &loop, IRMapping &mapping, ArrayRef<Value> numbers) {
  for (vector::TransferReadOp read : outside) {
    unsigned stream = streamOf.lookup(read);
    const Stream &of = streams[stream];
    if (llvm::any_of(read->getUsers(), [&](Operation *user) { return user->getParentOp() == loop.op; }))
      mapping.map(read.getResult(), readSlot(b, of.type, of.slots, numbers[stream], of.stages, /*isAgain=*/true));
  }
}

ComputingLoops::Numbers ComputingLoops::release(ArrayRef<unsigned> released, Numbers numbers) {
  for (unsigned stream : released) {
    tile::ReleaseOp::create(b, streams[stream].ring, numbers[stream], /*late=*/0);
    numbers[stream] = arith::AddIOp::create(b, numbers[stream], i32(1));
  }
  return numbers;
}

scf::ForOp ComputingLoops::cloneLoop(Loop &loop, IRMapping &mapping, ValueRange inits) {
  auto at = [&](Value value) { return mapping.lookupOrDefault(value); };
  auto made =
      scf::ForOp::create(b, at(loop.op.getLowerBound()), at(loop.op.getUpperBound()), at(loop.op.getStep()), inits);
  mapping.map(loop.op.getInductionVar(), made.getInductionVar());
  return made;
}

void ComputingLoops::fillLoop(Loop &loop, IRMapping &mapping, Numbers &numbers) {
  SmallVector<unsigned> own = streamsOf(loop);
  if (own.empty())
    return;
  auto made = cloneLoop(loop, mapping, llvm::map_to_vector(own, [&](unsigned stream) { return numbers[stream]; }));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(made.getBody());
  Numbers inside = numbers;
  for (auto [stream, number] : llvm::zip_equal(own, made.getRegionIterArgs()))
    inside[stream] = number;
  for (Operation &op : loop.op.getBody()->without_terminator())
    if (loop.addresses.contains(&op))
      b.clone(op, mapping);
    else if (llvm::is_contained(loop.reads, &op))
      fill(cast<vector::TransferReadOp>(op), mapping, inside);
  scf::YieldOp::create(b, llvm::map_to_vector(own, [&](unsigned stream) { return inside[stream]; }));
  for (auto [stream, number] : llvm::zip_equal(own, made.getResults()))
    numbers[stream] = number;
}

void ComputingLoops::makeProducer(Block &block) {
  b.setInsertionPointToStart(&block);
  IRMapping mapping;
  tiles.makeLoop(before, streams.size(), mapping, [&](ValueRange first) {
    Numbers numbers(first);
    for (Operation *op : before)
      if (addresses.contains(op) && !isa<gpu::BlockIdOp, gpu::GridDimOp>(op))
        b.clone(*op, mapping);
      else if (Loop *loop = loopOf.lookup(op))
        fillLoop(*loop, mapping, numbers);
      else if (llvm::is_contained(outside, op) || llvm::is_contained(top.reads, op))
        fill(cast<vector::TransferReadOp>(op), mapping, numbers);
    return numbers;
  });
}

void ComputingLoops::compute(Operation *op, Loop &loop, IRMapping &mapping, Numbers &numbers) {
  auto isRingRead = [&](Operation *op) { return op && llvm::is_contained(loop.reads, op); };
  auto product = dyn_cast<vector::ContractionOp>(op);
  if (product)
    for (Value factor : {product.getLhs(), product.getRhs()})
      if (Operation *read = factor.getDefiningOp(); isRingRead(read) && !mapping.contains(factor))
        receive(cast<vector::TransferReadOp>(read), mapping, numbers);
  if (isRingRead(op) || op->hasTrait<OpTrait::IsTerminator>())
    return;
  if (loop.hasTurns && product && product == loop.products.front())
    tile::TurnOp::create(b, /*ends=*/false);
  b.clone(*op, mapping);
  if (loop.hasTurns && product && product == loop.products.back())
    tile::TurnOp::create(b, /*ends=*/true);
}

void ComputingLoops::computeLoop(Loop &loop, IRMapping &mapping, Numbers &numbers) {
  SmallVector<unsigned> own = streamsOf(loop);
  SmallVector<Value> inits =
      llvm::map_to_vector(loop.op.getInits(), [&](Value init) { return mapping.lookupOrDefault(init); });
  unsigned carried = inits.size();
  for (unsigned stream : own)
    inits.push_back(numbers[stream]);
  auto made = cloneLoop(loop, mapping, inits);
  mapping.map(loop.op.getRegionIterArgs(), made.getRegionIterArgs().take_front(carried));
  mapping.map(loop.op.getResults(), made.getResults().take_front(carried));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(made.getBody());
  Numbers inside = numbers;
  for (auto [stream, number] : llvm::zip_equal(own, made.getRegionIterArgs().drop_front(carried)))
    inside[stream] = number;
  if (loop.isChain)
    receiveAgain(loop, mapping, inside);
  SmallVector<Operation *> step = llvm::map_to_vector(*loop.op.getBody(), [](Operation &op) { return &op; });
  for (Operation *op : loop.isChain ? step : productsFirst(loop.products)) {
    inside = release(loop.released.lookup(op), inside);
    compute(op, loop, mapping, inside);
  }
  SmallVector<Value> yielded =
      llvm::map_to_vector(loop.op.getYieldedValues(), [&](Value value) { return mapping.lookupOrDefault(value); });
  for (unsigned stream : own)
    yielded.push_back(inside[stream]);
  scf::YieldOp::create(b, yielded);
  for (auto [stream, number] : llvm::zip_equal(own, made.getResults().drop_front(carried)))
    numbers[stream] = number;
}

/// Results of 16 bits go through memory of the block, 64 columns at a time, of which there are two buffers.
void ComputingLoops::writeResults(IRMapping &mapping) {
  auto at = [&](Value value) { return mapping.lookupOrDefault(value); };
  int64_t drains = 0, all = 0;
  for (vector::TransferWriteOp write : drained)
    all += write.getVectorType().getShape()[1] / kSlotPart;
  for (vector::TransferWriteOp write : drained) {
    ArrayRef<int64_t> shape = write.getVectorType().getShape();
    for (int64_t begin = 0; begin < shape[1]; begin += kSlotPart) {
      int64_t buffer = drains % resultBuffers;
      tile::VacateOp::create(b, buffers, drains == 0 && all % resultBuffers ? 0 : resultBuffers - 1);
      ++drains;
      for (int64_t column = 0; column < kSlotPart; column += kStagedColumns) {
        Value part =
            vector::ExtractStridedSliceOp::create(b, at(write.getValueToStore()), ArrayRef<int64_t>{0, begin + column},
                                                  ArrayRef<int64_t>{shape[0], kStagedColumns}, ArrayRef<int64_t>{1, 1});
        tile::StageOp::create(b, part, buffers, buffer, column);
      }
      SmallVector<Value> indices = llvm::map_to_vector(write.getIndices(), at);
      if (begin)
        indices.back() = arith::AddIOp::create(b, indices.back(), index(begin));
      tile::DrainOp::create(b, buffers, buffer, write.getBase(), indices);
    }
  }
}

void ComputingLoops::makeConsumer(Block &block) {
  b.setInsertionPointToStart(&block);
  IRMapping mapping;
  tiles.makeLoop(before, streams.size(), mapping, [&](ValueRange first) {
    Numbers numbers(first);
    for (Operation *op : before) {
      numbers = release(top.released.lookup(op), numbers);
      if (Loop *loop = loopOf.lookup(op))
        computeLoop(*loop, mapping, numbers);
      else if (llvm::is_contained(outside, op))
        receive(cast<vector::TransferReadOp>(op), mapping, numbers);
      else if (!isa<gpu::BlockIdOp, gpu::GridDimOp>(op) && !llvm::is_contained(drained, op))
        compute(op, top, mapping, numbers);
      numbers = release(releasedBehind.lookup(op), numbers);
    }
    writeResults(mapping);
    return numbers;
  });
  if (buffers)
    tile::DrainedOp::create(b, /*pending=*/0, /*written=*/true);
}

void ComputingLoops::plan() {
  for (Loop &loop : loops) {
    loop.hasTurns = takesTurns(loop.products, groups());
    loop.isChain = isChain(loop.products);
    if (loop.isChain)
      orderChain(loop.products);
    loopOf[loop.op] = &loop;
    planReleases(loop, *loop.op.getBody());
  }
  planReleases(top, kernel.getBody().front());
}

void ComputingLoops::run() {
  plan();
  for (vector::TransferReadOp read : outside) {
    Operation *last = nullptr;
    for (Operation *user : read->getUsers())
      if (Operation *loop = kernel.getBody().front().findAncestorOpInBlock(*user); !last || last->isBeforeInBlock(loop))
        last = loop;
    releasedBehind[last].push_back(streamOf.lookup(read));
  }
  tiles.addGridSizes(/*asConstants=*/true);
  auto addMemory = [&](ArrayRef<int64_t> shape, Type element) {
    auto space = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
    return kernel.addWorkgroupAttribution(MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space),
                                          kernel.getLoc());
  };
  SmallVector<Value> rings;
  for (Stream &stream : streams) {
    SmallVector<int64_t> shape{stream.stages};
    llvm::append_range(shape, stream.type.getShape());
    stream.slots = addMemory(shape, stream.type.getElementType());
  }
  if (MemRefType type = buffersType())
    buffers = addMemory(type.getShape(), type.getElementType());
  for (Stream &stream : streams)
    rings.push_back(stream.ring = addMemory({2, stream.stages}, b.getI64Type()));
  b.setInsertionPoint(kernel.getBody().front().getTerminator());
  auto roles = tile::RolesOp::create(b, rings, /*grants=*/groups() > 1);
  makeProducer(roles.getProduce().emplaceBlock());
  makeConsumer(roles.getConsume().emplaceBlock());
  for (Operation *op : llvm::reverse(before)) {
    op->dropAllUses();
    op->erase();
  }
}
} // namespace

void specializeComputingLoops(gpu::GPUFuncOp kernel, const TargetInfo &target, ArrayRef<gpu::LaunchFuncOp> launches) {
  ComputingLoops program(kernel, target, launches);
  if (program.fits())
    program.run();
}
} // namespace lispier
