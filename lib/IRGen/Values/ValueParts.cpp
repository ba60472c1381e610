//===- ValueParts.cpp - construction of the parts of Values ---------------===//
#include "ValueParts.h"
#include "Arithmetic.h"
#include "Memory.h"
#include "Reductions.h"
#include "TensorForms.h"
#include "TensorSizes.h"
#include "TileExpressions.h"

namespace lispier {
struct ValueParts::Parts {
  explicit Parts(ValueParts &gen)
      : arithmetic(gen), memory(gen), reductions(gen), sizes(gen), tensors(gen), tiles(gen) {}
  Arithmetic arithmetic;
  MemoryGenerator memory;
  Reductions reductions;
  TensorSizes sizes;
  TensorForms tensors;
  TileExpressions tiles;
};

ValueParts::ValueParts(mlir::MLIRContext &context, DiagSink &diags, const GenerateOptions &options)
    : CoreParts(context, diags, options), parts(std::make_unique<Parts>(*this)), arithmetic(parts->arithmetic),
      memory(parts->memory), reductions(parts->reductions), sizes(parts->sizes), tensors(parts->tensors),
      tiles(parts->tiles) {}

ValueParts::~ValueParts() = default;
} // namespace lispier
