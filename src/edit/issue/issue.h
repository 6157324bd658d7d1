/*
 * A bug report for the maintainers of a builder: what was built of which model, what is
 * odd about which part, and how to see it with that part alone.
 */
#ifndef FSD_OUT_ISSUE_H
#define FSD_OUT_ISSUE_H

#include "edit/run.h"
#include "edit/cut/cut.h"

/** Files of a report, by the names that its text uses. */
#define FSD_ISSUE_TEXT    "issue.md"
#define FSD_ISSUE_PART    "part.onnx"
#define FSD_ISSUE_PICTURE "part.svg"
#define FSD_ISSUE_LAYERS  "layers.json"

/** What it is about. */
struct fsd_issue_subject {
    const struct fsd_finding *finding; /**< NULL: none */
    uint32_t n_alike;         /**< layers of the finding, where one stands for all */
    fsd_id region;            /**< of the comparison; FSD_NONE */
    fsd_id_vec layers, nodes; /**< of the run, in its order */
    fsd_id_vec around; /**< nodes of the kernels before and behind these layers, without
                            which the part would not show what the report is about */
    fsd_id_vec old_layers; /**< of the run before; none where it is not known */
};

/** A variable of the environment in which a build ran. */
struct fsd_issue_variable {
    const char *name, *value;
};

/** The command of a build, as its user gave it. */
struct fsd_issue_command {
    FSD_VEC(const char *) words;
    FSD_VEC(struct fsd_issue_variable) variables;
};

/** Prints it as a line of a shell, its variables as comments below.
 *  @param anonymous  without paths, and all values that are no numbers.
 *                   commands.c */
void fsd_issue_put_command(const struct fsd_issue_command *command, bool anonymous,
                           FILE *out);

/** The command of the build that `collect` put into the directory of the engine; NULL
 *  where it put none there.  built_with.c
 *  @param names  owns its texts. */
const struct fsd_issue_command *fsd_issue_command_of(struct fsd_arena *arena,
                                                     struct fsd_intern *names,
                                                     const char *engine);

/** Prints a layer as the file has it, at most 1,600 bytes.  issue_dump.c
 *  @param texts  takes its lines.
 *  @return false: nothing of that name is found. */
bool fsd_issue_put_dump(const struct fsd_file *file, struct fsd_intern *texts,
                        const char *name, FILE *out);

struct fsd_issue_facts {
    const struct fsd_diff *d;
    const struct fsd_diff *old;  /**< the run before; NULL: none, or a snapshot */
    const struct fsd_compare *c; /**< NULL: one build */
    const struct fsd_issue_subject *subject;
    const struct fsd_cut_plan *plan; /**< NULL: nothing could be cut out */
    const char *no_part;             /**< why */
    const struct fsd_issue_command *command, *old_command; /**< NULL: not known */
    const struct fsd_file *dump; /**< the engine's; NULL: it is not shown */
    struct fsd_intern *texts;    /**< takes texts of it */
    bool pictured;
    const char *verified; /**< what the part shows when it is built alone; NULL: not
                               built */
    bool anonymous, no_weights;
    const char *failure; /**< the report of a build that failed, as text; "": its names
                              are not shown; NULL: it did not fail */
};

/** The layers and nodes of the worst finding, of those of `word`: a rule's id or a
 *  fingerprint; NULL: of any.  issue_pick.c
 *  @return FSD_E_ARG where there is none. */
enum fsd_status fsd_issue_pick_finding(struct fsd_issue_subject *s,
                                       struct fsd_arena *arena,
                                       const struct fsd_diff *d, const char *word,
                                       struct fsd_error *err);

/** Those of the worst region that differs, or of the region that has one of `layers` or
 *  `nodes`, where some are set.
 *  @return FSD_E_ARG where there is none. */
enum fsd_status fsd_issue_pick_region(struct fsd_issue_subject *s,
                                      struct fsd_arena *arena,
                                      const struct fsd_compare *c,
                                      const struct fsd_diff *old,
                                      const struct fsd_diff *d, struct fsd_error *err);

/** Fills what is missing: the nodes of the layers, or the layers of the nodes; of
 *  layers that move data, the nodes around them, too. */
void fsd_issue_complete(struct fsd_issue_subject *s, struct fsd_arena *arena,
                        const struct fsd_diff *d);

/** Fills what is around the layers. */
void fsd_issue_surround(struct fsd_issue_subject *s, struct fsd_arena *arena,
                        const struct fsd_diff *d);

/** The text in Markdown, of less than 65,536 bytes, which is what an issue takes. */
void fsd_issue_put_text(const struct fsd_issue_facts *t, FILE *out);

#endif
