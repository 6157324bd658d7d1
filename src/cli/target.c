/*
 * Resolves the path of an output, one symbolic link at a time, to check each link:
 * realpath() would follow all links without a check. A link must stay in its folder,
 * unless --follow is set. /dev/stdout resolves to the open descriptor, because opening
 * its file again would truncate the shell's output. find_target() also finds the kind
 * of the output, which determines how output.c writes the output.
 */
#include "cli/cli.h"
#include "host/files.h"

#include <errno.h>
#include <stdarg.h>

enum { MOST_LINKS = 40 }; /* the limit of Linux */

enum fsd_status fail_file(struct fsd_error *err, enum fsd_status status,
                          const char *file, const char *what, ...)
{
    va_list args;

    if (!err)
        return status;
    memset(err, 0, sizeof *err);
    err->status = status;
    snprintf(err->file, sizeof err->file, "%s", file ? file : "");
    va_start(args, what);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): the line above begins it */
    vsnprintf(err->message, sizeof err->message, what, args);
    va_end(args);
    return status;
}

enum fsd_status fail_errno(struct fsd_error *err, const char *file)
{
    return fail_file(err, FSD_E_WRITE, file, "%s", strerror(errno));
}

/* Whether Linux made the link `path` for an open file; "/dev/stdout" leads to such a
 * link. The output must then use *descriptor: opening the file again would truncate a
 * file to which a shell is writing.
 * @param[out] descriptor the number in the link's name */
static bool is_open_file(const char *path, int *descriptor)
{
    static const char *const folders[] = {"/proc/self/fd/", "/proc/thread-self/fd/",
                                          "/dev/fd/"};
    char own[40];
    const char *number = NULL;
    char *end;

    snprintf(own, sizeof own, "/proc/%ld/fd/", (long)getpid());
    if (!strncmp(path, own, strlen(own)))
        number = path + strlen(own);
    for (size_t i = 0; i < sizeof folders / sizeof *folders && !number; i++)
        if (!strncmp(path, folders[i], strlen(folders[i])))
            number = path + strlen(folders[i]);
    if (!number || *number < '0' || *number > '9' || strlen(number) > 9)
        return false;
    *descriptor = (int)strtol(number, &end, 10);
    return !*end;
}

bool folder_of(const char *path, char out[static PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];

    if (!slash)
        return realpath(".", out) != NULL;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash == path ? 1 : slash - path),
             path);
    return realpath(folder, out) != NULL;
}

bool lies_under(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    if (n == 1) /* the folder is "/" */
        return true;
    return !strncmp(path, folder, n) && (path[n] == '/' || !path[n]);
}

static enum fsd_status refuse_link(struct fsd_error *err, const char *link,
                                   const char *to)
{
    return fail_file(err, FSD_E_WRITE, link,
                     "expected a file, or a link that stays in its folder, found a "
                     "link to %.400s (--follow writes there)",
                     to);
}

