/* Commands at a terminal: which process group has it, what Ctrl-C and Ctrl-Z do, and
 * how a shell continues both. Each test has three processes of its own: a shell, whose
 * terminal is new; the program, a job of the shell; and the command. */
#include "commands.h"

enum { CTRL_C = 3, CTRL_BACKSLASH = 28, CTRL_Z = 26 };

static int keyboard;    /* the other end of the terminal */
static int terminal;    /* the terminal, for the shell */
static int begins[2];   /* a pipe by which the shell starts the program */
static int told[2];     /* a pipe by which the program reports output to the shell */
static pid_t program;   /* the process group of the job */
static bool background; /* the job is not to get the terminal at first */

/* ----------------------------------------------------------------------- the shell */

static void type(const char *text)
{
    NEED(write(keyboard, text, strlen(text)) == (ssize_t)strlen(text));
}

static void press(char key)
{
    NEED(write(keyboard, &key, 1) == 1);
}

/* Waits until a line of the command has arrived. Returns the number in it. */
static int wait_line(void)
{
    char line[64] = "";

    for (size_t n = 0; !n || line[n - 1] != '\n'; n++)
        NEED(n < sizeof line - 1 && read(told[0], line + n, 1) == 1);
    return (int)strtol(line, NULL, 10);
}

static char state_of(pid_t pid)
{
    char path[64], text[512] = "";
    const char *at;
    int fd;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 'X';
    NEED(read(fd, text, sizeof text - 1) >= 0);
    close(fd);
    at = strrchr(text, ')');
    return at ? at[2] : 'X';
}

/* Waits until the process is stopped, or is not. */
static void wait_stopped(pid_t pid, bool stopped)
{
    while ((state_of(pid) == 'T') != stopped)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
}

static void wait_owner(pid_t group)
{
    while (tcgetpgrp(terminal) != group)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
}

/* Waits until the job stops, and takes the terminal back. */
static void wait_stop(int number)
{
    int status;

    NEED(waitpid(program, &status, WUNTRACED) == program);
    NEED(WIFSTOPPED(status) && WSTOPSIG(status) == number);
    NEED(tcgetpgrp(terminal) == (background ? getpid() : program));
    NEED(!tcsetpgrp(terminal, getpid()));
}

/* As the commands fg and bg do. */
static void go_on(bool foreground)
{
    background = !foreground;
    if (foreground)
        NEED(!tcsetpgrp(terminal, program));
    NEED(!kill(-program, SIGCONT));
}

/* ------------------------------------------------------------------- the processes */

/* A job begins when it has the terminal. */
static void be_program(void (*test)(void))
{
    char byte;

    setpgid(0, 0);
    NEED(read(begins[0], &byte, 1) == 1);
    NEED((tcgetpgrp(terminal) == getpgrp()) == !background);
    signal(SIGTTOU, SIG_DFL);
    close(keyboard);
    sys.terminal = terminal;
    test();
    NEED(background || tcgetpgrp(terminal) == getpgrp());
    _exit(0);
}

static void be_shell(void (*test)(void), void (*shell)(void))
{
    int status;

    NEED(setsid() > 0);
    terminal = open(ptsname(keyboard), O_RDWR | O_CLOEXEC);
    NEED(terminal >= 0 && tcgetpgrp(terminal) == getpid());
    NEED(!pipe2(begins, O_CLOEXEC) && !pipe2(told, O_CLOEXEC));
    open_input();
    signal(SIGTTOU, SIG_IGN);
    program = fork_test();
    if (!program)
        be_program(test);
    setpgid(program, program);
    if (!background)
        NEED(!tcsetpgrp(terminal, program));
    NEED(write(begins[1], "x", 1) == 1);
    shell();
    NEED(waitpid(program, &status, WUNTRACED) == program);
    if (status)
        fprintf(said, "the program ended with %#x\n", status);
    NEED(!status);
    _exit(0);
}

