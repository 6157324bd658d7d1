/*
 * Where in a log, or in other text, engines stand.  Lists of an engine's layers come as
 *
 *     Engine Layer Information:          Layers:                       Layers:
 *     Layer(T): N, Tactic: ...           Name: N, LayerType: T, ...    N
 *     ...                                ...                           ...
 *                                        Bindings:                     Bindings:
 *
 * from the builder (verbose), from the inspector, and from the inspector of an engine
 * that keeps names only.  Several lists of one engine are taken together.
 */
#ifndef FSD_LOG_SEGMENT_H
#define FSD_LOG_SEGMENT_H

#include "base/arena.h"
#include "base/file.h"
#include "base/vec.h"
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
    uint32_t layers;
    bool prefixed; /**< its lines have prefixes, too */
};

struct fsd_log_engine {
    struct fsd_log_list lists[FSD__LOG_FORM_COUNT];
    const char *title; /**< of the network or file, as an earlier line gives it */
    size_t title_n;
};

typedef FSD_VEC(struct fsd_log_engine) fsd_log_engines;

/** What going through a whole log tells of its engines. */
struct fsd_log_scan {
    fsd_log_engines engines;
    uint64_t lines;
    uint64_t hash[2]; /**< of the file; see base/digest.h */
    bool hashed;      /**< and it is known */
};

/** Finds them all, in order.
 *  @param lines set to how many lines there are. */
void fsd_log_find(struct fsd_arena *arena, const struct fsd_file *file,
                  fsd_log_engines *out, uint64_t *lines);

/** The same line by line, for who goes through the file anyway. */
struct fsd_log_finder;

/** @param out filled by fsd_log_finder_end(), from the arena. */
struct fsd_log_finder *fsd_log_finder_new(struct fsd_arena *arena,
                                          const struct fsd_file *file,
                                          fsd_log_engines *out);

/** Each line of the file, in order.
 *  @param next where the line behind it begins, in bytes. */
void fsd_log_finder_line(struct fsd_log_finder *f, const struct fsd_log_line *line,
                         size_t next);
void fsd_log_finder_end(struct fsd_log_finder *f);

/** The lines of a list. */
struct fsd_log_lines fsd_log_list_lines(const struct fsd_file *file,
                                        const struct fsd_log_list *list);

/** "Name: N, LayerType: T, ...": the length of N and true, or false. */
bool fsd_log_is_text_layer(const char *s, size_t n, size_t *name_n);

#endif
