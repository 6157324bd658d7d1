/*
 * The functions of host.h for Windows: memory that is committed before it is written,
 * temporary files, programs, and streams.
 *
 * Windows' C library cannot pass the output of a stream to a function. Therefore, a
 * stream of host.h is a temporary file here. When the stream is flushed or closed, the
 * bytes are read back from the file and passed to the function. Until then, they stay
 * in the system's cache. After a stream is closed, another stream uses its file again,
 * because creating a file takes longer than filling it.
 */
#include "host/files.h"

#include <errno.h>
#include <pthread.h>
#include <windows.h>
#include <shellapi.h>

#undef fclose
#undef fflush

static char *narrow(const wchar_t *wide)
{
    int size = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *text = malloc((size_t)size);

    if (text)
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, size, NULL, NULL);
    return text;
}

static wchar_t *widen(const char *text)
{
    int size = MultiByteToWideChar(CP_UTF8, 0, text, -1, NULL, 0);
    wchar_t *wide = malloc((size_t)size * sizeof *wide);

    if (wide)
        MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, size);
    return wide;
}

FILE *fsd_host_temporary(void)
{
    wchar_t folder[MAX_PATH + 1], path[MAX_PATH + 1];
    int fd = -1;

    if (GetTempPathW(MAX_PATH + 1, folder) && GetTempFileNameW(folder, L"fsd", 0, path))
        fd = _wopen(path,
                    _O_RDWR | _O_CREAT | _O_TRUNC | _O_BINARY | _O_NOINHERIT |
                        _O_TEMPORARY | _O_SHORT_LIVED,
                    _S_IREAD | _S_IWRITE);
    else
        errno = EACCES;
    return fd < 0 ? NULL : _fdopen(fd, "w+b");
}

/* SystemFunction036 is the library's name for RtlGenRandom. */
BOOLEAN NTAPI SystemFunction036(PVOID at, ULONG n);

bool fsd_host_random(void *at, size_t n)
{
    return SystemFunction036(at, (ULONG)n);
}

unsigned fsd_processors(void)
{
    SYSTEM_INFO about;

    GetSystemInfo(&about);
    return about.dwNumberOfProcessors ? about.dwNumberOfProcessors : 1;
}

/* Replaces "\" by "/" in an argument, so that paths have one spelling in reports. An
 * argument with "*" or "?" stays unchanged: it must be a pattern, because names of
 * files contain neither character. */
static void use_slashes(char *word)
{
    if (!strpbrk(word, "*?"))
        for (; (word = strchr(word, '\\')); word++)
            *word = '/';
}

/* If Windows does not return the command line, the arguments of main() stay
 * unchanged. */
void fsd_host_begin(int *n, char ***words)
{
    int wide_n = 0;
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &wide_n);
    char **own = wide ? calloc((size_t)wide_n + 1, sizeof *own) : NULL;

    _setmode(STDIN_FILENO, _O_BINARY);
    _setmode(STDOUT_FILENO, _O_BINARY);
    _setmode(STDERR_FILENO, _O_BINARY);
    for (int i = 0; own && i < wide_n; i++) {
        if (!(own[i] = narrow(wide[i])))
            return;
        use_slashes(own[i]);
    }
    if (!own)
        return;
    *n = wide_n;
    *words = own;
}

bool fsd_host_limit_memory(uint64_t bytes)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limit = {0};
    HANDLE job = CreateJobObjectW(NULL, NULL);

    limit.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_PROCESS_MEMORY;
    limit.ProcessMemoryLimit = (SIZE_T)bytes;
    errno = EPERM;
    return job &&
           SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limit,
                                   sizeof limit) &&
           AssignProcessToJobObject(job, GetCurrentProcess());
}

unsigned fsd_host_columns(void)
{
    CONSOLE_SCREEN_BUFFER_INFO about;

    return GetConsoleScreenBufferInfo(GetStdHandle(STD_OUTPUT_HANDLE), &about)
               ? (unsigned)(about.srWindow.Right - about.srWindow.Left + 1)
               : 0;
}

