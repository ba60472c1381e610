//===- OdsTablesTest.cpp - the tables say what MLIR's classes say ----------===//
#include "lispier/IRGen/OdsTables.h"
#include "lispier/Session/Session.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace lispier;
using namespace lispier::ods;

namespace {
mlir::MLIRContext &context() {
  static mlir::MLIRContext *context = [] {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    auto *made = new mlir::MLIRContext(registry, mlir::MLIRContext::Threading::DISABLED);
    made->loadAllAvailableDialects();
    return made;
  }();
  return *context;
}

TEST(OdsTables, EveryRegisteredOpHasARow) {
  for (mlir::RegisteredOperationName op : context().getRegisteredOperations())
    if (!op.getStringRef().starts_with("affine.dma_")) // Written in C++.
      EXPECT_TRUE(Op::find(op.getStringRef())) << op.getStringRef().str();
}

TEST(OdsTables, RowsAreSortedAndFound) {
  for (const OpRow &row : Op::all()) {
    auto found = Op::find(text(row.name));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->name(), text(row.name));
  }
  EXPECT_FALSE(Op::find(""));
  EXPECT_FALSE(Op::find("arith.add"));
  EXPECT_FALSE(Op::find("zzz.zzz"));
}

TEST(OdsTables, AttributesAreThoseOfTheOp) {
  for (mlir::RegisteredOperationName op : context().getRegisteredOperations()) {
    auto row = Op::find(op.getStringRef());
    if (!row)
      continue;
    llvm::StringSet<> ours, theirs;
    for (const AttributeRow &attribute : row->attributes())
      if (!(attribute.flags & AttributeRow::Property))
        ours.insert(text(attribute.name));
    for (mlir::StringAttr name : op.getAttributeNames())
      if (name != "operandSegmentSizes" && name != "resultSegmentSizes")
        theirs.insert(name);
    for (auto &entry : ours)
      EXPECT_TRUE(theirs.contains(entry.first())) << op.getStringRef().str() << " has no " << entry.first().str();
    for (auto &entry : theirs)
      EXPECT_TRUE(ours.contains(entry.first())) << op.getStringRef().str() << " has also " << entry.first().str();
  }
}

/// How many values rows stand for, when they fix it.
std::optional<size_t> countOf(llvm::ArrayRef<ValueRow> rows) {
  for (const ValueRow &row : rows)
    if (row.arity != Arity::One)
      return std::nullopt;
  return rows.size();
}

TEST(OdsTables, CountsAndSegmentsAreThoseOfTheOp) {
  namespace trait = mlir::OpTrait;
  for (mlir::RegisteredOperationName op : context().getRegisteredOperations()) {
    auto row = Op::find(op.getStringRef());
    if (!row)
      continue;
    SCOPED_TRACE(op.getStringRef().str());
    EXPECT_EQ(row->is(OpRow::SizedOperands), op.hasTrait<trait::AttrSizedOperandSegments>());
    EXPECT_EQ(row->is(OpRow::SizedResults), op.hasTrait<trait::AttrSizedResultSegments>());
    EXPECT_EQ(countOf(row->operands()) == 0u, op.hasTrait<trait::ZeroOperands>());
    EXPECT_EQ(countOf(row->operands()) == 1u, op.hasTrait<trait::OneOperand>());
    EXPECT_EQ(countOf(row->operands()) == 2u, op.hasTrait<trait::NOperands<2>::Impl>());
    EXPECT_EQ(countOf(row->results()) == 0u, op.hasTrait<trait::ZeroResults>());
    EXPECT_EQ(countOf(row->results()) == 1u, op.hasTrait<trait::OneResult>());
    EXPECT_EQ(countOf(row->results()) == 2u, op.hasTrait<trait::NResults<2>::Impl>());
    EXPECT_EQ(row->regions().empty(), op.hasTrait<trait::ZeroRegions>());
    if (row->is(OpRow::SameTypes)) {
      EXPECT_TRUE(op.hasTrait<trait::SameOperandsAndResultType>());
    }
  }
}

