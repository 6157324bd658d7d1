/*
 * A snapshot is a state as a text file that users commit and review.  It has a line for
 * each input or output of the engine, for each node and for each fusion group.  Below a
 * group are a line for each of its kernels and for each layer that moves a tensor for
 * it.
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
 * Nodes are named, not numbered, so that a change of the model changes few lines.  A
 * name is in quotes only if it would be ambiguous without them.  The escapes within
 * quotes are \" \\ and \u{hex}.  The same state gives the same bytes.  Reading gives
 * the state back, without tactics and paths.
 *
 * A "!" before a kernel's input sets fsd_state_tensor.unwritten.  The origin of the
 * input (fsd_state_tensor.from) follows the input, or "-" if it is unknown.  The list
 * after the ";" of a group is fsd_group.unasked.  The last line has the hash of the
 * lines above it, so that a lost or edited line is noticed.  The hash does not depend
 * on line endings.
 *
 * Older formats state less.  Format 1 has no hash.  Format 2 does not state how the
 * engine was built.
 * Format 3 has only one build.  Format 4 has no kernels, no bindings and few
 * attributes.  Format 5 lacks FSD_READING, the origins of kernels' inputs, the values
 * of short constants, and the bytes that all layers read and write. variants.h explains
 * snapshots of several builds.
 */
#pragma once

#include "base/base.h"
#include "change/compare/matrix.h"

/** FSD_SNAPSHOT_FORMAT: the newest format.  FSD_SNAPSHOT_WHOLE: the first format with
 *  kernels (fsd_state.whole).  FSD_SNAPSHOT_READING: the first format with FSD_READING
 *  and the origins of kernels' inputs. */
enum { FSD_SNAPSHOT_FORMAT = 6, FSD_SNAPSHOT_WHOLE = 5, FSD_SNAPSHOT_READING = 6 };

/** Writes the state and its other builds (fsd_state.also) as a snapshot. */
void fsd_snapshot_write(const struct fsd_state *s, FILE *out);

/** Counts the rows of a build that differ from the first build: the rows that became
 *  variants, and the rows that were left out, by reason. */
struct fsd_learnt {
    uint32_t variants;
    uint32_t less;  /**< number of variants that state less than the first build */
    uint32_t ports; /**< left out: inputs and outputs of the first build that this build
                         lacks or names differently */
    uint32_t more;  /**< left out: rows for which this build states more facts than
                         the first build */
    uint32_t strange; /**< left out: rows with nodes that the first build's model
                           lacks */
    uint32_t gone;    /**< left out: rows that have changed (`known` of
                           fsd_snapshot_write_builds()).  If the snapshot has no room
                           for the build: also all rows that would become variants */
};

/** Writes the first build of a matrix, and the other builds as variants.
 *  @param known true: the other builds come from the snapshot that is replaced.  If the
 *         first build agrees with none of them in a row, the row has changed, and its
 *         variants are left out.  false: leaves out no row for this reason.
 *  @param[out] learnt indexed by build: how many of its rows became variants, and how
 *         many were left out. */
void fsd_snapshot_write_builds(const struct fsd_matrix *m, bool known, FILE *out,
                               struct fsd_learnt *learnt);

/** @param out the state, which the caller frees with fsd_state_free(); NULL on failure.
 *  @return FSD_OK; FSD_E_IO; FSD_E_FORMAT with the line; FSD_E_UNSUPPORTED for the
 *  format of a later version. */
enum fsd_status fsd_snapshot_read(struct fsd_state **out, const char *path,
                                  struct fsd_error *err);

/** Like fsd_snapshot_read(), but reads a file in memory.  file->name is used in place
 *  of `path`. */
enum fsd_status fsd_snapshot_load(struct fsd_state **out, const struct fsd_file *file,
                                  struct fsd_error *err);

/** The number of builds in a snapshot; 0 if the file is no snapshot or is damaged. */
unsigned fsd_snapshot_count(const char *path);

/** Whether a file begins like a snapshot of any format. */
bool fsd_snapshot_sniff(const char *path);
