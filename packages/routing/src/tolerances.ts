/**
 * Tolerances, caps, and ratios of the search, with the reason for each. They affect how close to the optimum the search
 * comes, and the work that it takes. They do not affect correctness: amounts are settled in integers, limits and
 * filters are checked again, and the work budget (`problem/budget.ts`) bounds all loops. Ratios are fractions of 1.
 */

/* Rounding: smaller differences are below the precision of a float. */

/** Minimum relative gain for which a label is corrected. Prevents endless corrections due to rounding. */
export const MIN_LABEL_GAIN = 1e-13
/**
 * Minimum fraction by which the rate of an edge must exceed the ratio of its tokens' prices for the edge to count as
 * profitable. Above the precision of solved prices.
 */
export const MIN_EDGE_GAIN = 1e-9
/**
 * Minimum relative gain per edge for a cycle to count as an arbitrage. Because of fitted curves, a round trip through a
 * wrapper gains 1e-9.
 */
export const MIN_CYCLE_GAIN = 1e-8
/**
 * Minimum share of the output that an edge must add, and minimum share of the trade that a cycle must carry. Less is
 * dust or rounding.
 */
export const NEGLIGIBLE_SHARE = 1e-7
/**
 * Distance at which a pool stops before a tick, so that rounding does not cross the tick. As a fraction of the fall of
 * √price in the piece.
 */
export const TICK_MARGIN = 1e-7

/* Dual solver. */

/** Maximum surplus of a token in an allocation to be settled, as a fraction of the trade: 0.0001 bps. */
export const MAX_RESIDUAL = 1e-8
/**
 * Surplus or shortage above which the prices of an allocation do not determine its inputs, as a fraction of the trade:
 * 0.001 bps.
 */
export const UNRESOLVED_SHARE = 1e-7
/** Relative precision of a solved price: prices that differ by less cannot be distinguished. */
export const PRICE_ROUNDING = 1e-12
/** Maximum Newton steps of a solution from scratch. Convergence takes 5 to 15. */
export const MAX_NEWTON_STEPS = 60
/** Maximum Newton steps after a change of a few edges. */
export const MAX_STEPS_AFTER_CHANGE = 25
/** Maximum halvings of one step. A step that needs more fails to descend because of rounding. */
export const MAX_HALVINGS_PER_STEP = 30
/** Maximum halvings of all steps of a solution together. */
export const MAX_HALVINGS = 200
/** Fraction of the predicted descent that a step must achieve (Armijo rule). Rejects steps that overshoot. */
export const MIN_DESCENT_SHARE = 1e-4
/** Maximum consecutive steps with less progress than `MIN_PROGRESS`. */
export const MAX_IDLE_STEPS = 4
/**
 * Minimum relative progress of a step that counts. If an arbitrage is much larger than the trade, rounding keeps the
 * solution from converging.
 */
export const MIN_PROGRESS = 1e-12
/**
 * Rounds of predicting which idle edges a step activates. Without them, Newton's method overshoots at every new edge.
 */
export const MAX_ACTIVATION_ROUNDS = 4
/** Maximum change of a log price in one step. Beyond a factor of e, the linear model is unreliable. */
export const MAX_LOG_PRICE_STEP = 1
/**
 * Predicted descent of a step, relative to the value, below which the step counts as descending, because rounding hides
 * the descent.
 */
export const DESCENT_ROUNDING = 1e-13
/** A solution ends if a step gains less than this, relative to the value, and moves no price by `MIN_PRICE_MOVE`. */
export const MIN_VALUE_GAIN = 1e-15
/** Change of a log price in a step that still counts as a move. */
export const MIN_PRICE_MOVE = 1e-13
/**
 * Regularization added to the diagonal of the matrix, relative to the value of the trade. Prevents a singular matrix if
 * few edges respond to a token's price.
 */
export const DIAGONAL_OF_VALUE = 1e-9
/**
 * Regularization relative to the diagonal entry itself, so that one flat pool does not damp the prices of other tokens.
 */
