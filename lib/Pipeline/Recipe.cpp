//===- Recipe.cpp - pass pipelines of compilation forms -------------------===//
#include "lispier/Pipeline/Recipe.h"
#include "lispier/Pipeline/Pipeline.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace lispier {
namespace {
/// Passes that recipes commonly use, for suggestions: upstream's registry cannot be enumerated.
std::vector<std::string> commonPasses() {
  constexpr StringLiteral names[] = {"affine-loop-fusion",
                                     "affine-loop-tile",
                                     "affine-parallelize",
                                     "affine-super-vectorize",
                                     "arith-expand",
                                     "buffer-deallocation-pipeline",
                                     "canonicalize",
                                     "convert-affine-for-to-gpu",
                                     "convert-arith-to-llvm",
                                     "convert-bufferization-to-memref",
                                     "convert-cf-to-llvm",
                                     "convert-complex-to-llvm",
                                     "convert-func-to-llvm",
                                     "convert-gpu-to-nvvm",
                                     "convert-gpu-to-rocdl",
                                     "convert-index-to-llvm",
                                     "convert-linalg-to-affine-loops",
                                     "convert-linalg-to-loops",
                                     "convert-linalg-to-parallel-loops",
                                     "convert-math-to-libm",
                                     "convert-math-to-llvm",
                                     "convert-parallel-loops-to-gpu",
                                     "convert-scf-to-cf",
                                     "convert-to-llvm",
                                     "convert-vector-to-llvm",
                                     "convert-vector-to-scf",
                                     "cse",
                                     "expand-strided-metadata",
                                     "finalize-memref-to-llvm",
                                     "gpu-kernel-outlining",
                                     "gpu-map-parallel-loops",
                                     "gpu-module-to-binary",
                                     "gpu-to-llvm",
                                     "inline",
                                     "linalg-fuse-elementwise-ops",
                                     "linalg-generalize-named-ops",
                                     "llvm-request-c-wrappers",
                                     "loop-invariant-code-motion",
                                     "lower-affine",
                                     "lower-vector-multi-reduction",
                                     "math-expand-ops",
                                     "memref-expand",
                                     "nvvm-attach-target",
                                     "one-shot-bufferize",
                                     "reconcile-unrealized-casts",
                                     "rocdl-attach-target",
                                     "scf-forall-to-for",
                                     "scf-forall-to-parallel",
                                     "scf-parallel-loop-fusion",
                                     "scf-parallel-loop-tiling",
                                     "sccp",
                                     "symbol-dce",
                                     "lispier-bufferize-tensors",
                                     "lispier-expand-math",
                                     "lispier-outline-parallel",
                                     "lispier-host-gpu-memory"};
  return std::vector<std::string>(std::begin(names), std::end(names));
}

StringRef anchor(RecipeGroup::Scope scope) {
  switch (scope) {
  case RecipeGroup::Module:
    return mlir::ModuleOp::getOperationName();
  case RecipeGroup::Function:
    return mlir::func::FuncOp::getOperationName();
  case RecipeGroup::GpuModule:
    return mlir::gpu::GPUModuleOp::getOperationName();
  }
  return "";
}

const mlir::PassRegistryEntry *find(StringRef name) {
  if (const mlir::PassInfo *pass = mlir::PassInfo::lookup(name))
    return pass;
  return mlir::PassPipelineInfo::lookup(name);
}

/// Creates a pass manager that nests implicitly, for passes that run on another op than the group's.
mlir::OpPassManager managerFor(RecipeGroup::Scope scope) {
  return mlir::OpPassManager(anchor(scope), mlir::OpPassManager::Nesting::Implicit);
}

/// Extracts the names of a pass's options from its textual form "name{a=1 b=2}".
std::vector<std::string> optionNames(const mlir::PassRegistryEntry &entry, RecipeGroup::Scope scope) {
  mlir::OpPassManager pm = managerFor(scope);
  std::string text;
  raw_string_ostream os(text);
  if (failed(entry.addToPipeline(pm, "", [](const Twine &) { return mlir::failure(); })))
    return {};
  pm.printAsTextualPipeline(os);
  std::vector<std::string> names;
  for (StringRef word : split(StringRef(text).split('{').second.rsplit('}').first, ' '))
    if (auto [name, value] = word.split('='); !name.empty() && word.contains('='))
      names.push_back(name.str());
  return names;
}

/// Passes that MLIR has removed or renamed, and their replacements.
StringRef successorOf(StringRef name) {
  if (name.ends_with("-bufferize") || name == "linalg-comprehensive-module-bufferize")
    return "one-shot-bufferize";
  return StringSwitch<StringRef>(name)
      .Case("buffer-deallocation", "buffer-deallocation-pipeline")
      .Cases({"convert-affine-to-standard", "convert-affine-to-std"}, "lower-affine")
      .Case("convert-linalg-to-llvm", "convert-linalg-to-loops")
      .Case("convert-memref-to-llvm", "finalize-memref-to-llvm")
      .Cases({"convert-scf-to-std", "convert-loop-to-std", "convert-scf-to-standard"}, "convert-scf-to-cf")
      .Cases({"convert-std-to-llvm", "convert-standard-to-llvm"}, "convert-func-to-llvm")
      .Cases({"gpu-to-cubin", "gpu-to-hsaco", "test-gpu-to-cubin", "test-gpu-to-hsaco"}, "gpu-module-to-binary")
      .Case("parallel-loop-fusion", "scf-parallel-loop-fusion")
      .Case("parallel-loop-tiling", "scf-parallel-loop-tiling")
      .Case("std-expand", "arith-expand")
      .Default("");
}

bool checkPass(const RecipePass &pass, RecipeGroup::Scope scope, bool followed, DiagSink &diags) {
  auto report = [&](StringRef code, const Twine &message) -> Diag & {
    SMRange range = pass.fault.empty() ? pass.range : pass.faultRange;
    return followed ? diags.error(code, range, message) : diags.warning(code, range, message);
  };
  if (!pass.fault.empty()) {
    report("macro-shape", pass.fault).withHint("write (pass name {:option value})");
    return false;
  }
  const mlir::PassRegistryEntry *entry = find(pass.name);
  if (!entry) {
    StringRef successor = successorOf(pass.name);
    report("pass-unknown", "there is no pass `" + pass.name + "`")
        .withHint(successor.empty() ? didYouMean(pass.name, commonPasses())
                                    : ("today it is `" + successor + "`").str());
    return false;
  }
  mlir::OpPassManager pm = managerFor(scope);
  std::string why;
  auto result = entry->addToPipeline(pm, pass.options, [&](const Twine &message) {
    why = message.str();
    return mlir::failure();
  });
  if (succeeded(result))
    return true;
  std::vector<std::string> known = optionNames(*entry, scope);
  std::string near;
  for (StringRef option : split(pass.options, ' '))
    if (StringRef name = option.split('=').first; !is_contained(known, name) && near.empty())
      near = didYouMean(name, known);
  report("pass-option", "`" + pass.name + "` does not take the options `" + pass.options + "`")
      .withHint(known.empty() ? "it takes none" : near + (near.empty() ? "" : " ") + "it takes " + join(known, ", "));
  return false;
}
} // namespace

