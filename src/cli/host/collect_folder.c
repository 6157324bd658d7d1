/*
 * Handles DIR.partial, the directory in which `collect` makes a build.
 *
 * The process that writes to the directory holds a lock, which ends with the process.
 * The directory is opened once, and not through a link. Its files are accessed relative
 * to its descriptor, so that moving the directory, or replacing it by a link, does not
 * redirect the writes.
 *
 * Only files with the names that `collect` uses are removed, and only if an earlier
 * collect began in the directory. If there is any other file, no file is removed.
 */
#include "cli/collect.h"
#include "host/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

/* The names of all files that a collect writes. Only these are ever removed. */
static const char *const own_files[] = {"command.json", "build.log",  "layers.json",
                                        "profile.json", "times.json", "model.onnx",
                                        FSD_UNFINISHED};

bool path_in_partial(const struct partial *p, const char *name, char path[PATH_MAX])
{
    size_t folder = strlen(p->path), file = strlen(name);

    if (folder + 1 + file >= PATH_MAX)
        return false;
    memcpy(path, p->path, folder);
    path[folder] = '/';
    memcpy(path + folder + 1, name, file + 1);
    return true;
}

/* Fails unless DIR is missing or empty. Also fails if DIR is a link: DIR.partial could
 * not replace the directory to which the link leads. */
static enum fsd_status check_folder(const char *folder, struct fsd_error *err)
{
    struct dirent **names;
    struct stat st;
    int n;

    if (!lstat(folder, &st) && S_ISLNK(st.st_mode))
        return fail_file(err, FSD_E_ARG, folder,
                         "expected a new or empty directory, found a link");
    n = scandir(folder, &names, NULL, NULL);
    if (n < 0)
        return errno == ENOENT ? FSD_OK : fail_errno(err, folder);
    for (int i = 0; i < n; i++)
        free(names[i]);
    free(names);
    return n <= 2 ? FSD_OK
                  : fail_file(err, FSD_E_ARG, folder,
                              "expected a new or empty directory, found files in it");
}

static bool is_own(const char *name)
{
    for (size_t i = 0; i < sizeof own_files / sizeof *own_files; i++)
        if (!strcmp(own_files[i], name))
            return true;
    return !strcmp(name, ".") || !strcmp(name, "..");
}

/* Whether the name in directory `dir` still refers to the open file. */
static bool is_still(int fd, int dir, const char *name)
{
    struct stat opened, there;

    return !fstat(fd, &opened) && !fstatat(dir, name, &there, AT_SYMLINK_NOFOLLOW) &&
           opened.st_dev == there.st_dev && opened.st_ino == there.st_ino;
}

static enum fsd_status refuse_files(const struct partial *p, const char *name,
                                    struct fsd_error *err)
{
    return fail_file(err, FSD_E_WRITE, p->path,
                     "expected only files of an earlier 'fusiondiff collect', "
                     "found '%.200s'",
                     name);
}

/* Fails if files of an earlier collect are inputs of this one, because they would be
 * removed. A link is allowed, because its target stays. */
static enum fsd_status refuse_inputs(const struct partial *p, struct fsd_error *err)
{
    enum fsd_status status = FSD_OK;
    struct stat st;
    char path[PATH_MAX];

    for (size_t i = 0; i < sizeof own_files / sizeof *own_files; i++)
        if (status == FSD_OK && path_in_partial(p, own_files[i], path) &&
            !lstat(path, &st) && S_ISREG(st.st_mode))
            status = refuse_read(&(struct output){.path = path}, err);
    return status;
}

/* Removes the files of an earlier collect. Removes none and fails if the directory has
 * any other file. Also fails if it has files but no collect began in it, because the
 * files then belong to the user.
 * @param began whether UNFINISHED shows that a collect began here */
static enum fsd_status clear_partial(const struct partial *p, bool began,
                                     struct fsd_error *err)
{
    enum fsd_status status = FSD_OK;
    char first[NAME_MAX + 1] = ""; /* the alphabetically first of the files that
                                      must stay */
    int fd = openat(p->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;
    struct stat st;

    if (!folder) {
        if (fd >= 0)
            close(fd);
        return fail_errno(err, p->path);
    }
    began |=
        !fstatat(p->dir, own_files[0], &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode);
    while ((entry = readdir(folder))) {
        const char *name = entry->d_name;
        bool stays = !is_own(name) ||
                     (!began && *name != '.' && strcmp(name, FSD_UNFINISHED) != 0);

        if (stays && (!*first || strcmp(name, first) < 0))
            snprintf(first, sizeof first, "%s", name);
    }
    closedir(folder);
    if (*first)
        status = refuse_files(p, first, err);
    if (status == FSD_OK)
        status = refuse_inputs(p, err);
    for (size_t i = 0; i + 1 < sizeof own_files / sizeof *own_files; i++)
        if (status == FSD_OK && unlinkat(p->dir, own_files[i], 0) && errno != ENOENT)
            status = fail_errno(err, p->path);
    return status;
}

enum attempt { TAKEN, LOST, REFUSED };

static enum attempt refuse(const struct partial *p, const char *why,
                           struct fsd_error *err)
{
    if (why)
        fail_file(err, FSD_E_WRITE, p->path, "%s", why);
    else
        fail_errno(err, p->path);
    return REFUSED;
}

/* Locks a file or directory.
 * @return whether another process has the lock. Other errors are ignored: some file
 *         systems have no locks, and some, such as NFS, cannot lock a directory */
static bool is_locked(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
}

/* Opens or creates the file UNFINISHED and locks it, because some file systems cannot
 * lock a directory. */
static enum attempt lock_mark(struct partial *p, bool *began, struct fsd_error *err)
{
    static const int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC;

