/* Threads and locks, or their replacements in a build without FSD_THREADS. */
#include "host/host.h"

#if defined FSD_THREADS

#include <signal.h>

/* A quiet thread blocks all signals but SIGBUS. The system sends SIGBUS to the thread
 * that reads a lost page of a mapped file. */
static bool start(fsd_thread *out, const pthread_attr_t *attributes,
                  void *(*run)(void *payload), void *payload, bool quiet)
{
#if defined _WIN32
    (void)quiet;
    return !pthread_create(out, attributes, run, payload);
#else
    sigset_t all, before;
    bool started;

    if (!quiet)
        return !pthread_create(out, attributes, run, payload);
    sigfillset(&all);
    sigdelset(&all, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    started = !pthread_create(out, attributes, run, payload);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
#endif
}

bool fsd_thread_start(fsd_thread *out, void *(*run)(void *payload), void *payload,
                      size_t stack, bool quiet)
{
    pthread_attr_t attributes;
    bool started;

    if (!stack)
        return start(out, NULL, run, payload, quiet);
    if (pthread_attr_init(&attributes))
        return false;
    started = !pthread_attr_setstacksize(&attributes, stack) &&
              start(out, &attributes, run, payload, quiet);
    pthread_attr_destroy(&attributes);
    return started;
}

void fsd_thread_join(fsd_thread thread)
{
    pthread_join(thread, NULL);
}

void fsd_lock_init(fsd_lock *lock)
{
    pthread_mutex_init(lock, NULL);
}

void fsd_lock_free(fsd_lock *lock)
{
    pthread_mutex_destroy(lock);
}

void fsd_lock_take(fsd_lock *lock)
{
    pthread_mutex_lock(lock);
}

void fsd_lock_give(fsd_lock *lock)
{
    pthread_mutex_unlock(lock);
}

void fsd_event_wait(fsd_event *event, fsd_lock *lock)
{
    pthread_cond_wait(event, lock);
}

void fsd_event_wake(fsd_event *event, bool all)
{
    if (all)
        pthread_cond_broadcast(event);
    else
        pthread_cond_signal(event);
}

#else

bool fsd_thread_start(fsd_thread *out, void *(*run)(void *payload), void *payload,
                      size_t stack, bool quiet)
{
    (void)out, (void)run, (void)payload, (void)stack, (void)quiet;
    return false;
}

void fsd_thread_join(fsd_thread thread)
{
    (void)thread;
}

void fsd_lock_init(fsd_lock *lock)
{
    *lock = FSD_LOCK_INIT;
}

void fsd_lock_free(fsd_lock *lock)
{
    (void)lock;
}

void fsd_lock_take(fsd_lock *lock)
{
    (void)lock;
}

void fsd_lock_give(fsd_lock *lock)
{
    (void)lock;
}

void fsd_event_wait(fsd_event *event, fsd_lock *lock)
{
    (void)event, (void)lock;
}

void fsd_event_wake(fsd_event *event, bool all)
{
    (void)event, (void)all;
}

#endif
