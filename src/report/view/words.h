/* What the words of a question name.  Only src/report/view includes this. */
#ifndef FSD_REPORT_VIEW_WORDS_H
#define FSD_REPORT_VIEW_WORDS_H

#include "diff/diff.h"

typedef FSD_VEC(fsd_id) fsd_id_vec;

/** The nodes that the words of a query name, in their order: by exact name, by number
 *  with '#' ("#12"), or by pattern (*, ?, [...]).
 *  @return FSD_E_ARG when a word names none. */
enum fsd_status fsd_find_nodes(struct fsd_arena *arena, const struct fsd_diff *d,
                               const struct fsd_query *q, fsd_id_vec *out,
                               struct fsd_error *err);

/** The same for layers; a bare number is a layer's. */
enum fsd_status fsd_find_layers(struct fsd_arena *arena, const struct fsd_diff *d,
                                const struct fsd_query *q, fsd_id_vec *out,
                                struct fsd_error *err);

#endif
