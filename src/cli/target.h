/*
 * What stands behind an output's path, and so how it may be written.
 *
 * A build that is checked may hold a stranger's files, and the one who checks it may be
 * root: a path is not what it seems.  Nothing but the file that the user named is ever
 * written, and what cannot be replaced is not.
 */
#ifndef FSD_CLI_TARGET_H
#define FSD_CLI_TARGET_H

#include <fusiondiff/fusiondiff.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

enum target_kind {
    TARGET_NEW,       /**< nothing is there */
    TARGET_FILE,      /**< a file of one name: another one takes its place */
    TARGET_HARD_LINK, /**< a file of several names: all of them shall show the report */
    TARGET_STREAM     /**< a device, pipe or socket, or a file that is open already */
};

struct target {
    enum target_kind kind;
    char path[PATH_MAX]; /**< where the links end */
    int descriptor;      /**< STREAM that is open already (/dev/stdout), else -1 */
    struct stat old;     /**< FILE and HARD_LINK: what is there */
};

/** Follows `path` to what is to be written.
 *  Refuses, with the reason in `err`: a link that leads out of the folder it lies in
 *  (unless `follow`, or a character device, pipe or open file is at its end), a file
 *  without write permission, a directory. */
enum fsd_status find_target(struct target *out, const char *path, bool follow,
                            struct fsd_error *err);

/** @param path  may be NULL, which has no ending. */
bool ends_with(const char *path, const char *ending);

/** True when two paths are of files in one folder. */
bool is_same_folder(const char *a, const char *b);

/** Fills `err` as the library does; what does not fit is cut. */
enum fsd_status fail_file(struct fsd_error *err, enum fsd_status status,
                          const char *file, const char *what, ...)
    __attribute__((format(printf, 4, 5)));
/** FSD_E_WRITE, in the words of errno. */
enum fsd_status fail_errno(struct fsd_error *err, const char *file);

#endif