static void at_terminal(void (*test)(void), void (*shell)(void))
{
    pid_t child;
    int status;

    keyboard = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(keyboard >= 0 && !grantpt(keyboard) && !unlockpt(keyboard));
    child = fork_test();
    if (!child)
        be_shell(test, shell);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(keyboard);
}

/* ---------------------------------------------------------------------- the command */

/* The program reports a line of the command to the shell. Signals stay blocked also
 * after the program was stopped. */
static void tell(const struct seen *s)
{
    const char *last = s->text[0] + s->n[0] - 1;
    sigset_t mask;

    sigprocmask(SIG_BLOCK, NULL, &mask);
    NEED(sigismember(&mask, SIGTSTP) && sigismember(&mask, SIGTTOU));
    while (last > s->text[0] && last[-1] != '\n')
        last--;
    NEED(write(told[1], last, strlen(last)) > 0);
}

static struct seen seen;

static void run_told(const char *script)
{
    seen = (struct seen){.then = tell};
    NEED(run(script, &seen) == FSD_OK);
}

/* The command reads the terminal, or sets it up, and then has it. */
static void read_twice(void)
{
    const int next = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);

    close(next);
    run_told("read x </dev/tty; echo got $x; read x </dev/tty; echo got $x");
    NEED(!strcmp(seen.text[0], "got hello\ngot again\n"));
    holds_end(0, 0, 0);
    holds_log("CONT at the terminal, "); /* it has the terminal from then on */
    NEED(tcgetpgrp(terminal) == getpgrp());
    run_told("stty -echo </dev/tty; ls /proc/self/fd");
    NEED(!strcmp(seen.text[0], "0\n1\n2\n3\n")); /* none is of the terminal */
    holds_log("CONT at the terminal, ");
    NEED(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) == next);
}

static void type_twice(void)
{
    type("hello\n");
    wait_line();
    type("again\n");
}

static void reads(void **state)
{
    (void)state;
    background = false;
    at_terminal(read_twice, type_twice);
}

/* ------------------------------------------------------------------------- Ctrl-C */

static char key; /* a key that is pressed after a line of output */

static void press_key(void)
{
    type("line\n");
    wait_line();
    press(key);
}

static void holds_whole_job(int by, bool whole_job)
{
    NEED(end.by == by && end.stopped_by == by && end.status == 128 + by);
    NEED(end.whole_job == whole_job);
}

/* The key reaches only the command. The program ends its whole job in the same way. */
static void end_reader(void)
{
    const int number = key == CTRL_C ? SIGINT : SIGQUIT;

    run_told("ulimit -c 0; read x </dev/tty; echo; exec sleep 600");
    holds_whole_job(number, true);
    holds_log("CONT at the terminal, TERM, KILL, ");
}

/* The key reaches only the program, which forwards it. */
static void end_other(void)
{
    const int number = key == CTRL_C ? SIGINT : SIGQUIT;

    run_told("ulimit -c 0; echo; exec sleep 600");
    holds_whole_job(number, false);
    holds_log(key == CTRL_C ? "INT, CONT, TERM, KILL, " : "QUIT, CONT, TERM, KILL, ");
}

/* The command decides that the key does not end it. A shell that reads would not notice
 * a signal that arrives right before. */
static void catch_key(void)
{
    run_told("trap 'exit 4' INT; read x </dev/tty; echo; i=0; while [ $((i = i + 1)) "
             "-lt 9000000 ]; do :; done");
    holds_end(4, 0, 0);
    holds_log("CONT at the terminal, ");
}

/* Signals that the user did not send. */
static void end_itself(void)
{
    run_told("read x </dev/tty; kill -TERM $$");
    holds_end(143, SIGTERM, 0);
    run_told("kill -INT $$");
    holds_end(130, SIGINT, 0);
    holds_log("CONT at the terminal, ");
}

static void type_line(void)
{
    type("line\n");
}

static void interrupts(void **state)
{
    static const char keys[] = {CTRL_C, CTRL_BACKSLASH};

    (void)state;
    background = false;
    for (size_t i = 0; i < sizeof keys; i++) {
        key = keys[i];
        at_terminal(end_reader, press_key);
        at_terminal(end_other, press_key);
    }
    key = CTRL_C;
    at_terminal(catch_key, press_key);
    at_terminal(end_itself, type_line);
}

