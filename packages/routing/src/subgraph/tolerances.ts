/** Tolerances of subgraphs of large graphs. Ratios are fractions of 1. */

/**
 * Edge count from which a graph is large, so that a subgraph is selected. Smaller graphs are searched as a whole, since
 * selecting would take as long.
 */
export const MIN_LARGE_GRAPH_EDGES = 60_000
/** Share of the budget for the search on a subgraph. If it finds nothing, the whole graph is searched. */
export const SUBGRAPH_WORK_SHARE = 1 / 2
/**
 * Maximum number of token labels cached per graph and trust list. At nine bytes each about 10 MB, held as long as the
 * graph.
 */
export const MAX_CACHED_LABELS = 1_000_000
/**
 * Edges of a token per block (see `TargetLabels.blocks`), and minimum number of blocks of a token for which blocks are
 * used.
 */
export const EDGES_PER_CHUNK = 64
export const MIN_CHUNKS = 4
/** Number of hubs; number of deepest neighbors per end; maximum edges of a token whose neighbors are scanned. */
export const HUB_COUNT = 16
export const NEIGHBORS_PER_END = 24
export const MAX_SCANNED_EDGES = 4_096
/** Number of initial edges between hubs, and between the neighbors of the ends. */
export const EDGES_BETWEEN_HUBS = 200
export const EDGES_BETWEEN_NEIGHBORS = 300
/** Initial price of the source, as a fraction of the best spot rate. */
export const INITIAL_SOURCE_PRICE = 0.9995
/** Rounds of coarse prices; column rounds in each; maximum edges that join at the start of each. */
export const COARSE_PRICE_ROUNDS = 2
export const COARSE_PRICE_COLUMN_ROUNDS = 3
export const MAX_COARSE_EDGES = 1_000
/**
 * Minimum earnings of an edge, as a fraction of the trade's value: to join a coarse round, and to join the subgraph.
 */
export const MIN_COARSE_EARNINGS = 1e-6
export const MIN_SUBGRAPH_EARNINGS = 1e-8
/** Maximum edges of a subgraph: the larger of a fixed number, and a number per allowed pool. */
export const SUBGRAPH_EDGES = 1_500
export const SUBGRAPH_EDGES_PER_POOL = 16
/**
 * Fraction by which prices may lie below the coarse prices. The subgraph contains the edges that pay at the lowered
 * prices.
 */
export const PRICE_MARGIN = 1e-4
/**
 * If more edges than `MAX_EDGES_BY_SPOT_BOUNDS` could pay by bounds at spot rates, token values are measured. They are
 * measured again once a price has risen by more than the factor `MAX_PRICE_RISE`.
 */
export const MAX_EDGES_BY_SPOT_BOUNDS = 4_000
export const MAX_PRICE_RISE = 1.003
/**
 * Alternatives to edges in use, which may cost less gas: maximum fraction by which their rate may be worse, and maximum
 * count.
 */
export const MAX_ALTERNATIVE_DISADVANTAGE = 0.02
export const MAX_ALTERNATIVE_EDGES = 400
/** Relative margin for rounding in the bound on a path's output. */
export const PATH_ROUNDING = 1e-9
