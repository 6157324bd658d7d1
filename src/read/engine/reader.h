/*
 * The interface of readers.  A reader reads the files of one builder.  It has a folder
 * with its code, and a name in FSD_READERS.  It fills struct fsd_layer, struct
 * fsd_history and struct fsd_profile, whose members do not depend on the builder.  So
 * no other code depends on the builder either.
 */
#pragma once

#include "base/base.h"
#include "model/graph/history.h"
#include "model/graph/profile.h"
#include "model/graph/tuning.h"
#include "model/graph/vocab.h"

struct fsd_mention;

/** The kinds of input.  Before a file is read, the user or the program decides which
 * kind of input the file is. */
enum fsd_input {
    FSD_INPUT_ENGINE,
    FSD_INPUT_LOG,
    FSD_INPUT_PROFILE,
    FSD_INPUT_TIMES,
    FSD_INPUT_TUNING,  /**< the results of a search over build options */
    FSD_INPUT_METADATA /**< a file with only the options and the device of a build */
};

/** Whether a reader recognizes a file.  FSD_CLAIM_MAYBE: the reader must read the file
 * to decide. */
enum fsd_claim { FSD_CLAIM_NONE, FSD_CLAIM_MAYBE, FSD_CLAIM_SURE };

/** The file of an engine, and what is known about it. */
struct fsd_source {
    const struct fsd_file *file;
    unsigned number;  /**< the number of the engine in the file, from 1; 0: the file
                           must have only one engine */
    unsigned profile; /**< the number of the optimization profile, from 1; 0: the first
                           profile in the file */
    const struct fsd_vocab
        *vocab; /**< the names of the model; NULL: there is no model */
    const struct fsd_history *history; /**< the facts in this file, if it is a log;
                                            NULL: it is no log, or was not read as a
                                            log */
    const struct fsd_history *beside;  /**< the facts in another log, which the user
                                            passed together with this file; NULL: there
                                            is none.  This log may be about another
                                            engine */
    fsd_profile_vec *profiles; /**< receives the layer times in this file; NULL: they
                                    are not needed */
};

/** A reader.  A function that a builder does not need is NULL. */
struct fsd_engine_reader {
    const char *name;
    const char *const *reads; /**< texts for users.  Each text states a kind of file
                                   that the reader accepts, and the versions of the
                                   builder; ends with NULL */
    enum fsd_claim (*sniff)(const struct fsd_file *file, enum fsd_input input);

    /** Reads an engine into an empty graph; see fsd_engine_load(). */
    enum fsd_status (*load)(struct fsd_graph *g, const struct fsd_source *source,
                            struct fsd_error *err);
    /** Appends layers to a finished graph.  The engine's own file lacks these layers:
     *  another input, such as a profile, states their names.  Nothing else is known
     *  about them. */
    void (*add_names)(struct fsd_graph *g, const fsd_sym *names, uint32_t n,
                      const struct fsd_vocab *vocab);

    /** Reads a log: the empty history `h` receives the builder's steps and the engines
     *  in the log.  Unknown lines are counted, and are no failure. */
    void (*read_log)(struct fsd_history *h, const struct fsd_file *file);
    /** Fills the empty graph `g` with the network of the engine `h->build`, as the log
     *  prints this network.  On return, `g` is finished.  If the log does not print the
     *  network, `g` has no nodes. */
    void (*read_network)(struct fsd_graph *g, struct fsd_history *h,
                         const struct fsd_file *file);

    /** Appends all profiles in the file to `out`.
     * @param names  receives the names of the layers */
    enum fsd_status (*read_profile)(struct fsd_arena *arena, struct fsd_intern *names,
                                    const struct fsd_file *file, fsd_profile_vec *out,
                                    struct fsd_error *err);
    /** The phrases that the builder writes around names of layers.  If one phrase is
     *  the beginning of another, the longer one comes first.  The list ends with
     *  NULL. */
    const char *const *phrases;
    /** The builder's own words, in lower case, separated by blanks: words in names of
     *  kernels, types of layers, layouts and options. */
    const char *words;
    /** Explanations of the builder's words for users (glossary.h); NULL: there are
     * none. */
    const struct fsd_gloss *glossary;

