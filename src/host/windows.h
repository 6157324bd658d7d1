/*
 * Declares the POSIX functions that the program uses and that windows_files.c
 * implements for Windows. Names are UTF-8 and files are binary, independent of the
 * system's code page and the C library's default. Symbolic links are followed: Windows
 * lets only users with a special privilege create them.
 */
#pragma once

#include <direct.h>
#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#undef PATH_MAX
#define PATH_MAX 4096
#if !defined NAME_MAX
#define NAME_MAX 255
#endif

#define O_CLOEXEC   _O_NOINHERIT
#define O_NONBLOCK  0
#define O_NOFOLLOW  0
#define O_NOCTTY    0
#define O_DIRECTORY 0

#define S_ISLNK(mode)  0
#define S_ISSOCK(mode) 0
#undef S_IWGRP
#undef S_IWOTH
#define S_IWGRP 0
#define S_IWOTH 0
#if !defined EDQUOT
#define EDQUOT ENOSPC
#endif
#if !defined ESTALE
#define ESTALE ENOENT
#endif

/* Like POSIX's struct stat. Windows' own struct lacks the number of the file on its
 * volume (st_ino). */
struct fsd_stat {
    uint64_t st_dev, st_ino;
    int64_t st_size;
    unsigned st_mode, st_nlink, st_uid, st_gid;
};

struct fsd_dirent {
    char d_name[1024];
};

struct fsd_dir;

int fsd_stat(const char *path, struct fsd_stat *out);
int fsd_fstat(int fd, struct fsd_stat *out);
int fsd_open(const char *path, int flags, ...);
int fsd_unlink(const char *path);
int fsd_rmdir(const char *path);
int fsd_mkdir(const char *path, unsigned mode);
int fsd_rename(const char *from, const char *to);
int fsd_access(const char *path, int how);
FILE *fsd_fopen(const char *path, const char *mode);
FILE *fsd_fdopen(int fd, const char *mode);
struct fsd_dir *fsd_opendir(const char *path);
struct fsd_dirent *fsd_readdir(struct fsd_dir *dir);
int fsd_closedir(struct fsd_dir *dir);
char *fsd_realpath(const char *path, char *out);
ssize_t fsd_pread(int fd, void *at, size_t n, int64_t from);
ssize_t fsd_getline(char **line, size_t *room, FILE *in);
void *fsd_memmem(const void *text, size_t n, const void *word, size_t m);
int fsd_fnmatch(const char *pattern, const char *text, int flags);
int fsd_mkstemps(char *path, int suffix);
char *fsd_mkdtemp(char *path);

#define stat                          fsd_stat
#define lstat(path, out)              fsd_stat(path, out)
#define fstat(fd, out)                fsd_fstat(fd, out)
#define open(...)                     fsd_open(__VA_ARGS__)
#define unlink(path)                  fsd_unlink(path)
#define rmdir(path)                   fsd_rmdir(path)
#define mkdir(path, mode)             fsd_mkdir(path, mode)
#define rename(from, to)              fsd_rename(from, to)
#define access(path, how)             fsd_access(path, how)
#define fopen(path, mode)             fsd_fopen(path, mode)
#define fdopen(fd, mode)              fsd_fdopen(fd, mode)
#define DIR                           struct fsd_dir
#define dirent                        fsd_dirent
#define opendir(path)                 fsd_opendir(path)
#define readdir(dir)                  fsd_readdir(dir)
#define closedir(dir)                 fsd_closedir(dir)
#define realpath(path, out)           fsd_realpath(path, out)
#define pread(fd, at, n, from)        fsd_pread(fd, at, n, from)
#define getline(line, room, in)       fsd_getline(line, room, in)
#define memmem(text, n, word, m)      fsd_memmem(text, n, word, m)
#define fnmatch(pattern, text, flags) fsd_fnmatch(pattern, text, flags)
#define mkdtemp(path)                 fsd_mkdtemp(path)
#define mkostemps(path, n, flags)     fsd_mkstemps(path, n)
#define readlink(path, out, n)        ((void)(path), (void)(out), (ssize_t)-1)
/* POSIX's functions take a size_t, Windows' an unsigned int. */
#define read(fd, at, n)         _read(fd, at, (n) > INT_MAX ? INT_MAX : (unsigned)(n))
#define write(fd, at, n)        _write(fd, at, (n) > INT_MAX ? INT_MAX : (unsigned)(n))
#define fsync(fd)               _commit(fd)
#define fchmod(fd, mode)        ((void)(fd), (void)(mode), 0)
#define chmod(path, mode)       ((void)(path), (void)(mode), 0)
#define fchown(fd, user, group) ((void)(fd), 0)
#define umask(mode)             ((mode_t)_umask(mode))
#define geteuid()               0u
#define getegid()               0u
#define timegm                  _mkgmtime
#define gmtime_r(at, out)       (gmtime_s(out, at) ? NULL : (out))

enum { FNM_NOESCAPE = 1, FNM_CASEFOLD = 2 };

enum { FALLOC_FL_KEEP_SIZE };
#define fallocate(fd, how, at, n) (errno = ENOSYS, (void)(fd), -1)
