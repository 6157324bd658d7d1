/* The results of a search over build options. Each iteration built the model with one
 * route (a set of options and their values) and measured the engine. */
#pragma once

#include "base/base.h"

struct fsd_tuning_step {
    uint64_t number; /**< the number of the iteration, as the file states it */
    bool numbered;   /**< the file states `number` */
    fsd_sym route;   /**< "-a=on -b=2"; 0: not stated */
    bool failed;     /**< the build or the run failed */
    fsd_sym error;   /**< the reason; 0: not stated */
    double loss;     /**< the loss of accuracy at the worst output; negative: not
                          stated */
    fsd_sym loss_of; /**< the worst output */
    double ms;       /**< milliseconds of a run; negative: not measured */
    bool odd;        /**< a stated time or loss is impossible */
};

struct fsd_tuning {
    const char *path;
    fsd_sym version;       /**< the tuner's version; 0: not stated.  In the fsd_sym
                                members below, 0 also means "not stated" */
    fsd_sym default_route; /**< the values of options that a route does not set */
    fsd_sym searched;      /**< the options and the values that the tuner tried:
                                "-a=[on|off] -b=[1|2]" */
    fsd_sym search;        /**< the kind of search: "fast" */
    fsd_sym loss_by;       /**< the measure of the loss: "l2" */
    double most_loss;      /**< the tuner discards an iteration with a larger loss;
                                negative: no limit */
    FSD_VEC(struct fsd_tuning_step) steps;
    bool cut; /**< the file ends within an iteration, which is left out */
};
