/*===- CommProgram.h - C interface for programs with ranks ------*- C -*-===*\
|*                                                                          *|
|* Called by programs that have a mesh. `axes` is a mask, whose bit i is    *|
|* axis i of the mesh, the outermost first. No function returns an error:   *|
|* each prints it with the source location `site` ("file:line:column") and  *|
|* the rank on stderr and exits with status 1.                              *|
|*                                                                          *|
\*===----------------------------------------------------------------------===*/
#ifndef LISPIER_RUNTIME_COMMPROGRAM_H
#define LISPIER_RUNTIME_COMMPROGRAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Types of numbers, and how those of several ranks become one. */
enum LispierElement {
  LISPIER_F64,
  LISPIER_F32,
  LISPIER_F16,
  LISPIER_BF16,
  LISPIER_I64,
  LISPIER_I32,
  LISPIER_I8,
  LISPIER_I1
};
enum LispierCombine { LISPIER_ADD, LISPIER_MEAN, LISPIER_MAX, LISPIER_MIN };

/* Called first. `mesh` is "dp,tp=2"; LISPIER_MESH ("dp=4,tp=2") changes its sizes. `first` names the program's first
 * collective, "`all-reduce` at file:line:column"; null if it has none, and then no engine is opened. With several ranks
 * all join here, and compare `digest` and `program`, which are of the program and its options. */
void lispier_rt_comm_mesh(const char *mesh, const char *first, const char *program, int64_t digest, const char *site);

/* The same for a program whose collectives are on memory of its device. */
void lispier_rt_comm_device_mesh(const char *mesh, const char *first, const char *program, int64_t digest,
                                 const char *site);

/* The place of this rank along the axes, or among all ranks if there are none, and the number of places. */
int64_t lispier_rt_comm_rank(int64_t axes);
int64_t lispier_rt_comm_size(int64_t axes);

/* Of `count` numbers each; the two memories may be one. */
void lispier_rt_comm_all_reduce(const void *from, void *to, int64_t count, int32_t element, int32_t by, int64_t axes,
                                const char *site);
void lispier_rt_comm_from_rank(const void *from, void *to, int64_t count, int32_t element, int64_t rank, int64_t axes,
                               const char *site);
/* Along a dimension of contiguous memory: `outer` is the product of the sizes before it, `whole` and `part` that of its
 * own and those behind it, in the tensor that all ranks make up and in the part of each. Parts may be larger than the
 * whole together: the last ones then end with zeros. */
void lispier_rt_comm_all_gather(const void *from, void *to, int64_t outer, int64_t part, int64_t whole, int32_t element,
                                int64_t axes, const char *site);
void lispier_rt_comm_reduce_scatter(const void *from, void *to, int64_t outer, int64_t part, int64_t whole,
                                    int32_t element, int32_t by, int64_t axes, const char *site);
void lispier_rt_comm_own_part(const void *from, void *to, int64_t outer, int64_t part, int64_t whole, int32_t element,
                              int64_t axes, const char *site);

/* Collectives between these two may be done at once: none uses what another one writes. */
void lispier_rt_comm_together_begin(void);
void lispier_rt_comm_together_end(const char *site);

#ifdef __cplusplus
}
#endif
#endif
