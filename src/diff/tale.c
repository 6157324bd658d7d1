#include "diff/tale.h"

#include <stdlib.h>

bool fsd_tale_start(struct fsd_pen *p, struct fsd_tale *tale, const char *topic,
                    uint64_t line)
{
    *p = (struct fsd_pen){.tale = tale, .topic = topic, .line = line};
    p->out = open_memstream(&p->text, &p->size);
    return p->out != NULL;
}

void fsd_tale_finish(struct fsd_pen *p)
{
    if (fclose(p->out) == 0)
        fsd_vec_push(
            p->tale->arena, &p->tale->lines,
            (struct fsd_line){p->topic, p->line,
                              fsd_arena_strndup(p->tale->arena, p->text, p->size)});
    free(p->text);
}

void fsd_tale_say(struct fsd_tale *tale, const char *topic, const char *text)
{
    fsd_vec_push(tale->arena, &tale->lines, (struct fsd_line){topic, 0, text});
}
