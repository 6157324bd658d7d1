/*
 * Calendar days as numbers such as 20260131.  The numbers compare like the days, and 0
 * means "no day".  Both functions reject dates that are not in the calendar. timegm()
 * alone would turn 30 February into 2 March, and an ignore rule of a policy would then
 * expire on another day than its file states.  Days are in UTC, so that a gate reaches
 * the same verdict on every machine.
 */
#include "host/files.h"

#include <fusiondiff/fusiondiff.h>

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

static unsigned number_of(const struct tm *day)
{
    return (unsigned)((day->tm_year + 1900) * 10000 + (day->tm_mon + 1) * 100 +
                      day->tm_mday);
}

unsigned fsd_day_parse(const char *text)
{
    static const char shape[] = "dddd-dd-dd";
    struct tm day = {0}, same;
    time_t at;

    for (size_t i = 0; i < sizeof shape; i++)
        if (shape[i] == 'd' ? !isdigit((unsigned char)text[i]) : text[i] != shape[i])
            return 0;
    day.tm_year = (int)strtol(text, NULL, 10) - 1900;
    day.tm_mon = (int)strtol(text + 5, NULL, 10) - 1;
    day.tm_mday = (int)strtol(text + 8, NULL, 10);
    same = day; /* timegm() converts 30 February to a day in March */
    at = timegm(&same);
    return at != -1 && number_of(&same) == number_of(&day) ? number_of(&day) : 0;
}

unsigned fsd_day_of_epoch(const char *seconds)
{
    const long long year_10000 = 253402300800;
    char *end;
    long long at;
    time_t now;
    struct tm day;

    errno = 0;
    at = isdigit((unsigned char)*seconds) ? strtoll(seconds, &end, 10) : -1;
    if (at < 0 || errno || *end || at >= year_10000)
        return 0;
    now = (time_t)at;
    return gmtime_r(&now, &day) ? number_of(&day) : 0;
}
