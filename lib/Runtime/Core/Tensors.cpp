//===- Tensors.cpp - print tensors, and .npy files ------------------------===//
//
// Compiled code passes a tensor as memref<*xT> by MLIR's C interface; each function
// here exists once for each element type. A file holds elements in row-major order,
// little-endian, as NumPy writes them; bf16, which NumPy lacks, is stored as f32.
//
//===----------------------------------------------------------------------===//
#include "Core/BFloat16.h"
#include "lispier/Runtime/Core/Failure.h"
#include "lispier/Runtime/Core/MemRef.h"
#include "lispier/Runtime/Core/Runtime.h"
#include <cerrno>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace lispier::runtime;

namespace {
/// Of a longer dimension so many elements are printed at each end.
constexpr int64_t kShownWhole = 8, kShownAtEnds = 3;

struct Bool {
  uint8_t value;
};

/// What text reads as, in a type.
double readAs(const char *text, double) { return strtod(text, nullptr); }
double readAs(const char *text, float) { return strtof(text, nullptr); }
double readAs(const char *text, _Float16) { return _Float16(strtof(text, nullptr)); }
double readAs(const char *text, BFloat16) { return toFloat(toBFloat16(strtof(text, nullptr))); }

/// With so many significant digits; with 0, as many as read back to the same number of type T, and no more.
template <typename T> void printFloat(double value, T type, int64_t digits) {
  if (value != value) { // The sign of a NaN differs between targets: that of 0 / 0 is set on x86 and not on a GPU.
    fputs("nan", stdout);
    return;
  }
  char text[64];
  int shown = digits ? int(digits) : 1;
  do
    snprintf(text, sizeof(text), "%.*g", shown, value);
  while (!digits && readAs(text, type) != value && ++shown);
  fputs(text, stdout);
}

void printElement(double value, int64_t digits) { printFloat(value, value, digits); }
void printElement(float value, int64_t digits) { printFloat(value, value, digits); }
void printElement(_Float16 value, int64_t digits) { printFloat(double(value), value, digits); }
void printElement(BFloat16 value, int64_t digits) { printFloat(toFloat(value), value, digits); }
void printElement(Bool value, int64_t) { printf("%s", value.value ? "true" : "false"); }
void printElement(int8_t value, int64_t) { printf("%d", value); }
void printElement(int16_t value, int64_t) { printf("%d", value); }
void printElement(int32_t value, int64_t) { printf("%" PRId32, value); }
void printElement(int64_t value, int64_t) { printf("%" PRId64, value); }

template <typename T> void printData(const MemRefView<T> &memref, const T *data, int64_t dimension, int64_t digits) {
  if (dimension == memref.rank)
    return printElement(*data, digits);
  int64_t size = memref.sizes[dimension];
  bool isInnermost = dimension + 1 == memref.rank;
  fputc('[', stdout);
  for (int64_t i = 0; i < size; ++i) {
    if (i && isInnermost)
      fputc(' ', stdout);
    else if (i)
      printf("\n%*s", int(dimension) + 1, "");
    if (size > kShownWhole && i == kShownAtEnds) {
      fputs("...", stdout);
      i = size - kShownAtEnds - 1;
      continue;
    }
    printData(memref, data + i * memref.strides[dimension], dimension + 1, digits);
  }
  fputc(']', stdout);
}

/// f32 [2 3]
/// [[1 2 3]
///  [4 5 6]]
template <typename T> void printTensor(const char *type, const UnrankedMemRef *memref, int64_t digits) {
  MemRefView<T> view(memref->rank, memref->descriptor);
  printf("%s [", type);
  for (int64_t i = 0; i < view.rank; ++i)
    printf("%s%" PRId64, i ? " " : "", view.sizes[i]);
  fputs(view.rank ? "]\n" : "] ", stdout);
  printData(view, view.data + view.offset, 0, digits);
  fputc('\n', stdout);
}

[[noreturn]] void fileFailed(const char *site, const char *path, const char *what) {
  fail({site, "tensor-file"}, "%s: %s", path, what);
}

template <typename T> void writeElement(FILE *file, T value) { fwrite(&value, sizeof(value), 1, file); }
void writeElement(FILE *file, BFloat16 value) { writeElement(file, toFloat(value)); }
template <typename T> bool readElement(FILE *file, T &value) { return fread(&value, sizeof(value), 1, file) == 1; }
bool readElement(FILE *file, BFloat16 &value) {
  float wide;
  bool isGood = readElement(file, wide);
  value = toBFloat16(wide);
  return isGood;
}

/// Calls `body` for each element in row-major order until it returns false.
template <typename T, typename Body>
bool eachElement(const MemRefView<T> &view, T *data, int64_t dimension, Body body) {
  if (dimension == view.rank)
    return body(*data);
  for (int64_t i = 0; i < view.sizes[dimension]; ++i)
    if (!eachElement(view, data + i * view.strides[dimension], dimension + 1, body))
      return false;
  return true;
}

template <typename T>
void saveTensor(const char *format, const UnrankedMemRef *memref, const char *path, const char *site) {
  MemRefView<T> view(memref->rank, memref->descriptor);
  FILE *file = fopen(path, "wb");
  if (!file)
    fileFailed(site, path, "the file cannot be written");
  char header[1200];
  int used = snprintf(header, sizeof(header), "{'descr': '%s', 'fortran_order': False, 'shape': (", format);
  for (int64_t i = 0; i < view.rank && used < 1000; ++i)
    used +=
        snprintf(header + used, sizeof(header) - used, "%" PRId64 ",%s", view.sizes[i], i + 1 < view.rank ? " " : "");
  used += snprintf(header + used, sizeof(header) - used, "), }");
  while ((used + 11) % 64) // The header and the 10 bytes before it fill blocks of 64.
    header[used++] = ' ';
  header[used++] = '\n';
  fwrite("\x93NUMPY\x01\x00", 8, 1, file);
  writeElement(file, uint16_t(used));
  fwrite(header, used, 1, file);
  eachElement(view, view.data + view.offset, 0, [&](T value) {
    writeElement(file, value);
    return true;
  });
  bool failed = ferror(file);
  if (fclose(file) || failed)
    fileFailed(site, path, "the file cannot be written");
}

/// A file between opening it and reading its elements.
struct NpyFile {
  FILE *file;
  const char *path, *site;
  const char *declared; ///< The type that the program asks for, as it writes it.
  int64_t rank, sizes[32];
};

[[noreturn]] void shapeDiffers(const NpyFile *npy) {
  char message[700];
  int used = snprintf(message, sizeof(message), "the file has the shape [");
  for (int64_t d = 0; d < npy->rank && used < 300; ++d)
    used += snprintf(message + used, sizeof(message) - used, "%s%" PRId64, d ? " " : "", npy->sizes[d]);
  snprintf(message + used, sizeof(message) - used, "], and %.300s is asked for", npy->declared);
  fileFailed(npy->site, npy->path, message);
}

/// Reads the sizes of `text`, which follows "'shape': (", up to its ")"; the number of dimensions, or -1 if this is no
/// list of sizes.
int64_t readShape(const char *text, int64_t *sizes) {
  int64_t rank = 0;
  for (text += strspn(text, " "); *text >= '0' && *text <= '9' && rank < 32; text += strspn(text, " ")) {
    char *end;
    errno = 0;
    sizes[rank++] = strtoll(text, &end, 10);
    end += *end == 'L'; // As Python 2 wrote it.
    end += strspn(end, " ");
    if (errno || (*end != ',' && *end != ')'))
      return -1;
    text = end + (*end == ',');
  }
  return *text == ')' ? rank : -1;
}

template <typename T> void readTensor(NpyFile *npy, const UnrankedMemRef *memref) {
  MemRefView<T> view(memref->rank, memref->descriptor);
  if (!eachElement(view, view.data + view.offset, 0, [&](T &value) { return readElement(npy->file, value); }))
    fileFailed(npy->site, npy->path, "the file ends before its last element");
  if (fgetc(npy->file) != EOF)
    fileFailed(npy->site, npy->path, "the file has bytes after its last element");
  fclose(npy->file);
  free(npy);
}
} // namespace

