//===- Regions.cpp - regions, blocks, labels, terminators -----------------===//
#include "Regions.h"
#include "CoreParts.h"
#include "FormEvaluator.h"
#include "FunctionScope.h"
#include "Linalg.h"
#include "Messages.h"
#include "OpDraft.h"
#include "OpForms.h"
#include "OpTraits.h"
#include "OpenTypes.h"
#include "Types.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace llvm;

namespace lispier {
bool RegionGenerator::regions(OpDraft &draft, mlir::Operation *op) {
  bool ok = true;
  for (const auto &[i, form] : enumerate(draft.regionForms))
    ok &= region(form, op, i);
  // Ops such as (scf.forall.in_parallel) get an empty block if no region is written.
  if (draft.regionForms.empty() && op->getNumRegions() == 1 && op->hasTrait<mlir::OpTrait::NoTerminator>() &&
      op->hasTrait<mlir::OpTrait::SingleBlock>())
    op->getRegion(0).emplaceBlock();
  return ok && gen.linalg.linalgRegion(draft, op);
}

/// The argument types of the first block of region `index`, as far as the op determines them.
void RegionGenerator::blockArgumentTypes(mlir::Operation *op, unsigned index, SmallVectorImpl<mlir::Type> &types) {
  mlir::Type indexType = builder.getIndexType();
  auto operandTypes = [&](unsigned from) {
    for (mlir::Value operand : op->getOperands().drop_front(std::min(from, op->getNumOperands())))
      types.push_back(operand.getType());
  };
  if (auto function = dyn_cast<mlir::FunctionOpInterface>(op)) {
    append_range(types, function.getArgumentTypes());
  } else if (isa<mlir::scf::ForOp>(op) && op->getNumOperands()) {
    types.push_back(op->getOperand(0).getType());
    operandTypes(3);
  } else if (isa<mlir::scf::WhileOp>(op)) {
    if (index == 0)
      operandTypes(0);
    else if (op->getNumResults())
      append_range(types, op->getResultTypes());
    else if (!op->getRegion(0).empty() && !op->getRegion(0).back().empty()) {
      mlir::Operation &condition = op->getRegion(0).back().back();
      if (condition.getNumOperands())
        append_range(types, mlir::ValueRange(condition.getOperands()).drop_front().getTypes());
    }
  } else if (isa<mlir::scf::ParallelOp>(op)) {
    unsigned carried = std::min(op->getNumOperands(), op->getNumResults());
    types.append((op->getNumOperands() - carried) / 3, indexType);
  } else if (isa<mlir::scf::ReduceOp>(op)) {
    if (index < op->getNumOperands())
      types.append(2, op->getOperand(index).getType());
  } else if (auto launch = dyn_cast<mlir::gpu::LaunchOp>(op)) {
    types.append(launch.getNumConfigRegionAttributes(), indexType);
  } else if (isa<mlir::affine::AffineForOp>(op)) {
    types.push_back(indexType);
    append_range(types, op->getResultTypes());
  } else if (auto loops = dyn_cast<mlir::affine::AffineParallelOp>(op)) {
    types.append(loops.getNumDims(), indexType);
  } else if (isa<mlir::tensor::GenerateOp>(op) && op->getNumResults()) {
    if (auto shaped = dyn_cast<mlir::RankedTensorType>(op->getResult(0).getType()))
      types.append(shaped.getRank(), indexType);
  } else if (auto loop = dyn_cast<mlir::scf::ForallOp>(op)) {
    types.append(loop.getRank(), indexType);
    for (mlir::Value output : loop.getOutputs())
      types.push_back(output.getType());
  } else if (isa<mlir::linalg::LinalgOp>(op)) {
    for (mlir::Type type : op->getOperandTypes())
      types.push_back(mlir::getElementTypeOrSelf(type));
  }
}

/// Checks the arguments of the first block, for ops that determine their types, so that a mismatch is reported here and
/// not by a later verifier.
static bool fixesArguments(mlir::Operation *op) {
  return isa<mlir::FunctionOpInterface, mlir::scf::ForOp, mlir::scf::ParallelOp, mlir::gpu::LaunchOp>(op) ||
         (isa<mlir::linalg::LinalgOp>(op) && !isa<mlir::linalg::ReduceOp>(op));
}

bool RegionGenerator::checkArguments(mlir::Operation *op, mlir::Block *block, const Form *vector,
                                     ArrayRef<mlir::Type> wanted) {
  StringRef name = op->getName().getStringRef();
  // Workgroup memory attributions follow the op's own arguments.
  bool mayHaveMore = isa<mlir::gpu::GPUFuncOp, mlir::gpu::LaunchOp>(op);
  if (mayHaveMore ? block->getNumArguments() < wanted.size() : block->getNumArguments() != wanted.size()) {
    error("parse-block-arg", vector,
          "the first block of this `" + name + "` has " + (mayHaveMore ? "at least " : "") + Twine(wanted.size()) +
              (wanted.size() == 1 ? " argument" : " arguments") + ", not " + Twine(block->getNumArguments()))
        .withHint(wanted.empty()
                      ? ""
                      : "they are: " +
                            join(map_range(wanted, [](mlir::Type type) { return mlir::debugString(type); }), ", "));
    return false;
  }
  bool ok = true;
  for (const auto &[i, type] : enumerate(wanted))
    if (mlir::Type given = block->getArgument(i).getType(); given != type && !isa<mlir::NoneType>(given)) {
      error("type-mismatch", (*vector)[i],
            "this argument of `" + name + "` has type " + mlir::debugString(type) + ", not " +
                mlir::debugString(given));
      ok = false;
    }
  return ok;
}

bool RegionGenerator::blockArguments(const Form *vector, mlir::Block *block, ArrayRef<mlir::Type> inferred) {
  bool ok = true;
  for (const auto &[i, item] : enumerate(vector->items())) {
    const Form *name = item;
    mlir::Type type;
    if (item->isCall(":") && item->size() == 3) {
      name = (*item)[1];
      type = gen.types.parseType((*item)[2]);
    } else if (item->isSymbol() && i < inferred.size())
      type = inferred[i];
    else if (item->isSymbol())
      error("parse-block-arg", item, "the block argument `" + item->text() + "` needs a type")
          .withHint("write (: " + item->text() + " type)");
    if (!name->isSymbol()) {
      error("parse-block-arg", name, Twine("a block argument is a name, not ") + describe(name->kind()))
          .withHint("write (: name type)");
      type = {};
    }
    ok &= bool(type);
    // Add an argument even after an error, so that the later ones keep their positions.
    block->addArgument(type ? type : mlir::Type(builder.getNoneType()), location(item));
    if (name->isSymbol())
      for (const Form *before : vector->items().take_front(i)) {
        const Form *other = before->isCall(":") ? (*before)[1] : before;
        if (other->isSymbol(name->text()) && !name->text().starts_with("_")) {
          error("parse-block-arg", name, "two arguments are called `" + name->text() + "`");
          ok = false;
        }
      }
  }
  return ok;
}

mlir::Block *RegionGenerator::findLabel(const Form *label) {
  if (!gen.scope.labels.empty())
    if (auto found = gen.scope.labels.back().find(label->text()); found != gen.scope.labels.back().end())
      return found->second.block;
  SmallVector<std::string> names;
  if (!gen.scope.labels.empty())
    for (auto &entry : gen.scope.labels.back())
      names.push_back(entry.first().str());
  llvm::sort(names);
  Diag &diag = error("succ-unknown", label, "no block of this region is called `" + label->text() + "`");
  diag.withHint(names.empty() ? "this region has no labels: write (block ^name ...)"
                              : "its labels are: " + join(names, ", "));
  return nullptr;
}

bool RegionGenerator::region(const Form *form, mlir::Operation *op, unsigned index) {
  struct Part {
    mlir::Block *block;
    const Form *arguments = nullptr;
    const Form *form;
    SmallVector<const Form *> statements;
  };
  SmallVector<Part> parts;
  mlir::Region &region = op->getRegion(index);
  SmallVector<mlir::Type> inferred;
  blockArgumentTypes(op, index, inferred);
  gen.scope.labels.emplace_back();
  Scope scope(gen.scope.scopes);
  bool ok = true;

  for (const Form *item : form->items().drop_front()) {
    if (!item->isCall("block")) {
      if (parts.empty()) {
        parts.push_back({&region.emplaceBlock(), nullptr, form, {}});
        for (mlir::Type type : inferred)
          parts[0].block->addArgument(type, location(form));
      }
      parts.back().statements.push_back(item);
      continue;
    }
    Part part{&region.emplaceBlock(), nullptr, item, {}};
    ArrayRef<const Form *> rest = item->items().drop_front();
    if (!rest.empty() && rest[0]->isSymbol() && rest[0]->text().starts_with("^")) {
      auto [old, isNew] = gen.scope.labels.back().try_emplace(rest[0]->text(), Label{part.block, rest[0]->range()});
      if (!isNew) {
        error("parse-label", rest[0], "two blocks are called `" + rest[0]->text() + "`")
            .note(old->second.range, "the first is here");
        ok = false;
      }
      rest = rest.drop_front();
    }
    if (!rest.empty() && rest[0]->isVector()) {
      part.arguments = rest[0];
      rest = rest.drop_front();
      ok &= blockArguments(part.arguments, part.block,
                           parts.empty() ? ArrayRef<mlir::Type>(inferred) : ArrayRef<mlir::Type>());
      if (parts.empty() && ok && fixesArguments(op))
        ok &= checkArguments(op, part.block, part.arguments, inferred);
    }
    part.statements.append(rest.begin(), rest.end());
    parts.push_back(std::move(part));
  }

  if (auto loop = dyn_cast<mlir::LoopLikeOpInterface>(op); loop && !parts.empty()) {
    mlir::OperandRange starts = loop.getInits();
    mlir::Block::BlockArgListType arguments = parts[0].block->getArguments();
    if (arguments.size() >= starts.size()) // The carried values follow the induction variables.
      for (const auto &[argument, start] : zip(arguments.take_back(starts.size()), starts))
        gen.openTypes.unify(argument, start);
  }

  mlir::OpBuilder::InsertionGuard guard(builder);
  for (Part &part : parts) {
    if (part.arguments)
      for (const auto &[i, item] : enumerate(part.arguments->items())) {
        const Form *name = item->isCall(":") && item->size() == 3 ? (*item)[1] : item;
        mlir::BlockArgument argument = part.block->getArgument(i);
        if (name->isSymbol())
          gen.scope.bind(name, isa<mlir::NoneType>(argument.getType()) && !gen.openTypes.isOpen(argument)
                                   ? Values{}
                                   : Values{argument});
      }
    ok &= blockBody(part.statements, op, part.block, part.form);
  }
  gen.scope.labels.pop_back();
  return ok;
}

/// Accepts (scf.yield) at the end of scf.parallel, whose terminator is scf.reduce in current MLIR.
static bool isSecondYield(mlir::Operation *op, mlir::Block *block, const Form *statement) {
  return isa<mlir::scf::ParallelOp>(op) && !block->empty() && isa<mlir::scf::ReduceOp>(block->back()) &&
         statement->isCall(mlir::scf::YieldOp::getOperationName()) && statement->size() == 1;
}

bool RegionGenerator::blockBody(ArrayRef<const Form *> statements, mlir::Operation *op, mlir::Block *block,
                                const Form *form) {
  builder.setInsertionPointToEnd(block);
  gen.scope.foreseeNames(statements);
  bool ok = true;
  for (const Form *statement : statements) {
    if (isSecondYield(op, block, statement))
      continue;
    if (!statementAllowed(statement))
      return false;
    if (statement->isNumber() || statement->isString()) {
      error("parse-head", statement, Twine(describe(statement->kind())) + " alone does nothing");
      ok = false;
      continue;
    }
    gen.scope.unused = statement;
    ok &= succeeded(gen.evaluator->emit(statement));
  }
  builder.setInsertionPointToEnd(block);
  if (!ok)
    return false;
  if (!isTerminated())
    implicitTerminator(op, block, form);
  if (isTerminated() || !op->isRegistered() || op->hasTrait<mlir::OpTrait::NoTerminator>())
    return true;
  // Report a missing terminator at the closing bracket.
  SMRange range = form->range();
  if (range.isValid() && range.End.getPointer() > range.Start.getPointer())
    range.Start = SMLoc::getFromPointer(range.End.getPointer() - 1);
  gen.messages
      .error("term-missing", range, form,
             "this block of `" + op->getName().getStringRef() + "` does not end with a terminator")
      .withHint(isa<mlir::FunctionOpInterface>(op)
                    ? Twine("end it with (func.return value ...)")
                    : "end it with the op that ends such a block, (" + op->getName().getDialectNamespace() +
                          ".yield value ...) for example");
  return false;
}

/// Appends the implicit terminator; only terminators without operands are implicit.
void RegionGenerator::implicitTerminator(mlir::Operation *op, mlir::Block *block, const Form *form) {
  StringRef name = op->getName().getStringRef();
  std::optional<ods::Op> row = ods::Op::find(name);
  StringRef terminator = row && !row->implicitTerminator().empty() ? row->implicitTerminator() : usualTerminator(name);
  std::optional<ods::Op> end = ods::Op::find(terminator);
  // linalg.yield takes the element types of the outputs.
  if (!end || isa<mlir::linalg::LinalgOp>(op))
    return;
  if (auto function = dyn_cast<mlir::FunctionOpInterface>(op);
      function && function.getNumResults() && !isa<mlir::LLVM::LLVMFuncOp>(op))
    return;
  bool carries = false;
  for (const ods::ValueRow &operand : end->operands()) {
    if (operand.arity == ods::Arity::One)
      return;
    carries = true;
  }
  if (carries && op->getNumResults() && !isa<mlir::scf::ParallelOp>(op)) // Its end carries regions, no results.
    return;
  auto known = mlir::RegisteredOperationName::lookup(terminator, &context);
  if (!known)
    return;
  mlir::OperationState state(location(form), *known);
  for (const ods::RegionRow &region : end->regions())
    if (!region.isVariadic)
      state.addRegion()->emplaceBlock();
  builder.create(state);
}

mlir::Operation *RegionGenerator::kernelAround() const {
  mlir::Operation *op = builder.getInsertionBlock() ? builder.getInsertionBlock()->getParentOp() : nullptr;
  while (op && !isa<mlir::gpu::GPUFuncOp, mlir::gpu::LaunchOp>(op))
    op = op->getParentOp();
  return op;
}

bool RegionGenerator::isTerminated() const {
  mlir::Block *block = builder.getInsertionBlock();
  if (!block || block->empty() || builder.getInsertionPoint() != block->end())
    return false;
  return block->back().hasTrait<mlir::OpTrait::IsTerminator>();
}

bool RegionGenerator::statementAllowed(const Form *form) {
  if (isTerminated()) {
    error("term-missing", form, "nothing can follow the terminator of a block")
        .note(sourceRange(builder.getInsertionBlock()->back().getLoc(), diags.sourceMgr()),
              "the block ends with `" + builder.getInsertionBlock()->back().getName().getStringRef() + "`")
        .withHint("move it before the terminator, or into a block with a label");
    return false;
  }
  return true;
}
} // namespace lispier
