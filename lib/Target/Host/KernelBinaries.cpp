//===- KernelBinaries.cpp - binaries that threads make --------------------===//
#include "lispier/Target/Host/KernelBinaries.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace lispier {
namespace {
constexpr StringLiteral kSizeSuffix = "_size";
const Align kImageAlignment(64); // HIP reads the code object in place.
} // namespace

void explainResources(ArrayRef<KernelResources> resources, const KernelPlaces &places) {
  for (const KernelResources &each : resources)
    if (auto place = places.find(each.kernel); place != places.end() && !each.text.empty())
      mlir::emitRemark(place->second) << "kernel " << each.kernel << ": " << each.text;
}

KernelBinaries::~KernelBinaries() {
  dropped = true;
  threads.wait();
  for (auto &[symbol, binary] : made)
    consumeError(binary.binary.takeError()); // Of a program that is given up for another error.
}

void KernelBinaries::make(StringRef symbol, mlir::Location place, KernelPlaces kernels, BinaryJob job) {
  Binary *binary = nullptr;
  {
    std::lock_guard<std::mutex> guard(adding);
    auto [at, isNew] = made.try_emplace(symbol.str(), Binary{place, std::move(kernels), std::move(job)});
    assert(isNew && "a symbol for each gpu.module");
    binary = &at->second;
    (void)!binary->binary; // Checked: replacing it is no lost error.
  }
  threads.async([this, binary] {
    if (dropped)
      return;
    binary->binary = binary->job();
    binary->job = nullptr; // What it was made of.
  });
}

bool KernelBinaries::defines(StringRef symbol) const {
  return made.count(symbol.str()) || (symbol.consume_back(kSizeSuffix) && made.count(symbol.str()));
}

std::unique_ptr<Module> KernelBinaries::take(LLVMContext &context) {
  threads.wait();
  auto module = std::make_unique<Module>("kernels", context);
  auto define = [&](const Twine &name, Constant *value, Align alignment) {
    auto *global =
        new GlobalVariable(*module, value->getType(), /*isConstant=*/true, GlobalValue::ExternalLinkage, value, name);
    global->setAlignment(alignment);
  };
  bool failed = false;
  for (auto &[symbol, binary] : made) {
    if (Error error = binary.binary.takeError()) {
      mlir::emitError(binary.place) << toString(std::move(error));
      failed = true;
      continue;
    }
    // With a NUL behind: drivers take PTX as a NUL-terminated string.
    StringRef bytes(binary.binary->bytes.data(), binary.binary->bytes.size());
    define(symbol, ConstantDataArray::getString(context, bytes, /*AddNull=*/true), kImageAlignment);
    define(symbol + kSizeSuffix, ConstantInt::get(Type::getInt64Ty(context), bytes.size()), Align(8));
    explainResources(binary.binary->resources, binary.kernels);
  }
  made.clear();
  return failed ? nullptr : std::move(module);
}
} // namespace lispier
