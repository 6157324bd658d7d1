/*
 * Handles early ends of the program: by a signal, or because memory is exhausted. The
 * program's temporary files and directories are then removed.
 *
 * Signals are blocked while a file is created and added to the list, so that the
 * handler misses no file. They are also blocked while a file is removed and taken from
 * the list: meanwhile another program may create a file with the same name, and the
 * handler must not remove that file.
 */
#include "cli/cli.h"
#include "host/files.h"

#include <signal.h>

#if defined _WIN32
static const int ends[] = {SIGINT, SIGTERM};
#else
static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
#endif

/* The list of temporary files, the newest first, so that files are removed before their
 * directory. The signal handler reads it. */
static struct temporary *volatile temporaries;

static void remove_temporaries(void)
{
    for (const struct temporary *t = temporaries; t; t = t->older)
        if (unlink(t->path))
            rmdir(t->path);
}

static void remove_and_end(int number)
{
    remove_temporaries();
    signal(number, SIG_DFL);
    raise(number);
}

void end_without_memory(void)
{
    static const char text[] = "fusiondiff: out of memory\n";
    ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);

    (void)ignored;
    remove_temporaries();
    _exit(TROUBLE);
}

void *must(void *memory)
{
    if (!memory)
        end_without_memory();
    return memory;
}

void prepare_ends(void)
{
    fsd_on_out_of_memory(end_without_memory);
    fsd_map_files(true);
#if !defined _WIN32
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
#endif
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (signal(ends[i], remove_and_end) == SIG_IGN) /* nohup */
            signal(ends[i], SIG_IGN);
}

#if defined _WIN32

void end_by(int number, bool whole_job)
{
    (void)whole_job;
    remove_temporaries();
    _exit(128 + number);
}

#else

void end_by(int number, bool whole_job)
{
    sigset_t open;

    fflush(stdout);
    remove_temporaries();
    signal(number, SIG_DFL);
    sigprocmask(SIG_BLOCK, NULL, &open);
    sigdelset(&open, number);
    sigprocmask(SIG_SETMASK, &open, NULL);
    if (whole_job)
        kill(0, number);
    raise(number);
    _exit(128 + number); /* reached if this program is process 1 of a container, which
                            ignores the signal */
}

#endif

/* --------------------------------------------------------------- temporary files */

#if defined _WIN32 /* on Windows, handlers run in threads, so nothing is blocked */

typedef int sigset_t;

static sigset_t block_ends(void)
{
    return 0;
}

static void unblock_ends(const sigset_t *before)
{
    (void)before;
}

#else

static sigset_t block_ends(void)
{
    sigset_t blocked, before;

    sigprocmask(SIG_BLOCK, NULL, &before);
    blocked = before;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        sigaddset(&blocked, ends[i]);
    sigprocmask(SIG_SETMASK, &blocked, NULL);
    return before;
}

static void unblock_ends(const sigset_t *before)
{
    sigprocmask(SIG_SETMASK, before, NULL); /* keeps errno */
}

#endif

void add_temporary(struct temporary *t)
{
    t->older = temporaries;
    temporaries = t;
}

int make_temporary(struct temporary *t, int suffix)
{
    sigset_t before = block_ends();
    int fd = mkostemps(t->path, suffix, O_CLOEXEC);

    if (fd >= 0)
        add_temporary(t);
    unblock_ends(&before);
    return fd;
}

bool make_temporary_folder(struct temporary *t)
{
    sigset_t before = block_ends();
    bool made = mkdtemp(t->path);

    if (made)
        add_temporary(t);
    unblock_ends(&before);
    return made;
}

void drop_temporary(struct temporary *t, bool gone)
{
    sigset_t before = block_ends();
    struct temporary *newer = temporaries;

    if (!gone && unlink(t->path))
        rmdir(t->path);
    while (newer != t && newer->older != t)
        newer = newer->older;
    if (newer == t)
        temporaries = t->older;
    else
        newer->older = t->older;
    unblock_ends(&before);
}
