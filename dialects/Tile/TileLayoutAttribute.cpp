//===- TileLayoutAttribute.cpp - layouts as text --------------------------===//
#include "lispier/Tile/Tile.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace lispier::tile {
namespace {
SmallVector<int32_t> flat(const Bases &bases) {
  SmallVector<int32_t> all;
  for (const Coordinates &basis : bases)
    llvm::append_range(all, basis);
  return all;
}

Bases basesOf(ArrayRef<int32_t> flat, size_t rank) {
  Bases bases;
  for (; !flat.empty(); flat = flat.drop_front(rank))
    bases.emplace_back(flat.begin(), flat.begin() + rank);
  return bases;
}

/// `[[0, 1], [2, 0]]`, all of one length, which is returned.
ParseResult parseBases(AsmParser &parser, SmallVectorImpl<int32_t> &flat, SmallVectorImpl<size_t> &lengths) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    size_t before = flat.size();
    auto parseNumber = [&] { return parser.parseInteger(flat.emplace_back()); };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseNumber))
      return failure();
    lengths.push_back(flat.size() - before);
    return success();
  });
}

void printBases(AsmPrinter &printer, StringRef name, ArrayRef<int32_t> flat, size_t rank) {
  printer << name << " = [";
  llvm::interleaveComma(basesOf(flat, rank), printer, [&](const Coordinates &basis) {
    printer << '[';
    llvm::interleaveComma(basis, printer);
    printer << ']';
  });
  printer << "], ";
}
} // namespace

LayoutAttr LayoutAttr::get(MLIRContext *context, const Layout &layout) {
  return get(context, layout.repeats, flat(layout.registers), flat(layout.lanes), flat(layout.warps));
}

Layout LayoutAttr::layoutOf(ArrayRef<int64_t> shape) const {
  size_t rank = getRepeats().size();
  return {{shape.begin(), shape.end()},
          basesOf(getRegisters(), rank),
          basesOf(getLanes(), rank),
          basesOf(getWarps(), rank),
          {getRepeats().begin(), getRepeats().end()}};
}

LogicalResult LayoutAttr::verify(llvm::function_ref<InFlightDiagnostic()> error, ArrayRef<int64_t> repeats,
                                 ArrayRef<int32_t> registers, ArrayRef<int32_t> lanes, ArrayRef<int32_t> warps) {
  for (ArrayRef<int32_t> bases : {registers, lanes, warps})
    if (repeats.empty() ? !bases.empty() : bases.size() % repeats.size())
      return error() << "a basis has one coordinate for each of " << repeats.size() << " dimensions";
  return success();
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SmallVector<int32_t> bases[3];
  SmallVector<size_t> lengths;
  SmallVector<int64_t> repeats;
  if (parser.parseLess())
    return {};
  for (auto [name, each] : llvm::zip(ArrayRef<StringRef>{"registers", "lanes", "warps"}, bases))
    if (parser.parseKeyword(name) || parser.parseEqual() || parseBases(parser, each, lengths) || parser.parseComma())
      return {};
  auto parseNumber = [&] { return parser.parseInteger(repeats.emplace_back()); };
  if (parser.parseKeyword("repeats") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseNumber) || parser.parseGreater())
    return {};
  if (llvm::any_of(lengths, [&](size_t length) { return length != repeats.size(); }))
    return (parser.emitError(parser.getNameLoc(), "a basis has one coordinate for each of ")
            << repeats.size() << " dimensions"),
           Attribute();
  return getChecked([&] { return parser.emitError(parser.getNameLoc()); }, parser.getContext(), ArrayRef(repeats),
                    ArrayRef(bases[0]), ArrayRef(bases[1]), ArrayRef(bases[2]));
}

void LayoutAttr::print(AsmPrinter &printer) const {
  size_t rank = getRepeats().size();
  printer << '<';
  printBases(printer, "registers", getRegisters(), rank);
  printBases(printer, "lanes", getLanes(), rank);
  printBases(printer, "warps", getWarps(), rank);
  printer << "repeats = [";
  llvm::interleaveComma(getRepeats(), printer);
  printer << "]>";
}

LogicalResult ConvertOp::verify() {
  std::string mistake = getLayout().layoutOf(getType().getShape()).mistake();
  return mistake.empty() ? success() : LogicalResult(emitOpError("has a layout that ") << mistake);
}
} // namespace lispier::tile
