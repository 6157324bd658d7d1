/* Functions that only the verb `collect` calls. They handle DIR.partial.
 * host/collect_folder.c */
#pragma once

#include "cli/cli.h"

/** Creates a link in the directory; returns false, with errno set, if it cannot. */
bool link_in_partial(const struct partial *p, const char *target, const char *name);
/** The kinds of files in the directory: a mask of bits 1 << enum fsd_file_kind. */
unsigned kinds_in_partial(const struct partial *p);
