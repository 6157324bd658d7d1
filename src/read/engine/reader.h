/*
 * The interface of readers.  A reader is a folder for the files of one builder, and a
 * name in FSD_READERS. It fills the neutral facts of struct fsd_layer
 * (model/graph/graph.h), of struct fsd_history and struct fsd_profile, so that no code
 * above it depends on the builder.
 */
#pragma once

#include "base/base.h"
#include "model/graph/history.h"
#include "model/graph/profile.h"
#include "model/graph/tuning.h"
#include "model/graph/vocab.h"

struct fsd_mention;

/** The kind of input as which a user passes a file. */
enum fsd_input {
    FSD_INPUT_ENGINE,
    FSD_INPUT_LOG,
    FSD_INPUT_PROFILE,
    FSD_INPUT_TIMES,
    FSD_INPUT_TUNING,  /**< the results of a search over build options */
    FSD_INPUT_METADATA /**< options and device of a build, without the lines of its
                            log */
};

/** Whether a reader recognizes a file: MAYBE if only reading it can decide. */
enum fsd_claim { FSD_CLAIM_NONE, FSD_CLAIM_MAYBE, FSD_CLAIM_SURE };

/** The file of an engine, and what is known about it. */
struct fsd_source {
    const struct fsd_file *file;
    unsigned number;  /**< which of the file's engines, from 1; 0: the only one */
    unsigned profile; /**< which of the engine's optimization profiles, from 1; 0: the
                           first in the file */
    const struct fsd_vocab
        *vocab; /**< the model's names; NULL: all names stay plain text */
    const struct fsd_history *history; /**< the facts of this file as a log; NULL: the
                                            file is not a log, or was not read as one */
    const struct fsd_history *beside;  /**< the facts of a log that was passed with this
                                            file and may be of another engine; NULL:
                                            there is no such log */
    fsd_profile_vec *profiles; /**< receives layer times that the file itself contains;
                                    NULL: not wanted */
};

/** A reader; functions that a builder does not need are NULL. */
struct fsd_engine_reader {
    const char *name;
    const char *const *reads; /**< for people: the kinds of file, with the builder's
                                   versions; ends with NULL */
    enum fsd_claim (*sniff)(const struct fsd_file *file, enum fsd_input input);

    /** Fills an empty graph; see fsd_engine_load(). */
    enum fsd_status (*load)(struct fsd_graph *g, const struct fsd_source *source,
                            struct fsd_error *err);
    /** Appends layers to a loaded graph; another input of the same engine states only
     *  their names. */
    void (*add_names)(struct fsd_graph *g, const fsd_sym *names, uint32_t n,
                      const struct fsd_vocab *vocab);

    /** Reads the builder's steps in a log into an empty history, and finds the engines
     * in it.  Never fails: unknown lines are counted. */
    void (*read_log)(struct fsd_history *h, const struct fsd_file *file);
    /** Fills `g` with the network of engine `h->build`, as printed in the log from
     *  which `h` was read.  `g` is finished on return, and has no nodes if the log does
     *  not print the network. */
    void (*read_network)(struct fsd_graph *g, struct fsd_history *h,
                         const struct fsd_file *file);

    /** Appends every profile of layers in the file.
     * @param names interns the layers' names; most are the engine's. */
    enum fsd_status (*read_profile)(struct fsd_arena *arena, struct fsd_intern *names,
                                    const struct fsd_file *file, fsd_profile_vec *out,
                                    struct fsd_error *err);
    /** The phrases with which the builder surrounds layer names.  If one phrase is the
     *  beginning of another, the longer one comes first.  Ends with NULL. */
    const char *const *phrases;
    /** The builder's own words, in lower case, separated by blanks: of kernels, types
     *  of layers, layouts, options. */
    const char *words;
    /** Explanations of these words for people (glossary.h); NULL: there are none. */
    const struct fsd_gloss *glossary;

    /** Whether the builder accepts this format at an input or output of the network.
     *  @param layout as its options spell it, "hwc8" */
    bool (*accepts_format)(const struct fsd_graph *engine, enum fsd_dtype type,
                           const char *layout, uint32_t rank, bool input);

    /** Appends the times of whole runs. */
    enum fsd_status (*read_times)(struct fsd_arena *arena, const struct fsd_file *file,
                                  struct fsd_run_times *out, struct fsd_error *err);
    /** Reads the results of a search over build options into an empty `out`. */
    enum fsd_status (*read_tuning)(struct fsd_arena *arena, struct fsd_intern *names,
                                   const struct fsd_file *file, struct fsd_tuning *out,
                                   struct fsd_error *err);
};

/** The readers, each in its folder: fsd_reader_ort is ort/'s. */
#define FSD_READERS(row) row(ort) row(trt)

#define FSD_READER_DECLARED(name)                                                      \
    extern const struct fsd_engine_reader fsd_reader_##name;
FSD_READERS(FSD_READER_DECLARED)

/** The i-th reader; NULL past the last. */
const struct fsd_engine_reader *fsd_reader_at(unsigned i);

/** The reader with the strongest claim on a file; NULL if no claim is at least `least`.
 */
const struct fsd_engine_reader *
fsd_reader_of(const struct fsd_file *file, enum fsd_input input, enum fsd_claim least);

/** Reads an engine, recognised by its content, into an empty graph.
 *  @return FSD_OK; FSD_E_UNSUPPORTED for a file of another known kind (the
 *         message says which, and what to run instead); FSD_E_FORMAT for one that is
 *         damaged or of an unknown kind; FSD_E_LIMIT for one that is too large;
 *         FSD_E_ARG if the number of the engine is missing (the message lists the
 *         engines) or too high.  On failure the graph is in no defined state. */
enum fsd_status fsd_engine_load(struct fsd_graph *g, const struct fsd_source *source,
                                struct fsd_error *err);

/** Whether the engine's builder accepts this I/O format; false also if that is unknown.
 *  @param layout as the builder's options spell it, "hwc8" */
bool fsd_accepts_format(const struct fsd_graph *engine, enum fsd_dtype type,
                        const char *layout, uint32_t rank, bool input);

/** Returns the error for a file that is not an engine. */
enum fsd_status fsd_engine_refuse(const struct fsd_file *file, struct fsd_error *err,
                                  const char *found);

/* ----------------------------------------------------------------- what readers ask */

/* Functions that look up a text in the model and record what it means as a mention. */

/** Whether a name with this meaning can show what a layer computes: it is the name of a
 *  node or a constant.  The name of any other tensor counts only in layers that copy
 *  tensors. */
bool fsd_meaning_fits(const struct fsd_vocab *vocab, const struct fsd_meaning *what);

/** Appends `mention`, whose text is at s, with the node, tensor and number of
 *  candidates of its meaning.  A node takes precedence over a tensor of the same name.
 *  A name of several nodes becomes a mention for each, a few at most; without a meaning
 *  (NULL), it becomes FSD_MENTION_UNKNOWN. */
void fsd_mention_add(struct fsd_graph *g, const struct fsd_vocab *vocab,
                     struct fsd_mention mention, const char *s, size_t n,
                     const struct fsd_meaning *what);

/** Whether exporters give such names to initializers: the name of a module's parameter
 *  ("conv1.weight"), or a number ("onnx::MatMul_1234"). */
bool fsd_is_weight_name(struct fsd_slice name);
