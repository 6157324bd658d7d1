/* Reads files as they are when their writer was stopped, many cuts in one process:
 *
 *     cuts [--sample N] FILE...
 *
 * Each file is cut at every byte up to 20 kB and at 500 bytes beyond, drawn with a
 * fixed seed; with --sample at N bytes of all files together.  A cut that does not end
 * takes more processor time or memory than any may, which the system ends: the file and
 * the byte are printed, and no clock is looked at.  Exit status 77 when a file is
 * absent. */
#include "support_engine.h"
#include "support_file.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    EACH = 20000, /* bytes, up to which each is a cut */
    LAST = 1000,  /* bytes, in which a log has what is listed of the whole engine */
    BEYOND = 500, /* cuts behind them */
    SECONDS = 60, /* of processor time, a hundred times what a cut of 2 MB takes */
    MEGABYTES = 3000
};

const char *__asan_default_options(void);

/* The address sanitizer maps terabytes, so that no limit of the system can bound it: it
 * bounds itself by what it holds.  It only finds a visible function. */
__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
    return "hard_rss_limit_mb=3000:handle_sigill=1:exitcode=99";
}

static char place[4200]; /* what is printed when a cut does not end */

static void give_up(int signal)
{
    ssize_t n = write(STDERR_FILENO, place, strlen(place));

    (void)signal;
    _exit(n < 0 ? 3 : 1);
}

static void limit_memory(void)
{
#ifndef __SANITIZE_ADDRESS__
    struct rlimit most = {(rlim_t)MEGABYTES << 20, (rlim_t)MEGABYTES << 20};

    check(!setrlimit(RLIMIT_AS, &most));
#endif
}

/* From now on. */
static void limit_time(void)
{
    struct rusage used;
    struct rlimit most;

    check(!getrusage(RUSAGE_SELF, &used) && !getrlimit(RLIMIT_CPU, &most));
    most.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + SECONDS;
    check(!setrlimit(RLIMIT_CPU, &most));
}

static void cut(const char *path, const uint8_t *data, size_t n)
{
    snprintf(place, sizeof place, "%s: does not end when it is cut at byte %zu\n", path,
             n);
    limit_time();
    fuzz_read_cut(data, n);
}

/* A number below `most`, of a sequence that is the same in each run. */
static size_t draw(size_t most)
{
    static uint64_t state = 20260;

    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return most ? (size_t)((state >> 33) % most) : 0;
}

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    uint8_t *data;

    if (!in || fseek(in, 0, SEEK_END)) {
        printf("skipped: %s is absent\n", path);
        exit(77);
    }
    *size = (size_t)ftell(in);
    rewind(in);
    data = malloc(*size ? *size : 1);
    check(data && fread(data, 1, *size, in) == *size);
    fclose(in);
    return data;
}

static unsigned cut_file(const char *path, unsigned sample)
{
    size_t size;
    uint8_t *data = read_file(path, &size);
    unsigned cuts = 0;

    for (; sample && cuts < sample; cuts++) /* every other one near the end */
        cut(path, data,
            cuts % 2 ? size - draw(size < LAST ? size : LAST) : draw(size + 1));
    for (size_t n = 0; !sample && n <= size && n <= EACH; n++, cuts++)
        cut(path, data, n);
    for (unsigned i = 0; !sample && size > EACH && i < BEYOND; i++, cuts++)
        cut(path, data, EACH + 1 + draw(size - EACH));
    free(data);
    return cuts;
}

int main(int argc, char **argv)
{
    int first = argc > 2 && !strcmp(argv[1], "--sample") ? 3 : 1, files = argc - first;
    unsigned sample = first == 3 ? (unsigned)atoi(argv[2]) : 0, cuts = 0;

    if (files < 1) {
        fprintf(stderr, "usage: cuts [--sample N] FILE...\n");
        return 2;
    }
    signal(SIGXCPU, give_up);
    limit_memory();
    for (int i = first; i < argc; i++)
        cuts += cut_file(argv[i],
                         sample ? (sample + (unsigned)files - 1) / (unsigned)files : 0);
    printf("%u cuts of %d files\n", cuts, files);
    return cuts ? 0 : 2;
}
