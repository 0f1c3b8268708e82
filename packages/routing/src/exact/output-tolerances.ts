/**
 * Tolerances of the exact-output search. They affect its precision and work, not whether the output is paid. Ratios are
 * fractions of 1.
 */

/** Maximum searches for the input at which the best route pays the output. Usually two; more if pools end. */
export const MAX_OUTPUT_SEARCHES = 32
/** Share of the remaining work for one search. */
export const SEARCH_WORK_SHARE = 1 / 3
/** Relative difference of inputs within which the shares of a route can be reused. */
export const MAX_INPUT_GAP_TO_REUSE = 3e-4
/**
 * Minimum elasticity (relative increase of the output / relative increase of the input) for which the output determines
 * the input.
 */
export const MIN_ELASTICITY = 0.01
/** Maximum repeated searches while a leg stops where its pool does not respond to its price. */
export const MAX_CONFIRMATIONS = 3
/** A leg stops at such a place if its input is within this relative distance. */
export const STOP_DISTANCE = 1e-6
/** The distance also grows by this multiple of the relative change of the amount. */
export const STOP_DISTANCE_PER_CHANGE = 4
/** A market is flat if a step multiplies the input by at least this ratio, */
export const MIN_FLAT_INPUT_RATIO = 4n
/** raises the output by at most this ratio, */
export const MAX_FLAT_OUTPUT_RATIO = 1.1
/** and the target is larger than the output by at least this ratio. */
export const MIN_FLAT_SHORTFALL_RATIO = 1.001
/** Minimum ratio of bound to output for which a smaller input is tried. */
export const LOOSE_BOUND_RATIO = 1.005
/** The smaller input, in quarters of the found input. */
export const SMALLER_INPUT_QUARTERS = 3n
/** Number of searches after which inputs are probed without gas, until some input pays enough. */
export const SEARCHES_BEFORE_PROBES = 2
/** Factor up from an input that pays too little. */
export const PROBE_STEP_UP = 8n
/** Factor down from an input that cannot be routed. */
export const PROBE_STEP_DOWN = 64n
/** Factor up from an input that is dust. */
export const DUST_STEP_UP = 16n
/** Share of the remaining work for one probe. */
export const PROBE_WORK_SHARE = 1 / 8
/** Divisor of an amount: precision of the largest routable input. */
export const REACH_PRECISION_DIVISOR = 10_000_000n
/**
 * If no input pays the output, the search for the largest routable input ends when its upper bound is at most this
 * multiple of its lower bound. The result is only a suggestion, and outputs near the end of the pools hardly differ.
 */
export const UNREACHABLE_BRACKET_RATIO = { num: 5n, den: 4n }
/** If a larger input pays less than this ratio of a smaller input's output, it is more than the pools can take. */
export const BEYOND_REACH_OUTPUT_RATIO = 0.9
/**
 * An output above the bound by more than this factor is unreachable. The margin covers float errors of price curves.
 */
export const UNREACHABLE_OUTPUT_RATIO = 1.01
/** Factor of an estimated input, so that a float error of its curve does not cost a unit of output. */
export const UNIT_MARGIN = 1 + 1e-12
/** Relative change of an amount for computing its marginal price. */
export const OUTPUT_MARGIN = 1e-4
/** Divisor of an amount: float error on an exact curve. */
export const FLOAT_ERROR_DIVISOR = 2n ** 48n
/** Maximum steps to the minimum input in base units: usually 5 to 60, as many as one output unit has bits of input. */
export const MAX_OUTPUT_STEPS = 300
/** Slope steps that may move the same end before bisection. */
export const MAX_SLOPE_MISSES = 3
