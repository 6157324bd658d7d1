/*
 * A state as a text file that is committed and reviewed: one line an input or output of
 * the engine, one a node, one a fusion group, and below it one for each of its kernels
 * and for each layer that moves a tensor for it.
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
 * kernel's input that no layer of the dump writes; behind each input stands where it
 * comes from, fsd_state_tensor.from, or "-".  Behind the ";" of a group are nodes and
 * inputs that its layers read though the model does not.  The last line has the hash of
 * the lines above it, whatever ends these, so that a lost or edited line is noticed;
 * format 1 had none.  Format 2 does not state how the engine was built, format 3 holds
 * one build, format 4 no kernels, no bindings and few attributes, and format 5 neither
 * the number of the reading, FSD_READING, nor where kernels' inputs come from, nor the
 * values of short constants, nor the bytes that all layers read and write.
 * variants.h explains snapshots of several builds.
 */
#ifndef FSD_SNAPSHOT_SNAPSHOT_H
#define FSD_SNAPSHOT_SNAPSHOT_H

#include "base/base.h"
#include "change/compare/matrix.h"

/** What is written now, the first that holds kernels, fsd_state.whole, and the first
 *  that states its reading and where a kernel's inputs come from. */
enum { FSD_SNAPSHOT_FORMAT = 6, FSD_SNAPSHOT_WHOLE = 5, FSD_SNAPSHOT_READING = 6 };

/** Writes the state with the other builds that it holds. */
void fsd_snapshot_write(const struct fsd_state *s, FILE *out);

/** How many rows of a build are variants that no earlier build has, and how many are
 *  left out, and why. */
struct fsd_learnt {
    uint32_t variants;
    uint32_t less;  /**< of the variants: they state less than the first build does */
    uint32_t ports; /**< left out: an input or output that the first build lacks, or has
                         under another name */
    uint32_t more;  /**< equal to the first build's, which state less */
    uint32_t strange; /**< with nodes that the first build's model lacks */
    uint32_t gone;    /**< with rows of the first build that no other has so */
};

/** Writes the first build, and the variants of the others.
 *  @param known only variants of rows that the first build has as one of the
 *         others: a replaced snapshot is not bound by rows that no longer exist.
 *  @param[out] learnt  what of each build was recorded, and what not. */
void fsd_snapshot_write_builds(const struct fsd_matrix *m, bool known, FILE *out,
                               struct fsd_learnt *learnt);

/** @param out   the state, NULL on failure; free it with fsd_state_free().
 *  @return FSD_OK; FSD_E_IO; FSD_E_FORMAT with the line; FSD_E_UNSUPPORTED for the
 * format of a later version. */
enum fsd_status fsd_snapshot_read(struct fsd_state **out, const char *path,
                                  struct fsd_error *err);

/** The same for bytes in memory; the file's name replaces the path. */
enum fsd_status fsd_snapshot_load(struct fsd_state **out, const struct fsd_file *file,
                                  struct fsd_error *err);

/** How many builds a snapshot is of, by its lines alone; 0: the file is none, or a
 *  damaged one. */
unsigned fsd_snapshot_count(const char *path);

/** True when a file begins as a snapshot does, of any format. */
bool fsd_snapshot_sniff(const char *path);

#endif
