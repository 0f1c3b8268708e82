/**
 * Every tolerance, cap and ratio of the search, with what each protects. None bounds what a route pays or keeps exact: amounts
 * are settled in integers, limits and filters are checked again. They decide how near to the optimum the search comes, and for
 * how much work; all loops draw on the work budget besides (`problem/budget.ts`). Parts are of 1.
 */

/* Rounding: below these, floats of 53 bits say nothing. */

/** Part by which a label must be better to be corrected: keeps rounding from correcting for ever. */
export const LABEL_GAIN = 1e-13
/** Part by which an edge must beat the prices at its ends to count as one that pays: above what prices are solved to. */
export const EDGE_GAIN = 1e-9
/** Part of each rate that a cycle gains at least: the fitted curves of a wrapper gain 1e-9 there and back. */
export const CYCLE_GAIN = 1e-8
/**
 * Part of the output that an edge adds at least, and of the trade that a cycle carries at least: less is dust or
 * rounding.
 */
export const NEGLIGIBLE = 1e-7
/** Part of a piece that keeps rounding from running into the next one where a pool is to stop at a tick. */
export const TICK_MARGIN = 1e-7

/* The dual solver. */

/**
 * Largest surplus of a token, as a part of the trade, in an allocation that is to be settled: a ten-thousandth of a
 * basis point.
 */
export const TIGHT = 1e-8
/** Such a part from which on inputs are taken for unresolved: a thousandth of a basis point. */
export const UNRESOLVED = 1e-7
/** Difference of logarithms of prices that floats do not resolve. */
export const PRICE_ROUNDING = 1e-12
/** Newton steps of a solution from scratch, and of one that changed by a few edges: convergence takes 5 to 15. */
export const NEWTON_STEPS = 60
export const FEW_STEPS = 25
/** Halvings of a step, and of all steps together: a step that must be halved so often does not descend for rounding. */
export const STEP_HALVINGS = 30
export const ALL_HALVINGS = 200
/** Part of the predicted descent that a step must reach (Armijo): keeps overshooting steps out. */
export const SUFFICIENT_DESCENT = 1e-4
/**
 * Steps in a row that may gain less than the part: where an arbitrage dwarfs the trade, rounding keeps the goal out of
 * reach.
 */
export const IDLE_STEPS = 4
export const STALLED = 1e-12
/** Rounds of guessing which idle edges a step switches on: without, Newton's method overshoots at every new edge. */
export const AWAKENING_ROUNDS = 4
/** Logarithm by which a price moves at most in one step: beyond a factor e the linear model says little. */
export const MAX_MOVE = 1
/** Parts of the value within which a predicted descent is rounding, that a step gains at least, and that it moves prices by. */
export const DESCENT_ROUNDING = 1e-13
export const LEAST_GAINED = 1e-15
export const LEAST_MOVED = 1e-13
/**
 * Added to the diagonal, as parts of the value and of its largest entry: keeps a token that little answers to from
 * singularity.
 */
export const DIAGONAL_OF_VALUE = 1e-9
export const DIAGONAL_OF_LARGEST = 1e-13
/** Pivots at or below the first count as the square of the second: no division by zero where a token has no edge. */
export const LEAST_PIVOT = 1e-300
export const ROOT_OF_LEAST_PIVOT = 1e-150
/** Matrices of fewer tokens are dense to no harm: hubs are not put last. */
export const FEW_TOKENS = 12
/** Part of an input that is as good as nothing where a pool has no liquidity behind it. */
export const NEAR_FLAT = 1e-7
/**
 * Part of a token below which what its edges cannot take is rounding; rounds of sending less into a token whose edges are full, the
 * part by which it is less than they take, and rounds in a row that may not bring what they cannot take down to such a part.
 */
export const FLOW_ROUNDING = 1e-13
export const OVERFLOW_ROUNDS = 24
export const OVERFLOW_MARGIN = 1e-12
export const OVERFLOW_FALL = 0.9
export const OVERFLOW_IDLE = 4
/**
 * Part of a token left over up to which others are sold at a loss when pools cannot take all that the best ones bring; number of those,
 * one after the other; part of such a token that is left to the other edges; halvings between that and the best ones, to a millionth.
 */
