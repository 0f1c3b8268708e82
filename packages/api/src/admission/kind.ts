/**
 * Kind of work that a request asks for, as far as its first line tells: cheap enough to be looked at before anything else, and before
 * Express's own routing, which the overload benchmark has no time for.
 */

/** Endpoints of one chain that have work done for them. */
const target =
  /^\/(aggregator|quote|quotes|simulate|stream|permit|tokens|tokenlist|prices|liquidity|status|referee)\/([1-9][0-9]{0,15})(?:[?/]|$)/

/** Endpoints that take a list. */
const LISTS: ReadonlySet<string> = new Set(['tokens', 'prices', 'liquidity'])

export type Asks = {
  readonly endpoint: string
  readonly chainId: number
  /** The endpoint and the size of the list that it is asked for, rounded up to a power of two: about fifty in all. */
  readonly kind: string
  /** Answers may be in memory. */
  readonly isRemembered: boolean
}

/** @param url - path and query as sent; undefined for what no chain has to work for */
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

/** A quote costs what a swap does: all but the bytes of its transaction. One at a past block reads its pools first. */
function kindOf(endpoint: string, url: string): string {
  if (endpoint !== 'quote') return endpoint
  return /[?&]block=/.test(url) ? 'past quote' : 'aggregator'
}

/** Commas, plain or encoded, stand between the items of a list. */
function items(url: string): number {
  let count = 1
  for (let k = 0; k < url.length; k++) {
    if (url[k] === ',') count++
    else if (url[k] === '%' && url[k + 1] === '2' && (url[k + 2] === 'C' || url[k + 2] === 'c')) count++
  }
  return count
}
