/*
 * The separators of paths, and the search for programs in the folders of PATH. Empty
 * and relative entries of PATH are skipped: they depend on the current folder, and this
 * folder may contain a stranger's files.
 */
#include "host/files.h"

#include <stdlib.h>
#include <string.h>

#if defined _WIN32
static const char between[] = ";", ending[] = ".exe";
#else
static const char between[] = ":", ending[] = "";
#endif

const char *fsd_host_slash(const char *path)
{
    const char *last = strrchr(path, '/');
#if defined _WIN32
    const char *other = strrchr(path, '\\');

    if (other && (!last || other > last))
        last = other;
#endif
    return last;
}

static bool is_absolute(const char *folder, size_t n)
{
#if defined _WIN32
    return n > 2 && ((folder[1] == ':' && (folder[2] == '\\' || folder[2] == '/')) ||
                     (folder[0] == '\\' && folder[1] == '\\'));
#else
    return n && *folder == '/';
#endif
}

static bool can_run(const char *path)
{
    struct stat about;

    return !stat(path, &about) && S_ISREG(about.st_mode) && !access(path, X_OK);
}

/* Returns the path of the program in this folder; NULL if it is not there. The caller
 * frees the path. */
static char *look_in(const char *folder, size_t n, const char *name)
{
    size_t size = n + strlen(name) + sizeof ending + 1;
    char *path = is_absolute(folder, n) ? malloc(size) : NULL;

    if (!path)
        return NULL;
    snprintf(path, size, "%.*s/%s%s", (int)n, folder, name, ending);
    if (can_run(path))
        return path;
    free(path);
    return NULL;
}

char *fsd_host_program(const char *name)
{
    char *folders = fsd_host_variable("PATH"), *found = NULL;

    for (const char *at = folders; at && !found;) {
        size_t n = strcspn(at, between);

        found = look_in(at, n, name);
        at = at[n] ? at + n + 1 : NULL;
    }
    free(folders);
    return found;
}
