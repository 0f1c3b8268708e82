/**
 * Tolerances, caps, and ratios of the search, with the reason for each. They affect how close to the optimum the search
 * comes, and the work that it takes. They do not affect correctness: amounts are settled in integers, limits and
 * filters are checked again, and the work budget (`problem/budget.ts`) bounds all loops. Ratios are fractions of 1. An
 * edge is a pool in one direction. An allocation is a flow over some edges, with a price for each token. It minimizes
 * the dual, a function of the prices that bounds the output. A label is the best known value or cost of a token.
 */

/* Rounding: smaller differences are below the precision of a float. */

/** Minimum relative gain for which a label is corrected. Prevents endless corrections due to rounding. */
export const MIN_LABEL_GAIN = 1e-13
/**
 * Minimum fraction by which the rate of an edge must exceed the ratio of its tokens' prices for the edge to count as
 * profitable. It exceeds the precision of solved prices.
 */
export const MIN_EDGE_GAIN = 1e-9
/**
 * Minimum relative gain per edge for a cycle to count as an arbitrage. It exceeds the 1e-9 that a round trip through a
 * wrapper seems to gain because price curves are fitted.
 */
export const MIN_CYCLE_GAIN = 1e-8
/**
 * Minimum share of the output that an edge must add, and minimum share of the trade that a cycle must carry. Less is
 * dust or rounding.
 */
export const NEGLIGIBLE_SHARE = 1e-7
/**
 * Distance before a tick at which a trade stops, so that rounding does not cross the tick. As a fraction of the fall of
 * √price over the piece of the price curve that ends at the tick.
 */
export const TICK_MARGIN = 1e-7

/* Dual solver. */

/** Maximum surplus or shortage of a token in a solved allocation, as a fraction of the trade's value: 0.0001 bps. */
export const MAX_RESIDUAL = 1e-8
/**
 * Surplus or shortage of a token above which the prices of an allocation do not determine its inputs, as a fraction of
 * the trade's value: 0.001 bps.
 */
export const UNRESOLVED_SHARE = 1e-7
/** Relative precision of a solved price: prices that differ by less cannot be distinguished. */
export const PRICE_ROUNDING = 1e-12
/** Maximum Newton steps of a solution from scratch. Convergence takes 5 to 15. */
export const MAX_NEWTON_STEPS = 60
/** Maximum Newton steps of a solution that starts from the solved prices before a change of a few edges. */
export const MAX_STEPS_AFTER_CHANGE = 25
/** Maximum halvings of one Newton step. A step that needs more fails to descend because of rounding. */
export const MAX_HALVINGS_PER_STEP = 30
/** Maximum halvings of all Newton steps of one solution together. */
export const MAX_HALVINGS = 200
/** Minimum descent of a step, as a fraction of its predicted descent (Armijo rule). Rejects steps that overshoot. */
export const MIN_DESCENT_SHARE = 1e-4
/** Number of consecutive steps with less progress than `MIN_PROGRESS` after which a solution ends. */
export const MAX_IDLE_STEPS = 4
/**
 * Descent of the dual's value in one step, relative to the value, below which a step counts as idle. If an arbitrage is
 * much larger than the trade, rounding keeps the solution from converging.
 */
export const MIN_PROGRESS = 1e-12
/**
 * Maximum rounds, per Newton step, of predicting which idle edges the step makes trade. Without this prediction,
 * Newton's method overshoots at every new edge.
 */
export const MAX_ACTIVATION_ROUNDS = 4
/** Maximum change of a log price in one step. Beyond a factor of e, the linear model is unreliable. */
export const MAX_LOG_PRICE_STEP = 1
/**
 * Predicted descent of a step, relative to the dual's value, below which rounding hides the descent. Such a step is
 * always accepted.
 */
export const DESCENT_ROUNDING = 1e-13
/**
 * A solution ends if a step lowers the dual by less than this, relative to its value, and moves every log price by less
 * than `MIN_PRICE_MOVE`.
 */
export const MIN_VALUE_GAIN = 1e-15
export const MIN_PRICE_MOVE = 1e-13
/**
 * Regularization that is added to each diagonal entry of the Newton matrix, relative to the value of the trade.
 * Prevents a singular matrix if no edge responds to a token's price.
 */
