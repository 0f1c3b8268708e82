/**
 * Tolerances of the bound after gas. They affect its tightness and work, not its validity. Ratios are fractions of 1.
 */

/** Relative price decrease along an envelope's line, so that it responds to prices. */
export const ENVELOPE_SLOPE = 1e-5
/** Sweeps over the prices of tokens without flow, and bisection steps for each. */
export const BALANCE_SWEEPS = 2
export const BALANCE_HALVINGS = 8
/**
 * Pieces of a pool kept after that line. Prices of a relaxation may be imprecise, since any prices give a valid bound.
 */
export const ENVELOPE_PIECES = 12
/** Relative difference in cost within which a cached envelope is reused. */
export const MAX_COST_DIFFERENCE = 1e-3
/** Maximum surplus of a token in a relaxation, as a fraction of the trade. */
export const MAX_RELAXED_RESIDUAL = 1e-6
/**
 * Edges that join a relaxation. In order: maximum shortfall of earnings as a fraction of the cost; maximum count at the
 * start; maximum count per round; rounds.
 */
export const MAX_EARNINGS_SHORTFALL = 0.5
export const MAX_INITIAL_EARNERS = 12
export const MAX_JOINING_EARNERS = 8
export const EARNER_ROUNDS = 4
/** Work units: a minimum of about 0.25 ms; units per edge of the graph; a maximum of about 2 ms. */
export const MIN_NET_BOUND_WORK = 25_000
export const NET_BOUND_WORK_PER_EDGE = 8
export const NET_BOUND_MAX_WORK = 200_000
/** Share of the work for the first relaxation; the bound needs the rest. */
export const FIRST_RELAXATION_WORK_SHARE = 0.9
/** Maximum number of relaxations, and relative distance to the route at which the bound is tight enough: 0.5 bps. */
export const MAX_RELAXATIONS = 40
export const TIGHT_NET_BOUND_GAP = 5e-5
