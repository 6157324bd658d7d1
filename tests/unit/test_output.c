/* Outputs: each is written completely or not at all. If a call of the system fails, the
 * old report stays, or the new one is written over it with a note. */
#include "cli/cli.h"
#include "host/files.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <cmocka.h>

/* ---------------------------------------------------------------- calls that fail */

/* The call that fails; the first one that is named so, or a later one. */
static struct fault {
    const char *call;
    int why, nth;
} fault;

static bool fails(const char *call)
{
    if (!fault.call || strcmp(fault.call, call) || fault.nth--)
        return false;
    fault.call = NULL;
    errno = fault.why;
    return true;
}

#define WRAP(type, name, parameters, arguments, failure)                               \
    type __real_##name parameters;                                                     \
    type __wrap_##name parameters;                                                     \
    type __wrap_##name parameters                                                      \
    {                                                                                  \
        return fails(#name) ? failure : __real_##name arguments;                       \
    }

static char temporary[PATH_MAX], flushed_folder[PATH_MAX]; /* those opened last */

int __real_mkostemps(char *path, int n, int flags);
int __wrap_mkostemps(char *path, int n, int flags);
int __wrap_mkostemps(char *path, int n, int flags)
{
    snprintf(temporary, sizeof temporary, "%s", path);
    return fails("mkostemps") ? -1 : __real_mkostemps(path, n, flags);
}

WRAP(int, rename, (const char *from, const char *to), (from, to), -1)
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode), -1)
WRAP(int, fchown, (int fd, uid_t user, gid_t group), (fd, user, group), -1)
WRAP(int, fsync, (int fd), (fd), -1)
WRAP(int, ftruncate, (int fd, off_t n), (fd, n), -1)
WRAP(int, fallocate, (int fd, int how, off_t at, off_t n), (fd, how, at, n), -1)
WRAP(FILE *, fdopen, (int fd, const char *how), (fd, how), NULL)

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    va_list args;
    mode_t mode;

    va_start(args, flags);
    mode = va_arg(args, mode_t);
    va_end(args);
    if ((flags & O_DIRECTORY) == O_DIRECTORY)
        snprintf(flushed_folder, sizeof flushed_folder, "%s", path);
    return fails("open") ? -1 : __real_open(path, flags, mode);
}

/* A system that writes three bytes at a time, and is interrupted before. */
static bool slow;

ssize_t __real_write(int fd, const void *bytes, size_t n);
ssize_t __wrap_write(int fd, const void *bytes, size_t n);
ssize_t __wrap_write(int fd, const void *bytes, size_t n)
{
    if (fails("write"))
        return -1;
    return __real_write(fd, bytes, slow && n > 3 ? 3 : n);
}

/* ------------------------------------------------------------------------ helpers */

static const char report[] = "a new report\n", old[] = "an old report, longer\n";
static struct command_line line;
static struct fsd_error err;
static enum fsd_status status;
static char said[1024]; /* on standard error */

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void holds(const char *path, const char *expected)
{
    char text[256];
    FILE *file = fopen(path, "r");

    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, expected);
}

