/*
 * The functions of host.h for Unix. Two cases need care: a mapped page is lost if
 * another program truncates the file (SIGBUS), and a child process must end when its
 * time is over.
 */
#include "host/files.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#if defined __APPLE__
#include <sys/random.h>
#else
#include <linux/random.h>
#include <sys/syscall.h>
#endif

FILE *fsd_host_temporary(void)
{
    return tmpfile();
}

uint64_t fsd_host_copy(int from, uint64_t at, int to, uint64_t n)
{
    uint64_t done = 0;

#if defined SYS_copy_file_range /* called directly: glibc before 2.27 lacks it */
    enum { STEP = 1 << 30 };

    while (done < n) {
        int64_t offset = (int64_t)(at + done);
        uint64_t left = n - done;
        long copied = syscall(SYS_copy_file_range, from, &offset, to, NULL,
                              (size_t)(left < STEP ? left : STEP), 0U);

        if (copied <= 0 && !(copied < 0 && errno == EINTR))
            break;
        done += copied > 0 ? (uint64_t)copied : 0;
    }
#else
    (void)from, (void)at, (void)to, (void)n;
#endif
    return done;
}

bool fsd_host_random(void *at, size_t n)
{
#if defined __APPLE__
    return !getentropy(at, n);
#else
    /* Early in a boot, or in a sandbox, the system may have no random bytes. The system
     * call is made directly because glibc before 2.25 has no getrandom(). */
    return syscall(SYS_getrandom, at, n, GRND_NONBLOCK) == (long)n;
#endif
}

unsigned fsd_processors(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN);

    return n < 1 ? 1 : n > UINT16_MAX ? UINT16_MAX : (unsigned)n;
}

/* ------------------------------------------------------------------------- process */

/* Opens /dev/null for each standard stream that is closed. Otherwise, a file that the
 * program opens later would become this stream, and would get its output. Standard
 * input is opened for writing and the others for reading, so that using them fails. */
void fsd_host_begin(int *n, char ***words)
{
    (void)n, (void)words;
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd ? O_RDONLY : O_WRONLY);
}

bool fsd_host_limit_memory(uint64_t bytes)
{
    struct rlimit limit;

    if (!getrlimit(RLIMIT_DATA, &limit) && bytes >= limit.rlim_cur)
        return true;
    limit.rlim_cur = (rlim_t)bytes;
    return !setrlimit(RLIMIT_DATA, &limit);
}

unsigned fsd_host_columns(void)
{
    struct winsize size;

    return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size)
               ? size.ws_col
               : 0;
}

/* ------------------------------------------------------------------------ programs */

char *fsd_host_variable(const char *name)
{
    const char *value = getenv(name);

    return value ? strdup(value) : NULL;
}

/* Runs in the child process. Signals are blocked until here, because their handlers
 * belong to the parent. */
static void become(const struct fsd_host_command *c, const sigset_t *mask)
{
    rlim_t seconds = (rlim_t)(c->seconds + 0.999); /* RLIMIT_CPU counts whole seconds,
                                                      so fractions are rounded up */
    const struct rlimit limit = {seconds, seconds + 1};

    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    for (int i = 0; i < 3; i++)
        if (dup2(fileno(c->streams[i]), i) < 0)
            _exit(127);
    if (!setrlimit(RLIMIT_CPU, &limit))
        execv(c->words[0], (char *const *)(uintptr_t)c->words);
    _exit(127);
}

static double seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

enum { NAP = 2000000 }; /* nanoseconds between two checks for the end of the program */

/* Waits until the child process ends, and kills it after its limit of elapsed time:
 * RLIMIT_CPU does not end a process that only waits. */
static int wait_for(pid_t child, double seconds, struct rusage *used)
{
    const struct timespec nap = {.tv_nsec = NAP};
    double naps = (seconds + 1) * FSD_HOST_IDLE_TIMES * (1e9 / NAP);
    int status = -1;
    pid_t ended;

    while ((ended = wait4(child, &status, naps > 0 ? WNOHANG : 0, used)) <= 0) {
        if (ended < 0 && errno != EINTR)
            return -1;
        nanosleep(&nap, NULL);
        if (--naps <= 0)
            kill(child, SIGKILL);
    }
    return status;
}

struct fsd_host_outcome fsd_host_run(const struct fsd_host_command *command)
{
    struct fsd_host_outcome o = {0};
    struct rusage used = {0};
    sigset_t all, before;
    pid_t child;
    int status;

    rewind(command->streams[0]);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    child = fork();
    if (!child)
        become(command, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (child < 0)
        return o;
    status = wait_for(child, command->seconds, &used);
    o.good = !status;
    o.spent = seconds_of(&used.ru_utime) + seconds_of(&used.ru_stime);
    o.timed_out = status >= 0 && WIFSIGNALED(status) &&
                  (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
    return o;
}

/* -------------------------------------------------------------------------- memory */

static void *map(int fd, size_t n, int protection, int flags)
{
    void *at = mmap(NULL, n, protection, MAP_PRIVATE | flags, fd, 0);

    return at == MAP_FAILED ? NULL : at;
}

void *fsd_host_reserve(size_t n)
{
#if !defined MAP_NORESERVE
#define MAP_NORESERVE 0
#endif
    return map(-1, n, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_NORESERVE);
}

bool fsd_host_commit(void *at, size_t n)
{
    (void)at, (void)n;
    return true;
}

void *fsd_host_map(int fd, size_t n)
{
    return map(fd, n, PROT_READ, 0);
}

void fsd_host_free(void *at, size_t n)
{
    munmap(at, n);
}

/* madvise() is called directly, because posix_madvise() of glibc ignores DONTNEED. */
void fsd_host_release(void *at, size_t n)
{
    madvise(at, n, MADV_DONTNEED);
}

size_t fsd_host_page(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Each thread that maps a file sets this pointer, always to the same function. */
static unsigned char *(*_Atomic lose)(const unsigned char *at);
static struct sigaction before;

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    unsigned char *at = info->si_addr, *from = at - (uintptr_t)at % fsd_host_page(),
                  *end = lose(at);

    if (end && mmap(from, (size_t)(end - from), PROT_READ,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
        return;
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, context);
    else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
        before.sa_handler(number);
    else
        sigaction(number, &before, NULL); /* on return, the fault occurs again and
                                             reaches `before` */
}

static void set_handler(void)
{
    struct sigaction action = {.sa_sigaction = on_bus_error,
                               .sa_flags = SA_SIGINFO | SA_NODEFER};

    sigaction(SIGBUS, &action, &before);
}

/* Installs on_bus_error() as the handler of SIGBUS. It handles faults in mapped files,
 * and passes all other faults to the handler that the program had before. */
void fsd_host_on_lost(unsigned char *(*lost)(const unsigned char *at))
{
#if defined FSD_THREADS
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    lose = lost;
    pthread_once(&once, set_handler);
#else
    if (!lose)
        set_handler();
    lose = lost;
#endif
}
