/* DIR.partial, the directory of `collect`: which files are removed from it, which stay,
 * who has its lock, and what is left of it after an error. */
#include "cli/collect.h"
#include "host/files.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/file.h>
#include <cmocka.h>

/* -------------------------------------------------------------- the system's calls */

static int fsync_fails;           /* errno; 0: it does not fail */
static int flock_fails;           /* also errno */
static void (*on_flock[2])(void); /* what another process does before each lock */

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
    errno = fsync_fails;
    return fsync_fails ? -1 : __real_fsync(fd);
}

int __real_flock(int fd, int how);
int __wrap_flock(int fd, int how);
int __wrap_flock(int fd, int how)
{
    void (*call)(void) = on_flock[0];

    on_flock[0] = on_flock[1];
    on_flock[1] = NULL;
    if (call)
        call();
    errno = flock_fails;
    return flock_fails ? -1 : __real_flock(fd, how);
}

/* Another process removes the directory right after it was created. */
static bool loses_folder;

int __real_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode)
{
    int result = __real_mkdir(path, mode);

    if (loses_folder)
        rmdir(path);
    loses_folder = false;
    return result;
}

static int fdopen_fails; /* also errno */

FILE *__real_fdopen(int fd, const char *how);
FILE *__wrap_fdopen(int fd, const char *how);
FILE *__wrap_fdopen(int fd, const char *how)
{
    errno = fdopen_fails;
    return fdopen_fails ? NULL : __real_fdopen(fd, how);
}

DIR *__real_fdopendir(int fd);
DIR *__wrap_fdopendir(int fd);
DIR *__wrap_fdopendir(int fd)
{
    errno = fdopen_fails;
    return fdopen_fails ? NULL : __real_fdopendir(fd);
}

/* ------------------------------------------------------------------------- helpers */

static struct partial p;
static struct fsd_error err;

static void put(const char *path)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(path, file);
    assert_int_equal(fclose(file), 0);
}

/* The names in a folder, in alphabetical order. */
static const char *names_in(const char *path)
{
    static char names[512];
    struct dirent **all;
    int n = scandir(path, &all, NULL, alphasort);

    *names = '\0';
    for (int i = 0; i < n; i++) {
        if (strcmp(all[i]->d_name, ".") && strcmp(all[i]->d_name, ".."))
            strcat(strcat(names, all[i]->d_name), " ");
        free(all[i]);
    }
    if (n >= 0)
        free(all);
    return n < 0 ? "none" : names;
}

