/** Tolerances of subgraphs of large graphs. Ratios are fractions of 1. */

/** Edge count from which a graph is large. Smaller ones are searched as a whole in the same time. */
export const LARGE_GRAPH = 60_000
/** Share of the budget for the search on a subgraph. If it finds nothing, the whole graph is searched. */
export const SUBGRAPH_WORK_SHARE = 1 / 2
/**
 * Maximum number of token labels cached per graph and trust list. At nine bytes each about 10 MB, held as long as the
 * graph.
 */
export const MAX_CACHED_LABELS = 1_000_000
/** Edges per block of bounds, and minimum number of blocks for which they are computed. */
export const EDGES_PER_BLOCK = 64
export const MIN_BLOCKS = 4
/** Number of hubs; number of deepest neighbors per end; maximum edges of an end whose neighbors are scanned. */
export const HUB_COUNT = 16
export const NEIGHBORS_PER_END = 24
export const MAX_SCANNED_EDGES = 4_096
/** Number of initial edges between hubs, and between the neighbors of the ends. */
export const EDGES_BETWEEN_HUBS = 200
export const EDGES_BETWEEN_NEIGHBORS = 300
/** Initial price of the source, as a fraction of the best spot rate. */
export const INITIAL_SOURCE_PRICE = 0.9995
/** Rounds of coarse prices, column rounds in each, and edges at the start of each. */
export const COARSE_PRICE_ROUNDS = 2
export const COARSE_COLUMN_ROUNDS = 3
export const COARSE_EDGES = 1_000
/** Minimum benefit of an edge as a fraction of the trade: to join a coarse round, and to join the subgraph. */
export const COARSE_BENEFIT = 1e-6
export const SUBGRAPH_BENEFIT = 1e-8
/** Maximum edges of a subgraph: the larger of a fixed number, and a number per allowed pool. */
export const SUBGRAPH_EDGES = 1_500
export const SUBGRAPH_EDGES_PER_POOL = 16
/** Relative decrease of prices below the coarse ones that the subgraph covers. */
export const PRICE_MARGIN = 1e-4
/**
 * Number of edges found by spot bounds from which tighter bounds are computed, and maximum relative rise of prices
 * before these are updated.
 */
export const MAX_EDGES_BY_SPOT_BOUNDS = 4_000
export const MAX_PRICE_RISE = 1.003
/** Edges with other gas between the trade's tokens: maximum relative price disadvantage, and maximum count. */
export const MAX_ALTERNATIVE_DISADVANTAGE = 0.02
export const MAX_ALTERNATIVE_EDGES = 400
/** Relative margin for rounding in the bound on a path's output. */
export const PATH_ROUNDING = 1e-9
