/*
 * Findings as the gate's formats need them: text only, nothing to look up.  Made from a
 * run (list_diff.c) or from a check (check.c), printed by report/list_*.c.  All strings
 * are valid UTF-8, in the arena, and as they are: the writer escapes them.
 */
#ifndef FSD_GATE_LIST_H
#define FSD_GATE_LIST_H

#include "base/vec.h"
#include "diff/diff.h"

/** A rule that was looked at, with or without findings. */
struct fsd_list_rule {
    const char *id, *doc;
    enum fsd_severity severity;    /**< of its findings */
    bool off;                      /**< the policy does not ask for it */
    uint32_t found;                /**< items */
    uint32_t ignored;              /**< findings that the policy ignores; not items */
    const char *measured, *budget; /**< "3", "0.11 ms"; NULL: does not measure */
};

struct fsd_list_item {
    uint32_t rule;
    enum fsd_severity severity; /**< info where the rule is within its budget */
    const char *message;        /**< one line */
    const char *const *nodes;   /**< names of the model's nodes */
    const char *const *layers;
    uint32_t n_nodes, n_layers;
    const char *file; /**< that a reviewer sees: the snapshot, the policy, the model */
    uint32_t line;    /**< in it, from 1; 0: not known */
    uint64_t fingerprint; /**< the same in the next run; no other item has it */
};

/** A line of the table on top. */
struct fsd_list_row {
    const char *what, *before, *now; /**< before: NULL in a list of one build */
};

struct fsd_list {
    struct fsd_arena *arena;
    const char *title;   /**< "diff" or "check" */
    const char *verdict; /**< "passed", "failed", "accepted"; NULL: nothing is judged */
    bool judges,
        accepts; /**< a check; one that rewrites its snapshot, and never fails */
    const char *model, *engine;
    const char *snapshot;       /**< NULL: one build only */
    enum fsd_severity fails_at; /**< JUnit's failure */
    bool failed;                /**< an item has it */
    uint32_t by_severity[FSD__SEVERITY_COUNT], ignored;
    FSD_VEC(struct fsd_list_row) rows;
    FSD_VEC(struct fsd_list_rule) rules;
    FSD_VEC(struct fsd_list_item) items;
};

struct fsd_list *fsd_list_new(void);
void fsd_list_free(struct fsd_list *list); /**< may be NULL */

/** A formatted string in the list's arena. */
const char *fsd_list_text(struct fsd_list *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Counts, and gives every item its fingerprint; called once, when all items are there.
 */
void fsd_list_finish(struct fsd_list *list);

/** The findings of a run. */
struct fsd_list *fsd_list_of_diff(const struct fsd_diff *d);

#endif
