/**
 * Tolerances of the exact-output search. They affect its precision and work, not whether the output is paid. Ratios are
 * fractions of 1.
 */

/** Maximum searches for the input at which the best route pays the output. Usually two; more if pools end. */
export const OUTPUT_SEARCHES = 32
/** Share of the remaining work for one search. */
export const SEARCH_WORK_SHARE = 1 / 3
/** Relative difference of inputs within which the shares of a route can be reused. */
export const MAX_INPUT_GAP_TO_REUSE = 1e-3
/** Relative increase of the output per relative increase of the input below which the output does not determine the input. */
export const MIN_ELASTICITY = 0.01
/**
 * Repeated searches if a leg stops where its pool does not respond to its price. In order: maximum count; relative
 * distance of the leg's input; distance as a multiple of the change of the amount.
 */
export const MAX_CONFIRMATIONS = 3
export const FLAT_NEAR = 1e-6
export const FLAT_MARGIN = 4
/**
 * Flat market. In order: minimum ratio of the inputs of a step; maximum ratio of its outputs; minimum ratio of the
 * target to the output, if the step gained less.
 */
export const FLAT_STEP = 4n
export const FLAT_GAIN = 1.1
export const FLAT_MIN = 1.001
/** Ratio of bound to output from which a smaller input is tried, and that input in quarters of the found one. */
export const LOOSE_BOUND_RATIO = 1.005
export const SMALLER_INPUT_QUARTERS = 3n
/**
 * Probing without gas. In order: number of searches after which it starts, until some input pays enough; step up from an input that
 * pays too little; step down from one that does not route; step up from dust; share of the remaining work for such a search.
 */
export const SEARCHES_BEFORE_PROBES = 2
export const PROBE_STEP_UP = 8n
export const PROBE_STEP_DOWN = 64n
export const DUST_STEP_UP = 16n
export const PROBE_WORK_SHARE = 1 / 8
/** Divisor of an amount: precision of the largest routable input. */
export const REACH_PRECISION_DIVISOR = 10_000_000n
/**
 * Ratio of the bounds on the largest routable input at which a search ends whose output no input pays: its answer is only
 * a suggestion, and outputs near the end of the pools hardly differ.
 */
export const UNREACHABLE_BRACKET_RATIO = { num: 5n, den: 4n }
/** Maximum ratio of the outputs of a larger and a smaller input at which the larger one is more than the pools take. */
export const BEYOND_REACH_OUTPUT_RATIO = 0.9
/** Factor above the output bound from which a target is unreachable; price curves are floats. */
export const UNREACHABLE_OUTPUT_RATIO = 1.01
/** Relative change of an amount for computing its marginal price. */
export const OUTPUT_MARGIN = 1e-4
/** Divisor of an amount: float error on an exact curve. */
export const FLOAT_UNITS = 2n ** 48n
/** Maximum steps to the minimum input in base units: usually 5 to 60, as many as one output unit has bits of input. */
export const OUTPUT_STEPS = 300
/** Slope steps that may move the same end before bisection. */
export const SLOPE_MISSES = 3