export const WASTEFUL_UNSOLD = 0.5
export const WASTEFUL_TOKENS = 2
export const WASTEFUL_REST = 1e-6
export const WASTEFUL_HALVINGS = 20
/** Edges that an allocation has room for at first. */
export const ROOM_FOR_EDGES = 64

/* The optimal trade of a pool of several tokens: two nested one-dimensional searches. */

/** Steps of each, the parts within which they move away from a guess, and by what further steps grow. */
export const TRADE_STEPS = 60
export const TRADE_LEAST_STEP = 1e-12
export const TRADE_FIRST_STEP = 1e-4
export const TRADE_MOST_STEP = 0.5
export const TRADE_GROWTH = 4
/**
 * A number falls to this part of itself at most in a step of the inner search, and rises by this multiple: it stays
 * positive.
 */
export const TRADE_LEAST_PART = 1 / 16
export const TRADE_MOST_MOVED = 4
/** The inner number where a balance is a million times the largest: the pool is empty of all others. */
export const TRADE_LEAST_U = 1e-6
/** Parts to which the outer and the inner search are solved, and from which on steps must shrink. */
export const TRADE_TOLERANCE = 1e-14
export const TRADE_ROUNDING = 1e-15
export const TRADE_SMALL = 1e-9
/** Units of work of a swap on a trading function, which is sought in steps. */
export const SWAP_WORK = 200

/* Column generation. */

/** Rounds of widening, from the best path to all edges that pay. */
export const COLUMN_ROUNDS = 24
/** Part of the trade that a column must promise, and of its gas: what promises less would be pruned at once. */
export const COLUMN_BENEFIT = 5e-7
export const COLUMN_GAS_SHARE = 0.2
/** Part of its gas that an edge must be able to earn to be looked at. */
export const LOOK_GAS_SHARE = 0.05
/** Tokens that join in the first round at most; later, so many for every token in the allocation: keeps systems small. */
export const DETOURS = 6
export const DETOUR_GROWTH = 2
/** Rounds of balancing the prices of tokens that may join: their order is what counts, not their digits. */
export const RELAXATIONS = 4
/**
 * Idle edges that join for pruning to fall back on: dearer by what this much gas costs, or by the part, at most; so
 * many.
 */
export const ALTERNATIVE_GAS = 300_000
export const ALTERNATIVE_MARGIN = 0.01
export const ALTERNATIVES = 60
/** Part of the trade below which a token that flow passes has no price of its own. */
export const LIVE = 1e-12
/**
 * Tokens beyond those of the allocation up to which the bounds are sharp enough; beyond, every token's value is
 * measured.
 */
export const FEW_REACHED = 48
/** Part of the trade below which an edge is left out and what it may earn is added to the bound. */
export const DUST = 1e-9
/** Part by which prices may fall before the list of a token's promising edges is made anew. */
export const LIST_SLACK = 1e-3

/* The bound. */

/** Rounds in which edges that loosen it join the allocation, and the edges of one round. */
export const BOUND_ROUNDS = 6
export const BOUND_JOINING = 200
/** Sweeps over the frontier's prices, and Newton steps for each price. */
export const BOUND_SWEEPS = 4
export const BALANCE_STEPS = 12
/** Parts within which such a bracket is closed, and such a step is the last. */
export const BALANCE_BRACKET = 1e-15
export const BALANCE_MOVED = 1e-12
/** Part of a bound that the rounding of floats may take: many sums of large and small numbers. */
export const FLOAT_ERROR = 1e-8
/** Part above the allocation's value at which the bound is tight enough: a hundredth of a basis point. */
export const BOUND_TIGHT = 1e-6
/** Part above the route from which on a bound is suspected to count an arbitrage. */
export const BOUND_WORTHLESS = 1e-3

/* The best single path. */

/** Pools asked, and edges looked at, before the best path found so far has to do. */
export const PATH_QUOTES = 6_000
export const PATH_EDGES = 2_000_000
/** Labels kept of each token and length: ways that pass by other tokens on their way. */
export const PATH_LABELS = 3
/** Hops beyond which paths are only looked for where shorter ones do not reach. */
export const USUAL_HOPS = 4

