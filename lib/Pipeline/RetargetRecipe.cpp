//===- RetargetRecipe.cpp - compilation forms for another vendor ----------===//
//
// A compilation form names passes of the vendor for which it was written. Each is
// replaced by the target vendor's counterpart; options that only one of them has are
// dropped. The passes that serialize kernels, and those after them, are always
// replaced by this project's: these need no vendor software, and addHostPhase lowers
// the host code.
//
//===----------------------------------------------------------------------===//
#include "VendorPasses.h"
#include "lispier/Pipeline/Recipe.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lispier {
namespace {
constexpr StringLiteral kOutlining = "gpu-kernel-outlining", kBinary = "gpu-module-to-binary";

/// Filters "name=value ..." to the options that both vendors' passes have.
std::string keepCommon(StringRef options, ArrayRef<StringRef> common) {
  SmallVector<StringRef> kept;
  for (StringRef option : split(options, ' '))
    if (is_contained(common, option.split('=').first))
      kept.push_back(option);
  return join(kept, " ");
}

std::string with(std::string options, const Twine &option) {
  return options.empty() ? option.str() : options + " " + option.str();
}

class Retargeting {
public:
  Retargeting(const UpstreamPasses &to, StringRef chip, Recipe &out) : to(to), chip(chip), out(out) {}

  /// Appends the counterpart of one pass; false at the first pass after the kernels' part.
  bool add(RecipeGroup::Scope scope, RecipePass pass) {
    if (pass.name == kBinary)
      return false;
    for (const VendorPasses &vendor : vendorPasses()) {
      const UpstreamPasses &from = vendor.upstream;
      if (pass.name == from.vendorOps && from.vendorOps != to.vendorOps)
        return true; // Lowers ops of that other vendor only.
      if (pass.name == from.attach) {
        pass.name = to.attach.str();
        pass.options = with(keepCommon(pass.options, {"O", "l"}), "chip=" + chip);
        break;
      }
      if (pass.name == from.convert) {
        addKernelMath(pass);
        pass.name = to.convert.str();
        pass.options =
            keepCommon(pass.options, {"index-bitwidth", "use-bare-ptr-memref-call-conv", "allowed-dialects"});
        if (!to.convertOptions.empty()) {
          auto [before, after] = to.convertOptions.split('$');
          pass.options = with(pass.options, before + chip + after);
        }
        break;
      }
    }
    append(scope, pass);
    if (pass.name == kOutlining) // Outlining creates a module per launch; merge them.
      append(RecipeGroup::Module, {"lispier-merge-gpu-modules", "", pass.range});
    return true;
  }

private:
  /// Expands ops for which the conversion would call the vendor's device library.
  void addKernelMath(const RecipePass &before) {
    append(RecipeGroup::GpuModule, {"lispier-expand-math", "standalone=true", before.range});
    append(RecipeGroup::GpuModule,
           {"convert-scf-to-cf", "", before.range}); // lispier-expand-math creates scf.if (sin, cos, tan).
    append(RecipeGroup::GpuModule, {"lispier-math-to-intrinsics", "", before.range});
    if (!to.beforeConvert.empty())
      append(RecipeGroup::GpuModule, {to.beforeConvert.str(), "", before.range});
  }

  void append(RecipeGroup::Scope scope, RecipePass pass) {
    if (out.groups.empty() || out.groups.back().scope != scope)
      out.groups.push_back({scope, {}});
    out.groups.back().passes.push_back(std::move(pass));
  }

  const UpstreamPasses &to;
  StringRef chip;
  Recipe &out;
};
} // namespace

bool lowersKernels(const Recipe &recipe) {
  return any_of(recipe.groups, [](const RecipeGroup &group) {
    return any_of(group.passes, [](const RecipePass &pass) {
      return any_of(vendorPasses(), [&](const VendorPasses &vendor) { return pass.name == vendor.upstream.convert; });
    });
  });
}

namespace {
/// Whether the pass lowers kernels or launches for a vendor.
bool isVendors(StringRef pass) {
  if (pass == kBinary || pass == "gpu-to-llvm" || pass == "gpu-lower-to-nvvm-pipeline" ||
      pass == "convert-gpu-to-llvm-spv" || pass == "convert-gpu-to-spirv")
    return true;
  return any_of(vendorPasses(), [&](const VendorPasses &vendor) {
    return pass == vendor.upstream.convert || pass == vendor.upstream.vendorOps;
  });
}
} // namespace

std::optional<Recipe> simRecipe(ArrayRef<Recipe> recipes) {
  auto *from = find_if(recipes, [](const Recipe &recipe) { return recipe.backend != "cpu"; });
  if (from == recipes.end())
    return std::nullopt;
  Recipe out{"sim", {}, from->range};
  for (const RecipeGroup &group : from->groups)
    for (const RecipePass &pass : group.passes) {
      if (isVendors(pass.name))
        return out;
      if (any_of(vendorPasses(), [&](const VendorPasses &vendor) { return pass.name == vendor.upstream.attach; }))
        continue;
      if (out.groups.empty() || out.groups.back().scope != group.scope)
        out.groups.push_back({group.scope, {}});
      out.groups.back().passes.push_back(pass);
    }
  return out;
}

std::optional<Recipe> gpuRecipe(ArrayRef<Recipe> recipes, StringRef backend, StringRef chip, DiagSink &diags) {
  auto *to = find_if(vendorPasses(), [&](const VendorPasses &vendor) { return vendor.backend == backend; });
  auto *from = find_if(recipes, [&](const Recipe &recipe) { return recipe.backend == backend; });
  if (from == recipes.end())
    from = find_if(recipes, [&](const Recipe &recipe) { return recipe.backend != "cpu"; });
  if (to == vendorPasses().end() || from == recipes.end()) {
    diags
        .error("target-mismatch", recipes.front().range,
               "these passes are for `cpu`, and the target is `" + backend + "`")
        .withHint("--pipeline=default takes Lispier's own passes for GPUs");
    return std::nullopt;
  }
  Recipe out{backend.str(), {}, from->range};
  Retargeting retargeting(to->upstream, chip, out);
  for (const RecipeGroup &group : from->groups)
    for (const RecipePass &pass : group.passes)
      if (!retargeting.add(group.scope, pass))
        return out;
  return out;
}
} // namespace lispier
