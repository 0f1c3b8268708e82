/** Tolerances of the excerpt of a large graph that a trade is searched on. Parts are of 1. */

/** Edges from which on a graph is large: on smaller ones looking at all of it takes no longer. */
export const LARGE_GRAPH = 60_000
/** Part of a budget that the search on an excerpt may take: the whole graph is searched where it finds none. */
export const PART_OF_WORK = 1 / 2
/**
 * Tokens of all the labels to a target that are kept of a graph, by what is trusted: at nine bytes each some ten megabytes, which a
 * thread holds as long as it has the graph.
 */
export const LABELS_ROOM = 1_000_000
/** Edges out of a token that are judged together, and as many times those for which it is worth while. */
export const BLOCK = 64
export const WORTH_BLOCKS = 4
/** Tokens of the most edges that are hubs, the deepest neighbours of an end, and the edges beyond which an end has no few. */
export const HUBS = 16
export const NEIGHBOURS = 24
export const MANY_EDGES = 4_096
/** Edges that a trade begins with: of the hubs, and of the neighbours. */
export const BETWEEN_HUBS = 200
export const BETWEEN_NEIGHBOURS = 300
/** Part of the best spot rate that a trade may pay at first. */
export const NEAR_SPOT = 0.9995
/** Rounds of coarse prices, those of columns in each, and the edges that each begins with. */
export const COARSE_PRICES = 2
export const COARSE_COLUMNS = 3
export const COARSE_EDGES = 1_000
/** Parts of the trade that an edge must promise: to join in those rounds, and the excerpt. */
export const COARSE_BENEFIT = 1e-6
export const EXCERPT_BENEFIT = 1e-8
/** Edges of an excerpt, and for each pool that a route may have. */
export const EXCERPT_EDGES = 1_500
export const EXCERPT_OF_POOL = 16
/** Part by which prices may turn out lower than the coarse ones. */
export const PRICE_MARGIN = 1e-4
/** Edges that the bounds at spot rates may leave before tighter ones are made, and the part by which those may have risen. */
export const LOOSE_EDGES = 4_000
export const MOST_RISE = 1.003
/** Part by which edges may pay too little that cost other gas, between the tokens that a trade passes; and so many of them. */
export const ALTERNATIVE_PART = 0.02
export const MOST_ALTERNATIVES = 400
/** Part by which a bound on what a path pays is above what rounding may make of it. */
export const PATH_ROUNDING = 1e-9
