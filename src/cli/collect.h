/* Of a collect's directory, what only the verb asks for.  host/collect_folder.c */
#ifndef FSD_CLI_COLLECT_H
#define FSD_CLI_COLLECT_H

#include "cli/cli.h"

/** Makes a link in it; false, with errno set, where it cannot. */
bool link_in_partial(const struct partial *p, const char *target, const char *name);
/** Which kinds of files are in it, as bits by enum fsd_file_kind. */
unsigned kinds_in_partial(const struct partial *p);

#endif
