/**
 * Tolerances of the bound after gas (`net-bound.ts`). They affect its tightness and work, not its validity. Ratios are
 * fractions of 1. An edge is a pool in one direction. A relaxation computes token prices that give a bound. An envelope
 * is the concave curve that stands for a pool in a relaxation; it begins with a line.
 */

/** Relative decrease of √price along the line of an envelope, so that the traded input responds to prices. */
export const ENVELOPE_SLOPE = 1e-5
/** Number of sweeps over the prices of tokens without flow. */
export const BALANCE_SWEEPS = 2
/** Maximum bisection steps for one such price per sweep. */
export const BALANCE_HALVINGS = 8
/**
 * Maximum pieces of the price curve that an envelope keeps after its line. A shortened curve makes prices imprecise,
 * but any prices give a valid bound.
 */
export const MAX_ENVELOPE_PIECES = 12
/** Relative difference in cost within which a cached envelope is reused. */
export const MAX_COST_DIFFERENCE = 1e-3
/** Maximum surplus or shortage of a token in a solved relaxation, as a fraction of the trade's value. */
export const MAX_RELAXED_RESIDUAL = 1e-6
/**
 * Maximum shortfall of the earnings of an edge against its cost, as a fraction of the cost, for the edge to join a
 * relaxation.
 */
export const MAX_EARNINGS_SHORTFALL = 0.5
/** Maximum number of edges or multi-token pools that join a relaxation before its first round. */
export const MAX_INITIAL_EARNERS = 12
/** Maximum number of edges or multi-token pools that join a relaxation after each round. */
export const MAX_JOINING_EARNERS = 8
/** Maximum rounds of one relaxation. */
export const MAX_EARNER_ROUNDS = 4
/**
 * Work limit of the bound after gas: `NET_BOUND_WORK_PER_EDGE` units per edge of the graph, but at least
 * `MIN_NET_BOUND_WORK` (about 1 ms) and at most `NET_BOUND_MAX_WORK` (about 4 ms).
 */
export const MIN_NET_BOUND_WORK = 40_000
export const NET_BOUND_WORK_PER_EDGE = 16
export const NET_BOUND_MAX_WORK = 200_000
/**
 * Share of the work limit for the first relaxation. The remaining share is reserved for evaluating the bound at its
 * prices.
 */
export const FIRST_RELAXATION_WORK_SHARE = 0.9
/** Maximum number of relaxations of one bound. */
export const MAX_RELAXATIONS = 40
/** Relative gap between the bound and the route's net output at which the bound is tight enough: 0.5 bps. */
export const TIGHT_NET_BOUND_GAP = 5e-5
/** Minimum number of edges of a graph that is reduced to the edges of better routes. */
export const MIN_REDUCIBLE_EDGES = 24
/** Maximum share of the edges that a reduced graph keeps, so that building it is worth its work. */
export const MAX_REDUCED_SHARE = 0.5
/** Maximum rounds in which the maximum input of pools is lowered. */
export const MAX_INPUT_LIMIT_ROUNDS = 4
/** Minimum fall of the maximum input in one round, as a fraction, for another round to be worth its work. */
export const MIN_INPUT_LIMIT_FALL = 0.05