TEST(OdsTables, TypesAndWordsAreMlirs) {
  mlir::ScopedDiagnosticHandler quiet(&context(), [](mlir::Diagnostic &) { return mlir::success(); });
  llvm::StringSet<> seen;
  for (const OpRow &op : Op::all()) {
    for (auto rows : {Op(op).operands(), Op(op).results()})
      for (const ValueRow &row : rows)
        if (!text(row.type).empty()) {
          EXPECT_TRUE(mlir::parseType(text(row.type), &context())) << text(row.type).str();
        }
    for (const AttributeRow &attribute : Op(op).attributes()) {
      const AttributeKindRow &kind = kindOf(attribute);
      llvm::StringRef start = text(kind.text);
      if (kind.kind != AttributeKind::Enum || start.empty() || !seen.insert(start).second)
        continue;
      EXPECT_FALSE(casesOf(kind).empty()) << start.str();
      // One case is enough: the others are of the same list.
      auto [dialect, mnemonic] = start.split('.');
      std::string word = text(casesOf(kind)[0].word).str();
      std::string spellings[] = {(start + "<" + word + ">").str(), (dialect + "<" + mnemonic + " " + word + ">").str(),
                                 (dialect + "<" + mnemonic + " (" + word + ")>").str(),
                                 (dialect + "<" + mnemonic + " {type = " + word + "}>").str()};
      EXPECT_TRUE(llvm::any_of(spellings, [](auto &text) { return bool(mlir::parseAttribute(text, &context())); }))
          << start.str() << " " << word;
    }
  }
}

TEST(OdsTables, ConstraintsAreThoseOfTheOp) {
  auto fits = [](llvm::StringRef op, unsigned operand, llvm::StringRef type) {
    return lispier::ods::fits(Op::find(op)->operands()[operand], mlir::parseType(type, &context()));
  };
  EXPECT_TRUE(fits("memref.load", 0, "memref<4xf32>"));
  EXPECT_FALSE(fits("memref.load", 0, "tensor<4xf32>"));
  EXPECT_TRUE(fits("memref.load", 1, "index"));
  EXPECT_FALSE(fits("memref.load", 1, "i64"));
  EXPECT_TRUE(fits("arith.addf", 0, "vector<4xbf16>"));
  EXPECT_FALSE(fits("arith.addf", 0, "i32"));
  EXPECT_TRUE(fits("llvm.load", 0, "!llvm.ptr<3>"));
  EXPECT_FALSE(fits("llvm.load", 0, "i64"));
  EXPECT_FALSE(fits("nn.gelu", 0, "memref<4xf64>"));
}

TEST(OdsTables, ParentsAndBlocksAreThoseOfTheOp) {
  EXPECT_TRUE(Op::find("scf.condition")->allowsParent("scf.while"));
  EXPECT_FALSE(Op::find("scf.condition")->allowsParent("scf.for"));
  EXPECT_TRUE(Op::find("arith.addf")->allowsParent("scf.for"));
  EXPECT_TRUE(Op::find("scf.for")->regions()[0].needsBlocks);
  EXPECT_FALSE(Op::find("func.func")->regions()[0].needsBlocks);
}

TEST(OdsTables, SayWhatTheyAreAskedFor) {
  Op load = *Op::find("memref.load"), launch = *Op::find("gpu.launch"), loop = *Op::find("scf.for");
  EXPECT_EQ(text(load.operands()[1].type), "index");
  EXPECT_EQ(load.operands()[1].arity, Arity::Variadic);
  EXPECT_EQ(load.relations()[0].kind, RelationRow::ElementOf);
  EXPECT_EQ(launch.operands().size(), 11u);
  EXPECT_EQ(launch.operands()[7].arity, Arity::Optional);
  EXPECT_EQ(loop.implicitTerminator(), "scf.yield");
  EXPECT_EQ(text(Op::find("gpu.shuffle")->operands()[1].type), "i32");
  const AttributeKindRow &predicate = kindOf(*Op::find("arith.cmpi")->attribute("predicate"));
  EXPECT_EQ(predicate.kind, AttributeKind::IntegerEnum);
  EXPECT_EQ(text(predicate.text), "i64");
  EXPECT_EQ(text(casesOf(predicate)[2].word), "slt");
  EXPECT_EQ(text(kindOf(*Op::find("gpu.shuffle")->attribute("mode")).text), "#gpu.shuffle_mode");
  EXPECT_LT(tableBytes(), 512u * 1024);
}
} // namespace
