//===- ConvertLayout.cpp - tiles from layout to layout --------------------===//
#include "LayoutRules.h"
#include "SharedPlaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using lispier::tile::Coordinates;
using lispier::tile::Layout;
using lispier::tile::RegisterTable;

namespace lispier {
namespace {
/// If each thread has already what it needs.
std::optional<Value> renameRegisters(Distribution &d, Value registers, const Layout &from, const Layout &to) {
  if (from.lanes != to.lanes || from.warps != to.warps)
    return std::nullopt;
  RegisterTable table(from);
  SmallVector<Value> elements = d.elements(registers), result;
  for (unsigned i = 0; i < to.numRegisters(); ++i) {
    std::optional<unsigned> number = table.find(to.ofRegister(i));
    if (!number)
      return std::nullopt;
    result.push_back(elements[*number]);
  }
  return d.vectorOf(result);
}

/// The dimension along which a thread's first registers are neighbours.
unsigned firstDimension(const Layout &layout) {
  if (!layout.registers.empty())
    for (auto [dimension, each] : llvm::enumerate(layout.registers.front()))
      if (each)
        return dimension;
  return layout.rank() ? layout.rank() - 1 : 0;
}

/// How many neighbours along `dimension` one access may have.
int64_t neighbours(const Layout &layout, unsigned dimension, int64_t elementBytes) {
  return layout.rank() ? std::min<int64_t>(layout.run(dimension), std::max<int64_t>(1, 16 / elementBytes)) : 1;
}

/// Calls `store` and `load` for memory that holds a tile; a bit is a byte there.
Value throughMemory(Distribution &d, Value registers, int64_t elements,
                    llvm::function_ref<void(Value registers, Value memory)> store,
                    llvm::function_ref<Value(Value memory)> load) {
  auto withElement = [](Value vector, Type element) {
    return VectorType::get(cast<VectorType>(vector.getType()).getShape(), element);
  };
  Type element = getElementTypeOrSelf(registers.getType());
  bool isBit = element.isInteger(1);
  if (isBit) {
    element = d.b.getI8Type();
    registers = arith::ExtUIOp::create(d.b, withElement(registers, element), registers);
  }
  Value memory = d.allocateShared(elements, element);
  store(registers, memory);
  Value result = load(memory);
  return isBit ? arith::TruncIOp::create(d.b, withElement(result, d.b.getI1Type()), result).getResult() : result;
}

/// The position in row-major order of each register's element.
SmallVector<Value> rowMajor(Distribution &d, const Layout &layout) {
  SmallVector<int64_t> strides = computeStrides(layout.shape);
  Value first = d.index(0);
  for (auto [at, stride] : llvm::zip(d.coordinates(layout), strides))
    first = d.add(first, arith::MulIOp::create(d.b, at, d.index(stride)).getResult());
  SmallVector<Value> places;
  for (unsigned i = 0; i < layout.numRegisters(); ++i) {
    int64_t place = 0;
    for (auto [each, stride] : llvm::zip(layout.ofRegister(i), strides))
      place += each * stride;
    places.push_back(d.add(first, place));
  }
  return places;
}
} // namespace

Value convertLayout(Distribution &d, Value registers, const Layout &from, const Layout &to) {
  if (from == to)
    return registers;
  if (std::optional<Value> renamed = renameRegisters(d, registers, from, to))
    return *renamed;
  int64_t bytes = elementBytes(registers);
  unsigned inner = firstDimension(from);
  // Chunks as long as the shorter access: the longer one is then cut, but neither meets the same bank many times.
  int64_t chunk = isLoadedAsMatrices(d, to, inner, bytes)
                      ? 16 / bytes
                      : std::min(neighbours(from, inner, bytes), neighbours(to, inner, bytes));
  SharedPlaces places(from.shape, inner, chunk, bytes);
  return throughMemory(
      d, registers, places.numElements(),
      [&](Value stored, Value memory) { storeShared(d, stored, from, memory, places); },
      [&](Value memory) { return loadShared(d, to, memory, places); });
}

Value reshapeThroughMemory(Distribution &d, Value registers, const Layout &from, const Layout &to) {
  return throughMemory(
      d, registers, from.numElements(),
      [&](Value stored, Value memory) {
        d.onlyIf(d.isFirstCopy(from), [&] {
          for (auto [place, element] : llvm::zip(rowMajor(d, from), d.elements(stored)))
            memref::StoreOp::create(d.b, element, memory, ValueRange{place});
        });
      },
      [&](Value memory) {
        return d.vectorOf(llvm::map_to_vector(rowMajor(d, to), [&](Value place) {
          return memref::LoadOp::create(d.b, memory, ValueRange{place}).getResult();
        }));
      });
}
} // namespace lispier