export const DIAGONAL_OF_ENTRY = 1e-13
/** Smaller pivots are replaced by `SQRT_MIN_PIVOT` squared. Prevents division by zero for tokens without edges. */
export const MIN_PIVOT = 1e-300
export const SQRT_MIN_PIVOT = 1e-150
/** Maximum relative fall of √price over all pieces of a curve that counts as straight. */
export const MAX_STRAIGHT_FALL = 1e-6
/** Factors by which the fall of straight curves is increased, one after the other, when Newton's method gets stuck. */
export const SOFTENING_FACTORS = [1e5, 1e4, 1e3, 100, 10] as const
/** Token count below which the matrix may be dense, so hubs are not moved to the end. */
export const MIN_TOKENS_TO_SORT = 12
/** Relative distance from a range without liquidity within which an input counts as reaching it. */
export const NEAR_FLAT = 1e-7
/**
 * Relative distance up to which an input may grow by the excess of other edges that stop at a range without liquidity.
 */
export const FLAT_REACH = 1e-6
/* Overflow: more of a token arrives than its outgoing edges can take. */

/** Relative overflow that counts as rounding. */
export const FLOW_ROUNDING = 1e-13
/** Maximum rounds of reducing the inflow of tokens in excess. */
export const MAX_OVERFLOW_ROUNDS = 24
/** Relative margin below the capacity to which an inflow is reduced. */
export const OVERFLOW_MARGIN = 1e-12
/** Maximum ratio of the overflow after a round to the overflow before the round, for the round to count as progress. */
export const MAX_OVERFLOW_RATIO = 0.9
/** Maximum consecutive rounds without such progress. */
export const MAX_IDLE_OVERFLOW_ROUNDS = 4
/* Selling at a loss if the best pools cannot take the whole input. */

/** Maximum unsold fraction of the input for which a sale at a loss is tried. */
export const WASTEFUL_MAX_UNSOLD = 0.5
/** Maximum number of tokens that are sold almost entirely through one edge. */
export const WASTEFUL_MAX_TOKENS = 2
/** Factor on the shares of the token's other edges. */
export const WASTEFUL_REST_FACTOR = 1e-6
/** Bisection steps between the requested weights and those of a sale at a loss: to one millionth. */
export const WASTEFUL_HALVINGS = 20
/** Initial capacity of an allocation's edge arrays. */
export const INITIAL_EDGE_CAPACITY = 64

/* Optimal trade of a pool with several tokens: two nested one-dimensional searches. */

/** Maximum steps of each of the two searches. */
export const MAX_TRADE_STEPS = 60
/**
 * Step of the outer search away from its first guess, relative to the guess: minimum; used if no step is known;
 * maximum.
 */
export const TRADE_MIN_STEP = 1e-12
export const TRADE_FIRST_STEP = 1e-4
export const TRADE_MAX_STEP = 0.5
/** Factor by which each further step is longer. */
export const TRADE_STEP_GROWTH = 4
/** Bounds of one step of the inner search, as multiples of its variable: keeps the variable positive. */
export const TRADE_MIN_FACTOR = 1 / 16
export const TRADE_MAX_MOVE = 4
/**
 * Lower bound of the inner variable u, relative to the smallest weight per balance. At this bound, a balance is a
 * million times the largest initial balance, so the pool holds almost nothing else.
 */
export const TRADE_MIN_U = 1e-6
/** Relative precision of the outer search. */
export const TRADE_TOLERANCE = 1e-14
/** Relative precision of the inner search. */
export const TRADE_ROUNDING = 1e-15
/** Relative step size below which each step must be smaller than the previous step. */
export const TRADE_SMALL_STEP = 1e-9
/** Work units of one swap on a trading function, which is solved iteratively. */
export const SWAP_WORK = 200

/* Column generation. */

