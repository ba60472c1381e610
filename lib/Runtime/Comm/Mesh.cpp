//===- Mesh.cpp - ranks along axes ----------------------------------------===//
#include "Mesh.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace lispier::runtime {
namespace {
/// Takes "name" or "name=size" from the text, up to a comma or the end; false if there is none.
bool takeAxis(const char *&text, Mesh::Axis &axis) {
  size_t length = strcspn(text, ",="), rest = length;
  if (length == 0 || length >= sizeof(axis.name))
    return false;
  memcpy(axis.name, text, length);
  axis.name[length] = '\0';
  axis.size = 0;
  if (text[rest] == '=') {
    char *end = nullptr;
    axis.size = strtoll(text + rest + 1, &end, 10);
    rest = end - text;
    if (axis.size < 1)
      return false;
  }
  if (text[rest] && text[rest] != ',')
    return false;
  text += text[rest] ? rest + 1 : rest;
  return true;
}
} // namespace

Status Mesh::read(const char *text) {
  for (count = 0; *text; ++count)
    if (count == kMostAxes || !takeAxis(text, axes[count]))
      return Status("mesh", 0, "no mesh of at most %d axes: %s", kMostAxes, text);
  return Status();
}

Status Mesh::change(const char *text) {
  for (const char *rest = text; *rest;) {
    Axis given{};
    if (!takeAxis(rest, given))
      return Status("mesh", 0, "`%s` is no mesh; write dp=4,tp=2", text);
    Axis *axis = axes;
    while (axis != axes + count && strcmp(axis->name, given.name) != 0)
      ++axis;
    char names[200];
    printAxes(all(), names, sizeof(names));
    if (axis == axes + count)
      return Status("mesh", 0, "the program has no axis %s; it has %s", given.name, names);
    axis->size = given.size;
  }
  return Status();
}

Status Mesh::fit(int64_t ranks) {
  Axis *open = nullptr;
  int64_t product = 1;
  for (Axis &axis : axes) {
    if (&axis == axes + count)
      break;
    if (axis.size)
      product *= axis.size;
    else if (open)
      return Status("mesh", 0, "both %s and %s have no size; --mesh=%s=N", open->name, axis.name, open->name);
    else
      open = &axis;
  }
  if (open && ranks % product == 0) {
    open->size = ranks / product;
    return Status();
  }
  if (product == ranks)
    return Status();
  char text[200];
  print(text, sizeof(text));
  const char *first = axes[count - 1].name;
  for (const Axis &axis : axes)
    if (axis.size > 1)
      first = axis.name;
  return Status("mesh", 0, "%s is %lld places%s, and there %s %lld %s; --ranks=%lld or --mesh=%s=N", text,
                (long long)product, open ? " or a multiple" : "", ranks == 1 ? "is" : "are", (long long)ranks,
                ranks == 1 ? "rank" : "ranks", (long long)product, first);
}

int64_t Mesh::size(uint32_t mask) const {
  int64_t product = 1;
  for (int i = 0; i < count; ++i)
    if (mask >> i & 1)
      product *= axes[i].size;
  return product;
}

int64_t Mesh::place(uint32_t mask, int64_t rank) const {
  int64_t place = 0, scale = 1;
  for (int i = count; i-- > 0; rank /= axes[i].size)
    if (mask >> i & 1) {
      place += rank % axes[i].size * scale;
      scale *= axes[i].size;
    }
  return place;
}

void Mesh::print(char *text, size_t bytes) const {
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < count && used < bytes; ++i) {
    used += snprintf(text + used, bytes - used, "%s%s", i ? "," : "", axes[i].name);
    if (axes[i].size && used < bytes)
      used += snprintf(text + used, bytes - used, "=%lld", (long long)axes[i].size);
  }
}

void Mesh::printAxes(uint32_t mask, char *text, size_t bytes) const {
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < count && used < bytes; ++i)
    if (mask >> i & 1)
      used += snprintf(text + used, bytes - used, "%s%s", !used ? "" : mask >> i == 1 ? " and " : ", ", axes[i].name);
}
} // namespace lispier::runtime