    p->mark = openat(p->dir, FSD_UNFINISHED, flags | O_CREAT | O_EXCL, 0666);
    *began = p->mark < 0 && errno == EEXIST;
    if (*began)
        p->mark = openat(p->dir, FSD_UNFINISHED, flags);
    if (p->mark < 0)
        return errno == ENOENT ? LOST : refuse(p, NULL, err);
    if (is_locked(p->mark))
        return refuse(p, "another collect is writing to this directory", err);
    return is_still(p->mark, p->dir, FSD_UNFINISHED) ? TAKEN : LOST;
}

/* Opens or creates DIR.partial, and locks it.
 * @param[out] began whether an earlier collect began in it
 * @return LOST if another collect renamed or removed it meanwhile */
static enum attempt lock_partial(struct partial *p, bool *began, struct fsd_error *err)
{
    if (mkdir(p->path, 0777) && errno != EEXIST)
        return refuse(p, NULL, err);
    p->dir = open(p->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (p->dir < 0 && errno == ENOENT)
        return LOST;
    if (p->dir < 0)
        return refuse(
            p, errno == ENOTDIR ? "expected a directory, found a link or a file" : NULL,
            err);
    if (is_locked(p->dir))
        return refuse(p, "another collect is writing to this directory", err);
    return is_still(p->dir, AT_FDCWD, p->path) ? lock_mark(p, began, err) : LOST;
}

void close_partial(struct partial *p)
{
    if (p->mark >= 0)
        close(p->mark);
    if (p->dir >= 0)
        close(p->dir);
    p->mark = p->dir = -1;
}

/* Removes the files of an earlier collect from the locked directory. If this fails and
 * no collect began here before, also removes UNFINISHED, which lock_mark() created. */
static enum fsd_status empty_partial(struct partial *p, bool began,
                                     struct fsd_error *err)
{
    enum fsd_status status = check_folder(p->folder, err);

    if (status == FSD_OK)
        status = clear_partial(p, began, err);
    if (status == FSD_OK && !realpath(p->path, p->absolute))
        status = fail_errno(err, p->path);
    if (status != FSD_OK && !began) {
        unlinkat(p->dir, FSD_UNFINISHED, 0);
        rmdir(p->path); /* succeeds only if it is empty */
    }
    return status;
}

enum fsd_status open_partial(struct partial *p, const char *folder,
                             struct fsd_error *err)
{
    size_t n = strlen(folder);
    enum attempt attempt;
    bool began = false;

    *p = (struct partial){.dir = -1, .mark = -1};
    while (n > 1 && folder[n - 1] == '/')
        n--;
    if (snprintf(p->path, sizeof p->path, "%.*s.partial", (int)n, folder) +
            (int)sizeof "/profile.json" >=
        (int)sizeof p->path)
        return fail_file(err, FSD_E_ARG, folder, "the path is too long");
    memcpy(p->folder, folder, n); /* without trailing slashes, which would make the
                                     system follow links */
    if (check_folder(p->folder, err) != FSD_OK)
        return err->status;
    while ((attempt = lock_partial(p, &began, err)) == LOST)
        close_partial(p);
    return attempt == TAKEN ? empty_partial(p, began, err) : err->status;
}

/* Renames the directory when all its contents are on the disk. The lock ends with the
 * program. */
enum fsd_status finish_partial(const struct partial *p, struct fsd_error *err)
{
    if (fsync(p->dir) && errno != EINVAL)
        return fail_errno(err, p->path);
    if (!is_still(p->dir, AT_FDCWD, p->path))
        return fail_file(err, FSD_E_WRITE, p->path,
                         "expected the directory of this build, found the directory of "
                         "another build");
    if (unlinkat(p->dir, FSD_UNFINISHED, 0) || rename(p->path, p->folder))
        return fail_errno(err, p->folder);
    return sync_folder(p->folder, err);
}

/* Creates a new file in the directory. Does not replace a file that the command wrote.
 * @return NULL, with the reason in `err`, if the file cannot be created */
FILE *create_in_partial(const struct partial *p, const char *name,
                        struct fsd_error *err)
{
    int fd = openat(p->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    0666);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    char path[PATH_MAX];

    if (!out && path_in_partial(p, name, path))
        fail_errno(err, path);
    if (!out && fd >= 0)
        close(fd);
    return out;
}

bool link_in_partial(const struct partial *p, const char *target, const char *name)
{
    return !symlinkat(target, p->dir, name);
}

unsigned kinds_in_partial(const struct partial *p)
{
    struct dirent **names;
    int n = scandir(p->path, &names, NULL, alphasort);
    unsigned kinds = 0;
    char path[PATH_MAX];

    for (int i = 0; i < n; i++) {
        if (*names[i]->d_name != '.' && path_in_partial(p, names[i]->d_name, path))
            kinds |= 1u << fsd_file_kind(path);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    return kinds;
}
