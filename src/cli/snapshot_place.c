/*
 * Where `snapshot --list` writes a build's snapshot: the file that the list names, or,
 * in a folder, the one that is called like the build.  Folders are made, so that the
 * first snapshots of a list need nothing but the list.
 *
 *     label=sm86 snapshot=r18/snapshots     r18/snapshots/sm86.fsd
 *     snapshot=r18/first.fsd                r18/first.fsd
 */
#define _DEFAULT_SOURCE
#include "cli/cli.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static const char suffix[] = ".fsd";

static bool has_suffix(const char *path)
{
    size_t n = strlen(path), m = strlen(suffix);

    return n > m && !strcmp(path + n - m, suffix);
}

/* A name without the suffix is a folder, also before it is there: `check` looks for the
 * snapshots in it. */
static bool is_folder(const char *to)
{
    struct stat st;

    return is_directory(to) || (stat(to, &st) && !has_suffix(to));
}

static enum fsd_status make_folder(const char *path, const char *list,
                                   struct fsd_error *err)
{
    enum fsd_status status;

    if (is_directory(path))
        return FSD_OK;
    status = check_listed(path, list, err);
    if (status == FSD_OK && mkdir(path, 0777) && errno != EEXIST)
        status = fail_errno(err, path);
    return status;
}

/* Makes the folders before the last slash of a path. */
static enum fsd_status make_folders(char *path, const char *list, struct fsd_error *err)
{
    enum fsd_status status = FSD_OK;

    for (char *slash = strchr(path + 1, '/'); slash && status == FSD_OK;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        status = make_folder(path, list, err);
        *slash = '/';
    }
    return status;
}

/* Prints the label, or without one the name of the engine's file without its ending. */
static bool put_name(const struct fsd_options *run, char *out, size_t size)
{
    const char *file = run->engine ? run->engine : run->model;
    const char *slash = file ? strrchr(file, '/') : NULL;
    const char *name = run->label ? run->label : slash ? slash + 1 : file;
    size_t n = !name ? 0 : run->label ? strlen(name) : strcspn(name, ".");

    return n && !memchr(name, '/', n) && *name != '.' &&
           snprintf(out, size, "/%.*s%s", (int)n, name, suffix) < (int)size;
}

enum fsd_status find_snapshot_place(const struct fsd_options *run, const char *to,
                                    const char *list, char path[static PATH_MAX],
                                    struct fsd_error *err)
{
    bool folder = is_folder(to);
    size_t n = strlen(to);
    enum fsd_status status;

    while (folder && n > 1 && to[n - 1] == '/')
        n--;
    if (snprintf(path, PATH_MAX, "%.*s", (int)n, to) >= PATH_MAX ||
        (folder && !put_name(run, path + n, PATH_MAX - n)))
        return fail_file(err, FSD_E_ARG, to,
                         "expected a label= that can be the name of a file in this "
                         "folder, found '%.100s'",
                         run->label ? run->label : "none");
    status = make_folders(path, list, err);
    return status == FSD_OK ? check_listed(path, list, err) : status;
}
