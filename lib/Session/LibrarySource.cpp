//===- LibrarySource.cpp - the library of kernels, for passes -------------===//
#include "State.h"
#include "lispier/Kernels/KernelSource.h"
#include "lispier/NN/TemplateAttributes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Verifier.h"

using namespace llvm;

namespace lispier {
/// The library for one target. It is read for the first question, and shared by all targets.
class Session::Kernels : public KernelSource {
public:
  Kernels(Session &session, KernelTarget target) : session(session), target(std::move(target)) {}

  kernels::Machine machine() const override { return {target.name, target.abilities, target.multiprocessors}; }
  ArrayRef<kernels::Implementation> heads() override {
    ArrayRef<kernels::Implementation> all = library().index();
    return session.diags().hasErrors() ? ArrayRef<kernels::Implementation>() : all;
  }
  std::vector<int64_t> tuning(StringRef key) override { return library().tuning(target, key); }

  mlir::OwningOpRef<mlir::ModuleOp> bodies(const BitVector &chosen) override {
    State &state = *session.state;
    state.announce("kernels", Twine(chosen.count()) + " implementations");
    Generated generated = generate(library().expand(chosen, target), state.context, state.diags);
    if (state.diags.hasErrors() || !generated.module || mlir::failed(mlir::verify(*generated.module)))
      return nullptr;
    for (auto module : generated.module->getOps<mlir::gpu::GPUModuleOp>())
      module->setAttr(nn::kTemplateKernels, mlir::UnitAttr::get(&state.context));
    return std::move(generated.module);
  }

private:
  KernelLibrary &library() {
    State &state = *session.state;
    if (!state.kernels)
      state.kernels = std::make_unique<KernelLibrary>(state.context, state.arena, state.diags, state.dialects);
    return *state.kernels;
  }

  Session &session;
  KernelTarget target;
};

std::shared_ptr<KernelSource> Session::kernelSource(const PipelineOptions &pipeline) {
  for (StringRef dialect : kernelDialects()) // No pass may load one.
    state->context.getOrLoadDialect(dialect);
  for (const std::string &op : pipeline.whyKernels)
    if (!mlir::RegisteredOperationName::lookup(op, &state->context)) {
      std::vector<std::string> known;
      for (mlir::RegisteredOperationName name : state->context.getRegisteredOperations())
        known.push_back(name.getStringRef().str());
      diags()
          .error("op-unknown", SMRange(), "there is no op `" + op + "` to have a kernel")
          .withHint(didYouMean(op, known));
      return nullptr;
    }
  return std::make_shared<Kernels>(*this, pipeline.kernelTarget());
}
} // namespace lispier
