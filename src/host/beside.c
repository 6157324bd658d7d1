/*
 * Opens a file that another file names, such as a file of weights that a model names.
 * In a model from a stranger, the file of weights may be a symbolic link to a secret
 * file. The program would then copy the secret into an output.
 *
 * The opened file must therefore be below the folder of the model. If the model itself
 * is a link, the opened file may also be below the folder of the link's target. In this
 * example, the two folders of model.onnx are snapshots/1 and blobs:
 *
 *     snapshots/1/model.onnx      -> ../../blobs/4f2a
 *     snapshots/1/model.onnx_data -> ../../blobs/77c0    in blobs: may be read
 *     snapshots/1/weights         -> ../../../.ssh/key   in neither folder: EXDEV
 *
 * The functions below resolve all links of the path, and check the result. Then they
 * open this result from the root, component by component. Another program may have
 * replaced a component by a link after the check, so they refuse links.
 */
#include "host/files.h"

#include <fusiondiff/fusiondiff.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The flag for open() on the folders of a path: they must be searchable, but need not
 * be readable. */
#if defined O_PATH
#define PASS O_PATH
#elif defined O_SEARCH
#define PASS O_SEARCH
#else
#define PASS O_RDONLY
#endif

/* Whether the path is the folder itself or is below it. Neither path may contain
 * links. */
static bool is_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    if (n == 1) /* the root */
        return true;
    return !strncmp(path, folder, n) && (path[n] == '/' || !path[n]);
}

/* Returns the folder of a path; NULL, with errno set, if it does not exist. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash + 1 - path) : 0;
    char folder[PATH_MAX];

    if (n >= sizeof folder) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    memcpy(folder, path, n);
    folder[n] = '\0';
    return realpath(n ? folder : ".", NULL);
}

/* Whether `real`, a path without links, is below the folder of the file `of`. If `of`
 * is a link, the folder of the link and the folder of its target both count. The file
 * `of` need not exist, because the model may be in memory. */
static bool may_be_read(const char *real, const char *of)
{
    char *named = folder_of(of), *file = realpath(of, NULL),
         *folder = file ? folder_of(file) : NULL;
    bool may = (named && is_below(real, named)) || (folder && is_below(real, folder));

    free(named);
    free(file);
    free(folder);
    return may;
}

/* Opens the next component of the path in the open folder `at`, and closes `at`. */
static int step(int at, const char **path, int last)
{
    size_t n = strcspn(*path, "/");
    char name[NAME_MAX + 1];
    int next = -1, why;

    if (n > NAME_MAX) {
        errno = ENAMETOOLONG;
    } else {
        memcpy(name, *path, n);
        name[n] = '\0';
        *path += n + ((*path)[n] == '/');
        next = openat(at, name,
                      (**path ? PASS | O_DIRECTORY : last) | O_NOFOLLOW | O_CLOEXEC);
    }
    why = errno;
    close(at);
    errno = why;
    return next;
}

/* Opens an absolute path, none of whose components may be a link. */
static int open_real(const char *path)
{
    int at = open("/", PASS | O_DIRECTORY | O_CLOEXEC);

    path++;
    while (at >= 0 && *path)
        at = step(at, &path, O_RDONLY | O_NONBLOCK);
    return at;
}

int fsd_open_beside(const char *path, const char *of)
{
    char *real = realpath(path, NULL);
    int fd = -1, why;

    if (!real)
        return -1;
    if (may_be_read(real, of))
        fd = open_real(real);
    else
        errno = EXDEV;
    why = errno;
    free(real);
    errno = why;
    return fd;
}

bool fsd_link_leads_out(const char *path, char *to, size_t size)
{
    struct stat st;
    char *real, *folder;
    bool out;

    if (lstat(path, &st) || !S_ISLNK(st.st_mode))
        return false;
    real = realpath(path, NULL);
    folder = folder_of(path);
    out = real && folder && !is_below(real, folder);
    if (out)
        snprintf(to, size, "%s", real);
    free(real);
    free(folder);
    return out;
}
