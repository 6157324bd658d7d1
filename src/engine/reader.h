/*
 * The seam for builders.  A reader is a folder that knows what one builder writes, and
 * a name in FSD_READERS.  What it knows it says in the neutral facts of struct
 * fsd_layer (model/graph.h), of struct fsd_history and struct fsd_profile; nobody above
 * it asks who the builder was.
 */
#ifndef FSD_ENGINE_READER_H
#define FSD_ENGINE_READER_H

#include "base/look.h"
#include "model/graph.h"
#include "model/history.h"
#include "model/profile.h"
#include "model/vocab.h"

#include <stdbool.h>

/** What a user gives a file as. */
enum fsd_input { FSD_INPUT_ENGINE, FSD_INPUT_LOG, FSD_INPUT_PROFILE, FSD_INPUT_TIMES };

/** Whether a reader knows a file: MAYBE when only reading it can tell. */
enum fsd_claim { FSD_CLAIM_NONE, FSD_CLAIM_MAYBE, FSD_CLAIM_SURE };

/** Where an engine is read from, and what is known already. */
struct fsd_source {
    const struct fsd_file *file;
    unsigned number;  /**< which of its engines, from 1; 0: the only one */
    unsigned profile; /**< which of the engine's optimization profiles, from 1; 0: the
                           first that it shows */
    const struct fsd_vocab
        *vocab; /**< the model's names; NULL: every name stays text */
    const struct fsd_history *history; /**< what this file told as a log; NULL: it is
                                            none, or was not read as one */
    const struct fsd_history *beside;  /**< what a log given with it says, which may be
                                           of another engine; NULL: none */
};

/** A row: functions that a builder has no use for are NULL. */
struct fsd_engine_reader {
    const char *name;
    const char *const *reads; /**< for people: the kinds of file, with the builder's
                                   versions; ends with NULL */
    enum fsd_claim (*sniff)(const struct fsd_file *file, enum fsd_input input);

    /** Fills an empty graph, as fsd_engine_load() says. */
    enum fsd_status (*load)(struct fsd_graph *g, const struct fsd_source *source,
                            struct fsd_error *err);
    /** Appends layers of which only the names are known to a graph that was loaded:
     *  another input of the same engine knew them. */
    void (*add_names)(struct fsd_graph *g, const fsd_sym *names, uint32_t n,
                      const struct fsd_vocab *vocab);

    /** Reads what a log tells of the builder's steps into an empty history, and which
     *  engines it holds.  Never fails: lines that say nothing known are counted. */
    void (*read_log)(struct fsd_history *h, const struct fsd_file *file);
    /** The network that leads to engine `h->build`, as the log that h was read from
     *  shows it; finished, and without nodes when it does not. */
    void (*read_network)(struct fsd_graph *g, struct fsd_history *h,
                         const struct fsd_file *file);

    /** Appends every profile of layers in the file.
     *  @param names where the layers' names go; most are the engine's. */
    enum fsd_status (*read_profile)(struct fsd_arena *arena, struct fsd_intern *names,
                                    const struct fsd_file *file, fsd_profile_vec *out,
                                    struct fsd_error *err);
    /** Appends times of whole runs. */
    enum fsd_status (*read_times)(struct fsd_arena *arena, const struct fsd_file *file,
                                  struct fsd_run_times *out, struct fsd_error *err);
};

/** The readers that there are, each in its folder: fsd_reader_ort is ort/'s. */
#define FSD_READERS(row) row(ort) row(trt)

#define FSD_READER_DECLARED(name)                                                      \
    extern const struct fsd_engine_reader fsd_reader_##name;
FSD_READERS(FSD_READER_DECLARED)

/** The i-th reader; NULL past the last. */
const struct fsd_engine_reader *fsd_reader_at(unsigned i);

/** The reader that is surest of a file; NULL when none claims it by `least`. */
const struct fsd_engine_reader *
fsd_reader_of(const struct fsd_file *file, enum fsd_input input, enum fsd_claim least);

/** Reads an engine, recognised by its content, into an empty graph.
 *  @return FSD_OK; FSD_E_UNSUPPORTED for a file that is something else and can be told
 *          (the message says what, and what to run instead); FSD_E_FORMAT for one that
 *          is damaged or cannot be told; FSD_E_LIMIT for one that is too large;
 *          FSD_E_ARG when it must be told which of several engines (the message lists
 *          them), or when there is none of that number.  On failure the graph is in no
 *          defined state. */
enum fsd_status fsd_engine_load(struct fsd_graph *g, const struct fsd_source *source,
                                struct fsd_error *err);

/** The failure of a reader that found something else than an engine. */
enum fsd_status fsd_engine_refuse(const struct fsd_file *file, struct fsd_error *err,
                                  const char *found);

/* ------------------------------------------------------------------- what readers ask
 */

/* What a stretch of text means in the model, and writing it down as a mention. */

/** True when the meaning is one that a layer can have: a node or a constant.  The name
 *  of an ordinary tensor means something only where tensors are copied. */
bool fsd_meaning_fits(const struct fsd_vocab *vocab, const struct fsd_meaning *what);

/** Appends `mention`, whose text stands at s, with what the meaning adds to it: its
 *  node, tensor and number of candidates.  A node wins over a tensor of the same name.
 *  A text that several nodes bear becomes a mention for each, a few at most; one that
 *  means nothing (NULL) becomes FSD_MENTION_UNKNOWN. */
void fsd_mention_add(struct fsd_graph *g, const struct fsd_vocab *vocab,
                     struct fsd_mention mention, const char *s, size_t n,
                     const struct fsd_meaning *what);

#endif