extern "C" {
/* Opens an .npy file of `rank` dimensions whose elements NumPy calls `format`, for a tensor that the program declares
 * as `declared`. The program ends if it is another one. */
void *lispier_npy_open(const char *path, const char *format, const char *declared, int64_t rank, const char *site) {
  NpyFile *npy = static_cast<NpyFile *>(malloc(sizeof(NpyFile)));
  *npy = {fopen(path, "rb"), path, site, declared, 0, {}};
  if (!npy->file)
    fileFailed(site, path, "the file cannot be read");
  unsigned char start[8];
  if (fread(start, 8, 1, npy->file) != 1 || memcmp(start, "\x93NUMPY", 6))
    fileFailed(site, path, "this is no .npy file");
  uint32_t length = 0;
  char header[4096];
  if (fread(&length, start[6] == 1 ? 2 : 4, 1, npy->file) != 1 || length >= sizeof(header) ||
      fread(header, length, 1, npy->file) != 1)
    fileFailed(site, path, "the header of the .npy file cannot be read");
  header[length] = 0;
  const char *shape = strstr(header, "'shape': ("), *type = strstr(header, "'descr': '");
  if (!shape || !type || strstr(header, "'fortran_order': True"))
    fileFailed(site, path, "the header of the .npy file cannot be read, or its elements are in column order");
  char message[300];
  if (strncmp(type + 10, format, strlen(format))) {
    snprintf(message, sizeof(message), "the elements are '%.*s', and '%s' is asked for", int(strcspn(type + 10, "'")),
             type + 10, format);
    fileFailed(site, path, message);
  }
  npy->rank = readShape(shape + 10, npy->sizes);
  if (npy->rank < 0)
    fileFailed(site, path, "the shape in the header of the .npy file is no list of sizes, such as (2, 3)");
  if (npy->rank != rank)
    shapeDiffers(npy);
  return npy;
}
int64_t lispier_npy_size(void *npy, int64_t dimension) { return static_cast<NpyFile *>(npy)->sizes[dimension]; }
/* The program ends if a dimension has another size. */
void lispier_npy_expect(void *npy, int64_t dimension, int64_t size) {
  if (static_cast<NpyFile *>(npy)->sizes[dimension] != size)
    shapeDiffers(static_cast<NpyFile *>(npy));
}

/* Prints a number with all its digits: those that read back to the same number of its type. */
void lispier_print_f64(double value) { printElement(value, 0); }
void lispier_print_f32(double value) { printElement(float(value), 0); }
void lispier_print_f16(double value) { printElement(_Float16(value), 0); }
void lispier_print_bf16(double value) { printElement(toBFloat16(float(value)), 0); }

/* Reports what compiled code found wrong: `format` is a message as lispier_rt_fail takes it, with directives of printf.
 */
void lispier_rt_check_failed(const char *format, ...) {
  char message[2000];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  lispier_rt_fail(message);
}
}

