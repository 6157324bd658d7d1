/* What the verbs that take a part of a model share: the options that name it. */
#ifndef FSD_CLI_PART_H
#define FSD_CLI_PART_H

#include "cli/verb.h"

/** Rows of a verb's options; `does` is what it does with the nodes: "Cut". */
#define PART_ROWS(does)                                                                \
    {"layer", "LAYER",                                                                 \
     does " the nodes of a layer: its number, name or pattern; may be repeated, like " \
          "the next four",                                                             \
     WORDS(cut_layers, cut.n_layers)},                                                 \
        {"group", "LAYER",                                                             \
         "The same for all layers that compute nodes together with this layer",        \
         WORDS(cut_groups, cut.n_groups)},                                             \
        {"node", "NODE", "A node: its name, #number or pattern",                       \
         WORDS(cut_nodes, cut.n_nodes)},                                               \
        {"from", "TENSOR", "The nodes after a tensor of the model",                    \
         WORDS(cut_from, cut.n_from)},                                                 \
        {"to", "TENSOR",                                                               \
         "The nodes before a tensor; with --from, those on a path between the two",    \
         WORDS(cut_to, cut.n_to)},                                                     \
    {                                                                                  \
        "context", "N", "Also the nodes up to N steps around", CONTEXT                 \
    }
#define CONTEXT NUMBER(cut.context, 0, 1000000, "a number of steps")

/** True when an option names nodes. */
bool names_part(const struct command_line *line);

/** Ends with a message where the options ask for an ENGINE that is not given. */
void check_part(const struct command_line *line, struct argp_state *state);

#endif