export const DIAGONAL_OF_VALUE = 1e-9
/**
 * Further regularization, relative to the diagonal entry itself. It is not relative to the largest entry, so that one
 * flat pool does not damp the prices of other tokens.
 */
export const DIAGONAL_OF_ENTRY = 1e-13
/** Maximum relative fall of √price over the whole curve of a pool that counts as straight (of a fixed rate). */
export const MAX_STRAIGHT_FALL = 1e-6
/** Factors on the fall of √price of straight curves, tried one after the other when Newton's method gets stuck. */
export const SOFTENING_FACTORS = [1e5, 1e4, 1e3, 100, 10] as const
/** Token count below which tokens are not sorted by their number of edges, because the matrix may then be dense. */
export const MIN_TOKENS_TO_SORT = 12
/** An input within this relative distance of a range without liquidity counts as reaching it. */
export const NEAR_FLAT = 1e-7
/**
 * If a range without liquidity begins at most this fraction above an input, the edge stops before the range. This holds
 * even if the edge receives the excess of full edges.
 */
export const FLAT_REACH = 1e-6

/* Overflow of a token: the amount that its outgoing edges cannot take. */

/** Overflow that counts as rounding, as a fraction of the amount of the token. */
export const FLOW_ROUNDING = 1e-13
/** Maximum rounds of reducing the inflow of tokens that overflow. */
export const MAX_OVERFLOW_ROUNDS = 24
/** Relative margin by which an inflow is reduced below the amount that the outgoing edges can take. */
export const OVERFLOW_MARGIN = 1e-12
/** Maximum ratio of the overflow after a round to the overflow before it, for the round to count as progress. */
export const MAX_OVERFLOW_RATIO = 0.9
/** Maximum consecutive rounds of reducing inflow without progress. */
export const MAX_IDLE_OVERFLOW_ROUNDS = 4

/* Wasteful flows: if the best pools cannot take the whole input, the rest is sold at a loss. */

/** Maximum unsold fraction of the input for which a wasteful flow is tried. */
export const WASTEFUL_MAX_UNSOLD = 0.5
/** Maximum number of tokens that a wasteful flow sells almost entirely through one edge. */
export const WASTEFUL_MAX_TOKENS = 2
/** Factor on the shares of the token's other edges. */
export const WASTEFUL_REST_FACTOR = 1e-6
/** Bisection steps between the requested shares and the shares of a wasteful flow, for a precision of one millionth. */
export const WASTEFUL_HALVINGS = 20

/** Initial capacity of an allocation's edge arrays, in edges. */
export const INITIAL_EDGE_CAPACITY = 64

/* Optimal trade of a pool with several tokens: two nested one-dimensional searches. */

/** Maximum steps of each search. */
export const MAX_TRADE_STEPS = 60
/**
 * Minimum, default (if no estimate is known), and maximum length of a step of the outer search, relative to its
 * variable.
 */
export const TRADE_MIN_STEP = 1e-12
export const TRADE_FIRST_STEP = 1e-4
export const TRADE_MAX_STEP = 0.5
/** Ratio of a step of the outer search to the previous one, until the solution is bracketed. */
export const TRADE_STEP_GROWTH = 4
/** Minimum factor by which a step of the inner search multiplies its variable. Keeps the variable positive. */
export const TRADE_MIN_FACTOR = 1 / 16
/** Maximum length of a step of the inner search, as a multiple of its variable. */
export const TRADE_MAX_MOVE = 4
/**
 * Lower bound of the inner variable u (see `solver/optimal-trade.ts`), relative to the minimum of weight / balance over
 * the pool's tokens. At this bound, a balance is a million times the largest initial one.
 */
export const TRADE_MIN_U = 1e-6
/** Relative precision of the outer search. */
export const TRADE_TOLERANCE = 1e-14
/** Relative precision of the inner search. */
export const TRADE_ROUNDING = 1e-15
/** Relative step length below which a search ends as soon as its steps no longer shrink. */
export const TRADE_SMALL_STEP = 1e-9
/** Work units of one swap on a trading function, which is solved iteratively. */
export const SWAP_WORK = 200

/* Column generation. */

