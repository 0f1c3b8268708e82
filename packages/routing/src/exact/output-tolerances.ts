/**
 * Tolerances of the exact-output search (`exact-output.ts`), which tries inputs until one pays the required output.
 * They affect its precision and work, not whether the output is paid. Ratios are fractions of 1.
 */

/**
 * Maximum searches for the input at which the best route pays the output. Usually two; more if the input of a leg
 * reaches the maximum that its pool takes.
 */
export const MAX_OUTPUT_SEARCHES = 32
/** Share of the remaining work that one route search may take. */
export const SEARCH_WORK_SHARE = 1 / 3
/**
 * Maximum relative difference of inputs for which the shares of a route (how its legs divide each token) are reused at
 * another input.
 */
export const MAX_INPUT_GAP_TO_REUSE = 3e-4
/**
 * Minimum elasticity (relative increase of the output / relative increase of the input) for which the required output
 * determines the input precisely enough.
 */
export const MIN_ELASTICITY = 0.01
/** Maximum repeated searches while a leg stops at the end of its pool, or at a gap in the pool's liquidity. */
export const MAX_CONFIRMATIONS = 3
/** A leg counts as stopping at an end or a gap if its input is within this relative distance of it. */
export const STOP_DISTANCE = 1e-6
/** Increase of `STOP_DISTANCE` per relative change of the route's input. */
export const STOP_DISTANCE_PER_CHANGE = 4
/**
 * A market is flat if more input buys almost nothing. The search then skips the inputs that cannot suffice, and ends if
 * none is left. Conditions: new / previous input ≥ `MIN_FLAT_INPUT_RATIO`, new / previous output ≤
 * `MAX_FLAT_OUTPUT_RATIO`, and required / new output > `MIN_FLAT_SHORTFALL_RATIO`.
 */
export const MIN_FLAT_INPUT_RATIO = 4n
export const MAX_FLAT_OUTPUT_RATIO = 1.1
export const MIN_FLAT_SHORTFALL_RATIO = 1.001
/** Minimum ratio of the bound to a route's output for which a smaller input is tried. */
export const LOOSE_BOUND_RATIO = 1.005
/** Smaller input that is tried if the bound is loose, in quarters of the route's input. */
export const SMALLER_INPUT_QUARTERS = 3n
/** Number of searches after which inputs are probed (searched without gas), until some input pays enough. */
export const SEARCHES_BEFORE_PROBES = 2
/** Maximum ratio of the next tried input to one that pays too little. */
export const PROBE_STEP_UP = 8n
/** An input that cannot be routed is divided by this number for the next try. */
export const PROBE_STEP_DOWN = 64n
/** An input that buys nothing (dust) is multiplied by this number for the next try. */
export const DUST_STEP_UP = 16n
/** Share of the remaining work for one probe. */
export const PROBE_WORK_SHARE = 1 / 8
/** Precision of the largest routable input: the search for it ends at a relative interval of 1 / divisor. */
export const REACH_PRECISION_DIVISOR = 10_000_000n
/**
 * If no input pays the output, the largest routable input is searched. This search ends when its upper bound is at most
 * this multiple of its lower bound. The result is only a suggestion, and outputs near the end of the pools hardly
 * differ.
 */
export const UNREACHABLE_BRACKET_RATIO = { num: 5n, den: 4n }
/** An input is more than the pools can take if it pays less than this fraction of a smaller input's output. */
export const BEYOND_REACH_OUTPUT_RATIO = 0.9
/**
 * A required output that exceeds the bound on all outputs by this factor is unreachable. The margin covers float errors
 * of price curves.
 */
export const UNREACHABLE_OUTPUT_RATIO = 1.01
/** Factor on an estimated input, so that a float error of its price curve does not cost a unit of output. */
export const UNIT_MARGIN = 1 + 1e-12
/** Relative change of an amount by which slopes are measured. Also the relative margin of steps that follow a slope. */
export const OUTPUT_MARGIN = 1e-4
/** An amount divided by this number is its float error if the price curve is exact. */
export const FLOAT_ERROR_DIVISOR = 2n ** 48n
/**
 * Maximum steps to the minimum input in base units. Usually 5 to 60, about the number of bits of the input that buys
 * one output unit.
 */
export const MAX_OUTPUT_STEPS = 300
/** Maximum consecutive steps by the slope that move the same end of a bracket. Then the bracket is bisected. */
export const MAX_SLOPE_MISSES = 3
