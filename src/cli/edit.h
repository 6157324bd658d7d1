/* What the verbs that write models share: the options that name a part of a model,
 * models beside reports, and the edits of lint. */
#ifndef FSD_CLI_EDIT_H
#define FSD_CLI_EDIT_H

#include "cli/cli.h"

/** Rows of a verb's options; `does` is what it does with the nodes: "Cut". */
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

/** True when an option names nodes. */
bool names_part(const struct command_line *line);

/** Names the nodes at which a build failed, unless the options name others.
 *  @return FSD_E_ARG where no part is known at which it failed. */
enum fsd_status name_failed_part(struct command_line *line,
                                 const struct fsd_failure *failure,
                                 struct fsd_error *err);

/** Ends with a message where the options ask for an ENGINE that is not given. */
void check_part(const struct command_line *line);

/** Notes that the model's weights in other files, if it has such, stay where they are,
 *  since a new model is in another folder.  models.c */
void note_weights(const struct command_line *line);

/** Writes every output of a verb that makes a model: those that end in .onnx are
 *  models, the others reports; where there are only models, a report goes to standard
 *  output.  models.c */
enum fsd_status write_models(const struct command_line *line, print_fn *print_model,
                             print_fn *print_report, const void *payload,
                             struct fsd_error *err);

/** Takes the words of lint's --fix, and applies the edits that they name.  fix.c */
void take_fix(struct command_line *line, char *list);
enum fsd_status fix_model(struct command_line *line, const struct fsd_linting *linting,
                          struct fsd_error *err);

#endif