    /** Whether the builder accepts this format at an input or output of the network.
     *  @param layout  as in the options of the builder, such as "hwc8" */
    bool (*accepts_format)(const struct fsd_graph *engine, enum fsd_dtype type,
                           const char *layout, uint32_t rank, bool input);

    /** Appends the times of whole runs in the file to `out`. */
    enum fsd_status (*read_times)(struct fsd_arena *arena, const struct fsd_file *file,
                                  struct fsd_run_times *out, struct fsd_error *err);
    /** Reads the results of a search over build options into an empty `out`. */
    enum fsd_status (*read_tuning)(struct fsd_arena *arena, struct fsd_intern *names,
                                   const struct fsd_file *file, struct fsd_tuning *out,
                                   struct fsd_error *err);
};

/** The names of the readers.  Each has a folder of that name, which defines its struct:
 * ort/ defines fsd_reader_ort. */
#define FSD_READERS(row) row(ort) row(trt)

#define FSD_READER_DECLARED(name)                                                      \
    extern const struct fsd_engine_reader fsd_reader_##name;
FSD_READERS(FSD_READER_DECLARED)

/** Returns the i-th reader, from 0; NULL after the last. */
const struct fsd_engine_reader *fsd_reader_at(unsigned i);

/** Returns the reader with the strongest claim on a file; NULL if all claims are weaker
 * than `least`.
 */
const struct fsd_engine_reader *
fsd_reader_of(const struct fsd_file *file, enum fsd_input input, enum fsd_claim least);

/** Reads an engine into an empty graph.  The content of the file decides which reader
 *  reads it.  After a failure, the graph must not be used.
 *  @return FSD_OK; FSD_E_UNSUPPORTED: the file is of another known kind (the message
 *          states the kind and what to run instead); FSD_E_FORMAT: the file is damaged
 *          or of an unknown kind; FSD_E_LIMIT: the file is too large; FSD_E_ARG:
 *          `source->number` is too high, or it is 0 and the file has several engines
 *          (the message lists them) */
enum fsd_status fsd_engine_load(struct fsd_graph *g, const struct fsd_source *source,
                                struct fsd_error *err);

/** Whether the builder of the engine accepts this I/O format; false if this is unknown.
 *  @param layout  as in the options of the builder, such as "hwc8" */
bool fsd_accepts_format(const struct fsd_graph *engine, enum fsd_dtype type,
                        const char *layout, uint32_t rank, bool input);

/** Fills `err` for a file that is no engine, and returns FSD_E_UNSUPPORTED.
 *  @param found  a noun for the content of the file */
enum fsd_status fsd_engine_refuse(const struct fsd_file *file, struct fsd_error *err,
                                  const char *found);

/* ----------------------------------------------------------------- what readers ask */

/* Functions for names in an engine.  fsd_meaning_fits() tests whether a name can show
 * which nodes a layer computes.  fsd_mention_add() adds a mention of a name. */

/** Whether a name can show which nodes a layer computes: it must be the name of a node
 *  or a constant.  Names of other tensors matter only in layers that copy tensors.
 *  @param what  the meaning of the name */
bool fsd_meaning_fits(const struct fsd_vocab *vocab, const struct fsd_meaning *what);

/** Appends `mention` with the text of n bytes at s, and sets its node, tensor and
 *  number of candidates from the meaning `what`.  A node takes precedence over a tensor
 *  with the same name.  If several nodes have the name, a few of them get a mention
 *  each.  If `what` is NULL, the mention is FSD_MENTION_UNKNOWN. */
void fsd_mention_add(struct fsd_graph *g, const struct fsd_vocab *vocab,
                     struct fsd_mention mention, const char *s, size_t n,
                     const struct fsd_meaning *what);

/** Whether the name looks like an initializer's: the name of a parameter in a module
 *  ("conv1.weight"), or a number from an exporter ("onnx::MatMul_1234"). */
bool fsd_is_weight_name(struct fsd_slice name);
