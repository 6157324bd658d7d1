/* Streams whose output goes to a function. The C library makes them: GNU and musl by
 * fopencookie(), the BSDs by funopen(). */
#include "host/host.h"

#if !defined __APPLE__
#include <stdio_ext.h>
#endif

static int end(void *cookie)
{
    const struct fsd_host_stream *s = cookie;

    return s->close ? s->close(s->cookie) : 0;
}

#if defined __APPLE__

static int put(void *cookie, const char *bytes, int n)
{
    const struct fsd_host_stream *s = cookie;

    return s->write(s->cookie, bytes, (size_t)n) ? n : -1;
}

FILE *fsd_host_stream_open(struct fsd_host_stream *as)
{
    return funopen(as, NULL, put, NULL, end);
}

void fsd_host_stream_purge(FILE *stream)
{
    fpurge(stream);
}

#else

static ssize_t put(void *cookie, const char *bytes, size_t n)
{
    const struct fsd_host_stream *s = cookie;

    return s->write(s->cookie, bytes, n) ? (ssize_t)n : 0;
}

FILE *fsd_host_stream_open(struct fsd_host_stream *as)
{
    const cookie_io_functions_t functions = {.write = put, .close = end};
    FILE *out = fopencookie(as, "w", functions);

    /* Without this call, stdio locks the stream in each output function. The locks took
     * a sixth of the time of a report. */
    if (out)
        __fsetlocking(out, FSETLOCKING_BYCALLER);
    return out;
}

void fsd_host_stream_purge(FILE *stream)
{
    __fpurge(stream);
}

#endif
