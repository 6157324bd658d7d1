/* Functions that the verbs that write models share: options that name a part of a
 * model, outputs that are models, and the edits of lint. */
#pragma once

#include "cli/cli.h"

/** Rows of a verb's options; `does` is what the verb does with the nodes, such as
 *  "Cut". */
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

/** Whether an option names nodes. */
bool names_part(const struct command_line *line);

/** Names the nodes at which a build failed, unless the options name others.
 *  @return FSD_E_ARG if it is unknown at which nodes it failed. */
enum fsd_status name_failed_part(struct command_line *line,
                                 const struct fsd_failure *failure,
                                 struct fsd_error *err);

/** Exits with a message if the options require an ENGINE that is not given. */
void check_part(const struct command_line *line);

/** Notes that weights of the model that are in other files stay there, if the new model
 *  is in a different folder. models.c */
void note_weights(const struct command_line *line);

/** Writes every output of a verb that makes a model: outputs that end in .onnx are
 *  models, the others are reports. If all are models, a report goes to standard output.
 *  models.c */
enum fsd_status write_models(const struct command_line *line, print_fn *print_model,
                             print_fn *print_report, const void *payload,
                             struct fsd_error *err);

/** take_fix() parses the argument of lint --fix; the next function applies the edits
 *  that it names. fix.c */
void take_fix(struct command_line *line, char *list);
enum fsd_status fix_model(struct command_line *line, const struct fsd_linting *linting,
                          struct fsd_error *err);
