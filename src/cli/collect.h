/* Functions on a collect's directory that only the verb needs. host/collect_folder.c */
#pragma once

#include "cli/cli.h"

/** Makes a link in the directory; false, with errno set, if it cannot. */
bool link_in_partial(const struct partial *p, const char *target, const char *name);
/** The kinds of files in the directory, as bits indexed by enum fsd_file_kind. */
unsigned kinds_in_partial(const struct partial *p);