/** Maximum rounds of column generation, which adds profitable edges to an allocation. */
export const MAX_COLUMN_ROUNDS = 24
/** Minimum earnings of an added edge, as a fraction of the trade's value. An edge that earns less would be pruned. */
export const MIN_COLUMN_EARNINGS = 5e-7
/** Minimum earnings of an added edge, as a fraction of its gas cost. */
export const MIN_COLUMN_GAS_SHARE = 0.2
/** An edge is considered only if its earnings may be at least this fraction of the cheapest leg's cost. */
export const MIN_EXPLORED_GAS_SHARE = 0.05
/** Maximum number of tokens that join the allocation in the first round. Keeps the linear systems small. */
export const MAX_JOINING_TOKENS = 6
/** Maximum number of tokens that join in later rounds, as a multiple of the allocation's tokens. */
export const JOINING_TOKENS_GROWTH = 2
/** Rounds of estimating the prices of tokens outside the allocation, on which only the ranking of edges depends. */
export const BALANCING_ROUNDS = 4
/**
 * Idle edges are kept as replacements during pruning if the whole trade would lose little through them. This is the
 * maximum loss, as an amount of gas.
 */
export const IDLE_EDGE_MAX_GAS = 300_000
/** Maximum loss of the whole trade through a kept idle edge, as a fraction of the trade. */
export const IDLE_EDGE_MAX_MARGIN = 0.01
/** Maximum number of idle edges that are kept. */
export const MAX_IDLE_EDGES = 60
/** Minimum share of the trade's value that an edge must carry for its tokens to count as live (carrying flow). */
export const MIN_LIVE_SHARE = 1e-12
/**
 * Maximum number of tokens outside the allocation that are explored by bounds at spot rates. If these bounds reach more
 * tokens, the maximum values of all tokens are computed first, which are tighter bounds.
 */
export const MAX_TOKENS_FOR_SPOT_BOUNDS = 48
/**
 * An edge whose maximum earnings are below this fraction of the trade's value is skipped, and its maximum earnings are
 * added to the bound.
 */
export const DUST_EARNINGS_SHARE = 1e-9

/* Upper bound without gas. */

/** Maximum rounds of adding the edges that loosen the bound. */
export const MAX_BOUND_ROUNDS = 6
/** Maximum number of edges added per round. */
export const MAX_BOUND_EDGES_PER_ROUND = 200
/** Maximum Newton steps for the price of one token of the frontier (the tokens around an allocation). */
export const MAX_BALANCE_STEPS = 12
/** Relative width of the bracket of such a price at which its Newton steps end. */
export const MIN_BALANCE_BRACKET = 1e-15
/** Relative change of such a price at which its Newton steps end. */
export const MIN_BALANCE_MOVE = 1e-12
/** Relative float error of a bound: it sums many numbers of very different sizes. */
export const FLOAT_ERROR = 1e-8
/** Relative distance of the bound to the allocation's value at which the bound is tight enough: 0.01 bps. */
export const TIGHT_BOUND_GAP = 1e-6
/** Relative distance of a bound to the route's output above which the bound probably includes an arbitrage. */
export const WORTHLESS_BOUND_GAP = 1e-3

/* Best single path. */

/** Maximum pool quotes of a path search. After that, the best path found so far is used. */
export const MAX_PATH_QUOTES = 6_000
/** Maximum edges that a path search visits. */
export const MAX_PATH_EDGES = 2_000_000
/** Number of labels (paths) kept for each token and path length. They differ in the tokens that they visit. */
export const LABELS_PER_TOKEN = 3
/** Maximum path length in pools, unless no path of this length reaches the target. */
export const MAX_USUAL_HOPS = 4

/* Pruning: removal of edges that do not earn their gas. */

/** Maximum rounds of pruning, each with one removal or batch; far more than a route has edges. */
export const MAX_PRUNE_ROUNDS = 200
/** Maximum ratio of earnings to cost of the edges that are removed in batches. */
export const UNPROFITABLE_RATIO = 0.3
/** Size of the first batch, as a fraction of the edges below `UNPROFITABLE_RATIO`. */
export const FIRST_PRUNE_BATCH_SHARE = 0.5
/**
 * Edges that earn more than this multiple of their cost are not considered: their removal would lose even more than
 * they earn at the current prices.
 */
