/*
 * The calls of the library and the program that differ from system to system: memory
 * for the bytes of files, threads, streams whose bytes go to a function, and jumps.
 * Files and folders are opened by POSIX's functions (files.h). FSD_IF_EDIT() chooses
 * between the texts of programs with and without the edit library.
 *
 *     threads.c, program.c              everywhere
 *     posix.c, cookie.c, beside.c       Linux, macOS
 *     wasi.c, cookie.c, beside.c        WebAssembly
 *     windows.c, windows_files.c        Windows
 *     no_maps.c                         WebAssembly, Windows
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* --------------------------------------------------------------------------- files */

/** Opens a file without a name, which disappears when its stream is closed. Returns
 * NULL, with errno set, on failure. */
FILE *fsd_host_temporary(void);

/** Opens the file at `path`, which the file `of` names. The opened file must be in or
 * below the folder of `of`. Returns a descriptor, or -1 with errno set: EXDEV if the
 * opened file would be in another folder. See beside.c. */
int fsd_open_beside(const char *path, const char *of);

/** Returns the last slash of a path, on Windows also a backslash; NULL if the path has
 * none. */
const char *fsd_host_slash(const char *path);

/** Copies n bytes of the file `from`, beginning at offset `at`, to the current position
 *  of the file `to`. The system copies them, so they do not pass through this process.
 *  @return the number of bytes copied: fewer than n, or 0, if the system cannot copy
 *  them */
uint64_t fsd_host_copy(int from, uint64_t at, int to, uint64_t n);

/** Fills n bytes at `at` with unpredictable data. Returns false if the system has none
 * at present. */
bool fsd_host_random(void *at, size_t n);

/* ------------------------------------------------------------------------- process */

/** Prepares the process; main() calls it first. On Windows, it converts the arguments
 * to UTF-8 with "/" in paths, and sets the standard streams to binary. */
void fsd_host_begin(int *n, char ***words);

/** Limits the writable memory of this process to `bytes`, and forbids maps of files.
 * Returns false, with errno set, if the system refuses. */
bool fsd_host_limit_memory(uint64_t bytes);

/** Returns the number of columns of the terminal at standard output; 0 if standard
 * output is no terminal. */
unsigned fsd_host_columns(void);

/* ------------------------------------------------------------------------ programs */

/** Returns the value of an environment variable in UTF-8; NULL if it is not set. The
 * caller frees it. */
char *fsd_host_variable(const char *name);

/** Returns the path of the program in the first folder of PATH that contains it; NULL
 * if none does. The caller frees the path. Only folders with absolute paths are
 * searched, because anybody may have put files into the current folder. */
char *fsd_host_program(const char *name);

struct fsd_host_command {
    const char *const
        *words;       /**< the path of a program and its arguments, ended by NULL */
    FILE *streams[3]; /**< the program's standard streams, from fsd_host_temporary() */
    double seconds;   /**< seconds of processor time after which the system ends the
                           program */
};

/** The limit on a program's elapsed time, in seconds, is this factor times
 * (fsd_host_command.seconds + 1). The factor is large because the program may have to
 * wait for other programs. */
enum { FSD_HOST_IDLE_TIMES = 60 };

struct fsd_host_outcome {
    bool good; /**< the program ended with status 0 */
    bool timed_out;
    double spent; /**< the processor time that the program used, in seconds */
};

/** Runs a program until it ends or its time is over. The program reads its standard
 * input from the beginning of streams[0]. */
struct fsd_host_outcome fsd_host_run(const struct fsd_host_command *command);

/* --------------------------------------------------------------------------- edits */

/** Expands to `with`, or to `without` in a program without the edit library. Each text
 * that names a verb or an option of that library stands in this macro, so that no
 * report advises what the program lacks. */
#ifdef FSD_EDIT
#define FSD_IF_EDIT(with, without) with
#else
#define FSD_IF_EDIT(with, without) without
#endif

/* -------------------------------------------------------------------------- memory */

/** Whether the system can map files. */
#if defined _WIN32 || defined __wasi__
enum { FSD_HOST_MAPS = false };
#else
enum { FSD_HOST_MAPS = true };
#endif

