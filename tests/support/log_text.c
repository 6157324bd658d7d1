/* Reads logs from text in memory, for unit tests. */
#include "log_text.h"

#include "model/ops/ids.h"
#include "read/log/log.h"

#include <string.h>

struct log read_log(const char *text)
{
    struct log l = {.arena = fsd_arena_new()};

    l.names = fsd_op_names_new(l.arena);
    l.file = (struct fsd_file){
        .name = "log", .bytes = (const unsigned char *)text, .size = strlen(text)};
    l.h = fsd_history_new(l.arena, l.names);
    fsd_log_read(l.h, &l.file);
    return l;
}

struct fsd_graph *log_network(struct log *l)
{
    struct fsd_graph *g = fsd_graph_new(l->arena, l->names);

    fsd_log_network(g, l->h, &l->file);
    return g;
}
