//===- KernelChoice.cpp - which hand-written kernels may be used ----------===//
#include "KernelChoice.h"
#include "lispier/Group/Group.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/NN/TemplateAttributes.h"

using namespace llvm;

namespace lispier {
namespace {
/// The implementations of a program and, after them, of the library.
std::vector<kernels::Implementation> implementationsOf(mlir::ModuleOp program, KernelSource &library) {
  std::vector<kernels::Implementation> heads;
  for (auto function : program.getOps<mlir::func::FuncOp>())
    if (function->hasAttr(nn::kTemplate) && !function.isDeclaration())
      heads.push_back(kernels::headOf(function));
  append_range(heads, library.heads());
  return heads;
}

/// A place in the user's source of one of the ops that a group has.
mlir::Location placeOfGroup(mlir::Operation *group) {
  auto call = group->getLoc()->findInstanceOf<mlir::CallSiteLoc>();
  return kernels::outermost(call ? mlir::Location(call) : group->getLoc());
}

/// Emits a remark at the group: which implementation it has instead of a generated kernel, and for each other one the
/// first reason against it.
void explainChoice(mlir::Operation *group, const kernels::Request &request, const kernels::Machine &machine,
                   ArrayRef<kernels::Implementation> index, const kernels::Implementation *chosen) {
  auto kernel = dyn_cast<group::KernelOp>(group);
  auto name = kernel ? kernel.getNameAttr() : group->getAttrOfType<mlir::StringAttr>(kKernelNameAttr);
  mlir::InFlightDiagnostic remark = mlir::emitRemark(placeOfGroup(group));
  remark << "kernel " << (name ? name.getValue() : "") << ", of the kind `" << nn::describe(*request.group).name
         << "`, " << (chosen ? "is hand-written: one of " : "is generated: none of ")
         << count_if(index, [&](auto &each) { return each.op == request.op; }) << " implementations of " << request.op;
  for (const kernels::Implementation &each : index) {
    if (each.op != request.op)
      continue;
    std::optional<std::string> reason = kernels::reasonAgainst(each, request, machine);
    remark.attachNote(kernels::outermost(each.place)) << (&each == chosen ? "this one is taken"
                                                          : reason        ? *reason
                                                                          : "another is taken before it");
  }
}
} // namespace

bool KernelChoice::has(nn::GroupKind kind, ArrayRef<mlir::Value> operands, mlir::Operation *group) {
  auto types = map_to_vector(operands, [](mlir::Value each) { return each ? each.getType() : mlir::Type(); });
  return has(kind, ArrayRef<mlir::Type>(types), group);
}

bool KernelChoice::has(nn::GroupKind kind, ArrayRef<mlir::Type> operands, mlir::Operation *group) {
  if (!options.match)
    return false;
  kernels::Request request{nn::describe(kind).op.str(), to_vector(operands), /*final=*/true, kind};
  if (!source)
    return options.groups.empty() || is_contained(options.groups, nn::describe(*request.group).name);
  if (!index)
    index = implementationsOf(program, *source);
  kernels::Machine machine = source->machine();
  const kernels::Implementation *chosen = kernels::choose(*index, request, machine);
  if (is_contained(options.why, request.op))
    explainChoice(group, request, machine, *index, chosen);
  return chosen != nullptr;
}

void keepName(mlir::Operation *op, group::KernelOp group) {
  op->setAttr(kKernelNameAttr, group.getNameAttr());
  if (mlir::ArrayAttr apart = group.getApartAttr())
    op->setAttr(kApartAttr, apart);
  for (StringRef noted : {kCostAttr, kRoundedAttr})
    if (mlir::Attribute value = group->getAttr(noted))
      op->setAttr(noted, value);
}

int64_t KernelChoice::wideProduct(bool isAlone) {
  if (!options.match)
    return 0;
  if (!source)
    return isAlone ? options.wideProduct : options.wideFinishedProduct;
  return isAlone ? source->wideProduct() : source->wideFinishedProduct();
}

SmallVector<int64_t, 3> KernelChoice::wideAttention() {
  if (!options.match)
    return {};
  return source ? source->wideAttention() : SmallVector<int64_t, 3>(ArrayRef(options.wideAttention));
}
} // namespace lispier
