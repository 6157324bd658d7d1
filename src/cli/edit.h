/* Functions for verbs that write models: options that name a part of a model, outputs
 * that are models, and the edits of lint. */
#pragma once

#include "cli/cli.h"

/** Rows of the options that name a part of a model. `does` is the action of the verb,
 * such as "Cut", for the help. */
#define PART_ROWS(does)                                                                \
    {"layer", "LAYER",                                                                 \
     does " the nodes of a layer: its number, name or pattern; may be repeated, as "   \
          "--group, --node, --from and --to may",                                      \
     WORDS(part.layers, part.cut.n_layers)},                                           \
        {"group", "LAYER",                                                             \
         "The same for all layers that compute nodes together with this layer",        \
         WORDS(part.groups, part.cut.n_groups)},                                       \
        {"node", "NODE", "A node: its name, #number or pattern",                       \
         WORDS(part.nodes, part.cut.n_nodes)},                                         \
        {"from", "TENSOR", "The nodes after a tensor of the model",                    \
         WORDS(part.from, part.cut.n_from)},                                           \
        {"to", "TENSOR",                                                               \
         "The nodes before a tensor; with --from, those on a path between the two",    \
         WORDS(part.to, part.cut.n_to)},                                               \
    {                                                                                  \
        "context", "N", "Also the nodes up to N steps around", CONTEXT                 \
    }
#define CONTEXT NUMBER(part.cut.context, 0, 1000000, "a number of steps")

/** Whether an option on the command line names nodes. */
bool names_part(const struct command_line *line);

/** Sets the part to the nodes at which a build failed, unless options name nodes.
 * @return FSD_OK; FSD_E_ARG if these nodes are unknown */
enum fsd_status name_failed_part(struct command_line *line,
                                 const struct fsd_failure *failure,
                                 struct fsd_error *err);

/** Exits with a message if the options require an ENGINE but the command line has
 * none. */
void check_part(const struct command_line *line);

/** Prints a note if the model has weights in other files: these files stay where they
 * are, even if the new model is in a different folder. models.c */
void note_weights(const struct command_line *line);

/** Writes every output of a verb that writes models. Outputs that end in .onnx are
 * models, all others are reports. If all are models, also prints a report to standard
 * output. models.c */
enum fsd_status write_models(const struct command_line *line, print_fn *print_model,
                             print_fn *print_report, const void *payload,
                             struct fsd_error *err);

/** take_fix() parses the argument of lint --fix. fix_model() applies the edits that the
 * argument names. fix.c */
void take_fix(struct command_line *line, char *list);
enum fsd_status fix_model(struct command_line *line, const struct fsd_linting *linting,
                          struct fsd_error *err);
