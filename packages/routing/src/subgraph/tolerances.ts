/**
 * Tolerances of subgraphs of large graphs (`select-subgraph.ts`). Ratios are fractions of 1. An edge is a pool in one
 * direction. An allocation is a flow over some edges, with a price for each token. It is coarse if it was optimized in
 * few rounds. The prices of coarse allocations select the edges of a subgraph.
 */

/**
 * Edge count from which a graph is large, so that a subgraph is selected. Smaller graphs are searched as a whole, since
 * selecting would take as long.
 */
export const MIN_LARGE_GRAPH_EDGES = 60_000
/** Share of the budget for the search on a subgraph. If it finds nothing, the whole graph is searched. */
export const SUBGRAPH_WORK_SHARE = 1 / 2
/**
 * Maximum number of token labels cached per graph and trust list. At nine bytes per label, the cache takes about 10 MB,
 * as long as the graph is in use.
 */
export const MAX_CACHED_LABELS = 1_000_000
/** Number of edges per chunk of a token's outgoing edges; see `TargetLabels.chunkValuesByToken`. */
export const EDGES_PER_CHUNK = 64
/** Minimum number of chunks of a token for which chunks are used. */
export const MIN_CHUNKS = 4
/** Number of hubs: the tokens with the most edges. */
export const HUB_COUNT = 16
/** Maximum number of initial edges at each end of the trade: the deepest ones. */
export const NEIGHBORS_PER_END = 24
/** Maximum number of edges of a token for its edges to be scanned. */
export const MAX_SCANNED_EDGES = 4_096
/** Maximum number of initial edges between hubs. */
export const EDGES_BETWEEN_HUBS = 200
/** Maximum number of initial edges at the neighbors of the ends. */
export const EDGES_BETWEEN_NEIGHBORS = 300
/** Price of the source before the first coarse allocation, as a fraction of the best spot rate. */
export const INITIAL_SOURCE_PRICE = 0.9995
/** Maximum number of coarse allocations, from which prices are taken. */
export const COARSE_PRICE_ROUNDS = 2
/** Maximum rounds of column generation in a coarse allocation. */
export const COARSE_PRICE_COLUMN_ROUNDS = 3
/** Maximum number of edges around the priced tokens that join the subgraph of a coarse allocation. */
export const MAX_COARSE_EDGES = 1_000
/** Minimum earnings of an edge, as a fraction of the trade's value, to join the subgraph of a coarse allocation. */
export const MIN_COARSE_EARNINGS = 1e-6
/** Minimum earnings of an edge, as a fraction of the trade's value, to join the final subgraph. */
export const MIN_SUBGRAPH_EARNINGS = 1e-8
/**
 * Limits the number of edges that join the final subgraph for their earnings. The limit is this number, or
 * `SUBGRAPH_EDGES_PER_POOL` times the pool limit if that is higher.
 */
export const SUBGRAPH_EDGES = 1_500
export const SUBGRAPH_EDGES_PER_POOL = 16
/**
 * Fraction by which coarse prices are lowered before the edges of the final subgraph are selected. More edges pay at
 * the lowered prices, so the subgraph also suits the final prices, which differ slightly.
 */
export const PRICE_MARGIN = 1e-4
/** If more edges could pay by bounds at spot rates, the maximum values of tokens are measured over the whole graph. */
export const MAX_EDGES_BY_SPOT_BOUNDS = 4_000
/** If a price exceeds the measured value of its token by more than this factor, values are measured again. */
export const MAX_PRICE_RISE = 1.003
/**
 * Alternatives are edges between the tokens of edges in use, which may cost less gas. Maximum fraction by which the
 * rate of an alternative may be below the ratio of its tokens' values.
 */
export const MAX_ALTERNATIVE_DISADVANTAGE = 0.02
/** Maximum number of alternatives. */
export const MAX_ALTERNATIVE_EDGES = 400
/** Relative margin for rounding in the bound on a path's output. */
export const PATH_ROUNDING = 1e-9
