//===- SourcePlaces.cpp - where in the source a kernel's ops are ----------===//
#include "lispier/Tensor/Explain/SourcePlaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace lispier {
/// Files whose text is part of the tool; their places mean nothing to a user.
static bool isLibrary(FileLineColRange place) { return place.getFilename().getValue().starts_with("prelude/"); }

SmallVector<FileLineColRange> sourcePlacesOf(Location location) {
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    SmallVector<FileLineColRange> all;
    for (Location part : fused.getLocations())
      llvm::append_range(all, sourcePlacesOf(part));
    return all;
  }
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    SmallVector<FileLineColRange> inside = sourcePlacesOf(call.getCallee());
    return llvm::all_of(inside, isLibrary) ? sourcePlacesOf(call.getCaller()) : inside;
  }
  if (auto name = dyn_cast<NameLoc>(location))
    return sourcePlacesOf(name.getChildLoc());
  if (auto place = dyn_cast<FileLineColRange>(location))
    return {place};
  return {};
}

Location firstOf(ArrayRef<FileLineColRange> places, MLIRContext *context) {
  return places.empty() ? Location(UnknownLoc::get(context)) : Location(places.front());
}
} // namespace lispier
