//===- SourceRange.cpp - from a location to the text ----------------------===//
#include "lispier/IRGen/IRGen.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

namespace lispier {
/// Until IRGen, which makes the locations, brings the definition that knows where forms end.
__attribute__((weak)) SMRange sourceRange(mlir::Location location, SourceMgr &sources) {
  SMRange range;
  location->walk([&](mlir::Location inner) {
    auto place = dyn_cast<mlir::FileLineColLoc>(inner);
    for (unsigned buffer = 1; place && buffer <= sources.getNumBuffers(); ++buffer)
      if (sources.getMemoryBuffer(buffer)->getBufferIdentifier() == place.getFilename()) {
        SMLoc start = sources.FindLocForLineAndColumn(buffer, place.getLine(), place.getColumn());
        range = {start, start};
        return mlir::WalkResult::interrupt();
      }
    return mlir::WalkResult::advance();
  });
  return range;
}
} // namespace lispier