/** Reserves addresses for n bytes. The bytes take no memory until they are written.
 * Returns NULL, with errno set, if not so many addresses are free. */
void *fsd_host_reserve(size_t n);

/** Makes n reserved bytes at `at` usable. The caller must do so before it writes the
 * bytes. Returns false if there is no memory for them. */
bool fsd_host_commit(void *at, size_t n);

/** Maps the first n bytes of the open file `fd` into memory, for reading. Returns NULL,
 * with errno set, on failure. */
void *fsd_host_map(int fd, size_t n);

/** Frees reserved or mapped memory. */
void fsd_host_free(void *at, size_t n);

/** Returns the memory of n bytes at `at` to the system, but keeps their addresses.
 * Mapped bytes may still be read: the system then reads the file again. Reserved bytes
 * lose their values, and must be committed again. */
void fsd_host_release(void *at, size_t n);

/** Size of a page of memory, in bytes. */
size_t fsd_host_page(void);

/** Sets the function that is called when this process reads a lost page. A mapped page
 * is lost if another program truncates the file.
 *  @param lost  gets the address `at` that was read, and returns the end of the mapping
 *               that contains `at`. Zeros then replace the bytes from the lost page to
 *               this end. If no mapping contains `at`, returns NULL. The process then
 *               ends, as it would without `lost`. */
void fsd_host_on_lost(unsigned char *(*lost)(const unsigned char *at));

/* ------------------------------------------------------------------------- threads */

/* In a build without FSD_THREADS, fsd_thread_start() fails and locks do nothing, so the
 * program must work with one thread. */

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

/** Starts a thread that runs `run(payload)`.
 *  @param stack  the size of its stack in bytes; 0: the default of the system
 *  @param quiet  signals do not interrupt this thread
 *  @return false if the system cannot start one. */
bool fsd_thread_start(fsd_thread *out, void *(*run)(void *payload), void *payload,
                      size_t stack, bool quiet);
void fsd_thread_join(fsd_thread thread);

/** Returns how many threads can run at once, at least 1. */
unsigned fsd_processors(void);

void fsd_lock_init(fsd_lock *lock);
void fsd_lock_free(fsd_lock *lock);
void fsd_lock_take(fsd_lock *lock);
void fsd_lock_give(fsd_lock *lock);

/** Releases the lock, waits until another thread calls fsd_event_wake(), and takes the
 * lock again. It may also return although no thread called. */
void fsd_event_wait(fsd_event *event, fsd_lock *lock);
/** Wakes threads that wait for the event.
 * @param all  true: all of them; false: one */
void fsd_event_wake(fsd_event *event, bool all);

/* ------------------------------------------------------------------------- streams */

/** A stream that forwards its bytes to the function `write`, at the latest when it is
 * flushed or closed. The struct must not be moved while the stream is open, and only
 * one thread may use the stream. */
struct fsd_host_stream {
    void *cookie;
    /** Receives n bytes.
     *  @return true if it accepted all of them; otherwise the stream gets an error. */
    bool (*write)(void *cookie, const char *bytes, size_t n);
    /** Called when the stream is closed; may free this struct. NULL: nothing is called.
     *  @return 0, or EOF after an error */
    int (*close)(void *cookie);
};

/** Opens a stream that calls the functions in `as`. Returns NULL if there is no
 * memory. */
FILE *fsd_host_stream_open(struct fsd_host_stream *as);
/** Discards the bytes that the stream has not yet forwarded. Closing it then forwards
 * nothing. */
void fsd_host_stream_purge(FILE *stream);

#if defined _WIN32 /* Windows' C library cannot open a stream that calls a function */
int fsd_host_fflush(FILE *stream);
int fsd_host_fclose(FILE *stream);
#define fflush fsd_host_fflush
#define fclose fsd_host_fclose
#endif

/* --------------------------------------------------------------------------- jumps */

/* WebAssembly has no setjmp(). If memory runs out, the WebAssembly instance ends, and
 * the program that embeds it gets an error. */

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