/* Pruning: which edges earn their gas. */

/** Removals, one after the other: far more than a route has edges. */
export const PRUNE_ROUNDS = 200
/** Part of its cost below which an edge clearly does not earn it; such edges go together, this part of them at a time. */
export const UNPROFITABLE = 0.3
export const PRUNE_BATCH = 0.5
/** Multiple of its cost above which an edge is not tried: its removal loses more than it earns at the margin. */
export const SOLID = 3
/** Part of the trade left over from which on an allocation counts as not solved. */
export const UNSOLVED = 1e-4
/** Rounds of stopping pools at ticks. */
export const TICK_ROUNDS = 3

/* Limits on pools and hops. */

/** Part of the edges above the limit that goes at once: few enough for what is left to be allocated anew in between. */
export const BULK_PART = 0.25
/** Multiple of the pools allowed up to which a second order of cutting down is tried, and the part of a budget for it. */
export const SECOND_ORDER = 1.5
export const REDUCTION_PART = 1 / 2
/** Rounds of filling up with ways that pay, the ways of a round. */
export const REFILL_ROUNDS = 16
export const REFILL_WAYS = 16
/** Parts of the trade and of its gas that a way must earn. */
export const REFILL_BENEFIT = 1e-6
export const REFILL_GAS_SHARE = 0.2
/** Ways to shorten a route that are tried; and pools beyond which all ways that are too long are broken at once. */
export const SHORTENINGS = 8
export const MANY_POOLS = 40
/** Pools allowed up to which routes are also put together path by path. */
export const FEW_POOLS = 6
/**
 * Paths that are looked at, those of them that are tried, those a route is begun with, and the part a path is ranked
 * by.
 */
export const JOINED_PATHS = 2_000
export const JOINED_TRIED = 12
export const JOINED_BEGINNINGS = 3
export const JOINED_PART = 1 / 8
export const JOINED_LITTLE = 1 / 64

/* Moves at the end. */

/** Rounds of joining detours to a route, those tried of a round, and the part of its gas that one must promise to earn. */
export const DETOUR_ROUNDS = 4
export const DETOURS_TRIED = 8
export const DETOUR_GAS_SHARE = 0.5

/** Chains that give way to a direct pool, and of those tried between two, the most promising. */
export const DIRECT_MOVES = 8
export const DIRECT_TRIED = 8
/** Passes of polishing, the first step as a part of what a leg carries, the longest, and the part that a pass must gain. */
export const POLISH_PASSES = 3
export const POLISH_STEP = 0.02
export const POLISH_MOST = 0.5
export const POLISH_ENOUGH = 1e-7
/** Rounds of opening cycles; opening one makes others pay. What is left is cut at its thinnest edge. */
export const CYCLE_ROUNDS = 32
/** Rounds of correcting labels between two looks for a cycle. */
export const CYCLE_CHECK = 8

/* The search as a whole. */

/**
 * Part of the bound less the fewest legs within which nothing more is looked for: a fifth of a basis point. With a hundredth the
 * work is 15 of 100 more at 200 pools and 31 more at 600, for 0.0003 basis points of the mean trade.
 */
export const GOOD_ENOUGH = 2e-5
/**
 * Part of the gas of a route that is in doubt until it is measured: twice what the table is off by for one route in twenty of
 * Ethereum's pools (`bench/results/hop-gas.json`). What is in doubt must be worth the other part of the output, half a basis point,
 * for more than one route to be measured: seeking rivals costs a third of a search. With 0.4 none of 400 quotes pays more, and as
 * many pay less; with 0.2 one more of them pays less, by 2.9 basis points.
 */
