/* Logs written as text, and what is read of them. */
#ifndef TESTS_LOG_TEXT_H
#define TESTS_LOG_TEXT_H

#include "base/base.h"
#include "model/graph/graph.h"
#include "model/graph/history.h"

struct log {
    struct fsd_arena *arena; /**< the caller frees it, and with it all of the rest */
    struct fsd_intern *names;
    struct fsd_file file;
    struct fsd_history *h;
};

/** @param text outlives the log. */
struct log read_log(const char *text);

/** The network that the parser printed into it. */
struct fsd_graph *log_network(struct log *l);

#endif
