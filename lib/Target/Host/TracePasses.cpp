//===- TracePasses.cpp - passes on kernels, in a trace --------------------===//
#include "TracePasses.h"
#include "lispier/Runtime/Core/Trace.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <mutex>

using namespace mlir;

namespace lispier {
namespace {
class TracePasses : public PassInstrumentation {
  void runBeforePass(Pass *pass, Operation *) override {
    StringRef name = pass->getName().rsplit("::").second; // Of classes without a name of their own, the C++ name.
    name = name.empty() ? pass->getName() : name;
    std::lock_guard<std::mutex> guard(mutex);
    if (name != "OpToOpPassAdaptor") // It runs the next ones.
      running[pass] = std::make_unique<Bar>(name);
  }
  void runAfterPass(Pass *pass, Operation *) override { end(pass); }
  void runAfterPassFailed(Pass *pass, Operation *) override { end(pass); }

  void end(Pass *pass) {
    std::lock_guard<std::mutex> guard(mutex);
    running.erase(pass);
  }

  struct Bar {
    explicit Bar(StringRef name) : name(name), span("compile", this->name.c_str()) {}
    std::string name;
    runtime::TraceSpan span;
  };
  std::mutex mutex;
  llvm::DenseMap<Pass *, std::unique_ptr<Bar>> running; ///< Each thread has passes of its own.
};
} // namespace

void tracePasses(PassManager &passes) {
  if (lispier_rt_tracing())
    passes.addInstrumentation(std::make_unique<TracePasses>());
}
} // namespace lispier
