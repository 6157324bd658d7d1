/*
 * A bug report for the maintainers of a builder. The report describes the model, the
 * build, and the part that behaves unexpectedly. It also states how to reproduce this
 * behavior with the part alone.
 */
#pragma once

#include "edit/run.h"
#include "edit/cut/cut.h"

/** Files of a report, under the names that its text uses. */
#define FSD_ISSUE_TEXT    "issue.md"
#define FSD_ISSUE_PART    "part.onnx"
#define FSD_ISSUE_PICTURE "part.svg"
#define FSD_ISSUE_LAYERS  "layers.json"

/** The subject of a report. */
struct fsd_issue_subject {
    const struct fsd_finding *finding; /**< NULL: no finding */
    uint32_t n_alike;         /**< number of layers of the finding, if the report
                                   shows only one of them; else 0 */
    fsd_id region;            /**< the region of the comparison; FSD_NONE: none */
    fsd_id_vec layers, nodes; /**< layers and nodes of the run, in the run's order */
    fsd_id_vec around; /**< nodes of the kernels before and after these layers; without
                            them, the part would not show the problem */
    fsd_id_vec old_layers; /**< the corresponding layers of the old run; empty if
                                unknown */
};

/** An environment variable of a build. */
struct fsd_issue_variable {
    const char *name, *value;
};

/** The command of a build, as the user gave it. */
struct fsd_issue_command {
    FSD_VEC(const char *) words;
    FSD_VEC(struct fsd_issue_variable) variables;
};

/** Prints the command as a line of a shell, and its variables as comments below.
 *  @param anonymous leaves out paths, and values that are not numbers. commands.c */
void fsd_issue_put_command(const struct fsd_issue_command *command, bool anonymous,
                           FILE *out);

/** The command that `collect` wrote into the engine's directory; NULL if there is none.
 *  built_with.c
 *  @param names owns the texts of the command */
const struct fsd_issue_command *fsd_issue_command_of(struct fsd_arena *arena,
                                                     struct fsd_intern *names,
                                                     const char *engine);

/** Prints a layer as the file has it, at most 1,600 bytes. issue_dump.c
 *  @param texts owns the printed lines
 *  @return false if no layer with this name is found */
bool fsd_issue_put_dump(const struct fsd_file *file, struct fsd_intern *texts,
                        const char *name, FILE *out);

struct fsd_issue_facts {
    const struct fsd_diff *d;
    const struct fsd_diff *old;  /**< the old run; NULL: there is no old build, or
                                      only a snapshot of it */
    const struct fsd_compare *c; /**< NULL: there is only one build */
    const struct fsd_issue_subject *subject;
    const struct fsd_cut_plan *plan; /**< NULL: no part could be cut out */
    const char *no_part;             /**< the reason why `plan` is NULL */
    const struct fsd_issue_command *command, *old_command; /**< NULL: unknown */
    const struct fsd_file *dump; /**< the engine's dump; NULL: it is not shown */
    struct fsd_intern *texts;    /**< owns the texts that are read from the dump */
    bool pictured;
    const char *verified; /**< text: whether the finding occurs in a build of the part
                               alone; NULL: the part was not built */
    bool anonymous, no_weights;
    const char *failure; /**< the report on a failed build, as text; "": the report has
                              names that must not be shown; NULL: the build did not
                              fail */
};

/** Picks the layers and nodes of the worst finding. issue_pick.c
 *  @param word a rule's id or a fingerprint that the finding must have; NULL: any
 *  @return FSD_E_ARG if there is no such finding */
enum fsd_status fsd_issue_pick_finding(struct fsd_issue_subject *s,
                                       struct fsd_arena *arena,
                                       const struct fsd_diff *d, const char *word,
                                       struct fsd_error *err);

/** Picks a region, and adds its layers and nodes to the subject. If s->layers or
 *  s->nodes has entries, picks the worst region that contains one of them. Otherwise,
 *  picks the worst region that differs.
 *  @return FSD_E_ARG if there is no such region */
enum fsd_status fsd_issue_pick_region(struct fsd_issue_subject *s,
                                      struct fsd_arena *arena,
                                      const struct fsd_compare *c,
                                      const struct fsd_diff *old,
                                      const struct fsd_diff *d, struct fsd_error *err);

/** If the subject has layers, adds their nodes, and the nodes around data-movement
 *  layers. If the subject has only nodes, adds their layers. */
void fsd_issue_complete(struct fsd_issue_subject *s, struct fsd_arena *arena,
                        const struct fsd_diff *d);

/** Fills s->around for the layers of the subject. */
void fsd_issue_surround(struct fsd_issue_subject *s, struct fsd_arena *arena,
                        const struct fsd_diff *d);

/** Prints the text in Markdown, in less than 65,536 bytes, which is the limit of an
 *  issue. */
void fsd_issue_put_text(const struct fsd_issue_facts *t, FILE *out);
