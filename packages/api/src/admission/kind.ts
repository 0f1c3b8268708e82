/**
 * Classifies requests by method and URL, for admission. Runs before Express's routing, because routing takes too much
 * time for requests that are refused under overload.
 */

/** Paths of the endpoints that are subject to admission. Each path names one chain. */
const ADMITTED_PATH =
  /^\/(aggregator|quote|quotes|simulate|stream|permit|tokens|tokenlist|prices|liquidity|history|status|referee)\/([1-9][0-9]{0,15})(?:[?/]|$)/

/**
 * Endpoints that take a list of tokens. `quotes` takes a list too, but always in the body, so its length is unknown
 * here.
 */
const LIST_ENDPOINTS: ReadonlySet<string> = new Set(['tokens', 'prices', 'liquidity', 'history'])

/** Classification of a request. */
export type AdmissionClass = {
  readonly endpoint: string
  readonly chainId: number
  /**
   * Key under which the costs of requests are learned. For most endpoints this is the endpoint (see `kindOf`). An
   * endpoint that takes a list of tokens has one kind per power of two of the list's length, such as `prices 3` for 5
   * to 8 tokens. If the list is in the body, its length is unknown, and the kind is, for example, `prices posted`.
   * There are about fifty kinds.
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
 * Returns the kind for an endpoint without a list of tokens. A quote costs as much as a request to `aggregator` (a
 * swap), so both share a kind. A quote at a past block must also read pools, so it has a kind of its own.
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