/* ------------------------------------------------------------------------ programs */

char *fsd_host_variable(const char *name)
{
    wchar_t *wide = widen(name), *value = NULL;
    DWORD n = wide ? GetEnvironmentVariableW(wide, NULL, 0) : 0;
    char *text = NULL;

    if (n && (value = malloc(n * sizeof *value)) &&
        GetEnvironmentVariableW(wide, value, n) < n)
        text = narrow(value);
    free(value);
    free(wide);
    return text;
}

/* Joins the arguments to one command line, each in quotes. No caller has an argument
 * that ends in a backslash or contains a quote. */
static wchar_t *command_line(const char *const *words)
{
    size_t size = 1;
    char *line;
    wchar_t *wide;

    for (size_t i = 0; words[i]; i++)
        size += strlen(words[i]) + 3;
    line = calloc(1, size);
    for (size_t i = 0, n = 0; line && words[i]; i++)
        n += (size_t)snprintf(line + n, size - n, "%s\"%s\"", i ? " " : "", words[i]);
    wide = line ? widen(line) : NULL;
    free(line);
    return wide;
}

static HANDLE inherited(FILE *file)
{
    HANDLE own = GetCurrentProcess(), out = INVALID_HANDLE_VALUE;

    DuplicateHandle(own, (HANDLE)_get_osfhandle(_fileno(file)), own, &out, 0, TRUE,
                    DUPLICATE_SAME_ACCESS);
    return out;
}

static bool start(const struct fsd_host_command *c, PROCESS_INFORMATION *out)
{
    STARTUPINFOW how = {.cb = sizeof how,
                        .dwFlags = STARTF_USESTDHANDLES,
                        .hStdInput = inherited(c->streams[0]),
                        .hStdOutput = inherited(c->streams[1]),
                        .hStdError = inherited(c->streams[2])};
    wchar_t *line = command_line(c->words), *path = widen(c->words[0]);
    bool started =
        line && path &&
        CreateProcessW(path, line, NULL, NULL, TRUE,
                       CREATE_NO_WINDOW | CREATE_SUSPENDED, NULL, NULL, &how, out);

    free(path);
    free(line);
    CloseHandle(how.hStdInput);
    CloseHandle(how.hStdOutput);
    CloseHandle(how.hStdError);
    return started;
}

/* Returns a job object that ends the process after `seconds` of processor time. Windows
 * counts the time in units of 100 nanoseconds. */
static HANDLE job_of(HANDLE process, double seconds)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limit = {0};
    HANDLE job = CreateJobObjectW(NULL, NULL);

    limit.BasicLimitInformation.LimitFlags =
        JOB_OBJECT_LIMIT_PROCESS_TIME | JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    limit.BasicLimitInformation.PerProcessUserTimeLimit.QuadPart =
        (LONGLONG)(seconds * 1e7);
    SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limit,
                            sizeof limit);
    AssignProcessToJobObject(job, process);
    return job;
}

static double seconds_of(const FILETIME *time)
{
    return (double)((uint64_t)time->dwHighDateTime << 32 | time->dwLowDateTime) / 1e7;
}

struct fsd_host_outcome fsd_host_run(const struct fsd_host_command *command)
{
    struct fsd_host_outcome o = {0};
    double idle = (command->seconds + 1) * FSD_HOST_IDLE_TIMES * 1000;
    FILETIME made, ended, kernel = {0}, user = {0};
    PROCESS_INFORMATION process;
    DWORD status = 1;
    HANDLE job;

    rewind(command->streams[0]);
    if (!start(command, &process))
        return o;
    job = job_of(process.hProcess, command->seconds);
    ResumeThread(process.hThread);
    if (WaitForSingleObject(process.hProcess, idle < 1e9 ? (DWORD)idle : INFINITE) !=
        WAIT_OBJECT_0) {
        TerminateProcess(process.hProcess, 1);
        o.timed_out = true;
    }
    GetExitCodeProcess(process.hProcess, &status);
    GetProcessTimes(process.hProcess, &made, &ended, &kernel, &user);
    o.spent = seconds_of(&kernel) + seconds_of(&user);
    o.good = !status;
    o.timed_out |= status && o.spent >= command->seconds;
    CloseHandle(job);
    CloseHandle(process.hThread);
    CloseHandle(process.hProcess);
    return o;
}