#define LISPIER_TENSOR(NAME, TYPE, FORMAT)                                                                             \
  extern "C" void _mlir_ciface_lispier_print_tensor_##NAME(UnrankedMemRef *memref, int64_t digits) {                   \
    printTensor<TYPE>(#NAME, memref, digits);                                                                          \
  }                                                                                                                    \
  extern "C" void _mlir_ciface_lispier_save_npy_##NAME(UnrankedMemRef *memref, const char *path, const char *site) {   \
    saveTensor<TYPE>(FORMAT, memref, path, site);                                                                      \
  }                                                                                                                    \
  extern "C" void _mlir_ciface_lispier_npy_read_##NAME(void *npy, UnrankedMemRef *memref) {                            \
    readTensor<TYPE>(static_cast<NpyFile *>(npy), memref);                                                             \
  }
LISPIER_TENSOR(i1, Bool, "|b1")
LISPIER_TENSOR(i8, int8_t, "|i1")
LISPIER_TENSOR(i16, int16_t, "<i2")
LISPIER_TENSOR(i32, int32_t, "<i4")
LISPIER_TENSOR(i64, int64_t, "<i8")
LISPIER_TENSOR(index, int64_t, "<i8")
LISPIER_TENSOR(f16, _Float16, "<f2")
LISPIER_TENSOR(bf16, BFloat16, "<f4")
LISPIER_TENSOR(f32, float, "<f4")
LISPIER_TENSOR(f64, double, "<f8")
