/*
 * What ties the library and the program to the system that they run on, and no two
 * systems do alike: memory for the bytes of files, threads, streams whose bytes go to a
 * function, jumps.  Files, folders and names have POSIX's vocabulary: files.h.
 *
 *     threads.c, program.c              everywhere
 *     posix.c, cookie.c, beside.c       Linux, macOS
 *     wasi.c, cookie.c, beside.c        WebAssembly
 *     windows.c, windows_files.c        Windows
 *     no_maps.c                         both of these
 */
#ifndef FSD_HOST_HOST_H
#define FSD_HOST_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* --------------------------------------------------------------------------- files */

/** A file without a name, which ends with its stream; NULL, with errno set. */
FILE *fsd_host_temporary(void);

/** A descriptor of a file that the file `of` names, in or below the folder of that one;
 *  -1 with errno set, EXDEV for one elsewhere.  beside.c */
int fsd_open_beside(const char *path, const char *of);

/** The last slash of a path, of which Windows has two kinds; NULL: it has none.
 *  program.c */
const char *fsd_host_slash(const char *path);

/** Bytes that cannot be predicted; false if the system has none now. */
bool fsd_host_random(void *at, size_t n);

/* ------------------------------------------------------------------------- process */

/** The first call of a program: its words in UTF-8, with "/" in the paths among them,
 *  and standard streams that change no byte. */
void fsd_host_begin(int *n, char ***words);

/** No more memory than that, which is written to, and no maps of files; false, with
 *  errno set, if the system refuses. */
bool fsd_host_limit_memory(uint64_t bytes);

/** Columns of the terminal behind standard output; 0: none is. */
unsigned fsd_host_columns(void);

/* ------------------------------------------------------------------------ programs */

/** The value of a variable of the environment, in UTF-8, to be freed; NULL. */
char *fsd_host_variable(const char *name);

/** The path of the program of this name in the first folder of the PATH that has it, to
 *  be freed; NULL.  Only folders with an absolute name count: what lies in the current
 *  one may be anybody's.  program.c */
char *fsd_host_program(const char *name);

struct fsd_host_command {
    const char *const
        *words;       /**< the path of a program, and its words; NULL ends them */
    FILE *streams[3]; /**< its standard streams, by fsd_host_temporary() */
    double seconds;   /**< of processor time, after which it is ended */
};

/** As long as it may compute, so many times may a program wait for others. */
enum { FSD_HOST_IDLE_TIMES = 60 };

struct fsd_host_outcome {
    bool good; /**< it ended with status 0 */
    bool timed_out;
    double spent; /**< seconds of processor time */
};

/** Runs a program to its end.  Its input is read from the beginning. */
struct fsd_host_outcome fsd_host_run(const struct fsd_host_command *command);

/* -------------------------------------------------------------------------- memory */

/** Whether files can be mapped. */
#if defined _WIN32 || defined __wasi__
enum { FSD_HOST_MAPS = false };
#else
enum { FSD_HOST_MAPS = true };
#endif

/** Addresses for n bytes, which take no memory until they are written; NULL, with errno
 *  set, if there are none. */
void *fsd_host_reserve(size_t n);

/** Before these are written: false if there is no memory for them. */
bool fsd_host_commit(void *at, size_t n);

/** The first n bytes of a file; NULL, with errno set. */
void *fsd_host_map(int fd, size_t n);

/** Frees what was reserved or mapped. */
void fsd_host_free(void *at, size_t n);

/** Gives memory back: these bytes of a mapping are read again when they are needed, and
 *  those that were reserved may be anything until they are committed again. */
void fsd_host_release(void *at, size_t n);

/** Of memory, in bytes. */
size_t fsd_host_page(void);

/** What happens when a page of a mapping is gone, since the file was truncated: `lost`
 *  returns the end of the mapping that `at` is in, up to which zeros take the place of
 *  its bytes; NULL: it is in none, which ends the process as without this. */
void fsd_host_on_lost(unsigned char *(*lost)(const unsigned char *at));

/* ------------------------------------------------------------------------- threads */

/* Without FSD_THREADS none can be started, and locks do nothing: a program has to work
 * with the thread that it has. */

#if defined FSD_THREADS
#include <pthread.h>
typedef pthread_t fsd_thread;
typedef pthread_mutex_t fsd_lock;
typedef pthread_cond_t fsd_event;
#define FSD_LOCK_INIT  PTHREAD_MUTEX_INITIALIZER
#define FSD_EVENT_INIT PTHREAD_COND_INITIALIZER
#else
typedef char fsd_thread, fsd_lock, fsd_event;
#define FSD_LOCK_INIT  0
#define FSD_EVENT_INIT 0
#endif

/** Starts a thread.
 *  @param stack  bytes; 0: what the system thinks right
 *  @param quiet  signals do not interrupt it
 *  @return false if there can be none. */
bool fsd_thread_start(fsd_thread *out, void *(*run)(void *payload), void *payload,
                      size_t stack, bool quiet);
void fsd_thread_join(fsd_thread thread);

/** How many can run at once, at least 1. */
unsigned fsd_processors(void);

void fsd_lock_init(fsd_lock *lock);
void fsd_lock_free(fsd_lock *lock);
void fsd_lock_take(fsd_lock *lock);
void fsd_lock_give(fsd_lock *lock);

/** Waits, without the lock, for fsd_event_wake() by another thread; or for nothing. */
void fsd_event_wait(fsd_event *event, fsd_lock *lock);
/** @param all  of those that wait, or one */
void fsd_event_wake(fsd_event *event, bool all);

/* ------------------------------------------------------------------------- streams */

/** A stream that passes its bytes on, at the latest when it is flushed or closed.  It
 *  must not be moved before that, and only one thread may use it. */
struct fsd_host_stream {
    void *cookie;
    /** @return whether all n bytes were taken; the stream has an error if not. */
    bool (*write)(void *cookie, const char *bytes, size_t n);
    /** When it is closed, which may free this; may be NULL.
     *  @return 0; EOF */
    int (*close)(void *cookie);
};

/** NULL where there is no memory. */
FILE *fsd_host_stream_open(struct fsd_host_stream *as);
/** Before it is closed: what has not been passed on is lost. */
void fsd_host_stream_purge(FILE *stream);

#if defined _WIN32 /* its C library knows nothing of such a stream */
int fsd_host_fflush(FILE *stream);
int fsd_host_fclose(FILE *stream);
#define fflush fsd_host_fflush
#define fclose fsd_host_fclose
#endif

/* --------------------------------------------------------------------------- jumps */

/* WebAssembly's instances have none: lack of memory ends them, which their embedder
 * sees. */

#if defined __wasi__
typedef char fsd_jump_point;
#define FSD_JUMP_HERE(point) ((void)(point), 0)
#define FSD_JUMP_TO(point)   __builtin_trap()
#else
#include <setjmp.h>
typedef jmp_buf fsd_jump_point;
#define FSD_JUMP_HERE(point) setjmp(point)
#define FSD_JUMP_TO(point)   longjmp(point, 1)
#endif

#endif