static int descriptors(void)
{
    int n = 0;

    for (int fd = 0; fd < 64; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* Removes all files, of which none may be a temporary one. */
static void clear(void)
{
    struct dirent **all;
    int n = scandir(".", &all, NULL, alphasort);

    for (int i = 0; i < n; i++) {
        assert_false(!strncmp(all[i]->d_name, ".f", 2));
        if (*all[i]->d_name != '.')
            assert_int_equal(remove(all[i]->d_name), 0);
        free(all[i]);
    }
    free(all);
}

static struct printed {
    enum fsd_status status;
    int why;            /* errno then */
    void (*then)(void); /* is called after the report was printed */
} printed;

static bool colored; /* the style of the last report */

static enum fsd_status print(const void *payload, const struct sink *to)
{
    colored = to->style && to->style->color;
    fprintf(to->out, "%s", payload ? (const char *)payload : to->format);
    if (printed.then)
        printed.then();
    if (printed.why)
        errno = printed.why;
    return printed.status == FSD_E_FORMAT
               ? fail_file(to->err, FSD_E_FORMAT, "in", "a bad input")
               : printed.status;
}

typedef enum fsd_status writer(const struct command_line *line, print_fn *print,
                               const void *payload, struct fsd_error *err);

/* Calls a function, and takes what it writes to standard error. */
static void write_by(writer *write_all_of, const char *text)
{
    FILE *file = tmpfile();
    int before = dup(STDERR_FILENO), open_before;

    memset(&err, 0, sizeof err);
    fflush(stderr);
    assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
    open_before = descriptors();
    errno = EIO; /* of a call before */
    status = write_all_of(&line, print, text, &err);
    assert_int_equal(descriptors(), open_before);
    fflush(stderr);
    assert_true(dup2(before, STDERR_FILENO) >= 0);
    close(before);
    fault.call = NULL;
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = '\0';
    fclose(file);
}

/* The line is too large for the stack. */
static void begin_line(unsigned n)
{
    memset(&line, 0, sizeof line);
    line.n_outputs = n;
}

static void write_to(const char *path)
{
    begin_line(1);
    line.outputs[0].path = path;
    write_by(write_outputs, report);
}

static void holds_error(const char *file, const char *message)
{
    if (status != FSD_E_WRITE || strcmp(err.message, message))
        print_error("found status %d, '%s', expected '%s'\n", status, err.message,
                    message);
    assert_int_equal(status, FSD_E_WRITE);
    assert_int_equal(err.status, FSD_E_WRITE);
    assert_string_equal(err.file, file);
    assert_string_equal(err.message, message);
    assert_string_equal(said, "");
}

/* ---------------------------------------------------------------------- new files */

static void new_files(void **state)
{
    char longest[NAME_MAX + 1], real[PATH_MAX], path[PATH_MAX + 8];
    const struct {
        const char *path, *folder, *temporary;
    } cases[] = {
        {"new", ".", ".fusiondiff-XXXXXX"},
        {longest, ".", ".fusiondiff-XXXXXX"},
        {"a.b/new", "a.b", "a.b/.fusiondiff-XXXXXX"},
        {path, real, NULL},
    };
    mode_t mask = umask(027);

    (void)state;
    memset(longest, 'x', NAME_MAX);
    longest[NAME_MAX] = '\0';
    assert_non_null(realpath(".", real));
    snprintf(path, sizeof path, "%s/new", real);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stat st;

        assert_int_equal(mkdir("a.b", 0777), 0);
        for (int turn = 0; turn < 2; turn++) { /* the second one replaces it */
            write_to(cases[i].path);
            assert_int_equal(status, FSD_OK);
            assert_string_equal(said, "");
            holds(cases[i].path, report);
            assert_string_equal(flushed_folder, cases[i].folder);
            if (cases[i].temporary)
                assert_string_equal(temporary, cases[i].temporary);
        }
        assert_int_equal(stat(cases[i].path, &st), 0);
        assert_int_equal(st.st_mode & 07777, 0640);
        if (i == 2)
            assert_int_equal(unlink(cases[i].path), 0);
        clear();
    }
    umask(mask);
    write_to("none/new");
    holds_error("none/new", "No such file or directory");
    write_to(".");
    holds_error(".", "Is a directory");
    put("old", old);
    assert_int_equal(chmod("old", 0444), 0);
    write_to("old");
    holds_error("old", "expected a writable file, found a read-only file");
    holds("old", old);
    clear();
}

/* ----------------------------------------------------------------- existing files */

/* The new file has the mode and the owner of the old one. */
static void replaced(void **state)
{
    /* If a user other than root writes to a file, Linux removes the bit 04000. */
    const mode_t modes[] = {0604, 0666, geteuid() ? 0755 : 04755};

    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        bool gives = i < 2 && !geteuid();
        struct stat before, after;

        put("old", old);
        assert_int_equal(symlink("old", "link"), 0);
        if (gives)
            assert_int_equal(chown("old", i ? 12345 : (uid_t)-1, 54321), 0);
        assert_int_equal(chmod("old", modes[i]), 0);
        assert_int_equal(stat("old", &before), 0);
        write_to(i ? "old" : "link");
        assert_int_equal(status, FSD_OK);
        assert_string_equal(said, "");
        holds("old", report);
        assert_int_equal(lstat("old", &after), 0);
        assert_true(after.st_ino != before.st_ino && after.st_mode == before.st_mode);
        assert_true(after.st_uid == before.st_uid && after.st_gid == before.st_gid);
        clear();
    }
}

/* All names of a file have the new report. */
static void hard_links(void **state)
{
    (void)state;
    put("old", old);
    assert_int_equal(link("old", "other"), 0);
    write_to("old");
    assert_int_equal(status, FSD_OK);
    assert_string_equal(said,
                        "fusiondiff: note: old: overwritten in place, because the "
                        "file has other names (hard links)\n");
    holds("other", report);
    clear();
}

