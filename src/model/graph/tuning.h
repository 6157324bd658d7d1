/* What a search over build options found, as an input states it: each iteration built
 * the model by one route, a set of options with their values, and measured it. */
#ifndef FSD_MODEL_TUNING_H
#define FSD_MODEL_TUNING_H

#include "base/base.h"

#include <stdbool.h>

struct fsd_tuning_step {
    uint64_t number; /**< as the file counts its iterations */
    bool numbered;   /**< the file states it */
    fsd_sym route;   /**< "-a=on -b=2"; 0: not stated */
    bool failed;     /**< nothing was built or run */
    fsd_sym error;   /**< why; 0: not stated */
    double loss;     /**< of accuracy, of the worst output; negative: not stated */
    fsd_sym loss_of; /**< that output */
    double ms;       /**< of a run; negative: not measured */
    bool odd;        /**< a time or a loss is there and cannot be one */
};

struct fsd_tuning {
    const char *path;
    fsd_sym version;       /**< of the tuner; each here: 0 where it is not stated */
    fsd_sym default_route; /**< the value of every option that is not set */
    fsd_sym searched;      /**< "-a=[on|off] -b=[1|2]" */
    fsd_sym search;        /**< how: "fast" */
    fsd_sym loss_by;       /**< how a loss is measured: "l2" */
    double most_loss;      /**< above which an iteration is set aside; negative: none */
    FSD_VEC(struct fsd_tuning_step) steps;
    bool cut; /**< the file ends within an iteration, which is left out */
};

#endif
