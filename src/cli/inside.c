/*
 * What may be read that the user did not name himself: the files of a directory, those
 * that a list names, and parts.  Lists and directories are committed, and links in
 * them: a change under review could have the next run read, report or overwrite files
 * of the machine.
 *
 *     who names it                       where it must be, but with --follow
 *     a file in a directory              in or below the directory
 *     a line of a list, also snapshot=   in or below the list's or the working one
 *     --part                             where its path says, not behind a link
 *     MODEL, ENGINE, --log, a pipe       anywhere: they are the user's own words
 */
#define _DEFAULT_SOURCE /* realpath */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

enum fsd_status check_entry(const char *path, struct fsd_error *err)
{
    char to[PATH_MAX];

    return !anywhere && leads_out(path, to) ? refuse(err, path, to) : FSD_OK;
}

enum fsd_status check_parts(const char *const *paths, unsigned n, struct fsd_error *err)
{
    char part[PATH_MAX], to[PATH_MAX];

    for (unsigned i = 0; i < n; i++) {
        if (!anywhere && folders_lead_out(paths[i], part, to))
            return refuse(err, part, to);
        if (check_entry(paths[i], err) != FSD_OK)
            return FSD_E_ARG;
    }
    return FSD_OK;
}

/* ------------------------------------------------------------------- of collect */

/* The model's hash in quotes, as the record of a build of it would have it, to be
 * freed; NULL: the model cannot be read, or there is no memory. */
static char *hash_of(const char *model)
{
    static const char key[] = "\"hash\":";
    const struct fsd_collected build = {.model = model};
    struct fsd_error err;
    size_t size;
    char *text = NULL, *at, *end;
    FILE *out = fsd_memory_open(&text, &size);
    enum fsd_status status =
        out ? fsd_collected_write(&build, out, &err) : FSD_E_MEMORY;

    if (out && fclose(out))
        status = FSD_E_MEMORY;
    at = status == FSD_OK ? strstr(text, key) : NULL;
    at = at ? strchr(at + sizeof key - 1, '"') : NULL;
    end = at ? strchr(at + 1, '"') : NULL;
    if (!end) {
        free(text);
        return NULL;
    }
    memmove(text, at, (size_t)(end + 1 - at));
    text[end + 1 - at] = '\0';
    return text;
}

static bool has_text(const char *path, const char *text)
{
    static const size_t most = 1 << 20;
    /* O_NONBLOCK: a pipe of that name must not block. */
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FILE *in = fd >= 0 ? fdopen(fd, "r") : NULL;
    char *bytes = in ? malloc(most + 1) : NULL;
    bool has = false;

    if (bytes) { /* without memory the link is refused, as any other */
        bytes[fread(bytes, 1, most, in)] = '\0';
        has = strstr(bytes, text) != NULL;
    }
    if (in)
        fclose(in);
    else if (fd >= 0)
        close(fd);
    free(bytes);
    return has;
}

/* `collect` links to the model, wherever it is.  Its command.json has the model's hash,
 * which only somebody who has the model knows. */
enum fsd_status check_model_entry(const char *path, struct fsd_error *err)
{
    enum fsd_status status = check_entry(path, err);
    char command[PATH_MAX];
    char *hash = status == FSD_OK ? NULL : hash_of(path);

    snprintf(command, sizeof command, "%.*scommand.json",
             (int)(strrchr(path, '/') + 1 - path), path);
    if (hash && has_text(command, hash))
        status = FSD_OK;
    free(hash);
    return status;
}

/* ---------------------------------------------------------------------- of a list */

/* Without links; what is to be made has none itself. */
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

/* A path whose folder does not exist can be neither read nor written. */
enum fsd_status check_listed(const char *path, const char *list, struct fsd_error *err)
{
    char real[PATH_MAX];

    if (anywhere || !list || !strcmp(path, "-") || !resolve(path, real) ||
        is_in(real, ".") || is_beside(real, list))
        return FSD_OK;
    return fail_file(err, FSD_E_ARG, path,
                     "expected a path below the directory of the list or the working "
                     "directory, found %.400s (--follow takes it)",
                     real);
}