/** Maximum rounds, from the best path to all profitable edges. */
export const MAX_COLUMN_ROUNDS = 24
/** Minimum earnings of a column, as a fraction of the trade. An edge that earns less would be pruned at once. */
export const MIN_COLUMN_EARNINGS = 5e-7
/** Minimum earnings of a column, as a fraction of its gas cost. */
export const MIN_COLUMN_GAS_SHARE = 0.2
/** Minimum fraction of its gas cost that an edge must be able to earn to be considered at all. */
export const MIN_EXPLORED_GAS_SHARE = 0.05
/** Maximum number of tokens that join the allocation in the first round. Keeps the linear systems small. */
export const MAX_JOINING_TOKENS = 6
/** Maximum number of tokens that join in later rounds, as a multiple of the allocation's tokens. */
export const JOINING_TOKENS_GROWTH = 2
/** Rounds of estimating the prices of tokens outside the allocation. Only the ranking of edges depends on them. */
export const BALANCING_ROUNDS = 4
/**
 * Idle edges that are kept as replacements during pruning: maximum loss of the whole trade through such an edge, as an
 * amount of gas.
 */
export const IDLE_EDGE_MAX_GAS = 300_000
/** Maximum loss through such an edge, as a fraction of the amount. */
export const IDLE_EDGE_MAX_MARGIN = 0.01
/** Maximum number of such edges. */
export const MAX_IDLE_EDGES = 60
/** Minimum share of the trade's value that an edge must carry for its tokens to count as live. */
export const MIN_LIVE_SHARE = 1e-12
/**
 * Maximum number of tokens outside the allocation that bounds at spot rates may leave over. With more, the values of
 * all tokens are computed.
 */
export const MAX_TOKENS_FOR_SPOT_BOUNDS = 48
/**
 * Earnings, as a fraction of the trade, below which an edge is skipped. Its maximum earnings are added to the bound
 * instead.
 */
export const DUST_EARNINGS_SHARE = 1e-9

/* Upper bound without gas. */

/** Maximum rounds of adding the edges that loosen the bound. */
export const MAX_BOUND_ROUNDS = 6
/** Maximum number of edges added per round. */
export const MAX_BOUND_EDGES_PER_ROUND = 200
/** Maximum Newton steps for each price of the frontier. */
export const MAX_BALANCE_STEPS = 12
/** Relative bracket width at which that Newton iteration stops. */
export const MIN_BALANCE_BRACKET = 1e-15
/** Relative price change at which that Newton iteration stops. */
export const MIN_BALANCE_MOVE = 1e-12
/** Relative float error of a bound: it sums many numbers of very different sizes. */
export const FLOAT_ERROR = 1e-8
/** Relative distance to the allocation's value at which the bound is tight enough: 0.01 bps. */
export const TIGHT_BOUND_GAP = 1e-6
/** Relative distance to the route's output from which a bound probably counts an arbitrage. */
export const WORTHLESS_BOUND_GAP = 1e-3

/* Best single path. */

/** Maximum pool quotes of a path search. After that, the best path found so far is used. */
export const MAX_PATH_QUOTES = 6_000
/** Maximum edges that a path search visits. */
export const MAX_PATH_EDGES = 2_000_000
/** Labels kept for each token and path length: paths that avoid different tokens. */
export const LABELS_PER_TOKEN = 3
/** Path length beyond which paths are searched only if no shorter path reaches the target. */
export const MAX_USUAL_HOPS = 4

/* Pruning: removal of edges that do not earn their gas. */

/** Maximum successive removals; far more than a route has edges. */
export const MAX_PRUNE_ROUNDS = 200
/** Edges that earn less than this fraction of their cost are removed in batches. */
export const UNPROFITABLE_RATIO = 0.3
/** Size of the first batch, as a fraction of these edges. */
export const FIRST_PRUNE_BATCH_SHARE = 0.5
/**
 * Edges that earn more than this multiple of their cost are not considered: removal would lose even more than they earn
 * at the margin.
 */
export const CLEARLY_PROFITABLE_RATIO = 3
/** Unsold fraction of the trade from which an allocation counts as unsolved. */
export const UNSOLVED_SHARE = 1e-4
/** Maximum rounds of stopping pools at ticks. */
export const MAX_TICK_ROUNDS = 3

/* Limits on pools and hops. */

