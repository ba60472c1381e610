//===- TunedLaunches.cpp - constants that launches leave to the compiler --===//
//
// `:tune` of a deftile lists values of its constants, of :warps and of :stages. A
// launch may leave such constants out of its :const; `(tuned program {...})` says
// which values are best for a target and for operands of some sizes. IRGen knows no
// target: it generates a program for each combination that may be chosen, and
// tile.choose stands for the choice (lib/Tiles/ChooseTileConstants.cpp).
//
//===----------------------------------------------------------------------===//
#include "Core/FunctionScope.h"
#include "Core/Literals.h"
#include "Generator.h"
#include "Kernels.h"
#include "TilePrograms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lispier {
static constexpr StringLiteral kWarps = "warps", kStages = "stages";

static ArrayRef<int64_t> valuesOf(const mlir::NamedAttribute &entry) {
  return cast<mlir::DenseI64ArrayAttr>(entry.getValue()).asArrayRef();
}

//===----------------------------------------------------------------------===//
// (tuned program {:const {:name value ...} :targets [name ...] :sizes [n ...] :types [...] :compiler "..." :us n})
//===----------------------------------------------------------------------===//

/// The element types of the program's memrefs, as `:types` has them.
static SmallVector<std::string> elementTypes(mlir::FunctionType type) {
  SmallVector<std::string> types;
  for (mlir::Type input : type.getInputs())
    if (auto memref = dyn_cast<mlir::MemRefType>(input))
      types.push_back(mlir::debugString(memref.getElementType()));
  return types;
}

bool TilePrograms::readTunedConstants(const Program &program, const Form *map, Setting &values) {
  if (!map || !map->isMap()) {
    error("tile-tuned", map ? map : program.info.form, "`tuned` says which values: :const {:name value ...}");
    return false;
  }
  for (size_t i = 0; i + 1 < map->size(); i += 2) {
    const Form *key = (*map)[i], *value = (*map)[i + 1];
    auto known = program.tune ? program.tune.getNamed(key->text()) : std::nullopt;
    std::optional<int64_t> number = gen.literals.integerOf(value);
    if (!known || !number || !is_contained(valuesOf(*known), *number)) {
      error("tile-tuned", known ? value : key,
            known ? "`" + value->str() + "` is none of the values that `:tune` lists for `" + key->text() + "`"
                  : "`:tune` of `" + program.info.name + "` does not list `" + key->text() + "`")
          .note(program.info.form->range(), "`" + program.info.name + "` is defined here")
          .withHint("`lispier tune` measures anew after a change of :tune");
      return false;
    }
    values[key->text()] = *number;
  }
  return true;
}

bool TilePrograms::readTunedSizes(const Form *sizes, Numbers &out) {
  for (const Form *item : sizes->isVector() ? sizes->items() : ArrayRef<const Form *>()) {
    std::optional<int64_t> size = gen.literals.integerOf(item);
    if (!size || *size < 0)
      break;
    out.push_back(*size);
  }
  if (sizes->isVector() && out.size() == sizes->size() && !out.empty())
    return true;
  error("tile-tuned", sizes,
        "`:sizes` are the sizes of all memrefs of a launch, one after the other, such as [64 128]");
  return false;
}

