/* Where a layer stands under the roofline of a device: the least time that its bytes
 * and its multiply-adds can take. */
#ifndef FSD_COST_ROOFLINE_H
#define FSD_COST_ROOFLINE_H

#include "cost/cost.h"

struct fsd_roofline {
    bool known;      /**< peaks were given, and bytes and multiply-adds are known */
    bool by_memory;  /**< the bytes take longer than the multiply-adds */
    double ms;       /**< the longer of both at the peaks */
    double reached;  /**< ms over the measured time; negative: not measured */
    double per_byte; /**< multiply-adds a byte; negative where nothing is moved */
};

/** An operation of the peak is half a multiply-add, as vendors count. */
struct fsd_roofline fsd_cost_roofline(const struct fsd_diff *d, fsd_id layer);

#endif
