/*
 * A log, or other text, cut into builds.  An engine's layers come in lists,
 *
 *     Engine Layer Information:          Layers:                       Layers:
 *     Layer(T): N, Tactic: ...           Name: N, LayerType: T, ...    N
 *     ...                                ...                           ...
 *                                        Bindings:                     Bindings:
 *
 * from the builder (verbose), from the inspector, and from the inspector of an engine
 * that keeps names only.  Several lists of one engine are taken together.
 *
 * What leads to an engine is an attempt: a network is read, parsed and built.  One ends
 * where the next begins: behind the lists of its engine, or, when it failed and has
 * none, where a step comes that was behind it already.
 */
#ifndef FSD_LOG_SEGMENT_H
#define FSD_LOG_SEGMENT_H

#include "base/arena.h"
#include "base/vec.h"
#include "log/failure.h"
#include "log/layer.h"
#include "log/lines.h"

enum fsd_log_form {
    FSD_LOG_BLOCK, /**< the builder's lines */
    FSD_LOG_TEXT,  /**< the inspector's */
    FSD_LOG_NAMES, /**< bare names */
    FSD__LOG_FORM_COUNT
};

/** One list of layers. */
struct fsd_log_list {
    size_t at, end;  /**< its bytes: from its first layer to its last or last binding */
    uint64_t number; /**< of its first line, from 1; 0: it has none of this form */
    size_t layers_end; /**< behind the last layer's line */
    size_t bindings;   /**< where these begin; 0: none */
    bool io;           /**< they are "I/O Tensors:", a line of keys each */
    uint32_t layers;
    bool prefixed; /**< its lines have prefixes, too */
};

struct fsd_log_engine {
    struct fsd_log_list lists[FSD__LOG_FORM_COUNT];
    struct fsd_slice title; /**< of the network or file, as an earlier line gives it */
    uint32_t attempt;       /**< that led to it */
};

typedef FSD_VEC(struct fsd_log_engine) fsd_log_engines;

/** The engines found by scanning a whole log. */
struct fsd_log_scan {
    fsd_log_engines engines;
    fsd_log_failures failures; /**< why attempts failed; not from fsd_log_find() */
    uint64_t lines;
    uint64_t hash[2]; /**< of the file; see struct fsd_digest in base/hash.h */
    bool hashed;      /**< and it is known */
};

/** Goes through the lines of a file. */
struct fsd_log_segmenter;

/** @param out filled until the last line, from the arena. */
struct fsd_log_segmenter *fsd_log_segmenter_new(struct fsd_arena *arena,
                                                const struct fsd_file *file,
                                                fsd_log_engines *out);

/** What the segmenter says of a line. */
struct fsd_log_place {
    struct fsd_log_line line;
    uint32_t attempt; /**< which one it belongs to, from 0 */
    bool listed;      /**< it belongs to a list, and has no other meaning */
    size_t next;      /**< where the line behind it begins, in bytes */
};

/** The next line; false behind the last, when all engines are known. */
bool fsd_log_segment(struct fsd_log_segmenter *s, struct fsd_log_place *out);

/** Finds the engines, and counts the lines, when nothing else is asked. */
void fsd_log_find(struct fsd_arena *arena, const struct fsd_file *file,
                  struct fsd_log_scan *out);

/** The lines of a list. */
struct fsd_log_lines fsd_log_list_lines(const struct fsd_file *file,
                                        const struct fsd_log_list *list);

/** Takes a line of a list of that form apart; false when it is none. */
bool fsd_log_listed_layer(enum fsd_log_form form, struct fsd_slice line,
                          struct fsd_log_layer *out);

/** A region is one layer to the builder and several to the inspector. */
bool fsd_log_is_region(const struct fsd_log_layer *layer);

#endif
