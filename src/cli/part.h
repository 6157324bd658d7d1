/* What the verbs that take a part of a model share: the options that name it. */
#ifndef FSD_CLI_PART_H
#define FSD_CLI_PART_H

#include "cli/verb.h"

enum {
    KEY_LAYER = 960,
    KEY_GROUP,
    KEY_NODE,
    KEY_FROM,
    KEY_TO,
    KEY_CONTEXT,
    KEY_PART_END /* other keys of these verbs begin here */
};

/** Rows of a verb's options; `does` is what it does with the nodes: "Cut". */
#define PART_OPTIONS(does)                                                             \
    {"layer",                                                                          \
     KEY_LAYER,                                                                        \
     "LAYER",                                                                          \
     0,                                                                                \
     does " the nodes of a layer: its number, name or pattern; may be repeated, like " \
          "the next four",                                                             \
     3},                                                                               \
        {"group",                                                                      \
         KEY_GROUP,                                                                    \
         "LAYER",                                                                      \
         0,                                                                            \
         "The same for all layers that compute nodes together with this layer",        \
         3},                                                                           \
        {"node", KEY_NODE, "NODE", 0, "A node: its name, #number or pattern", 3},      \
        {"from", KEY_FROM, "TENSOR", 0, "The nodes after a tensor of the model", 3},   \
        {"to",                                                                         \
         KEY_TO,                                                                       \
         "TENSOR",                                                                     \
         0,                                                                            \
         "The nodes before a tensor; with --from, those on a path between the two",    \
         3},                                                                           \
        {"context", KEY_CONTEXT, "N", 0, "Also the nodes up to N steps around", 3},

/** Takes one of them into line->cut; ARGP_ERR_UNKNOWN for any other key. */
error_t parse_part_option(int key, char *arg, struct argp_state *state);

/** True when an option names nodes. */
bool names_part(const struct command_line *line);

/** Ends with a message where the options ask for an ENGINE that is not given. */
void check_part(const struct command_line *line, struct argp_state *state);

#endif