static int descriptors(void)
{
    int n = 0;

    for (int fd = 0; fd < 64; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void begin(const char *folder)
{
    const enum fsd_status status = open_partial(&p, folder, &err);

    if (status != FSD_OK)
        fail_msg("%s: %s", err.file, err.message);
}

/* The directory is refused, and no descriptor stays open. */
static void refused(const char *folder, enum fsd_status expected, const char *file,
                    const char *message)
{
    const int before = descriptors();

    memset(&err, 0, sizeof err);
    assert_int_equal(open_partial(&p, folder, &err), expected);
    assert_int_equal(err.status, expected);
    assert_string_equal(err.file, file);
    if (!strstr(err.message, message))
        fail_msg("expected '%s', found '%s'", message, err.message);
    close_partial(&p);
    assert_int_equal(descriptors(), before);
}

/* -------------------------------------------------------------------------- begins */

static void new_one(void **state)
{
    const int before = descriptors();
    char real[PATH_MAX], expected[PATH_MAX + 16];

    (void)state;
    assert_non_null(realpath(".", real));
    for (int i = 0; i < 2; i++) { /* the second one replaces an empty directory */
        snprintf(expected, sizeof expected, "%s/d.partial", real);
        begin(i ? "d///" : "d");
        assert_string_equal(p.folder, "d");
        assert_string_equal(p.path, "d.partial");
        assert_string_equal(p.absolute, expected);
        assert_string_equal(names_in("d.partial"), "UNFINISHED ");
        assert_int_equal(fcntl(p.dir, F_GETFD), FD_CLOEXEC);
        assert_int_equal(fcntl(p.mark, F_GETFD), FD_CLOEXEC);
        assert_int_equal(finish_partial(&p, &err), FSD_OK);
        close_partial(&p);
        {
            const int own = open("/dev/null", O_RDONLY);

            close_partial(&p); /* again, which does nothing */
            assert_true(fcntl(own, F_GETFD) >= 0);
            close(own);
        }
        assert_string_equal(names_in("d"), "");
        assert_string_equal(names_in("d.partial"), "none");
    }
    assert_int_equal(rmdir("d"), 0);
    assert_int_equal(descriptors(), before);
}

/* What an earlier collect left is removed, also links, and nothing behind these. */
static void earlier(void **state)
{
    static const char *const begun[] = {"UNFINISHED", "command.json"};

    (void)state;
    put("far");
    for (int i = 0; i < 2; i++) {
        char path[64];

        assert_int_equal(mkdir("d.partial", 0777), 0);
        snprintf(path, sizeof path, "d.partial/%s", begun[i]);
        put(path);
        put("d.partial/build.log");
        put("d.partial/layers.json");
        put("d.partial/profile.json");
        put("d.partial/times.json");
        assert_int_equal(symlink("../far", "d.partial/model.onnx"), 0);
        begin("d");
        assert_string_equal(names_in("d.partial"), "UNFINISHED ");
        close_partial(&p);
        assert_int_equal(system("rm -r d.partial"), 0);
    }
    assert_int_equal(unlink("far"), 0);
}

/* Files that no collect wrote stay, and all others with them. */
static void files_of_others(void **state)
{
    static const struct {
        const char *files[4], *named, *left;
    } cases[] = {
        {{"thesis.tex", "abstract"}, "'abstract'", "abstract thesis.tex "},
        {{"UNFINISHED", "model.onnx", "z"}, "'z'", "UNFINISHED model.onnx z "},
        {{"model.onnx"}, "'model.onnx'", "model.onnx "},
        {{"layers.json", "build.log"}, "'build.log'", "build.log layers.json "},
        {{"command.json", ".hidden"}, "'.hidden'", ".hidden command.json "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(mkdir("d.partial", 0777), 0);
        for (int k = 0; cases[i].files[k]; k++) {
            char path[64];

            snprintf(path, sizeof path, "d.partial/%s", cases[i].files[k]);
            put(path);
        }
        refused("d", FSD_E_WRITE, "d.partial",
                "expected only files of an earlier 'fusiondiff collect', found ");
        assert_non_null(strstr(err.message, cases[i].named));
        assert_string_equal(names_in("d.partial"), cases[i].left);
        assert_int_equal(system("rm -r d.partial"), 0);
    }
    /* A link of the name of the first file does not show that a collect began. */
    assert_int_equal(mkdir("d.partial", 0777), 0);
    assert_int_equal(symlink("far", "d.partial/command.json"), 0);
    refused("d", FSD_E_WRITE, "d.partial", "found 'command.json'");
    assert_string_equal(names_in("d.partial"), "command.json ");
    assert_int_equal(system("rm -r d.partial"), 0);
}

static void others_in_place(void **state)
{
    (void)state;
    refused("/", FSD_E_ARG, "/", "found files in it");
    /* DIR */
    refused("none/d", FSD_E_WRITE, "none/d.partial", "No such file or directory");
    assert_int_equal(mkdir("full", 0777), 0);
    put("full/file");
    refused("full", FSD_E_ARG, "full", "empty directory, found files in it");
    refused("full/file", FSD_E_WRITE, "full/file", "Not a directory");
    assert_int_equal(symlink("gone", "link"), 0);
    refused("link", FSD_E_ARG, "link", "empty directory, found a link");
    refused("link/", FSD_E_ARG, "link", "empty directory, found a link");
    assert_string_equal(names_in("."), "full link ");
    /* DIR.partial */
    put("d.partial");
    refused("d", FSD_E_WRITE, "d.partial", "found a link or a file");
    assert_int_equal(unlink("d.partial"), 0);
    assert_int_equal(symlink("full", "d.partial"), 0);
    refused("d", FSD_E_WRITE, "d.partial", "found a link or a file");
    assert_int_equal(unlink("d.partial"), 0);
    /* its mark, and a name that is a directory's */
    assert_int_equal(mkdir("d.partial", 0777), 0);
    assert_int_equal(symlink("../full/file", "d.partial/UNFINISHED"), 0);
    refused("d", FSD_E_WRITE, "d.partial", strerror(ELOOP));
    assert_int_equal(unlink("d.partial/UNFINISHED"), 0);
    put("d.partial/UNFINISHED");
    assert_int_equal(mkdir("d.partial/layers.json", 0777), 0);
    refused("d", FSD_E_WRITE, "d.partial", strerror(EISDIR));
    assert_string_equal(names_in("d.partial"), "UNFINISHED layers.json ");
    assert_int_equal(system("rm -r d.partial full link"), 0);
}

/* An input of this collect is not removed; a link to one is. */
static void inputs(void **state)
{
    (void)state;
    assert_int_equal(mkdir("d.partial", 0777), 0);
    put("d.partial/UNFINISHED");
    put("d.partial/build.log");
    put("d.partial/times.json");
    put("input");
    add_read("d.partial/times.json");
    add_read("input");
    assert_int_equal(symlink("../input", "d.partial/model.onnx"), 0);
    refused("d", FSD_E_ARG, "d.partial/times.json", "found one of the inputs");
    assert_string_equal(names_in("d.partial"),
                        "UNFINISHED build.log model.onnx times.json ");
    assert_int_equal(rename("d.partial/times.json", "kept"), 0);
    begin("d");
    assert_string_equal(names_in("d.partial"), "UNFINISHED ");
    close_partial(&p);
    assert_string_equal(names_in("."), "d.partial input kept ");
    assert_int_equal(system("rm -r d.partial"), 0);
}

/* --------------------------------------------------------------------------- locks */

static void rename_it(void)
{
    assert_int_equal(rename("d.partial", "away"), 0);
}

static void remove_mark(void)
{
    assert_int_equal(unlink("d.partial/UNFINISHED"), 0);
}

static void locks(void **state)
{
    static const char *const locked[] = {"d.partial", "d.partial/UNFINISHED"};
    struct partial other;

    (void)state;
    assert_int_equal(open_partial(&other, "d", &err), FSD_OK);
    refused("d", FSD_E_WRITE, "d.partial", "another collect is writing");
    assert_string_equal(names_in("d.partial"), "UNFINISHED ");
    close_partial(&other);
    for (int i = 0; i < 2; i++) { /* one of the two locks is enough */
        int fd = open(locked[i], O_RDONLY);

        assert_int_equal(__real_flock(fd, LOCK_EX), 0);
        refused("d", FSD_E_WRITE, "d.partial", "another collect is writing");
        close(fd);
    }
    flock_fails = ENOLCK; /* a file system without locks */
    begin("d");
    flock_fails = 0;
    close_partial(&p);
    /* Another collect finishes, or removes its files, before this one has the lock. */
    on_flock[0] = rename_it;
    begin("d");
    assert_string_equal(names_in("."), "away d.partial input kept ");
    assert_string_equal(names_in("d.partial"), "UNFINISHED ");
    close_partial(&p);
    on_flock[1] = remove_mark;
    begin("d");
    assert_string_equal(names_in("d.partial"), "UNFINISHED ");
    close_partial(&p);
    assert_int_equal(system("rm -r d.partial away"), 0);
}

static void fill_folder(void)
{
    assert_int_equal(mkdir("d", 0777), 0);
    put("d/mine");
}

/* An error leaves no directory that this collect created. */
static void created_in_vain(void **state)
{
    (void)state;
    on_flock[0] = fill_folder;
    refused("d", FSD_E_ARG, "d", "found files in it");
    assert_string_equal(names_in("."), "d input kept ");
    assert_int_equal(system("rm -r d"), 0);
    fdopen_fails = ENOMEM;
    refused("d", FSD_E_WRITE, "d.partial", strerror(ENOMEM));
    fdopen_fails = 0;
    assert_string_equal(names_in("."), "input kept ");
    loses_folder = true;
    begin("d");
    assert_string_equal(names_in("d.partial"), "UNFINISHED ");
    close_partial(&p);
    assert_int_equal(system("rm -r d.partial"), 0);
}

/* Files and the directory have the modes of new ones. */
static void modes(void **state)
{
    const mode_t mask = umask(027);
    struct stat st;
    FILE *file;

    (void)state;
    begin("d");
    file = create_in_partial(&p, "build.log", &err);
    assert_non_null(file);
    fclose(file);
    umask(mask);
    assert_int_equal(stat("d.partial", &st), 0);
    assert_int_equal(st.st_mode & 07777, 0750);
    assert_int_equal(stat("d.partial/build.log", &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    assert_int_equal(stat("d.partial/UNFINISHED", &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    close_partial(&p);
    assert_int_equal(system("rm -r d.partial"), 0);
}

/* ---------------------------------------------------------------------------- ends */

static void finishes(void **state)
{
    FILE *file;
    int before;

    (void)state;
    begin("d");
    file = create_in_partial(&p, "build.log", &err);
    assert_non_null(file);
    assert_int_equal(fcntl(fileno(file), F_GETFD), FD_CLOEXEC);
    fputs("a line\n", file);
    assert_int_equal(fclose(file), 0);
    assert_null(create_in_partial(&p, "build.log", &err)); /* is not replaced */
    assert_string_equal(err.file, "d.partial/build.log");
    assert_string_equal(err.message, strerror(EEXIST));
    fdopen_fails = ENOMEM;
    before = descriptors();
    assert_null(create_in_partial(&p, "times.json", &err));
    fdopen_fails = 0;
    assert_string_equal(err.message, strerror(ENOMEM));
    assert_int_equal(descriptors(), before);
    assert_int_equal(unlink("d.partial/times.json"), 0);
    assert_true(link_in_partial(&p, "../input", "model.onnx"));
    assert_false(link_in_partial(&p, "../kept", "model.onnx"));
    assert_int_equal(errno, EEXIST);
    fsync_fails = EIO;
    assert_int_equal(finish_partial(&p, &err), FSD_E_WRITE);
    assert_string_equal(err.file, "d.partial");
    assert_string_equal(err.message, strerror(EIO));
    assert_string_equal(names_in("d.partial"), "UNFINISHED build.log model.onnx ");
    fsync_fails = EINVAL; /* a file system that cannot flush a folder */
    assert_int_equal(finish_partial(&p, &err), FSD_OK);
    fsync_fails = 0;
    close_partial(&p);
    assert_string_equal(names_in("d"), "build.log model.onnx ");
    assert_int_equal(system("rm -r d"), 0);
}

static void replaced(void **state)
{
    (void)state;
    /* The command made a file in DIR. */
    begin("d");
    assert_int_equal(mkdir("d", 0777), 0);
    put("d/mine");
    assert_int_equal(finish_partial(&p, &err), FSD_E_WRITE);
    assert_string_equal(err.file, "d");
    assert_string_equal(err.message, strerror(ENOTEMPTY));
    close_partial(&p);
    assert_string_equal(names_in("d"), "mine ");
    assert_int_equal(system("rm -r d d.partial"), 0);
    /* The command replaced DIR.partial. */
    begin("d");
    assert_int_equal(rename("d.partial", "away"), 0);
    assert_int_equal(mkdir("d.partial", 0777), 0);
    put("d.partial/UNFINISHED");
    assert_int_equal(finish_partial(&p, &err), FSD_E_WRITE);
    assert_string_equal(err.file, "d.partial");
    assert_non_null(strstr(err.message, "found the directory of another build"));
    close_partial(&p);
    assert_string_equal(names_in("."), "away d.partial input kept ");
    assert_int_equal(system("rm -r d.partial away"), 0);
}

/* --------------------------------------------------------------------------- names */

static void kinds(void **state)
{
    (void)state;
    begin("d");
    assert_int_equal(kinds_in_partial(&p) & ~(1u << FSD_FILE_OTHER), 0);
    assert_int_equal(
        system("cp " FSD_FIXTURES "/qat_block/engine.graph.json d.partial/.hidden"), 0);
    assert_int_equal(kinds_in_partial(&p) & ~(1u << FSD_FILE_OTHER), 0);
    assert_int_equal(rename("d.partial/.hidden", "d.partial/layers.json"), 0);
    assert_int_equal(kinds_in_partial(&p) & ~(1u << FSD_FILE_OTHER),
                     1u << fsd_file_kind("d.partial/layers.json"));
    close_partial(&p);
    assert_int_equal(system("rm -r d.partial"), 0);
    assert_int_equal(kinds_in_partial(&p), 0); /* it is gone */
}

/* The longest path, and one with a byte more. */
static void paths(void **state)
{
    static char folder[PATH_MAX], path[PATH_MAX];

    (void)state;
    for (int i = 0; i < 2; i++) {
        const size_t n = PATH_MAX - strlen("/name") - 1 + (size_t)i;

        memset(p.path, 'x', n);
        p.path[n] = '\0';
        assert_int_equal(path_in_partial(&p, "name", path), !i);
    }
    assert_string_equal(path + PATH_MAX - 7, "x/name");
    for (int i = 0; i < 2; i++) {
        const size_t n = PATH_MAX - strlen(".partial/profile.json") - 2 + (size_t)i;

        memset(folder, 'x', n); /* longer than a name */
        folder[n] = '\0';
        assert_int_equal(open_partial(&p, folder, &err), i ? FSD_E_ARG : FSD_E_WRITE);
        assert_string_equal(err.message,
                            i ? "the path is too long" : strerror(ENAMETOOLONG));
    }
}

static int go_to_folder(void **state)
{
    static char folder[] = "/tmp/fusiondiff-collect-XXXXXX";

    (void)state;
    record_reads();
    return !mkdtemp(folder) || chdir(folder);
}

static int leave_folder(void **state)
{
    char folder[PATH_MAX];

    (void)state;
    unlink("input");
    unlink("kept");
    return !getcwd(folder, sizeof folder) || chdir("/") || rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_one),         cmocka_unit_test(earlier),
        cmocka_unit_test(files_of_others), cmocka_unit_test(others_in_place),
        cmocka_unit_test(inputs),          cmocka_unit_test(locks),
        cmocka_unit_test(created_in_vain), cmocka_unit_test(modes),
        cmocka_unit_test(finishes),        cmocka_unit_test(replaced),
        cmocka_unit_test(kinds),           cmocka_unit_test(paths),
    };

    return cmocka_run_group_tests(tests, go_to_folder, leave_folder);
}