/* Reads the target of a link, as a path that is relative to the working directory. */
static bool read_link(const char *link, char out[static PATH_MAX])
{
    char text[PATH_MAX];
    ssize_t n = readlink(link, text, sizeof text - 1);
    const char *slash = strrchr(link, '/');
    int folder;

    if (n < 0)
        return false;
    text[n] = '\0';
    folder = *text == '/' || !slash ? 0 : (int)(slash - link) + 1;
    if (snprintf(out, PATH_MAX, "%.*s%s", folder, link, text) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    return true;
}

/* Whether `path` is a character device (such as a terminal), a pipe or a socket. step()
 * follows any link to such a file: for example, /dev/stdout may lead to a terminal. A
 * disk is not harmless: by a link, another user could make the program write to it. */
static bool is_harmless_device(const char *path)
{
    struct stat st;

    return !stat(path, &st) &&
           (S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

bool folders_lead_out(const char *path, char part[static PATH_MAX],
                      char to[static PATH_MAX])
{
    if (*path == '/' || strlen(path) >= PATH_MAX)
        return false;
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, PATH_MAX, "%.*s", (int)(slash - path), path);
        if (fsd_link_leads_out(part, to, PATH_MAX))
            return true;
    }
    return false;
}

static enum fsd_status check_folders(const char *path, struct fsd_error *err)
{
    char part[PATH_MAX], leads_to[PATH_MAX];

    return folders_lead_out(path, part, leads_to) ? refuse_link(err, part, leads_to)
                                                  : FSD_OK;
}

/* Follows one link of the path. */
static enum fsd_status step(struct target *t, bool follow, struct fsd_error *err)
{
    char next[PATH_MAX], lies_in[PATH_MAX], leads_to[PATH_MAX];

    if (!read_link(t->path, next))
        return fail_errno(err, t->path);
    if (!follow && !is_open_file(next, &t->descriptor) && !is_harmless_device(next)) {
        if (!folder_of(t->path, lies_in))
            return fail_errno(err, t->path);
        if (!folder_of(next, leads_to) || !lies_under(leads_to, lies_in))
            return refuse_link(err, t->path, next);
    }
    memcpy(t->path, next, sizeof next);
    return FSD_OK;
}

static enum fsd_status classify(struct target *t, struct fsd_error *err)
{
    if (S_ISDIR(t->old.st_mode)) {
        errno = EISDIR;
        return fail_errno(err, t->path);
    }
    if (!S_ISREG(t->old.st_mode)) {
        t->kind = TARGET_STREAM;
        return FSD_OK;
    }
    /* Root can write to any file. But a file without write permission is protected on
     * purpose, so the program does not write to it even as root. */
    if (!(t->old.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) || access(t->path, W_OK))
        return fail_file(err, FSD_E_WRITE, t->path,
                         "expected a writable file, found a read-only file");
    t->kind = t->old.st_nlink > 1 ? TARGET_HARD_LINK : TARGET_FILE;
    return FSD_OK;
}

enum fsd_status find_target(struct target *out, const char *path, bool follow,
                            struct fsd_error *err)
{
    enum fsd_status status = follow ? FSD_OK : check_folders(path, err);

    memset(out, 0, sizeof *out);
    if (status != FSD_OK)
        return status;
    if (strlen(path) >= sizeof out->path) {
        errno = ENAMETOOLONG;
        return fail_errno(err, path);
    }
    memcpy(out->path, path, strlen(path) + 1);
    for (int links = 0; links < MOST_LINKS; links++) {
        out->kind = TARGET_STREAM;
        if (is_open_file(out->path, &out->descriptor))
            return FSD_OK;
        out->descriptor = -1;
        if (lstat(out->path, &out->old)) {
            out->kind = TARGET_NEW;
            return errno == ENOENT ? FSD_OK : fail_errno(err, path);
        }
        if (!S_ISLNK(out->old.st_mode))
            return classify(out, err);
        status = step(out, follow, err);
        if (status != FSD_OK)
            return status;
    }
    errno = ELOOP;
    return fail_errno(err, path);
}

bool ends_with(const char *path, const char *ending)
{
    size_t n = path ? strlen(path) : 0, m = strlen(ending);

    return path && n >= m && !strcmp(path + n - m, ending);
}

bool is_same_folder(const char *a, const char *b)
{
    const char *paths[2] = {a, b};
    struct stat st[2];

    for (int i = 0; i < 2; i++) {
        const char *slash = strrchr(paths[i], '/');
        char folder[PATH_MAX];

        snprintf(folder, sizeof folder, "%.*s",
                 slash ? (int)(slash == paths[i] ? 1 : slash - paths[i]) : 1,
                 slash ? paths[i] : ".");
        if (stat(folder, &st[i]))
            return false;
    }
    return st[0].st_dev == st[1].st_dev && st[0].st_ino == st[1].st_ino;
}
