/**
 * Classifies requests by their request line. This is cheap enough to run before Express's routing, which takes too long in the
 * overload benchmark.
 */

/** Endpoints of one chain that are subject to admission. */
const target =
  /^\/(aggregator|quote|quotes|simulate|stream|permit|tokens|tokenlist|prices|liquidity|history|status|referee)\/([1-9][0-9]{0,15})(?:[?/]|$)/

/** Endpoints that take a list of tokens. */
const LISTS: ReadonlySet<string> = new Set(['tokens', 'prices', 'liquidity', 'history'])

/** Classification of a request. */
export type Asks = {
  readonly endpoint: string
  readonly chainId: number
  /** Endpoint, and for lists the binary logarithm of their size, rounded up, or `posted`. There are about fifty kinds. */
  readonly kind: string
  /** True if the answer may be remembered from the same block. */
  readonly isRemembered: boolean
}

/**
 * Classifies a request.
 *
 * @param url - path and query as sent
 * @returns undefined if the endpoint is not subject to admission
 */
export function asksFor(url: string, method = 'GET'): Asks | undefined {
  const [, endpoint, chainId] = target.exec(url) ?? []
  if (!endpoint) return undefined
  const isPosted = method === 'POST'
  const isList = LISTS.has(endpoint)
  return {
    endpoint,
    chainId: Number(chainId),
    kind: isList ? `${endpoint} ${isPosted ? 'posted' : Math.ceil(Math.log2(items(url)))}` : kindOf(endpoint, url),
    isRemembered: !isPosted && (endpoint === 'prices' || endpoint === 'liquidity'),
  }
}

/** Returns the kind of an endpoint without a list. A quote costs as much as a swap; one at a past block also reads its pools. */
function kindOf(endpoint: string, url: string): string {
  if (endpoint !== 'quote') return endpoint
  return /[?&]block=/.test(url) ? 'past quote' : 'aggregator'
}

/** Returns the number of list items, from the number of plain and encoded commas in the URL. */
function items(url: string): number {
  let count = 1
  for (let k = 0; k < url.length; k++) {
    if (url[k] === ',') count++
    else if (url[k] === '%' && url[k + 1] === '2' && (url[k + 2] === 'C' || url[k + 2] === 'c')) count++
  }
  return count
}
