/**
 * Classifies requests by method and URL, for admission. This is cheap enough to run before Express's routing, which
 * costs too much time per request in the overload benchmark.
 */

/** Paths of the endpoints that are subject to admission. They all belong to one chain. */
const ADMITTED_PATH =
  /^\/(aggregator|quote|quotes|simulate|stream|permit|tokens|tokenlist|prices|liquidity|history|status|referee)\/([1-9][0-9]{0,15})(?:[?/]|$)/

/** Endpoints that take a list of tokens. */
const LIST_ENDPOINTS: ReadonlySet<string> = new Set(['tokens', 'prices', 'liquidity', 'history'])

/** Classification of a request. */
export type AdmissionClass = {
  readonly endpoint: string
  readonly chainId: number
  /**
   * Key of the learned costs: the endpoint. For endpoints that take a list, the rounded-up binary logarithm of the
   * list's length follows, or `posted`. There are about fifty kinds.
   */
  readonly kind: string
  /** True if an earlier response of the same block may answer the request. */
  readonly isCacheable: boolean
}

/**
 * Classifies a request.
 *
 * @param url - path and query as sent
 * @returns undefined if the endpoint is not subject to admission
 */
export function classifyRequest(url: string, method = 'GET'): AdmissionClass | undefined {
  const [, endpoint, chainId] = ADMITTED_PATH.exec(url) ?? []
  if (!endpoint) return undefined
  const isPosted = method === 'POST'
  const isList = LIST_ENDPOINTS.has(endpoint)
  return {
    endpoint,
    chainId: Number(chainId),
    kind: isList ? `${endpoint} ${isPosted ? 'posted' : Math.ceil(Math.log2(countItems(url)))}` : kindOf(endpoint, url),
    isCacheable: !isPosted && (endpoint === 'prices' || endpoint === 'liquidity'),
  }
}

/**
 * Returns the kind for an endpoint without a list. A quote costs as much as a swap. A quote at a past block must also
 * read pools.
 */
function kindOf(endpoint: string, url: string): string {
  if (endpoint !== 'quote') return endpoint
  return /[?&]block=/.test(url) ? 'past quote' : 'aggregator'
}

/** Returns the number of list items: the plain and the encoded commas in the URL, plus 1. */
function countItems(url: string): number {
  let count = 1
  for (let k = 0; k < url.length; k++) {
    if (url[k] === ',') count++
    else if (url[k] === '%' && url[k + 1] === '2' && (url[k + 2] === 'C' || url[k + 2] === 'c')) count++
  }
  return count
}
