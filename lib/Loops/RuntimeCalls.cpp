//===- RuntimeCalls.cpp - emit calls of the runtime -----------------------===//

#include "lispier/Loops/RuntimeCalls.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace lispier {
func::CallOp RuntimeCalls::call(OpBuilder &builder, Location loc, StringRef name, ValueRange operands,
                                TypeRange results) {
  auto function = symbols.lookup<func::FuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    function =
        func::FuncOp::create(builder, module.getLoc(), name, builder.getFunctionType(operands.getTypes(), results));
    function.setPrivate();
    symbols.insert(function);
  }
  return func::CallOp::create(builder, loc, function, operands);
}

Value RuntimeCalls::text(OpBuilder &builder, Location loc, StringRef contents) {
  std::string bytes = contents.str() + '\0';
  std::string name = "lispier_text_" + llvm::utohexstr(llvm::xxh3_64bits(bytes), /*LowerCase=*/true);
  auto global = symbols.lookup<LLVM::GlobalOp>(name);
  if (!global) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
    global = LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal, name,
                                    builder.getStringAttr(bytes));
    symbols.insert(global);
  }
  return LLVM::AddressOfOp::create(builder, loc, global);
}

namespace {
/// The innermost file location of `loc`, looking through macro calls (CallSiteLoc) and fused locations.
FileLineColRange findPlace(Location loc) {
  FileLineColRange found;
  loc->walk([&](Location inner) {
    if (auto place = dyn_cast<FileLineColRange>(inner)) {
      found = place;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return found;
}

std::string textOf(FileLineColRange place) {
  return (place.getFilename().getValue() + ":" + Twine(place.getStartLine()) + ":" + Twine(place.getStartColumn()))
      .str();
}
} // namespace

std::string RuntimeCalls::placeOf(Location loc) {
  FileLineColRange place = findPlace(loc);
  return place ? textOf(place) : "unknown place";
}

std::string RuntimeCalls::callersOf(Location loc) {
  if (auto fused = dyn_cast<FusedLoc>(loc); fused && fused.getLocations().size() == 1)
    return callersOf(fused.getLocations().front()); // With the name of a size.
  auto call = dyn_cast<CallSiteLoc>(loc);
  if (!call)
    return "";
  std::string notes = callersOf(call.getCallee());
  if (FileLineColRange caller = findPlace(call.getCaller()))
    notes += textOf(caller) + ": note: called from here\n";
  return notes + callersOf(call.getCaller());
}

Value RuntimeCalls::site(OpBuilder &builder, Location loc) { return text(builder, loc, placeOf(loc)); }
} // namespace lispier