bool checkRecipe(const Recipe &recipe, bool followed, mlir::MLIRContext &context, DiagSink &diags) {
  registerPasses();
  // Suppress MLIR's message about a wrong option: it has no location, and ours is reported here.
  mlir::ScopedDiagnosticHandler silence(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  bool ok = true;
  for (const RecipeGroup &group : recipe.groups)
    for (const RecipePass &pass : group.passes)
      ok &= checkPass(pass, group.scope, followed, diags);
  return ok || !followed;
}

void addRecipe(mlir::OpPassManager &pm, const Recipe &recipe) {
  for (const RecipeGroup &group : recipe.groups) {
    mlir::OpPassManager &scope = group.scope == RecipeGroup::Module ? pm : pm.nest(anchor(group.scope));
    for (const RecipePass &pass : group.passes) {
      auto result = find(pass.name)->addToPipeline(scope, pass.options, [](const Twine &) { return mlir::failure(); });
      assert(succeeded(result) && "the recipe has been checked");
      (void)result;
    }
  }
}

const Recipe *cpuRecipe(ArrayRef<Recipe> recipes, StringRef target, DiagSink &diags) {
  for (const Recipe &recipe : recipes)
    if (recipe.backend == "cpu")
      return &recipe;
  if (!recipes.empty()) {
    std::string backends;
    for (const Recipe &recipe : recipes)
      backends += (backends.empty() ? "`" : ", `") + recipe.backend + "`";
    diags
        .error("target-mismatch", recipes.front().range,
               "these passes are for " + backends + ", and the target is `" + target + "`")
        .withHint("--pipeline=default takes Lispier's own passes for the CPU");
  }
  return nullptr;
}
} // namespace lispier