/** Fraction of the excess edges removed at once. Small enough to reallocate the rest between removals. */
export const BULK_REMOVAL_SHARE = 0.25
/** Maximum rounds of refilling a route with profitable paths. */
export const MAX_REFILL_ROUNDS = 16
/** Maximum paths added per round. */
export const REFILL_MAX_PATHS = 16
/** Minimum earnings of such a path, as a fraction of the trade. */
export const MIN_REFILL_EARNINGS = 1e-6
/** Minimum earnings of such a path, as a fraction of its gas cost. */
export const MIN_REFILL_GAS_SHARE = 0.2
/** Maximum number of alternatives that are tried to shorten a route with too many hops. */
export const MAX_SHORTENINGS = 8
/** Pool count from which all paths that are too long are broken at once. */
export const MANY_POOLS = 40
/** Pool limit up to which routes are also built path by path. */
export const MAX_POOLS_TO_JOIN_PATHS = 6
/** Maximum number of paths that are enumerated to build a route path by path. */
export const MAX_ENUMERATED_PATHS = 2_000
/** Number of the best paths that are tried as additions to a route. */
export const JOIN_CANDIDATES = 12
/** Number of the best paths with which a route begins. */
export const JOIN_STARTS = 3
/** Fractions of the trade for which paths are also ranked. */
export const JOIN_PART = 1 / 8
export const JOIN_SMALL_PART = 1 / 64

/* Final improvements. */

/** Maximum rounds of adding detours. */
export const MAX_DETOUR_ROUNDS = 4
/** Maximum detours tried per round. */
export const MAX_DETOURS = 8
/** Minimum earnings of a detour, as a fraction of its gas cost. */
export const MIN_DETOUR_GAS_SHARE = 0.5

/** Maximum replacements of a chain of pools by a direct pool. */
export const MAX_CHAIN_REPLACEMENTS = 8
/** Maximum candidates tried per replacement. */
export const MAX_REPLACEMENTS_TRIED = 8
/** Maximum passes of the local search over shares. */
export const LOCAL_SEARCH_PASSES = 3
/** First step of a share, as a fraction of the leg's input. */
export const LOCAL_SEARCH_STEP = 0.02
/** Maximum step of a share, as a fraction of the leg's input. */
export const LOCAL_SEARCH_MAX_STEP = 0.5
/** Minimum relative gain per pass. */
export const LOCAL_SEARCH_MIN_GAIN = 1e-7
/**
 * Maximum rounds of opening cycles, since opening one can make others profitable. Cycles that remain are cut in the
 * flow.
 */
export const MAX_CYCLE_ROUNDS = 32
/** Rounds of label correction between two cycle checks. */
export const CYCLE_CHECK_INTERVAL = 8

/* Whole search. */

/**
 * Relative gap to the bound (less the cost of the fewest legs) at which the search stops: 0.2 bps. At 0.01 bps it takes
 * 15 % more work for 200 pools and 31 % more for 600, and gains 0.0003 bps on the mean trade.
 */
export const MAX_GAP_TO_STOP = 2e-5
/**
 * Uncertain fraction of a route's gas before the gas is measured: twice the table's error at the 95th percentile of
 * Ethereum's pools (`bench/results/hop-gas.json`). With 0.4, none of 400 quotes pays more, and as many pay less. With
 * 0.2, one more quote pays less, by 2.9 bps.
 */
export const GAS_UNCERTAINTY = 0.25
/**
 * Minimum value of the uncertain gas, as a fraction of the output, for which alternatives are searched: 0.5 bps.
 * Finding them takes a third of the work of a search.
 */
export const MIN_GAIN_TO_MEASURE = 5e-5
/** Maximum paths that avoid the route's pools and are tried as alternatives. */
export const MAX_DISJOINT_PATHS = 2
/** Maximum hops of the short paths tried as alternatives to longer routes. */
export const MAX_SHORT_PATH_HOPS = 2
/** Hops that share a call, for which paths of one contract are searched. */
export const SHARED_CALL_HOPS = [2, 3] as const
/** Maximum alternatives that exchange one pool of a route. */
export const MAX_EXCHANGES_TRIED = 8
/** Maximum exchanges one after the other. */
export const MAX_SUCCESSIVE_EXCHANGES = 3
/** Factor on the gas price at which the route is pruned once more, to find a route that takes less gas. */
export const HIGHER_GAS_FACTOR = 1.3
/**
 * Relative gap to the bound above which a route with gas is also searched among all edges that are profitable without
 * gas.
 */
