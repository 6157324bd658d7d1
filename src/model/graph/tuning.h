/* The results of a search over build options: each iteration built the model by one
 * route, a set of options with their values, and measured it. */
#pragma once

#include "base/base.h"

struct fsd_tuning_step {
    uint64_t number; /**< the file's own number of the iteration */
    bool numbered;   /**< the file states `number` */
    fsd_sym route;   /**< "-a=on -b=2"; 0: not stated */
    bool failed;     /**< the build or the run failed */
    fsd_sym error;   /**< the reason; 0: not stated */
    double loss;     /**< loss of accuracy of the worst output; negative: not stated */
    fsd_sym loss_of; /**< the worst output */
    double ms;       /**< time of a run; negative: not measured */
    bool odd;        /**< a stated time or loss is impossible */
};

struct fsd_tuning {
    const char *path;
    fsd_sym version;       /**< the tuner's version; 0, here and in the members below:
                                not stated */
    fsd_sym default_route; /**< the value of each option that is not set */
    fsd_sym searched;      /**< "-a=[on|off] -b=[1|2]" */
    fsd_sym search;        /**< the kind of search: "fast" */
    fsd_sym loss_by;       /**< the measure of the loss: "l2" */
    double most_loss;      /**< limit above which an iteration is discarded; negative:
                                none */
    FSD_VEC(struct fsd_tuning_step) steps;
    bool cut; /**< the file ends within an iteration, which is left out */
};
