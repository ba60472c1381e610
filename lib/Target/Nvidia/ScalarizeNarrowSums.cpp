//===- ScalarizeNarrowSums.cpp - sums of i16, element by element ----------===//
//===----------------------------------------------------------------------===//
#include "ScalarizeNarrowSums.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace lispier {
static bool isNarrowSum(const Instruction &instruction) {
  auto *type = dyn_cast<FixedVectorType>(instruction.getType());
  return type && type->getElementType()->isIntegerTy(16) &&
         is_contained({Instruction::Add, Instruction::Sub}, instruction.getOpcode());
}

void scalarizeNarrowSums(Module &module) {
  for (Function &function : module)
    for (Instruction &sum : make_early_inc_range(instructions(function))) {
      if (!isNarrowSum(sum))
        continue;
      IRBuilder<> b(&sum);
      Value *result = PoisonValue::get(sum.getType());
      for (unsigned i = 0, e = cast<FixedVectorType>(sum.getType())->getNumElements(); i < e; ++i) {
        Value *left = b.CreateExtractElement(sum.getOperand(0), i),
              *right = b.CreateExtractElement(sum.getOperand(1), i);
        result = b.CreateInsertElement(result, b.CreateBinOp(Instruction::BinaryOps(sum.getOpcode()), left, right), i);
      }
      sum.replaceAllUsesWith(result);
      sum.eraseFromParent();
    }
}
} // namespace lispier