#define FOLDER   "the folder of the file is not writable"
#define TOO_LONG "its path is too long for a temporary file"
#define DRESS    "the owner and mode of the file cannot be copied to a new file"
#define PLACE    "the file cannot be replaced by a new file"

/* The system refuses a call for a file that exists: the report is written in place,
 * with the reason; or the old report stays. */
static void refused(void **state)
{
    static const struct {
        struct fault fault;
        const char *why; /* the reason in the note; NULL: an error */
    } cases[] = {
        {{"mkostemps", ENAMETOOLONG, 0}, TOO_LONG},
        {{"mkostemps", EACCES, 0}, FOLDER},
        {{"mkostemps", EPERM, 0}, FOLDER},
        {{"mkostemps", EROFS, 0}, FOLDER},
        {{"mkostemps", ENOSPC, 0}, NULL},
        {{"mkostemps", EMFILE, 0}, NULL},
        {{"fchmod", EPERM, 0}, DRESS},
        {{"fchmod", EIO, 0}, NULL},
        {{"fdopen", ENOMEM, 0}, NULL},
        {{"fsync", EIO, 0}, NULL},
        {{"fsync", ENOSPC, 0}, NULL},
        {{"rename", EBUSY, 0}, PLACE},
        {{"rename", EXDEV, 0}, PLACE},
        {{"rename", EINVAL, 0}, PLACE},
        {{"rename", EIO, 0}, NULL},
        {{"rename", ENOSPC, 0}, NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char note[256];

        put("old", old);
        fault = cases[i].fault;
        write_to("old");
        if (cases[i].why) {
            snprintf(note, sizeof note,
                     "fusiondiff: note: old: overwritten in place, because %s\n",
                     cases[i].why);
            assert_string_equal(said, note);
            assert_int_equal(status, FSD_OK);
        } else {
            holds_error("old", strerror(cases[i].fault.why));
        }
        holds("old", cases[i].why ? report : old);
        clear();
        /* There is no old report that could be written over. */
        fault = cases[i].fault;
        write_to("new");
        holds_error("new", strerror(cases[i].fault.why));
        assert_int_equal(access("new", F_OK), -1);
        clear();
    }
    /* The owner of a file is another one, and cannot be copied. */
    put("old", old);
    if (!geteuid() && !chown("old", 12345, 54321)) {
        fault = (struct fault){"fchown", EPERM, 0};
        write_to("old");
        assert_int_equal(status, FSD_OK);
        assert_non_null(strstr(said, DRESS));
        holds("old", report);
    }
    clear();
}

/* Files and folders that the system cannot flush, or may not. */
static void flushed(void **state)
{
    static const struct {
        struct fault fault;
        bool fine;
    } cases[] = {{{"fsync", EINVAL, 0}, true},
                 {{"fsync", EINVAL, 1}, true},
                 {{"fsync", EIO, 1}, false},
                 {{"open", EACCES, 0}, true},
                 {{"open", EMFILE, 0}, false}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char message[256];

        fault = cases[i].fault;
        write_to("new");
        snprintf(message, sizeof message,
                 "written, but possibly not stored on the disk yet: %s",
                 strerror(cases[i].fault.why));
        if (cases[i].fine)
            assert_int_equal(status, FSD_OK);
        else
            holds_error("new", message);
        holds("new", report);
        clear();
    }
}

/* ------------------------------------------------------------------------ in place */

static void replace_old(void)
{
    put("another", "another file\n");
    assert_int_equal(rename("another", "old"), 0);
}

/* Before a file is written in place, there is room, and it is still the same file. */
static void in_place(void **state)
{
    static const struct {
        struct fault fault;
        const char *left; /* in the file, after an error */
    } cases[] = {
        {{"open", EACCES, 0}, old},       {{"fallocate", ENOSPC, 0}, old},
        {{"fallocate", EIO, 0}, old},     {{"fallocate", EOPNOTSUPP, 0}, NULL},
        {{"fallocate", ENOSYS, 0}, NULL}, {{"ftruncate", EIO, 0}, old},
        {{"write", EINTR, 0}, NULL},      {{"write", EIO, 0}, ""},
        {{"fsync", EIO, 0}, report},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put("old", old);
        assert_int_equal(link("old", "other"), 0);
        fault = cases[i].fault;
        slow = i % 2 == 0;
        write_to("old");
        slow = false;
        if (cases[i].left)
            holds_error("old", strerror(cases[i].fault.why));
        else
            assert_int_equal(status, FSD_OK);
        holds("other", cases[i].left ? cases[i].left : report);
        clear();
    }
    put("old", old);
    assert_int_equal(link("old", "other"), 0);
    printed.then = replace_old;
    write_to("old");
    printed.then = NULL;
    holds_error("old", strerror(ESTALE));
    holds("old", "another file\n");
    holds("other", old);
    clear();
}

/* A report that could not be made leaves the old one, and no error without a reason. */
static void not_made(void **state)
{
    const struct {
        struct printed printed;
        const char *message;
    } cases[] = {{{FSD_E_WRITE, ENOSPC, NULL}, "No space left on device"},
                 {{FSD_E_WRITE, 0, NULL}, "cannot write"},
                 {{FSD_E_FORMAT, ENOSPC, NULL}, "a bad input"}};

    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        put("old", old);
        if (i % 2)
            assert_int_equal(link("old", "other"), 0);
        printed = cases[i / 2].printed;
        write_to("old");
        assert_int_equal(status, printed.status);
        assert_string_equal(err.message, cases[i / 2].message);
        holds("old", old);
        memset(&printed, 0, sizeof printed);
        clear();
    }
}

