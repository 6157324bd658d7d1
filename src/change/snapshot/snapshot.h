/*
 * A state as a text file that is committed and reviewed: one line for each input or
 * output of the engine, each node and each fusion group, and below a group one line for
 * each of its kernels and for each layer that moves a tensor for it.
 *
 *     fusiondiff snapshot 6
 *     tool 0.2.0 1
 *     built gpu "NVIDIA A100-PCIE-40GB"
 *     binding input x ?x3x8x8 fp32/chw = chw ; 1x3x8x8..4x3x8x8..8x3x8x8
 *     node Conv_34 Conv core layer int8 < Relu_24 ; k3x3,p1x1x1x1 = "auto_pad=VALID"
 *     group compute int8 1 : Conv_34 Add_36 < Relu_24 int8/chw32 Conv_34 > Add_36 int8
 *       kernel compute int8 Convolution < int8:1x3x8x8 Relu_24#1 > int8:1x8x8x8
 *       move reformat io inserted : fp32/chw -> fp16/hwc8 < @x > Conv_34
 *     also xxh128:be3c4fbd21c62de2a5d4e57f8f8a55f1 "a dump" "a builder"
 *     binding input x ?x3x8x8 fp32/hwc8 = hwc8 ; 1x3x8x8..4x3x8x8..8x3x8x8
 *     variant : Conv_34 Add_36
 *     group compute int8 1 : Conv_34 < Relu_24 int8/chw32 Conv_34 > Conv_34 fp16
 *     group compute fp16 1 : Add_36 < Conv_34 fp16 Add_36 > Add_36 fp16
 *     end xxh128:2fd4a43ed588d6afb0d811a9acc43c30
 *
 * Nodes are named, not numbered, so that a change stays local.  A name is bare if that
 * is unambiguous, else in quotes with \" \\ and \u{hex}.  The same state gives the same
 * bytes, and reading gives the state back, without tactics and paths.  A "!" marks a
 * kernel's input that no layer of the dump writes; each input is followed by its origin
 * (fsd_state_tensor.from) or "-". After the ";" of a group come nodes and inputs that
 * its layers read although the model's nodes do not. The last line has the hash of the
 * lines above it, independent of line endings, so that a lost or edited line is
 * noticed. Format 1 had no hash. Format 2 does not state how the engine was built.
 * Format 3 holds one build. Format 4 has no kernels, no bindings and few attributes.
 * Format 5 lacks the number of the reading (FSD_READING), the origins of kernels'
 * inputs, the values of short constants, and the bytes that all layers read and write.
 * variants.h explains snapshots of several builds.
 */
#pragma once

#include "base/base.h"
#include "change/compare/matrix.h"

/** The format that is written; the first with kernels (fsd_state.whole); the first with
 *  the number of its reading and the origins of kernels' inputs. */
enum { FSD_SNAPSHOT_FORMAT = 6, FSD_SNAPSHOT_WHOLE = 5, FSD_SNAPSHOT_READING = 6 };

/** Writes the state, including the other builds that it holds. */
void fsd_snapshot_write(const struct fsd_state *s, FILE *out);

/** The numbers of rows of a build that became variants, and that were left out, by
 *  reason. */
struct fsd_learnt {
    uint32_t variants;
    uint32_t less;  /**< number of these variants that state less than the first
                         build */
    uint32_t ports; /**< left out: an input or output that the first build lacks or
                         names differently */
    uint32_t more;  /**< left out: equal to the first build's rows, which state less */
    uint32_t strange; /**< left out: has nodes that the first build's model lacks */
    uint32_t gone;    /**< left out: rows of the first build that no other build has in
                           this form */
};

/** Writes the first build, and the other builds as variants.
 *  @param known whether to write only variants of rows in which the first build agrees
 *          with another build: a replaced snapshot must not keep rows that no longer
 *          exist.
 *  @param[out] learnt for each build, what was recorded and what was not. */
void fsd_snapshot_write_builds(const struct fsd_matrix *m, bool known, FILE *out,
                               struct fsd_learnt *learnt);

/** @param out   the state, NULL on failure; free it with fsd_state_free().
 *  @return FSD_OK; FSD_E_IO; FSD_E_FORMAT with the line; FSD_E_UNSUPPORTED for the
 * format of a later version. */
enum fsd_status fsd_snapshot_read(struct fsd_state **out, const char *path,
                                  struct fsd_error *err);

/** Like fsd_snapshot_read(), for bytes in memory; the file's name replaces the path. */
enum fsd_status fsd_snapshot_load(struct fsd_state **out, const struct fsd_file *file,
                                  struct fsd_error *err);

/** The number of builds in a snapshot, counted by its lines; 0 if the file is not a
 *  snapshot or is damaged. */
unsigned fsd_snapshot_count(const char *path);

/** Whether a file begins like a snapshot of any format. */
bool fsd_snapshot_sniff(const char *path);
