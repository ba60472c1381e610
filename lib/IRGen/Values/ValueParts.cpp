//===- ValueParts.cpp - construction of the parts of Values ---------------===//
#include "ValueParts.h"
#include "Arithmetic.h"
#include "Collectives.h"
#include "Memory.h"
#include "TensorForms.h"
#include "TensorSizes.h"
#include "TileForms.h"
#include "ValueForms.h"

namespace lispier {
struct ValueParts::Parts {
  explicit Parts(ValueParts &gen)
      : arithmetic(gen), collectives(gen), memory(gen), values(gen), sizes(gen), tensors(gen), tiles(gen) {}
  Arithmetic arithmetic;
  Collectives collectives;
  MemoryGenerator memory;
  ValueForms values;
  TensorSizes sizes;
  TensorForms tensors;
  TileForms tiles;
};

ValueParts::ValueParts(mlir::MLIRContext &context, DiagSink &diags, const GenerateOptions &options)
    : CoreParts(context, diags, options), parts(std::make_unique<Parts>(*this)), arithmetic(parts->arithmetic),
      collectives(parts->collectives), memory(parts->memory), values(parts->values), sizes(parts->sizes),
      tensors(parts->tensors), tiles(parts->tiles) {}

ValueParts::~ValueParts() = default;
} // namespace lispier