void TilePrograms::readTuned(const Form *form) {
  if (gen.options.tuneCandidate)
    return; // What was measured before has to fit neither :tune nor the sizes of now.
  const Form *name = (*form)[1], *map = (*form)[2];
  Program *program = find(name->text());
  if (!program) {
    error("tile-tuned", name, "there is no tile program `" + name->text() + "`")
        .withHint(didYouMean(name->text(), names()));
    return;
  }
  Tuned tuned;
  for (size_t i = 0; i + 1 < map->size(); i += 2) {
    const Form *key = (*map)[i], *value = (*map)[i + 1];
    StringRef text = key->text();
    if (text == "const" || text == "us")
      continue;
    if (text == "sizes") {
      if (!readTunedSizes(value, tuned.sizes.emplace()))
        return;
    } else if (text == "targets" || text == "types") {
      SmallVector<std::string> given;
      for (const Form *item : value->isVector() ? value->items() : ArrayRef<const Form *>())
        given.push_back(item->text().str());
      if (given.empty()) {
        error("tile-tuned", value, "`:" + text + "` is a vector of names, such as [sm_90a]");
        return;
      }
      if (text == "types" && given != elementTypes(program->info.type))
        return; // Of a version of the program with other types.
      if (text == "targets")
        tuned.targets = given;
    } else if (text == "compiler") {
      if (!gen.options.compiler.empty() && value->text() != gen.options.compiler) {
        warning("tile-tuned", value, "these values were measured by another compiler, and are not used")
            .withHint("run `lispier tune` again");
        return;
      }
    } else {
      error("tile-tuned", key, "`tuned` does not know `:" + text + "`")
          .withHint("its keys are :const, :targets, :sizes, :types, :compiler, :us");
      return;
    }
  }
  if (readTunedConstants(*program, map->get("const"), tuned.values))
    program->tuned.push_back(std::move(tuned));
}

//===----------------------------------------------------------------------===//
// Launches.
//===----------------------------------------------------------------------===//

/// What a launch leaves open of what :tune lists: constants without a value in its :const, :warps and :stages.
SmallVector<mlir::NamedAttribute> TilePrograms::openConstants(const Program &program, const Form *given) {
  SmallVector<mlir::NamedAttribute> open;
  if (!program.tune)
    return open;
  for (mlir::NamedAttribute entry : program.tune)
    if (!given || !given->isMap() || !given->get(entry.getName()))
      open.push_back(entry);
  return open;
}

/// The first value of each list; the deftile's own number of warps and stages.
TilePrograms::Setting TilePrograms::defaultSetting(const Program &program, ArrayRef<mlir::NamedAttribute> open) {
  Setting setting;
  for (const mlir::NamedAttribute &entry : open) {
    StringRef name = entry.getName();
    setting[name] = name == kWarps ? program.warps : name == kStages ? program.stages : valuesOf(entry).front();
  }
  return setting;
}

/// The combinations that this launch may take on some target, the default first, and when to take the others.
SmallVector<TilePrograms::Setting> TilePrograms::settingsOf(const Launch &launch, ArrayRef<mlir::NamedAttribute> open,
                                                            SmallVectorImpl<mlir::Attribute> &rules) {
  const Setting standard = defaultSetting(launch.program, open);
  SmallVector<Setting> settings{standard};
  for (const Tuned &tuned : launch.program.tuned) {
    Setting setting = standard;
    for (auto &[name, value] : setting)
      if (auto found = tuned.values.find(name); found != tuned.values.end())
        value = found->second;
    auto place = llvm::find(settings, setting);
    int64_t candidate = place - settings.begin();
    if (place == settings.end())
      settings.push_back(setting);
    SmallVector<StringRef> targets(tuned.targets.begin(), tuned.targets.end());
    rules.push_back(tile::TunedAttr::get(&context, candidate, builder.getStrArrayAttr(targets),
                                         tuned.sizes ? builder.getDenseI64ArrayAttr(*tuned.sizes) : nullptr));
  }
  return settings;
}

/// Combination `number` modulo their count, which is returned in `count`.
TilePrograms::Setting TilePrograms::combination(ArrayRef<mlir::NamedAttribute> open, uint64_t number, int64_t &count) {
  count = 1;
  for (const mlir::NamedAttribute &entry : open)
    count *= valuesOf(entry).size();
  Setting setting;
  number %= count;
  for (const mlir::NamedAttribute &entry : open) {
    ArrayRef<int64_t> values = valuesOf(entry);
    setting[entry.getName()] = values[number % values.size()];
    number /= values.size();
  }
  return setting;
}