export const FAR_BELOW_BOUND_GAP = 5e-5
/**
 * Number of edges in use above which an allocation that uses the same edges as an earlier one is not pruned again,
 * since that takes much work for the same result.
 */
export const MANY_EDGES_IN_USE = 128
/** Maximum relative gap to the best route of routes that are combined. */
export const MAX_GAP_TO_COMBINE = 2e-3
/** Maximum number of edges of a combination. */
export const MAX_COMBINED_EDGES = 24
/** Relative gap to the bound from which restricted problems are searched, if gas is free: 0.2 bps. */
export const MAX_GAP_WITHOUT_GAS = 2e-5
/** Gap from which restricted problems are searched with gas, which the bound ignores: 5 bps. */
export const MAX_GAP_WITH_GAS = 5e-4
/**
 * Routes of at most this many legs are searched again only if pools disagree on prices: none of 300 other such routes
 * improved.
 */
export const MAX_FEW_LEGS = 2
/** Relative gap to the bound after gas within which no restricted problem is searched: at most 1 bps can be lost. */
export const MAX_CERTIFIED_GAP = 1e-4
/**
 * Maximum edge count of a graph for which the bound after gas is computed before restricted problems are searched. At
 * 40 edges, the bound makes these searches unnecessary in 57 % of the cases for a quarter of their work. At 140 edges:
 * 32 % for less than half of the work. At 400 edges: 17 % for a third. For larger graphs, the bound is computed after
 * the search.
 */
export const SMALL_GRAPH_EDGES = 140
/** Maximum hops of restricted problems. */
export const MAX_RESTRICTED_HOPS = 3
/** Pool limits of restricted problems. */
export const RESTRICTED_POOLS = [5, 3, 2] as const
/** Maximum number of restricted routes that are extended afterward. */
export const MAX_RESTRICTED_STARTS = 4
/** Minimum work units for restricted problems (about 0.5 ms); more if the search itself took more. */
export const RESTRICTED_WORK = 60_000
/** If the search itself took more work units, no restricted problem is searched. */
export const MAX_RESTRICTED_WORK = 500_000
/** Minimum relative gain for which the route of a restricted problem is used. */
export const RESTRICTED_MIN_GAIN = 5e-6
/**
 * Maximum pools of a route that are excluded, one at a time, to find other routes. Applies to small graphs, if the
 * route is not certified after gas. On 2,200 trades through pools with limited capacity, the worst loss compared with a
 * restricted request falls from 930 to 65 bps, and 8 of 11 losses vanish.
 */
export const MAX_POOLS_LEFT_OUT = 8
/** Work units after which no further pool is excluded. */
export const MAX_LEFT_OUT_WORK = 100_000
/** Maximum work units of the search for which pools are excluded at all. */
export const MAX_WORK_TO_LEAVE_OUT = 40_000
/** Minimum gas cost of a pool, as a share of the output, for which a division without the pool is tried. */
export const MIN_COSTLY_POOL_SHARE = 3e-4
/** Work units after which no further such division is tried. */
export const MAX_COSTLY_POOLS_WORK = 1_500_000
/**
 * If pools disagree on prices, the route for this fraction of the trade is also tried for the whole trade. On 380
 * trades of a recorded Ethereum state, 4 lose more than 0.5 bps to the best of 16 variants, at 4 % more work. Without
 * this attempt, 16 trades lose that much, up to 1,622 bps.
 */
export const PARTIAL_TRADE_SHARE = 1 / 4
/** Maximum token orders tried if pools disagree on a price. */
export const MAX_TOKEN_ORDERS = 4
/** Share of the budget for improvements on the best path. */
export const IMPROVEMENT_WORK_SHARE = 2 / 3
/** Column rounds if generating all columns is too much work. Each round roughly triples the number of tokens. */
export const COARSE_COLUMN_ROUNDS = 3
/** Share of the budget for finding a route. The remaining share is reserved for the largest routable amount. */
export const ROUTE_WORK_SHARE = 0.8
/** Share of that work for routes by allocations. The remaining share is reserved for single paths. */
export const ALLOCATION_WORK_SHARE = 0.9

