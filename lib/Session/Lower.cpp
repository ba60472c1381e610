//===- Lower.cpp - running the pipeline -----------------------------------===//
#include "State.h"
#include "lispier/Session/Session.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

using namespace llvm;

namespace lispier {
bool Session::lower(Generated &program, const PipelineOptions &pipeline) {
  const SessionOptions &options = state->options;
  mlir::TimingScope timing = state->total.nest("lower");
  mlir::PassManager passes(&state->context);
  passes.enableVerifier(options.verifyEach);
  if (options.time)
    passes.enableTiming(timing);
  addCpuPipeline(passes, pipeline);
  if (options.printPipeline && options.log) {
    passes.printAsTextualPipeline(*options.log);
    *options.log << '\n';
  }
  if (!options.printIrAfter.empty() && options.log) {
    state->context.disableMultithreading(); // Functions are printed one after the other.
    auto wanted = [&](mlir::Pass *pass, mlir::Operation *) {
      return is_contained(options.printIrAfter, "all") || is_contained(options.printIrAfter, pass->getArgument());
    };
    passes.enableIRPrinting([](mlir::Pass *, mlir::Operation *) { return false; }, wanted,
                            /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/false,
                            /*printAfterOnlyOnFailure=*/false, *options.log);
  }
  return mlir::succeeded(passes.run(*program.module)) && !diags().hasErrors();
}
} // namespace lispier