/* ------------------------------------------------------------------------ streams */

/* Makes a device of the memory driver. A test with those of /dev would replace them if
 * the program took them for files. */
static bool makes_device(const char *path, unsigned number)
{
    int fd =
        mknod(path, S_IFCHR | 0666, makedev(1, number)) ? -1 : open(path, O_WRONLY);

    return fd >= 0 && !close(fd);
}

/* A device, a pipe, and a file that is open already. */
static void streams(void **state)
{
    char path[32], text[64];
    int ways[2], fd;

    (void)state;
    if (makes_device("null", 3)) {
        write_to("null");
        assert_int_equal(status, FSD_OK);
    }
    if (makes_device("full", 7)) {
        write_to("full");
        holds_error("full", "No space left on device");
    }
    assert_int_equal(pipe(ways), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ways[1]);
    write_to(path);
    assert_int_equal(status, FSD_OK);
    assert_int_equal(read(ways[0], text, sizeof text), sizeof report - 1);
    assert_memory_equal(text, report, sizeof report - 1);
    fault = (struct fault){"fdopen", ENOMEM, 0};
    write_to(path);
    holds_error(path, strerror(ENOMEM));
    close(ways[0]);
    write_to(path);
    holds_error(path, strerror(EPIPE));
    close(ways[1]);
    put("log", "before\n");
    fd = open("log", O_WRONLY | O_APPEND);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    write_to(path);
    assert_int_equal(status, FSD_OK);
    holds("log", "before\na new report\n");
    printed.status = FSD_E_WRITE;
    write_to(path);
    memset(&printed, 0, sizeof printed);
    holds_error(path, "cannot write");
    close(fd);
    write_to("/dev/fd/199");
    holds_error("/dev/fd/199", strerror(EBADF));
    clear();
}

/* A report on standard output; a closed pipe is an error without a message. */
static void standard_output(void **state)
{
    int before = dup(STDOUT_FILENO), fd;
    struct fsd_error errors[2];
    enum fsd_status ok;
    bool shows_color;

    (void)state;
    fflush(stdout);
    put("log", "");
    fd = open("log", O_WRONLY);
    assert_true(dup2(fd, STDOUT_FILENO) >= 0);
    fputs("before ", stdout);
    begin_line(2);
    line.outputs[0].path = "/dev/fd/1";
    line.style.color = true;
    write_by(write_outputs, report);
    shows_color = colored; /* of standard output */
    fflush(stdout);
    ok = status;
    for (int i = 0; i < 2; i++) {
        printed = (struct printed){FSD_E_WRITE, i ? EPIPE : EIO, NULL};
        write_to(NULL);
        errors[i] = err;
    }
    memset(&printed, 0, sizeof printed);
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    close(fd);
    assert_int_equal(ok, FSD_OK);
    assert_true(shows_color);
    holds("log", "before a new report\na new report\na new report\na new report\n");
    for (int i = 0; i < 2; i++) {
        err = errors[i];
        holds_error("standard output", i ? "" : strerror(EIO));
    }
    clear();
}

/* ----------------------------------------------------------------- several outputs */

