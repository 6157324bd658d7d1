/*
 * A state as a text file that is committed and reviewed: one line an input or output of
 * the engine, one a node, one a fusion group, and below it one for each of its kernels
 * and for each layer that moves a tensor for it.
 *
 *     fusiondiff snapshot 5
 *     built gpu "NVIDIA A100-PCIE-40GB"
 *     binding input x ?x3x8x8 fp32/chw = chw ; 1x3x8x8..4x3x8x8..8x3x8x8
 *     node Conv_34 Conv core layer int8 < Relu_24 ; k3x3,p1x1x1x1 = "auto_pad=VALID"
 *     group compute int8 1 : Conv_34 Add_36 < Relu_24 int8/chw32 Conv_34 > Add_36 int8
 *       kernel compute int8 Convolution < int8:1x3x8x8 > int8:1x8x8x8 = int8:216
 *       move reformat io inserted : fp32/chw -> fp16/hwc8 < @x > Conv_34
 *     also xxh128:be3c4fbd21c62de2a5d4e57f8f8a55f1 "a dump" "a builder"
 *     binding input x ?x3x8x8 fp32/hwc8 = hwc8 ; 1x3x8x8..4x3x8x8..8x3x8x8
 *     variant : Conv_34 Add_36
 *     group compute int8 1 : Conv_34 < Relu_24 int8/chw32 Conv_34 > Conv_34 fp16
 *     group compute fp16 1 : Add_36 < Conv_34 fp16 Add_36 > Add_36 fp16
 *     end xxh128:2fd4a43ed588d6afb0d811a9acc43c30
 *
 * Nodes are named, not numbered, so that a change stays where it is.  A name stands as
 * it is where that cannot be misread, else in quotes with \" \\ and \u{hex}.  The same
 * state gives the same bytes, and reading gives the state back, without tactics and
 * paths.  A "!" before a tensor that a kernel reads says that no layer of the dump
 * writes it; nodes and inputs behind the ";" of a group say that its layers read what
 * these write, though the model does not say so.  The last line has the hash of the
 * lines above it, whatever ends these, so that one line lost or edited is noticed;
 * format 1 had none.  Format 2 told nothing of how the engine was built, format 3 holds
 * one build, and format 4 no kernels, no
 * bindings and few attributes.  What a snapshot of
 * several builds says: variants.h.
 */
#ifndef FSD_SNAPSHOT_SNAPSHOT_H
#define FSD_SNAPSHOT_SNAPSHOT_H

#include "base/file.h"
#include "compare/matrix.h"

/** What is written now, and the first that holds kernels: fsd_state.whole. */
enum { FSD_SNAPSHOT_FORMAT = 5, FSD_SNAPSHOT_WHOLE = 5 };

/** With the other builds that it holds. */
void fsd_snapshot_write(const struct fsd_state *s, FILE *out);

/** How many rows of a build are variants that no build before has, and how many are
 *  not kept as such. */
struct fsd_learnt {
    uint32_t variants;
    uint32_t less;  /**< of the variants: these state less than the first build does */
    uint32_t ports; /**< not kept: an input or output that has no other, or another
                         name, in the first build */
    uint32_t more;  /**< as the first build, which states less */
    uint32_t strange; /**< of nodes that the first build's model has not */
    uint32_t gone;    /**< of rows that the first build has as no other has them */
};

/** The first of the builds, and what the others have otherwise.
 *  @param known   only of rows that the first build has as one of the others: what
 *                 takes the place of a snapshot is not held to rows that are no more.
 *  @param learnt  by build. */
void fsd_snapshot_write_builds(const struct fsd_matrix *m, bool known, FILE *out,
                               struct fsd_learnt *learnt);

/** @param out   the state, NULL on failure; free it with fsd_state_free().
 *  @return FSD_OK; FSD_E_IO; FSD_E_FORMAT with the line; FSD_E_UNSUPPORTED for the
 * format of a later version. */
enum fsd_status fsd_snapshot_read(struct fsd_state **out, const char *path,
                                  struct fsd_error *err);

/** The same of bytes that are there; their name stands for the path. */
enum fsd_status fsd_snapshot_load(struct fsd_state **out, const struct fsd_file *file,
                                  struct fsd_error *err);

/** True when a file begins as a snapshot does, of any format. */
bool fsd_snapshot_sniff(const char *path);

#endif
