/* Writes a tale: a list of sentences, each with a topic and a line number of the
 * log. */
#include "explain/diff/tale.h"

FILE *fsd_tale_start(struct fsd_tale *tale, const char *topic, uint64_t line)
{
    tale->now = (struct fsd_line){.topic = topic, .line = line};
    return fsd_print_open(&tale->print);
}

void fsd_tale_finish(struct fsd_tale *tale)
{
    tale->now.text = fsd_print_take(&tale->print, tale->arena);
    fsd_vec_push(tale->arena, &tale->lines, tale->now);
}

void fsd_tale_say(struct fsd_tale *tale, const char *topic, const char *text)
{
    fsd_vec_push(tale->arena, &tale->lines, ((struct fsd_line){topic, 0, text}));
}
