/** What a request asks for, as far as its first line tells: cheap enough to be looked at before anything else. */

/** Endpoints of one chain that have work done for them. */
const target = /^\/(aggregator|simulate|tokens|prices|liquidity)\/([1-9][0-9]{0,15})(?:[?/]|$)/

export type Asks = {
  readonly endpoint: string
  readonly chainId: number
  /** The endpoint and the size of the list that it is asked for, rounded up to a power of two: about fifty in all. */
  readonly kind: string
  /** Answers may be in memory. */
  readonly isRemembered: boolean
}

/** @param url - path and query as sent; undefined for what no chain has to work for */
export function asksFor(url: string): Asks | undefined {
  const [, endpoint, chainId] = target.exec(url) ?? []
  if (!endpoint) return undefined
  const isList = endpoint !== 'aggregator' && endpoint !== 'simulate'
  return {
    endpoint,
    chainId: Number(chainId),
    kind: isList ? `${endpoint} ${Math.ceil(Math.log2(items(url)))}` : endpoint,
    isRemembered: endpoint === 'prices' || endpoint === 'liquidity',
  }
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