export const CLEARLY_PROFITABLE_RATIO = 3
/** Surplus or shortage of a token, as a fraction of the trade's value, from which an allocation counts as unsolved. */
export const UNSOLVED_SHARE = 1e-4
/** Maximum rounds of stopping trades before ticks that are not worth their gas. */
export const MAX_TICK_ROUNDS = 3

/* Limits on pools and hops. */

/** Fraction of the edges above the pool limit that are removed at once; the rest is reallocated between removals. */
export const BULK_REMOVAL_SHARE = 0.25
/** Maximum rounds of refilling a route with profitable paths. */
export const MAX_REFILL_ROUNDS = 16
/** Maximum paths added to a route per round. */
export const REFILL_MAX_PATHS = 16
/** Minimum earnings of an added path, as a fraction of the trade's value. */
export const MIN_REFILL_EARNINGS = 1e-6
/** Minimum earnings of an added path, as a fraction of its gas cost. */
export const MIN_REFILL_GAS_SHARE = 0.2
/** Maximum number of removals that are tried, per round, to shorten a route with too many hops. */
export const MAX_SHORTENINGS = 8
/** Pool count above which all paths that are too long are broken at once. */
export const MANY_POOLS = 40
/** Maximum pool limit of a request for which routes are also built path by path. */
export const MAX_POOLS_TO_JOIN_PATHS = 6
/** Maximum number of steps from edge to edge when paths are enumerated to build a route path by path. */
export const MAX_ENUMERATION_STEPS = 2_000
/** Number of the best paths that are tried as additions to a route. */
export const JOIN_CANDIDATES = 12
/** Number of the best paths with which a route begins. */
export const JOIN_STARTS = 3
/** Fractions of the trade for which paths are ranked, in addition to the whole trade. */
export const JOIN_PART = 1 / 8
export const JOIN_SMALL_PART = 1 / 64

/* Final improvements. */

/** Maximum rounds of adding detours: paths from one token of a route to a later one. */
export const MAX_DETOUR_ROUNDS = 4
/** Maximum detours tried per round. */
export const MAX_DETOURS = 8
/** Minimum earnings of a detour, as a fraction of its gas cost. */
export const MIN_DETOUR_GAS_SHARE = 0.5

/** Maximum replacements of a chain of pools by a direct pool. */
export const MAX_CHAIN_REPLACEMENTS = 8
/** Maximum direct pools that are tried per replacement. */
export const MAX_REPLACEMENTS_TRIED = 8
/** Maximum passes of the local search over shares. */
export const LOCAL_SEARCH_PASSES = 3
/** Change of a leg's input whose effect is tried first, as a fraction of the input. */
export const LOCAL_SEARCH_STEP = 0.02
/** Maximum change of a leg's input at once, as a fraction of the input. */
export const LOCAL_SEARCH_MAX_STEP = 0.5
/** Minimum relative gain of a pass for which another pass follows. */
export const LOCAL_SEARCH_MIN_GAIN = 1e-7
/**
 * Maximum rounds of opening cycles, since opening one can make others profitable. Cycles that remain are cut in the
 * flow.
 */
export const MAX_CYCLE_ROUNDS = 32
/** Rounds of label correction from one check for cycles to the next. */
export const CYCLE_CHECK_INTERVAL = 8

/* Whole search. */

/**
 * Relative gap of a net output to the bound (less the cost of the minimum number of legs) at which the search stops:
 * 0.2 bps. At 0.01 bps, the search takes 15 % more work for 200 pools and 31 % more for 600, and gains 0.0003 bps on
 * the mean trade.
 */
export const MAX_GAP_TO_STOP = 2e-5
/**
 * Uncertain fraction of a route's gas before the gas is measured: twice the error of the gas table at the 95th
 * percentile of Ethereum's pools (`bench/results/hop-gas.json`). With 0.4, none of 400 quotes pays more than with 0.25.
 * With 0.2, one quote pays 2.9 bps less.
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
/** Hop counts for which paths are searched whose hops share a call of one contract. */
export const SHARED_CALL_HOPS = [2, 3] as const
/** Maximum alternatives that exchange one pool of a route. */
export const MAX_EXCHANGES_TRIED = 8
/** Maximum number of exchanges in one alternative, made one after the other. */
export const MAX_SUCCESSIVE_EXCHANGES = 3
/** Factor on the gas cost with which the best route is pruned once more, to find a route that takes less gas. */
export const HIGHER_GAS_FACTOR = 1.3
/**
 * Relative gap to the bound above which a route with gas is also searched among all edges that are profitable without
 * gas.
 */
