/* POSIX's functions for files, folders and names. Only this header includes POSIX's
 * headers. For Windows, which lacks them, windows.h declares a counterpart of each
 * function that the program uses. */
#pragma once

#include "host/host.h"

#if defined _WIN32
#include "host/windows.h"
#else
#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#if defined __APPLE__ /* macOS has no fallocate() */
enum { FALLOC_FL_KEEP_SIZE };
#define fallocate(fd, how, at, n) (errno = ENOSYS, (void)(fd), (void)(n), -1)
#endif
