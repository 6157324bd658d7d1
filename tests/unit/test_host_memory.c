/* Memory of the system, pages of mapped files that are lost, and threads. */
#define _GNU_SOURCE /* pthread_getattr_np() */
#include "host/host.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/* Returns a file of `n` pages, each of whose bytes is the page's letter. */
static FILE *file_of(size_t n)
{
    FILE *file = tmpfile();

    for (size_t i = 0; i < n * fsd_host_page(); i++)
        putc('a' + (int)(i / fsd_host_page()), file);
    fflush(file);
    return file;
}

static bool is_mapped(void *at)
{
    return !msync(at, fsd_host_page(), MS_ASYNC);
}

static void reserved(void **state)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *at = fsd_host_reserve(4 * page);

    (void)state;
    assert_int_equal(fsd_host_page(), page);
    assert_non_null(at);
    assert_true(fsd_host_commit(at, 4 * page));
    memset(at, 7, 4 * page);
    /* The system has the bytes of the second page again: zeros replace them. */
    fsd_host_release(at + page, page);
    assert_true(at[page - 1] == 7 && !at[page] && !at[2 * page - 1] &&
                at[2 * page] == 7);
    fsd_host_free(at, 4 * page);
    assert_false(is_mapped(at) || is_mapped(at + 3 * page));
    errno = 0;
    assert_null(fsd_host_reserve(SIZE_MAX / 2));
    assert_int_equal(errno, ENOMEM);
}

static void mapped(void **state)
{
    const size_t page = fsd_host_page();
    FILE *file = file_of(2);
    unsigned char *at = fsd_host_map(fileno(file), 2 * page);

    (void)state;
    assert_non_null(at);
    assert_true(at[0] == 'a' && at[2 * page - 1] == 'b');
    fsd_host_release(at, 2 * page);
    assert_true(at[0] == 'a' && at[2 * page - 1] == 'b');
    fsd_host_free(at, 2 * page);
    assert_false(is_mapped(at));
    fclose(file);
    assert_null(fsd_host_map(-1, page));
    assert_int_equal(errno, EBADF);
}

/* ---------------------------------------------------------------------- lost pages */

static struct {
    unsigned char *known, *other; /* mappings of two pages whose second page is lost */
    int calls;
} lost;

static unsigned char *end_of_known(const unsigned char *at)
{
    const size_t page = fsd_host_page();

    return at >= lost.known && at < lost.known + 2 * page ? lost.known + 2 * page
                                                          : NULL;
}

static void plain(int number)
{
    _exit(number == SIGBUS ? 10 : 1);
}

/* It reads a lost page itself: another handler may use the library. */
static void full(int number, siginfo_t *about, void *context)
{
    const size_t page = fsd_host_page();

    _exit(number == SIGBUS && context && about->si_addr == lost.other + page &&
                  !lost.known[page]
              ? 11
              : 1);
}

static unsigned char *without_second_page(void)
{
    const size_t page = fsd_host_page();
    FILE *file = file_of(2);
    unsigned char *at = fsd_host_map(fileno(file), 2 * page);

    if (!at || ftruncate(fileno(file), (off_t)page))
        _exit(2);
    return at;
}

/* Reads a lost page of a mapping, in a process of its own that had the handler
 * `before`. Returns how the process ended. */
