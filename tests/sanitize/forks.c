/* The main function of the program that the tests run: starts it once for many command
 * lines.  A start with the sanitizers takes 6 to 10 ms, most of them before main(); a
 * fork takes 2.  The tests' side is tests/support/program.py.
 *
 * FSD_TEST_COMMANDS holds the descriptor of a socket. Each packet that the program
 * receives from it is one command: the folder and the arguments, each ended by a null
 * byte, with three descriptors, which become standard input, output and error. A child
 * process runs it, and the program sends its status as waitpid() returns it. Without
 * the variable, the program runs as usual. */
#define _GNU_SOURCE
#include <sanitizer/lsan_interface.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MAX_COMMAND = 1 << 17, /* bytes, as Linux allows for one argument */
    MAX_ARGUMENTS = 1 << 10,
    STREAMS = 3,
};

struct command {
    char text[MAX_COMMAND + 1];
    size_t length;
    int streams[STREAMS]; /* owned */
};

int __wrap_main(int argc, char **argv);
int __real_main(int argc, char **argv); /* that of src/cli/main.c */

/* @return 1; 0: the tests have closed their end, or what they sent is no command */
static int receive(int from, struct command *c)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof c->streams)];
    } rights = {0};
    struct iovec text = {c->text, MAX_COMMAND};
    struct msghdr message = {.msg_iov = &text,
                             .msg_iovlen = 1,
                             .msg_control = rights.bytes,
                             .msg_controllen = sizeof rights.bytes};
    ssize_t n = recvmsg(from, &message, 0);
    const struct cmsghdr *sent = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;

    if (!sent || message.msg_flags & (MSG_TRUNC | MSG_CTRUNC) ||
        sent->cmsg_type != SCM_RIGHTS || sent->cmsg_len != CMSG_LEN(sizeof c->streams))
        return 0;
    memcpy(c->streams, CMSG_DATA(sent), sizeof c->streams);
    c->length = (size_t)n;
    c->text[n] = '\0';
    return 1;
}

/* Runs the command in this process, which ends. */
static _Noreturn void run(struct command *c, char *program)
{
    static char *argv[MAX_ARGUMENTS + 2];
    char *at = c->text, *end = c->text + c->length;
    int argc = 0;

    for (int i = 0; i < STREAMS; i++) {
        if (dup2(c->streams[i], i) < 0)
            abort();
        close(c->streams[i]);
    }
    if (chdir(at))
        abort();
    argv[argc++] = program;
    for (at += strlen(at) + 1; at < end; at += strlen(at) + 1) {
        if (argc > MAX_ARGUMENTS)
            abort();
        argv[argc++] = at;
    }
    exit(__real_main(argc, argv));
}

int __wrap_main(int argc, char **argv)
{
    static struct command command;
    const char *number = getenv("FSD_TEST_COMMANDS");
    int line = number ? atoi(number) : -1;

    if (!number)
        return __real_main(argc, argv);
    unsetenv("FSD_TEST_COMMANDS");
    /* Reads all pages that the search for leaks of each child will read: the child then
     * inherits them, and does not fault for each of 1,800 pages (1 ms). */
    (void)__lsan_do_recoverable_leak_check();
    while (receive(line, &command)) {
        pid_t pid = fork();
        int status = -1;

        if (!pid) {
            close(line);
            run(&command, argv[0]);
        }
        for (int i = 0; i < STREAMS; i++)
            close(command.streams[i]);
        if (pid < 0 || waitpid(pid, &status, 0) != pid ||
            send(line, &status, sizeof status, 0) != sizeof status)
            return 1;
    }
    return 0;
}