/* Settlement in integers. */

/** Maximum pools that may refuse their share before the search gives up. */
export const MAX_REFUSALS = 12
/**
 * If pools refuse a flow, a worse flow replaces it. If that loses more than this fraction of the output (0.5 bps), the
 * search first runs again with some room left in the full pools. One trade lost 513 bps without this.
 */
export const MAX_FALLBACK_LOSS = 5e-5
/** That room, as a fraction of a pool's capacity. */
export const ROOM_IN_FULL_POOLS = 1e-5
/**
 * If a pool's arithmetic fails at an amount, smaller amounts are tried. The step between them is the amount divided by
 * this number.
 */
export const REFUSED_STEP_DIVISOR = 1_000_000n
/** Maximum number of such steps below the amount. */
export const MAX_REFUSED_STEPS = 16n
/** A pool is avoided after this many failed amounts. Pools with partly filled orders fail at a third of all amounts. */
export const MAX_FAILED_AMOUNTS = 4
/** Value of unexpected gas, as a fraction of the output, from which the search is repeated: 0.5 bps. */
export const UNEXPECTED_GAS_SHARE = 5e-5
/**
 * Divisor of a leg's input. If a leg that is smaller by this fraction costs less gas, the search is repeated with it.
 */
export const TICK_MARGIN_DIVISOR = 1_000_000n
/** Relative gap to the bound from which a single path is suspected to miss liquidity. */
export const SUSPICIOUS_GAP = 1e-4
/**
 * An output of fewer base units counts as few: one unit is then 0.5 bps or more. A leg that buys few units takes the
 * minimum input that buys them.
 */
export const FEW_UNITS = 20_000n
/** Maximum number of searches that exclude legs with few units, each based on the previous result. */
export const MAX_COARSE_SEARCHES = 3
/** Maximum exact pool quotes when searching the best path in whole units. */
export const MAX_EXACT_QUOTES = 200
/** If the gap to the bound is smaller than this, legs with few units are no reason to search again. */
export const UNIT_ROUNDING_GAP = 1e-5
/**
 * Maximum shortfall of a leg's output against the price curve, as a fraction: 0.5 bps. If a pool pays less, the search
 * is repeated without the pool.
 */
export const BELOW_CURVE_SHARE = 5e-5
/** Number of smaller inputs, within the price of one unit, that are tried if a pool's rounding refuses an input. */
export const SMALLER_INPUT_STEPS = 8n
/** Divisor of the price of one unit: precision of the minimum input that buys it. */
export const UNIT_PRICE_DIVISOR = 16n

/* Division of a trade among paths. Of 1,480 trades on small graphs that were divided, 38 gained more than 0.3 bps. */

/** Minimum gap to the bound for which a division is tried. */
export const DIVISION_MIN_GAP = 5e-5
/** Minimum gap for a division if every pool of the route could take the whole trade. */
export const ROOMY_DIVISION_MIN_GAP = 5e-3
/** Number of chunks in which the trade is first assigned to paths. */
export const DIVISION_CHUNKS = 24
/** Minimum size of moves to any path before edges are closed, as a fraction of the trade. */
export const DIVISION_MIN_COARSE_PART = 1 / 512
/** Minimum size of moves to any path after edges are closed. */
export const DIVISION_MIN_OPENING_PART = 1 / 10_000
/** Minimum size of moves between the paths in use. */
export const DIVISION_MIN_PART = 1e-6
/** Minimum relative gain of a move; a smaller gain is rounding. */
export const DIVISION_MIN_GAIN = 1e-12
/** Maximum moves of one size. */
export const MAX_DIVISION_MOVES = 2_000
/** Maximum paths in use, and maximum idle paths, that are tried as the target of a move. */
export const MAX_DIVISION_TARGETS = 3
/** Number of the best paths that are considered for each of three amounts. */
export const DIVISION_PATHS_PER_AMOUNT = 8
/** Maximum paths of a flow that can be improved. */
export const MAX_PATHS_OF_FLOW = 24
/** Work units of a division. */
export const MAX_DIVISION_WORK = 300_000