export const DOUBTED_GAS = 0.25
export const MEASURED_GAIN = 5e-5
/** Paths through none of a route's pools that are tried beside it. */
export const PATHS_ELSEWHERE = 2
/** Hops of the longest of the short paths that are tried as rivals of longer routes. */
export const SHORT_PATHS = 2
/** Routes that are a path with one pool in another's place, tried beside it. */
export const EXCHANGES_TRIED = 4
/** Multiple of the price of gas at which a route's pools are tried once more: what then is left costs less for sure. */
export const DEAR_GAS = 1.3
/** Part below the bound from which on a route with gas is sought from all that pays without. */
export const FAR_BELOW = 5e-5
/** Edges in use beyond which an allocation that another start led to as well is not cut down again: it comes to the same. */
export const MANY_USED = 128
/** Routes worse than the best by more than this part are not combined with it, nor those of more pools together. */
export const MUCH_WORSE = 2e-3
export const MOST_COMBINED = 24
/**
 * Parts below the bound from which on narrower problems are searched too: a fifth of a basis point without gas; with it, which
 * the bound does not know, five, and of few legs only where pools disagree: of 300 others in doubt none was bettered.
 */
export const DOUBTED_LACK = 2e-5
export const DOUBTED_NET = 5e-4
export const FEW_LEGS = 2
/** Part below the bound after gas within which no narrower problem is searched: a basis point is then the most that it may lose. */
export const DOUBTED_CERTIFIED = 1e-4
/**
 * Edges of a graph up to which that bound is sought before narrower problems: at 40 edges it spares them in 57 of 100 cases for a
 * quarter of their work, at 140 in 32 for less than half, at 400 in 17 for a third. Beyond, whoever wants it seeks it afterwards.
 */
export const DOUBTED_EDGES = 140
/**
 * Hops and pools of narrower problems, the starts of them that are filled up, and the work after which no other is begun where the
 * search took less, about half a millisecond, and beyond which none is; the part by which a start must be ahead to be settled.
 */
export const NARROW_HOPS = 3
export const NARROW_POOLS = [5, 3, 2] as const
export const NARROW_STARTS = 4
export const NARROW_WORK = 60_000
export const NARROW_MOST = 500_000
export const NARROW_GAIN = 5e-6
/**
 * Pools of a route that are left out one at a time, on graphs of at most `DOUBTED_EDGES`, where its bound is far above it. On 2,200 trades
 * through pools that end, the worst loss to a narrower request falls from 930 to 65 basis points, and 8 of 11 losses vanish.
 */
export const POOLS_LEFT_OUT = 8
/**
 * Part of a trade on whose route the whole trade is tried where pools disagree. On 380 trades of a recorded state of Ethereum, four
 * lose more than half a basis point to the best of sixteen variants, at 4 % more work; without, sixteen do, by up to 1,622.
 */
export const PART_OF_TRADE = 1 / 4
/** Orders of the tokens that are tried where pools disagree on a price. */
export const ORDERS = 4
/** Part of a budget that improving on the best path may take. */
export const IMPROVING_PART = 2 / 3
/** Rounds in which columns join where all would be too many: with each there are about three times as many tokens. */
export const COARSE_ROUNDS = 3
/**
 * Part of a budget that finding a route may take, the rest is for how much routes where all does not; and of it the
 * allocation.
 */
export const ROUTE_PART = 0.8
export const SEARCH_PART = 0.9

/* Settlement in whole units. */

/** Pools that may refuse their part before the search is given up. */
export const REFUSALS = 12
/** Parts of an amount of which one less is tried of a pool whose arithmetic fails at the amount. */
export const REFUSED_PARTS = 1_000_000n
/** Part of the output that gas beyond what was ranked with must be worth for another search: half a basis point. */
export const GAS_SURPRISE = 5e-5
/** Part below the bound from which on a single path is not believed to be all there is. */
export const SUSPECT = 1e-4
/** Units below which a whole one is half a basis point and more; such legs take the least that buys them. */
export const FEW_UNITS = 20_000n
/** Searches at most, each without the legs of the one before that buy few units. */
export const COARSE_SEARCHES = 3
/** Pools asked themselves for the best path in whole units. */
export const EXACT_QUOTES = 200
/** Part within the bound at which few units are no reason to search again. */
export const UNIT_ROUNDING = 1e-5
/** Part of a unit's price to which the least input is found: one of so many. */
export const UNIT_PARTS = 16n