/// The launch with these values; its :grid may name the constants that it leaves open.
bool TilePrograms::emitSetting(Launch launch, const Form *map, const Setting &setting) {
  Scope scope(gen.scope.scopes);
  for (auto [name, choice] : zip(launch.program.constants, launch.choices)) {
    if (!choice.members.empty())
      continue;
    int64_t value = setting.at(name->text());
    choice.members.push_back({value, nullptr});
    gen.scope.bind(name, Values{gen.literals.constantInt(launch.form, builder.getIndexType(), value)});
  }
  auto countOf = [&](StringRef name, int64_t otherwise) {
    auto found = setting.find(name);
    return found == setting.end() ? otherwise : found->second;
  };
  launch.warps = countOf(kWarps, launch.program.warps);
  launch.stages = countOf(kStages, launch.program.stages);
  if (!gen.kernels.launchShape(launch.form, map, {"grid", "const"}, launch.shape))
    return false;
  Constants chosen;
  emitVariants(launch, chosen);
  return true;
}

/// The sizes of all memrefs that the launch passes.
Values TilePrograms::operandSizes(const Launch &launch) {
  Values sizes;
  for (mlir::Value argument : launch.arguments)
    if (auto type = dyn_cast<mlir::MemRefType>(argument.getType()))
      for (int64_t d = 0; d < type.getRank(); ++d)
        sizes.push_back(make<mlir::memref::DimOp>(launch.form, argument,
                                                  gen.literals.constantInt(launch.form, builder.getIndexType(), d)));
  return sizes;
}

bool TilePrograms::emitTunedLaunch(Launch &launch, const Form *map, ArrayRef<mlir::NamedAttribute> open) {
  SmallVector<mlir::Attribute> rules;
  SmallVector<Setting> settings;
  int64_t combinations = 0;
  if (gen.options.tuneCandidate)
    settings.push_back(combination(open, *gen.options.tuneCandidate, combinations));
  else
    settings = settingsOf(launch, open, rules);
  if (settings.size() == 1 && !combinations)
    return emitSetting(launch, map, settings.front());

  SmallVector<mlir::Attribute> candidates;
  for (const Setting &setting : settings) {
    SmallVector<mlir::NamedAttribute> values;
    for (const auto &[name, value] : setting)
      values.push_back(builder.getNamedAttr(name, builder.getI64IntegerAttr(value)));
    candidates.push_back(builder.getDictionaryAttr(values));
  }
  Values sizes = operandSizes(launch);
  for (mlir::Attribute rule : rules)
    if (auto given = cast<tile::TunedAttr>(rule).getSizes(); given && given.size() != int64_t(sizes.size())) {
      error("tile-tuned", launch.form,
            "`:sizes` of a `tuned` has " + Twine(given.size()) + " sizes, and the memrefs of this launch of `" +
                launch.program.info.name + "` have " + Twine(sizes.size()));
      return false;
    }
  mlir::Value choice =
      make<tile::ChooseOp>(launch.form, builder.getIndexType(), builder.getStringAttr(launch.program.info.name), sizes,
                           builder.getArrayAttr(candidates), rules.empty() ? nullptr : builder.getArrayAttr(rules),
                           combinations ? builder.getI64IntegerAttr(combinations) : nullptr);
  auto cases = to_vector(seq<int64_t>(0, settings.size()));
  auto branch = make<mlir::scf::IndexSwitchOp>(launch.form, mlir::TypeRange(), choice, cases, cases.size());
  bool ok = true;
  auto fill = [&](mlir::Region &region, const Setting *setting) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&region);
    ok = ok && (!setting || emitSetting(launch, map, *setting));
    make<mlir::scf::YieldOp>(launch.form);
  };
  for (const auto &[setting, region] : zip(settings, branch.getCaseRegions()))
    fill(region, &setting);
  fill(branch.getDefaultRegion(), nullptr); // The choice is always a candidate.
  return ok;
}
} // namespace lispier
