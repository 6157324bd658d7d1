/*
 * Islands: stretches of an engine that run wider than what is before and behind them.
 *
 *     int8 conv --fp16--> [ pool fp16 ] --fp16--> Q --> int8 conv
 *
 * An island is a connected set of wide tensors that narrow data enters (through a layer
 * that reads narrow and writes wide) and leaves (through one that reads wide and writes
 * narrow).  A narrow layer with a wide side input and a wide output, like an INT8
 * convolution that adds an FP16 residual, carries it on.
 */
#ifndef FSD_DIFF_ISLAND_H
#define FSD_DIFF_ISLAND_H

#include "match/match.h"

struct fsd_diff;

struct fsd_island {
    enum fsd_dtype type;    /**< its widest */
    struct fsd_span layers; /**< in fsd_islands.pool: wide ones, movers at its borders,
                                 narrow ones that carry it on; in engine order */
    struct fsd_span nodes;  /**< in the pool: those that work on wide data */
    fsd_id entry, exit;     /**< the first layer that widens, the last that narrows */
    uint32_t entries, exits;
    double ms; /**< of its wide layers and the movers; negative: not known */
};

struct fsd_islands {
    FSD_VEC(struct fsd_island) list; /**< by first layer, 16 bits and more first */
    FSD_VEC(fsd_id) pool;
};

/** Needs kinds, links, times. */
const struct fsd_islands *fsd_diff_islands(const struct fsd_diff *d);

#endif
