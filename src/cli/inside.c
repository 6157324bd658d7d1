/*
 * Restricts the paths of files that another user may have chosen: files of a directory,
 * files that a list names, and parts. Lists and directories are under version control,
 * including links in them. A change under review could otherwise make the next run
 * read, report or overwrite files elsewhere on the machine.
 *
 *     the file                           where it must be, unless --follow is given
 *     found in a directory               in or below the directory
 *     named in a line of a list, also    in or below the list's directory or the
 *       as snapshot=                     working directory
 *     named by --part                    not behind a link that leads out of its folder
 *     named by MODEL, ENGINE or --log,   anywhere, because the user names it
 *       or in a list from a pipe
 */
#include "cli/cli.h"
#include "host/files.h"

#include <errno.h>

static bool anywhere;

void allow_leading_out(bool allowed)
{
    anywhere = allowed;
}

bool is_directory(const char *path)
{
    struct stat st;

    return path && !stat(path, &st) && S_ISDIR(st.st_mode);
}

static enum fsd_status refuse(struct fsd_error *err, const char *path, const char *to)
{
    return fail_file(
        err, FSD_E_ARG, path,
        "expected a file, or a link that stays in its folder, found a link "
        "to %.400s (--follow reads it)",
        to);
}

enum fsd_status open_directory(struct fsd_directory **out, struct fsd_options *run,
                               struct fsd_error *err)
{
    return fsd_directory_open(out, run, anywhere, err);
}

enum fsd_status open_snapshots(struct fsd_directory **out,
                               struct fsd_check_options *check, struct fsd_error *err)
{
    return fsd_directory_snapshots(out, check, anywhere, err);
}

enum fsd_status open_builds(struct fsd_directory **out, const char *path,
                            struct fsd_error *err)
{
    return fsd_directory_builds(out, path, anywhere, err);
}

/* Directories that stay allocated until the program ends, because the options of runs
 * point into them. */
static struct fsd_directory **kept;
static size_t n_kept;

static void free_kept(void)
{
    while (n_kept)
        fsd_directory_free(kept[--n_kept]);
    free(kept);
}

void keep_directory(struct fsd_directory *directory)
{
    if (!directory)
        return;
    if (!kept)
        atexit(free_kept); /* also runs after a usage error */
    kept = must(realloc(kept, (n_kept + 1) * sizeof(struct fsd_directory *)));
    kept[n_kept++] = directory;
}

enum fsd_status check_parts(const char *const *paths, unsigned n, struct fsd_error *err)
{
    char part[PATH_MAX], to[PATH_MAX];

    for (unsigned i = 0; i < n; i++) {
        if (anywhere)
            break;
        if (folders_lead_out(paths[i], part, to) ||
            (fsd_link_leads_out(paths[i], to, sizeof to) &&
             snprintf(part, sizeof part, "%s", paths[i]) > 0))
            return refuse(err, part, to);
    }
    return FSD_OK;
}

/* ---------------------------------------------------------------------- of a list */

/* Resolves the links of a path whose last component may not exist yet. */
static bool resolve(const char *path, char out[static PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];

    if (realpath(path, out))
        return true;
    return errno == ENOENT && folder_of(path, folder) &&
           snprintf(out, PATH_MAX, "%s/%s", folder, slash ? slash + 1 : path) <
               PATH_MAX;
}

static bool is_in(const char *real, const char *folder)
{
    char without[PATH_MAX];

    return realpath(folder, without) && lies_under(real, without);
}

static bool is_beside(const char *real, const char *list)
{
    char folder[PATH_MAX];

    return is_directory(list) ? is_in(real, list)
                              : folder_of(list, folder) && lies_under(real, folder);
}

/* Also accepts a path that cannot be resolved, such as a path in a missing folder: its
 * file can be neither read nor written. */
enum fsd_status check_listed(const char *path, const char *list, struct fsd_error *err)
{
    char real[PATH_MAX];

    if (anywhere || !list || !strcmp(path, "-") || !resolve(path, real) ||
        is_in(real, ".") || is_beside(real, list))
        return FSD_OK;
    return fail_file(err, FSD_E_ARG, path,
                     "expected a path below the list's directory or below the working "
                     "directory, found %.400s (--follow accepts it)",
                     real);
}
