/** Tolerances of the bound after gas, which is sound whatever they are: how tight it gets, for how much work. Parts are of 1. */

/** Part by which the price on the line of an envelope falls: a line would answer to no price. */
export const ENVELOPE_SLOPE = 1e-5
/** Sweeps over the prices of tokens that an allocation does not pass, and halvings of the bracket of each. */
export const BALANCE_SWEEPS = 2
export const BALANCE_HALVINGS = 8
/** Pieces of a pool behind that line: the prices that a relaxation seeks are good or bad, but never wrong. */
export const ENVELOPE_PIECES = 12
/** Part by which its cost may be off in an envelope. */
export const SAME_COST = 1e-3
/** Surplus of a token in a relaxation, as a part of the trade. */
export const RELAXED = 1e-6
/**
 * Edges that join a relaxation: up to this part of their cost short of earning it, as many around prices that are given, as many in
 * each round, and the rounds.
 */
export const NEAR_EARNER = 0.5
export const MOST_EARNERS = 12
export const JOINING_EARNERS = 8
export const EARNER_ROUNDS = 4
/** Units of work, about a quarter of a millisecond; for each edge of a graph where that is more, up to two milliseconds. */
export const NET_BOUND_WORK = 25_000
export const NET_BOUND_WORK_OF_EDGE = 8
export const NET_BOUND_MOST = 200_000
/** Part of it that the rounds of the first relaxation may take: a bound is made of what they have found. */
export const FIRST_RELAXATION_PART = 0.9
/**
 * Part of the output that gas takes from which on a trade hardly pays, whatever its route, and the part of the work after the first
 * relaxation that its bound is worth.
 */
export const NET_BOUND_DEAR = 0.01
export const NET_BOUND_DEAR_PART = 1 / 4
/** Relaxations that are solved, and the part above the route at which the bound is tight enough: half a basis point. */
export const NET_BOUND_NODES = 40
export const NET_BOUND_TIGHT = 5e-5
