/** Tolerances of the least input for an output, which pays it whatever they are: how near to the least, for how much work. Parts are of 1. */

/** Searches for the amount at which the best route pays the output: two are usual, more when pools end. */
export const OUTPUT_SEARCHES = 32
/** Part of the work left that a search may take. */
export const SEARCH_PART = 1 / 3
/** Part of the input within which a route's shares are as good for the amount sought. */
export const NEAR_INPUT = 1e-3
/** Relative rise of the output by that of the input below which the output says little of the input. */
export const MIN_ELASTICITY = 0.01
/**
 * Searches at the least input of a route of which some leg stops where its pool does not respond to its price: within this part of the
 * leg's input, and so many times what the amount has changed by.
 */
export const CONFIRMATIONS = 3
export const FLAT_NEAR = 1e-6
export const FLAT_MARGIN = 4
/**
 * Step of a flat market: so many times the input buys no more than so many times the output, and what is wanted is more by a larger
 * part than that step gained, or than this.
 */
export const FLAT_STEP = 4n
export const FLAT_GAIN = 1.1
export const FLAT_MIN = 1.001
/** Bound by the output of a route from which on a smaller input is tried, and that input in quarters of the one found. */
export const LOOSE_BOUND = 1.005
export const LESS_PARTS = 3n
/**
 * Searches after which gas is left aside until an amount is found that pays enough, steps up from an amount that pays too little, down
 * from one that does not route, and up from dust, and the part of the work left that such a search may take.
 */
export const PROBES_FROM = 2
export const PROBE_STEP = 8n
export const PROBE_FALL = 64n
export const DUST_STEP = 16n
export const PROBE_PART = 1 / 8
/** One by the part of an amount to which the end of what routes is found. */
export const REACH_PARTS = 10_000_000n
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