export const FAR_BELOW_BOUND_GAP = 5e-5
/**
 * If an allocation uses the same edges as an earlier one, and more than this number, it is not pruned again. Pruning
 * would take much work for the same result.
 */
export const MANY_EDGES_IN_USE = 128
/** Maximum relative gap to the best route for a route to be combined with it. */
export const MAX_GAP_TO_COMBINE = 2e-3
/** Maximum number of edges of a combination. */
export const MAX_COMBINED_EDGES = 24
/** Relative gap to the bound above which restricted problems are searched, if gas is free: 0.2 bps. */
export const MAX_GAP_WITHOUT_GAS = 2e-5
/** Relative gap of the net output to the bound before gas above which restricted problems are searched: 5 bps. */
export const MAX_GAP_WITH_GAS = 5e-4
/**
 * Maximum legs of a route for which restricted problems are searched only if pools disagree on prices. If they agree,
 * none of 300 such routes improved.
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

/* Restricted problems: with fewer hops or pools, other paths, or a smaller amount (`refine/restricted-starts.ts`). */

/** Maximum hops of restricted problems. */
export const MAX_RESTRICTED_HOPS = 3
/** Pool limits of restricted problems. */
export const RESTRICTED_POOLS = [5, 3, 2] as const
/** Maximum number of restricted routes that are extended afterward. */
export const MAX_RESTRICTED_STARTS = 4
/** Work limit for restricted problems, in units (about 1 ms); the work of the search itself if that was more. */
export const RESTRICTED_WORK = 60_000
/**
 * Work limit for restricted problems if the bound is loose. If the search itself took more work and the bound is not
 * loose, no restricted problem is searched.
 */
export const MAX_RESTRICTED_WORK = 500_000
/** Minimum relative gain for which the route of a restricted problem is used. */
export const RESTRICTED_MIN_GAIN = 5e-6
/**
 * Maximum pools of a route that are excluded, one at a time, to find other routes. Applies to small graphs, if no bound
 * after gas shows the route to be nearly optimal. On 2,200 trades through pools with limited capacity, the worst loss
 * compared with a restricted request falls from 930 to 65 bps, and 8 of 11 losses vanish.
 */
export const MAX_POOLS_LEFT_OUT = 8
/** Work limit for excluding pools one at a time, in units. */
export const MAX_LEFT_OUT_WORK = 100_000
/** Maximum work of the search itself, in units, for which pools are excluded, unless the bound is loose. */
export const MAX_WORK_TO_LEAVE_OUT = 40_000
/** Minimum gas cost of a pool, as a fraction of the net output, for which a division without the pool is tried. */
export const MIN_COSTLY_POOL_SHARE = 3e-4
/** Work limit for divisions that each exclude a costly pool, in units. */
export const MAX_COSTLY_POOLS_WORK = 1_500_000
/**
 * If pools disagree on prices, the route for this fraction of the trade is also tried for the whole trade. On 380
 * trades of a recorded Ethereum state, 4 lose more than 0.5 bps to the best of 16 variants, at 4 % more work. Without
 * this attempt, 16 trades lose that much, up to 1,622 bps.
 */
export const PARTIAL_TRADE_SHARE = 1 / 4
/** Maximum token orders tried if pools disagree on a price. */
export const MAX_TOKEN_ORDERS = 4
/** Share of the remaining work for improvements on the best path. */
export const IMPROVEMENT_WORK_SHARE = 2 / 3
/** Rounds of column generation if the full number is too much work. Each round roughly triples the token count. */
export const COARSE_COLUMN_ROUNDS = 3
/** Share of the request's work for finding a route. The rest is reserved for the largest routable amount. */
export const ROUTE_WORK_SHARE = 0.8
/** Share of the work for finding a route that allocations may take. The rest is reserved for single paths. */
export const ALLOCATION_WORK_SHARE = 0.9

/* Settlement in integers. */

