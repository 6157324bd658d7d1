/*
 * Replaces child.c and collect_folder.c in programs for systems other than Linux. These
 * programs cannot run commands, because the code for processes, terminals and locked
 * folders is for Linux only.
 */
#include "cli/collect.h"

static enum fsd_status refuse(const char *what, struct fsd_error *err)
{
    return fail_file(err, FSD_E_UNSUPPORTED, what, "%s",
                     "fusiondiff runs commands only on Linux");
}

enum fsd_status run_child(const struct child *c, struct child_end *end,
                          struct fsd_error *err)
{
    *end = (struct child_end){0};
    return refuse(c->words[0], err);
}

enum fsd_status open_partial(struct partial *p, const char *folder,
                             struct fsd_error *err)
{
    *p = (struct partial){.dir = -1, .mark = -1};
    return refuse(folder, err);
}

void close_partial(struct partial *p)
{
    (void)p;
}

bool path_in_partial(const struct partial *p, const char *name, char path[PATH_MAX])
{
    (void)p, (void)name;
    *path = '\0';
    return false;
}

FILE *create_in_partial(const struct partial *p, const char *name,
                        struct fsd_error *err)
{
    (void)p;
    refuse(name, err);
    return NULL;
}

enum fsd_status finish_partial(const struct partial *p, struct fsd_error *err)
{
    return refuse(p->folder, err);
}

bool link_in_partial(const struct partial *p, const char *target, const char *name)
{
    (void)p, (void)target, (void)name;
    return false;
}

unsigned kinds_in_partial(const struct partial *p)
{
    (void)p;
    return 0;
}
