/* The options of pictures, for the verbs that draw. */
#ifndef FSD_CLI_PICTURE_OPTIONS_H
#define FSD_CLI_PICTURE_OPTIONS_H

#include "cli/options.h"

#include <argp.h>

enum { KEY_AROUND = 768, KEY_DEPTH, KEY_ONLY, KEY_COLLAPSE, KEY_LAYOUT_TIMEOUT };

/* Rows for a verb's table of options. */
#define PICTURE_OPTIONS                                                                \
    {"around",                                                                         \
     KEY_AROUND,                                                                       \
     "NAME",                                                                           \
     0,                                                                                \
     "Pictures: only what is near this node or layer (a glob)",                        \
     5},                                                                               \
        {"depth", KEY_DEPTH, "N", 0, "Pictures: so many steps are near; 1", 5},        \
        {"only",                                                                       \
         KEY_ONLY,                                                                     \
         "WHAT",                                                                       \
         0,                                                                            \
         "Pictures: only what is near reformats, changes or precision",                \
         5},                                                                           \
        {"collapse",                                                                   \
         KEY_COLLAPSE,                                                                 \
         "HOW",                                                                        \
         0,                                                                            \
         "Pictures: one box for what shares scope:N of its name, or for a run; none; " \
         "by default as far as a large graph needs it",                                \
         5},                                                                           \
    {                                                                                  \
        "layout-timeout", KEY_LAYOUT_TIMEOUT, "SECONDS", 0,                            \
            "svg, png, pdf: a coarser picture when the layout takes longer; 10", 5     \
    }

/** Takes one of them; ARGP_ERR_UNKNOWN for any other key. */
error_t parse_picture_option(int key, char *arg, struct argp_state *state);

#endif