/* ------------------------------------------------------------------------- Ctrl-Z */

/* It stops the program and the command as often as it is pressed. */
static void wait_600(void)
{
    run_told("echo $$; exec sleep 600");
    holds_whole_job(SIGINT, false);
    holds_log("TSTP, CONT, TSTP, CONT, INT, CONT, TERM, KILL, ");
}

static void stop_twice(void)
{
    const pid_t command = wait_line();

    for (int i = 0; i < 2; i++) {
        press(CTRL_Z);
        wait_stop(SIGTSTP);
        wait_stopped(command, true);
        go_on(true);
        wait_stopped(command, false);
    }
    press(CTRL_C);
}

/* The same, while the command has the terminal. After each stop it has it again. */
static void read_thrice(void)
{
    run_told("read x </dev/tty; echo $$; read x </dev/tty; echo got $x; "
             "read x </dev/tty; echo got $x");
    holds_end(0, 0, 0);
    NEED(strstr(seen.text[0], "\ngot two\ngot three\n"));
    holds_log("CONT at the terminal, job TSTP, CONT at the terminal, job TSTP, "
              "CONT at the terminal, ");
}

static void stop_reader(void)
{
    static const char *const lines[] = {"two\n", "three\n"};
    pid_t command;

    type("one\n");
    command = wait_line();
    for (int i = 0; i < 2; i++) {
        wait_owner(command);
        press(CTRL_Z);
        wait_stop(SIGTSTP);
        NEED(state_of(command) == 'T');
        go_on(true);
        wait_owner(command);
        type(lines[i]);
        if (!i)
            wait_line();
    }
}

/* A command that reads the terminal in the background stops the job. */
static void read_in_background(void)
{
    background = false; /* at the end */
    run_told("read x </dev/tty; echo got $x");
    holds_end(0, 0, 0);
    NEED(!strcmp(seen.text[0], "got hello\n"));
    holds_log("job TSTP, CONT, job TSTP, CONT at the terminal, ");
}

static void continue_reader(void)
{
    wait_stop(SIGTSTP);
    go_on(false); /* it stops again */
    wait_stop(SIGTSTP);
    go_on(true);
    type("hello\n");
}

/* A program that SIGSTOP stopped gives the terminal back, too. */
static void read_once_more(void)
{
    run_told("read x </dev/tty; echo $$; read x; read x </dev/tty; echo got $x");
    NEED(strstr(seen.text[0], "\ngot more\n"));
    holds_log("CONT at the terminal, ");
}

static void stop_program(void)
{
    pid_t command;
    int status;

    type("one\n");
    command = wait_line();
    wait_owner(command);
    NEED(!kill(program, SIGSTOP));
    NEED(waitpid(program, &status, WUNTRACED) == program && WIFSTOPPED(status));
    NEED(!tcsetpgrp(terminal, getpid()));
    go_on(true);
    wait_owner(command);
    NEED(write(answer, "\n", 1) == 1);
    type("more\n");
}

/* A command that does not read the terminal never gets it, and one that stops itself
 * stays so until the user continues it. */
static void stop_itself(void)
{
    run_told("echo $$; kill -STOP $$; echo on");
    holds_end(0, 0, 0);
    NEED(strstr(seen.text[0], "\non\n"));
    holds_log("");
}

static void continue_command(void)
{
    const pid_t command = wait_line();

    wait_stopped(command, true);
    NEED(tcgetpgrp(terminal) == program);
    NEED(!kill(command, SIGCONT));
}

static void stops(void **state)
{
    (void)state;
    background = false;
    at_terminal(wait_600, stop_twice);
    at_terminal(read_thrice, stop_reader);
    at_terminal(read_once_more, stop_program);
    at_terminal(stop_itself, continue_command);
    background = true;
    at_terminal(read_in_background, continue_reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads),
        cmocka_unit_test(interrupts),
        cmocka_unit_test(stops),
    };

    prepare();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