static int end_of_reading(const struct sigaction *before, bool known)
{
    pid_t child = fork();
    int status;

    if (!child) {
        const size_t page = fsd_host_page();

        sigaction(SIGBUS, before, NULL);
        lost.known = without_second_page();
        lost.other = without_second_page();
        fsd_host_on_lost(end_of_known);
        if (known) /* zeros up to the end of the mapping, and the rest stays */
            _exit(!lost.known[page + 1] && !lost.known[2 * page - 1] &&
                          lost.known[page - 1] == 'a'
                      ? 0
                      : 1);
        _exit(lost.other[page] ? 3 : 4);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* What no mapping caused belongs to the handler that was there before. */
static void pages_are_lost(void **state)
{
    const struct {
        struct sigaction before;
        int end;
    } cases[] = {
        {{.sa_handler = SIG_DFL}, -SIGBUS},
        {{.sa_handler = SIG_IGN}, -SIGBUS},
        {{.sa_handler = plain}, 10},
        {{.sa_sigaction = full, .sa_flags = SA_SIGINFO}, 11},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(end_of_reading(&cases[i].before, true), 0);
        assert_int_equal(end_of_reading(&cases[i].before, false), cases[i].end);
    }
}

/* ------------------------------------------------------------------------- threads */

struct seen {
    sigset_t blocked;
    size_t stack;
};

static void *see(void *payload)
{
    struct seen *s = payload;
    pthread_attr_t attributes;

    pthread_sigmask(SIG_BLOCK, NULL, &s->blocked);
    if (!pthread_getattr_np(pthread_self(), &attributes)) {
        pthread_attr_getstacksize(&attributes, &s->stack);
        pthread_attr_destroy(&attributes);
    }
    return NULL;
}

/* A quiet thread gets no signal but that of a lost page; any other thread blocks what
 * its starter blocks, whose signals stay the same. */
static void threads(void **state)
{
    const int asked[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGCHLD, SIGUSR1, SIGBUS};
    const size_t sizes[] = {0, 1 << 20};
    struct seen own = {0};
    fsd_thread thread;

    (void)state;
    see(&own);
    for (size_t i = 0; i < 4; i++) {
        struct seen s = {0}, after = {0};

        assert_true(fsd_thread_start(&thread, see, &s, sizes[i / 2], i % 2));
        fsd_thread_join(thread);
        see(&after);
        assert_true(i / 2 ? s.stack >= sizes[1] && s.stack < 2 * sizes[1]
                          : s.stack >= 2 * sizes[1]);
        for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
            assert_int_equal(sigismember(&s.blocked, asked[k]),
                             i % 2 && asked[k] != SIGBUS);
            assert_int_equal(sigismember(&after.blocked, asked[k]),
                             sigismember(&own.blocked, asked[k]));
        }
    }
    /* No system has such a small stack. */
    assert_false(fsd_thread_start(&thread, see, &own, 1, false));
    assert_false(fsd_thread_start(&thread, see, &own, 1, true));
}

static struct {
    fsd_lock lock;
    fsd_event come, go;
    int waiting, woken;
    bool may;
} shared = {FSD_LOCK_INIT, FSD_EVENT_INIT, FSD_EVENT_INIT, 0, 0, false};

static void *await(void *payload)
{
    (void)payload;
    fsd_lock_take(&shared.lock);
    shared.waiting++;
    fsd_event_wake(&shared.come, false);
    while (!shared.may)
        fsd_event_wait(&shared.go, &shared.lock);
    shared.woken++;
    fsd_lock_give(&shared.lock);
    return NULL;
}

static void events(void **state)
{
    fsd_thread all[3];
    fsd_lock own;

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_true(fsd_thread_start(&all[i], await, NULL, 0, false));
    fsd_lock_take(&shared.lock);
    while (shared.waiting < 3)
        fsd_event_wait(&shared.come, &shared.lock);
    assert_int_equal(pthread_mutex_trylock(&shared.lock), EBUSY);
    shared.may = true;
    fsd_event_wake(&shared.go, true);
    fsd_lock_give(&shared.lock);
    for (int i = 0; i < 3; i++)
        fsd_thread_join(all[i]);
    assert_int_equal(shared.woken, 3);
    assert_int_equal(pthread_mutex_trylock(&shared.lock), 0);
    fsd_lock_give(&shared.lock);
    memset(&own, 0xff, sizeof own);
    fsd_lock_init(&own);
    fsd_lock_take(&own);
    fsd_lock_give(&own);
    fsd_lock_free(&own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reserved),       cmocka_unit_test(mapped),
        cmocka_unit_test(pages_are_lost), cmocka_unit_test(threads),
        cmocka_unit_test(events),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