/* -------------------------------------------------------------------------- memory */

void *fsd_host_reserve(size_t n)
{
    void *at = VirtualAlloc(NULL, n, MEM_RESERVE, PAGE_READWRITE);

    if (!at)
        errno = ENOMEM;
    return at;
}

bool fsd_host_commit(void *at, size_t n)
{
    return VirtualAlloc(at, n, MEM_COMMIT, PAGE_READWRITE);
}

void fsd_host_free(void *at, size_t n)
{
    (void)n;
    VirtualFree(at, 0, MEM_RELEASE);
}

void fsd_host_release(void *at, size_t n)
{
    VirtualFree(at, n, MEM_DECOMMIT);
}

size_t fsd_host_page(void)
{
    SYSTEM_INFO about;

    GetSystemInfo(&about);
    return about.dwPageSize;
}

/* ------------------------------------------------------------------------- streams */

/* The temporary files of all streams, in a list. `as` is the stream that uses the file.
 * If `as` is NULL, a new stream may take the file. */
static struct place {
    FILE *file;
    struct fsd_host_stream *as;
    struct place *next;
} * places;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct place *find(const FILE *file)
{
    struct place *at;

    pthread_mutex_lock(&lock);
    for (at = places; at && (at->file != file || !at->as); at = at->next)
        ;
    pthread_mutex_unlock(&lock);
    return at;
}

static struct place *take_free(struct fsd_host_stream *as)
{
    struct place *at;

    pthread_mutex_lock(&lock);
    for (at = places; at && at->as; at = at->next)
        ;
    if (at)
        at->as = as;
    pthread_mutex_unlock(&lock);
    return at;
}

FILE *fsd_host_stream_open(struct fsd_host_stream *as)
{
    struct place *at = take_free(as);

    if (at)
        return at->file;
    at = calloc(1, sizeof *at);
    if (!at || !(at->file = fsd_host_temporary())) {
        free(at);
        return NULL;
    }
    at->as = as;
    pthread_mutex_lock(&lock);
    at->next = places;
    places = at;
    pthread_mutex_unlock(&lock);
    return at->file;
}

static void give_back(struct place *at)
{
    rewind(at->file);
    pthread_mutex_lock(&lock);
    at->as = NULL;
    pthread_mutex_unlock(&lock);
}

/* Passes all bytes in the file to the stream's function, and rewinds the file. */
static bool pass(struct place *at)
{
    struct fsd_host_stream *as = at->as;
    bool whole = !fflush(at->file) && !ferror(at->file);
    long long left = _ftelli64(at->file);
    char piece[1 << 14];

    rewind(at->file);
    while (left > 0 && whole) {
        size_t n = left < (long long)sizeof piece ? (size_t)left : sizeof piece;

        whole = fread(piece, 1, n, at->file) == n && (as->write)(as->cookie, piece, n);
        left -= (long long)n;
    }
    rewind(at->file);
    return whole;
}

void fsd_host_stream_purge(FILE *stream)
{
    struct place *at = find(stream);

    if (at)
        rewind(at->file);
}

int fsd_host_fflush(FILE *stream)
{
    struct place *at = stream ? find(stream) : NULL;

    return at ? (pass(at) ? 0 : EOF) : fflush(stream);
}

int fsd_host_fclose(FILE *stream)
{
    struct place *at = find(stream);
    struct fsd_host_stream *as;
    bool whole;
    int status;

    if (!at)
        return fclose(stream);
    as = at->as;
    whole = pass(at);
    give_back(at);
    status = as->close ? as->close(as->cookie) : 0;
    return whole ? status : EOF;
}