/* Each has its own format; the first error ends the writing. */
static void several(void **state)
{
    const struct output outputs[] = {
        {"one", "json", false}, {"two", NULL, false}, {"three", "csv", false}};

    (void)state;
    begin_line(3);
    memcpy(line.outputs, outputs, sizeof outputs);
    write_by(write_outputs, NULL);
    assert_int_equal(status, FSD_OK);
    holds("one", "json");
    holds("two", "text");
    holds("three", "csv");
    clear();
    fault = (struct fault){"rename", EIO, 1};
    write_by(write_outputs, NULL);
    holds_error("two", strerror(EIO));
    holds("one", "json");
    assert_int_equal(access("three", F_OK), -1);
    clear();
}

/* Text has pages, and a terminal has colors. */
static void forms(void **state)
{
    const struct output outputs[] = {{"text", NULL, false}, {"data", "json", false}};
    static char lines[1 << 14];
    struct stat st;

    (void)state;
    for (size_t n = 0; n < sizeof lines - 16; n += strlen(lines + n))
        snprintf(lines + n, 16, "line %zu\n", n);
    begin_line(2);
    memcpy(line.outputs, outputs, sizeof outputs);
    line.verb = verb_at(0);
    line.tokens = FSD_LEAST_TOKENS;
    line.page = 1;
    line.style.color = true;
    write_by(write_outputs, lines);
    assert_int_equal(status, FSD_OK);
    assert_false(colored);
    assert_true(!stat("text", &st) && st.st_size > 100 && st.st_size < 4000);
    assert_true(!stat("data", &st) && st.st_size == (off_t)strlen(lines));
    clear();
    printed.status = FSD_E_FORMAT;
    write_by(write_outputs, lines);
    assert_int_equal(status, FSD_E_FORMAT);
    assert_string_equal(err.message, "a bad input");
    memset(&printed, 0, sizeof printed);
    line.page = 1000;
    write_by(write_outputs, lines);
    assert_int_equal(status, FSD_E_ARG);
    assert_int_equal(access("text", F_OK), -1);
}

/* An output that is an input is refused, also if it is found only while the report is
 * made. */
static void add_input(void)
{
    add_read("in");
}

static void inputs(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        put("in", old);
        if (i)
            add_read("in");
        else
            printed.then = add_input;
        write_to("in");
        printed.then = NULL;
        assert_int_equal(status, FSD_E_ARG);
        assert_string_equal(err.file, "in");
        holds("in", old);
        clear();
    }
}

static void judgements(void **state)
{
    static const struct {
        struct output outputs[2];
        unsigned n;
        bool quiet;
        const char *said;
    } cases[] = {
        {{{"one", NULL, false}}, 1, false, "fusiondiff: a verdict; see one\n"},
        {{{"one", "json", false}, {"t\two", NULL, false}},
         2,
         false,
         "fusiondiff: a verdict; see one, t?wo\n"},
        {{{"one", NULL, false}}, 1, true, ""},
        {{{"one", "line", false}}, 1, false, ""},
        {{{"one", NULL, false}, {"two", "line", false}}, 2, false, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin_line(cases[i].n);
        line.quiet = cases[i].quiet;
        memcpy(line.outputs, cases[i].outputs, sizeof cases[i].outputs);
        write_by(write_judgement, "a verdict\n");
        assert_int_equal(status, FSD_OK);
        assert_string_equal(said, cases[i].said);
        holds("one", "a verdict\n");
        clear();
    }
    fault = (struct fault){"rename", EIO, 0};
    begin_line(1);
    line.outputs[0].path = "one";
    write_by(write_judgement, "a verdict\n");
    holds_error("one", strerror(EIO));
    clear();
}

static int go_to_folder(void **state)
{
    static char folder[] = "/tmp/fusiondiff-output-XXXXXX";

    (void)state;
    signal(SIGPIPE, SIG_IGN);
    record_reads();
    return !mkdtemp(folder) || chdir(folder);
}

static int leave_folder(void **state)
{
    char folder[PATH_MAX];

    (void)state;
    return !getcwd(folder, sizeof folder) || chdir("/") || rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_files),  cmocka_unit_test(replaced),
        cmocka_unit_test(hard_links), cmocka_unit_test(refused),
        cmocka_unit_test(flushed),    cmocka_unit_test(in_place),
        cmocka_unit_test(not_made),   cmocka_unit_test(streams),
        cmocka_unit_test(several),    cmocka_unit_test(standard_output),
        cmocka_unit_test(judgements), cmocka_unit_test(forms),
        cmocka_unit_test(inputs),
    };

    return cmocka_run_group_tests(tests, go_to_folder, leave_folder);
}
