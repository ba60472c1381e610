//===- Lower.cpp - run the pass pipeline ----------------------------------===//
#include "State.h"
#include "lispier/Pipeline/Recipe.h"
#include "lispier/Session/Session.h"
#include "lispier/Target/Cpu/CpuTarget.h"
#include "lispier/Target/Host/Passes.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace lispier {
namespace {
/// The names of all passes in a pipeline, from its textual form: those in parentheses, also in an option of a pass that
/// runs others, which is in braces.
std::vector<std::string> passNames(mlir::OpPassManager &passes) {
  std::string text;
  raw_string_ostream os(text);
  passes.printAsTextualPipeline(os);
  std::vector<std::string> names;
  std::string word, open;
  for (char c : text) {
    if (c == '(' || c == '{')
      open += c;
    else if ((c == ')' || c == '}') && !open.empty())
      open.pop_back();
    if ((open.empty() || open.back() == '(') && (isAlnum(c) || c == '-' || c == '_' || c == '.'))
      word += c;
    else if (!word.empty())
      names.push_back(std::exchange(word, ""));
  }
  names.push_back(word);
  return names;
}

bool hasTensors(mlir::ModuleOp module) {
  auto isTensor = [](mlir::Type type) { return isa<mlir::TensorType>(type); };
  return module
      .walk([&](mlir::Operation *op) {
        bool found = any_of(op->getResultTypes(), isTensor) || any_of(op->getOperandTypes(), isTensor);
        return found ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}
} // namespace

/// Checks compilation forms even if Lispier's own pipeline runs instead, so that errors in them are always reported.
bool Session::checkRecipes(const Generated &program) {
  for (const Recipe &recipe : program.recipes)
    checkRecipe(recipe, state->options.followRecipe, state->context, diags());
  return !diags().hasErrors();
}

bool Session::addPasses(mlir::OpPassManager &passes, const Generated &program, const PipelineOptions &pipeline) {
  if (!checkRecipes(program))
    return false;
  const std::optional<GpuTarget> &gpu = pipeline.target.gpu;
  bool follows = state->options.followRecipe && !program.recipes.empty();
  PipelineOptions rest = pipeline;
  if (follows && pipeline.kernels) { // A compilation form may select them.
    addKernelBodies(passes, pipeline);
    rest.kernels = nullptr;
  }
  if (gpu && follows && pipeline.from < Stage::Loops && pipeline.until >= Stage::Loops) {
    std::optional<Recipe> recipe = gpuRecipe(program.recipes, gpu->backend->name(), gpu->chip->name, diags());
    if (!recipe)
      return false;
    addRecipe(passes, *recipe);
    passes.addPass(createWarnAboutHostLinalg());
    rest.from = Stage::Loops; // The compilation form has already created the kernels.
    rest.kernelsAreLowered = lowersKernels(*recipe);
  }
  std::optional<Recipe> forSim = follows && pipeline.target.checkKernels ? simRecipe(program.recipes) : std::nullopt;
  if (forSim && pipeline.from < Stage::Loops && pipeline.until >= Stage::Loops) {
    addRecipe(passes, *forSim);
    passes.addPass(createWarnAboutHostLinalg());
  }
  if (!gpu && !forSim && follows && pipeline.from < Stage::Target && pipeline.until == Stage::Target) {
    const Recipe *recipe = cpuRecipe(program.recipes, pipeline.target.name(), diags());
    if (!recipe)
      return false;
    addRecipe(passes, *recipe);
  }
  if (gpu)
    addGpuPipeline(passes, rest);
  else
    addCpuPipeline(passes, rest); // Lowers what a compilation form has left.
  return !diags().hasErrors();
}

/// Checks that the passes after which IR is to be printed run.
bool Session::checkPrinted(const Generated &program, const PipelineOptions &pipeline) {
  if (state->options.printIrAfter.empty())
    return true;
  mlir::PassManager all(&state->context, mlir::ModuleOp::getOperationName(), mlir::OpPassManager::Nesting::Implicit);
  if (!addPasses(all, program, pipeline))
    return false;
  std::vector<std::string> names = passNames(all);
  for (const std::string &name : state->options.printIrAfter)
    if (name != "all" && !is_contained(names, name))
      diags()
          .error("pass-unknown", SMRange(), "the pass `" + name + "` does not run here")
          .withHint(didYouMean(name, names));
  return !diags().hasErrors();
}

/// Adds the name and features of the processor that the session compiles for.
bool Session::addProcessor(PipelineOptions &pipeline) {
  Expected<std::unique_ptr<TargetMachine>> machine = makeMachine(state->options.cpu);
  if (!machine)
    return state->fail(machine.takeError(), "target-mismatch", "");
  pipeline.cpuName = (*machine)->getTargetCPU().str();
  append_range(pipeline.cpuFeatures, featureNames(**machine));
  return true;
}

/// Writes the reproducer before the passes run, since one of them may crash, in the format of MLIR's crash reproducers.
bool Session::writeReproducer(mlir::PassManager &passes, mlir::ModuleOp module) {
  const std::string &file = state->options.reproducer;
  for (unsigned i = 1; i <= sources().getNumBuffers(); ++i)
    if (bool same = false; !sys::fs::equivalent(state->nameOf(i), file, same) && same) {
      diags().error("", SMRange(), "the reproducer " + file + " is a source, which it would overwrite");
      return false;
    }
  std::error_code error;
  raw_fd_ostream os(file, error);
  if (!error) {
    mlir::AsmState printing(module, mlir::OpPrintingFlags().enableDebugInfo());
    printing.attachResourcePrinter("mlir_reproducer", [&](mlir::Operation *, mlir::AsmResourceBuilder &builder) {
      std::string pipeline;
      raw_string_ostream text(pipeline);
      passes.printAsTextualPipeline(text);
      builder.buildString("pipeline", pipeline);
      builder.buildBool("disable_threading", !state->context.isMultithreadingEnabled());
      builder.buildBool("verify_each", state->options.verifyEach);
    });
    module.print(os, printing);
    os.flush();
    error = os.error();
    os.clear_error(); // Otherwise its destructor ends the process.
  }
  if (error)
    diags().error("", SMRange(), "cannot write " + file + ": " + error.message());
  return !error;
}

/// Writes the reproducer again once the module has its kernels, which lispier-opt could not add.
void Session::reproduceKernels(mlir::PassManager &passes, Generated &program, const PipelineOptions &pipeline) {
  struct AfterKernels : mlir::PassInstrumentation {
    explicit AfterKernels(unique_function<void()> write) : write(std::move(write)) {}
    void runAfterPass(mlir::Pass *pass, mlir::Operation *) override {
      if (pass->getArgument() == "lispier-add-kernels")
        write();
    }
    unique_function<void()> write;
  };
  passes.addInstrumentation(std::make_unique<AfterKernels>([this, &program, rest = pipeline]() mutable {
    rest.kernels = nullptr;
    if (rest.matchesKernels)
      rest.from = Stage::Tensor;
    mlir::PassManager following(&state->context, mlir::ModuleOp::getOperationName(),
                                mlir::OpPassManager::Nesting::Implicit);
    if (addPasses(following, program, rest))
      (void)writeReproducer(following, *program.module);
  }));
}

/// Runs the passes between the two stages.
bool Session::runPasses(Generated &program, const PipelineOptions &pipeline) {
  const SessionOptions &options = state->options;
  mlir::TimingScope timing = state->begin("lower", "from " + stageName(pipeline.from) + " to " +
                                                       stageName(pipeline.until) + ", for " + pipeline.target.name());
  mlir::PassManager passes(&state->context, mlir::ModuleOp::getOperationName(), mlir::OpPassManager::Nesting::Implicit);
  passes.enableVerifier(options.verifyEach);
  passes.enableTiming(timing);
  if (!addPasses(passes, program, pipeline))
    return false;
  if (options.printPipeline && options.log) {
    passes.printAsTextualPipeline(*options.log);
    *options.log << '\n';
  }
  if (!options.printIrAfter.empty() && options.log) {
    state->context.disableMultithreading(); // So that functions are printed in order.
    auto wanted = [&](mlir::Pass *pass, mlir::Operation *) {
      return is_contained(options.printIrAfter, "all") || is_contained(options.printIrAfter, pass->getArgument());
    };
    passes.enableIRPrinting([](mlir::Pass *, mlir::Operation *) { return false; }, wanted,
                            /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/false,
                            /*printAfterOnlyOnFailure=*/false, *options.log);
  }
  if (!options.reproducer.empty() && !writeReproducer(passes, *program.module))
    return false;
  if (!options.reproducer.empty() && pipeline.kernels)
    reproduceKernels(passes, program, pipeline);
  return mlir::succeeded(passes.run(*program.module)) && !diags().hasErrors();
}

bool Session::lower(Generated &program, const PipelineOptions &pipeline) {
  const SessionOptions &options = state->options;
  PipelineOptions rest = pipeline;
  rest.whyKernels = options.whyKernels;
  rest.isolatedGroup = options.isolatedGroup;
  rest.isolatedSizes = options.isolatedSizes;
  rest.precision = options.precision;
  rest.fuse = options.fuse;
  rest.explainGroups = options.explainGroups;
  rest.timeGroups = options.timeGroups;
  rest.interruptible = options.interruptible && options.generate.isLibrary;
  rest.deviceSpeed = options.deviceSpeed;
  rest.explainMemory = options.explainMemory;
  rest.explainGradients = options.explainGradients;
  rest.explainPlacements = options.explainPlacements;
  if (rest.target.gpu && llvm::is_contained(rest.target.gpu->backend->formats(), GpuFormat::Hsaco))
    rest.tools.lld = options.linker;
  if (!addProcessor(rest))
    return false;
  bool selectsKernels = rest.from < Stage::Tiles && rest.until >= Stage::Tiles;
  bool follows = options.followRecipe && !program.recipes.empty();
  rest.matchesKernels = selectsKernels && rest.from < Stage::Tensor && !follows && hasTensors(*program.module);
  rest.isPrinted = options.printPipeline || !options.reproducer.empty();
  if (selectsKernels && options.templates && !(rest.kernels = kernelSource(rest)))
    return false;
  if (!checkPrinted(program, rest))
    return false;
  return runPasses(program, rest) &&
         (options.verifyEach || !options.verify || mlir::succeeded(mlir::verify(*program.module)));
}
} // namespace lispier