/** Maximum refusals by pools, one per search, before a route is given up. */
export const MAX_REFUSALS = 12
/**
 * If pools refuse a flow, a worse flow replaces it. If that loses more than this fraction of the output (0.5 bps), the
 * search first runs again with some room left in the full pools. One trade lost 513 bps without this.
 */
export const MAX_FALLBACK_LOSS = 5e-5
/** Room that is left in each full pool, as a fraction of the pool's capacity. */
export const ROOM_IN_FULL_POOLS = 1e-5
/**
 * If a pool's arithmetic fails at an amount, smaller amounts are tried. They are smaller by 1, 2, 4, … steps; a step is
 * the amount divided by this number.
 */
export const REFUSED_STEP_DIVISOR = 1_000_000n
/** Maximum number of steps by which a tried amount is smaller. */
export const MAX_REFUSED_STEPS = 16n
/** A pool is avoided after this many failed amounts. Pools with partly filled orders fail at a third of all amounts. */
export const MAX_FAILED_AMOUNTS = 4
/** Cost of unexpected gas, as a fraction of the output, above which the search is repeated: 0.5 bps. */
export const UNEXPECTED_GAS_SHARE = 5e-5
/**
 * If a leg costs less gas with an input that is smaller by 1 / this divisor, the search is repeated with that input as
 * a limit.
 */
export const TICK_MARGIN_DIVISOR = 1_000_000n
/** Relative gap to the bound above which a single path is suspected to miss liquidity. */
export const SUSPICIOUS_GAP = 1e-4
/**
 * An output of fewer base units counts as few: one unit is then 0.5 bps or more. A leg that buys few units takes the
 * minimum input that buys them.
 */
export const FEW_UNITS = 20_000n
/** Maximum number of searches that exclude legs which buy few units, each based on the previous result. */
export const MAX_COARSE_SEARCHES = 3
/** Maximum exact pool quotes when searching the best path in whole units. */
export const MAX_EXACT_QUOTES = 200
/** Relative gap to the bound up to which legs that buy few units are no reason to search again. */
export const UNIT_ROUNDING_GAP = 1e-5
/**
 * Maximum shortfall of a leg's output against its price curve, as a fraction: 0.5 bps. If a leg pays less, the search
 * is repeated without its edge.
 */
export const BELOW_CURVE_SHARE = 5e-5
/**
 * Number of smaller inputs that are tried if a pool refuses an input. They are smaller by at most the input for one
 * output unit.
 */
export const SMALLER_INPUT_STEPS = 8n
/** Precision of the minimum input that buys the same output: the input for one output unit, divided by this number. */
export const UNIT_PRICE_DIVISOR = 16n

/* Division of a trade among paths: of 1,480 divided trades on small graphs, 38 gained more than 0.3 bps. */

/** Minimum relative gap to the bound for which a division is tried. */
export const DIVISION_MIN_GAP = 5e-5
/** Like `DIVISION_MIN_GAP`, if every pool of the route could take the whole trade. */
export const ROOMY_DIVISION_MIN_GAP = 5e-3
/** Number of chunks in which the trade is first assigned to paths. */
export const DIVISION_CHUNKS = 24
/**
 * Minimum moved amount while all paths are open, before edges are closed. As a fraction of the trade, like the next
 * two.
 */
export const DIVISION_MIN_COARSE_PART = 1 / 512
/** Minimum amount that is moved to an idle path after edges were closed. */
export const DIVISION_MIN_OPENING_PART = 1 / 10_000
/** Minimum amount that is moved between the paths in use. */
export const DIVISION_MIN_PART = 1e-6
/** Minimum relative gain of a move; a smaller gain is rounding. */
export const DIVISION_MIN_GAIN = 1e-12
/** Maximum moves before the moved amount is reduced. */
export const MAX_DIVISION_MOVES = 2_000
/** Maximum paths in use that are tried as the destination of a move. Also the maximum for idle paths. */
export const MAX_DIVISION_TARGETS = 3
/** Number of the best paths that are considered for each of three amounts: the trade and two fractions of it. */
export const DIVISION_PATHS_PER_AMOUNT = 8
/** Maximum number of paths of a flow that a division can improve. */
export const MAX_PATHS_OF_FLOW = 24
/** Work limit of one division, in units. */
export const MAX_DIVISION_WORK = 300_000
