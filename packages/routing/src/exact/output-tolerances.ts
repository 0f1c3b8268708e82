/** Tolerances of the least input for an output, which pays it whatever they are: how near to the least, for how much work. Parts are of 1. */

/** Searches for the amount at which the best route pays what is wished: two are usual, more where pools end. */
export const OUTPUT_SEARCHES = 12
/** Part of the output within which that is: the shares of a route are as good for an amount that is off by as much. */
export const NEAR_OUTPUT = 1e-3
/** The same of outputs that take most of what the pools have: shares change faster there. */
export const NEAR_STEEP_OUTPUT = 1e-4
/**
 * Step of a flat market: so many times the input buys no more than so many times the output, and what is wished is more by a larger
 * part than that step gained, or than this.
 */
export const FLAT_STEP = 4n
export const FLAT_GAIN = 1.1
export const FLAT_LEAST = 1.001
/**
 * Amounts that are tried at most to see whether an output is in reach, the steps up and down, the factor between one that routes and
 * one that does not at which they are near enough, and the part of the work left that each may take.
 */
export const OUTPUT_PROBES = 16
export const PROBE_STEP = 8n
export const PROBE_FALL = 64n
export const PROBE_NEAR = 2n
export const PROBE_PART = 1 / 8
/** Part by which a bound on outputs is exceeded before nothing is said to reach: price curves are floats. */
export const BEYOND_REACH = 1.01
/** Part by which an amount is moved to find its marginal price. */
export const OUTPUT_MARGIN = 1e-4
/** One by the part of an amount by which float arithmetic on an exact curve may miss. */
export const FLOAT_UNITS = 2n ** 48n
/** Steps in which the least amount is found to the base unit: 5 to 60, as many as an output unit has bits of input. */
export const OUTPUT_STEPS = 300
/** Times that one end is moved by the slope before the bracket is halved. */
export const SLOPE_MISSES = 3
