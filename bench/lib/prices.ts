/** Loads USD prices of the tokens of the recorded Ethereum state from the service. */
import { IERC20Metadata__factory } from '@sluice/bindings'
import { loadRegistry } from '@sluice/chains'
import { readBlocks, readState, request } from '@sluice/devnet'
import { nativeOf, type Tokens, type TradedToken } from './trades.ts'

/** Maximum number of calls. The service finds the pools of new tokens between calls, and then has more prices. */
const MAX_POLLS = 60
const POLL_MS = 1_000
/**
 * Number of consecutive calls without new prices after which loading ends. With a smaller number, a run got prices for
 * only a fifth of the tokens.
 */
const STABLE_POLLS = 10
/** Maximum number of tokens per call of the API. */
const MAX_TOKENS_PER_CALL = 200

/** Returns the USD prices of tokens. Repeats the call until no new prices arrive. Omits tokens without a price. */
export async function pricesOf(
  api: string,
  addresses: readonly string[],
  chainId = 1,
): Promise<ReadonlyMap<string, number>> {
  let lastPrices = new Map<string, number>()
  for (let polls = 0, stablePolls = 0; polls < MAX_POLLS && stablePolls < STABLE_POLLS; polls++) {
    const prices = new Map<string, number>()
    for (let from = 0; from < addresses.length; from += MAX_TOKENS_PER_CALL) {
      const answer = await fetch(
        `${api}/prices/${chainId}?token=${addresses.slice(from, from + MAX_TOKENS_PER_CALL).join()}`,
      )
      const body = (await answer.json()) as Record<string, number | null>
      for (const [token, usd] of Object.entries(body)) if (usd) prices.set(token.toLowerCase(), usd)
    }
    stablePolls = prices.size === lastPrices.size && prices.size > 0 ? stablePolls + 1 : 0
    lastPrices = prices
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  return lastPrices
}

/**
 * Adds decimals to the tokens: those of the registry, or else those that the node returns. Omits tokens without
 * decimals. The recorded state contains only the storage that its blocks read, so a token that stores its decimals,
 * such as WETH, may return 0 there.
 */
export async function withDecimals(url: string, prices: ReadonlyMap<string, number>): Promise<readonly TradedToken[]> {
  const data = IERC20Metadata__factory.createInterface().encodeFunctionData('decimals')
  const { wrappedNative, stables, tokens } = loadRegistry().chain(1)!
  const decimalsOfListed = new Map(
    [wrappedNative!, ...stables, ...tokens].map(({ address, decimals }) => [address.toLowerCase(), decimals]),
  )
  const tokensWithPrice = await Promise.all(
    [...prices].map(async ([token, usd]) => {
      const decimals = decimalsOfListed.get(token)
      if (typeof decimals === 'number') return [{ token, usd, decimals }]
      const answer = await request<string>(url, 'eth_call', [{ to: token, data }, 'latest']).catch(() => '0x')
      return answer === '0x' ? [] : [{ token, usd, decimals: Number(BigInt(answer)) }]
    }),
  )
  return tokensWithPrice.flat()
}

/**
 * Loads the tokens of the recorded state that have a price and decimals.
 *
 * @param api - URL of the service
 * @param url - URL of the node
 */
export async function pricedTokens(api: string, url: string): Promise<Tokens> {
  const { all: addresses, busy } = tokensOfState()
  const prices = await pricesOf(api, addresses)
  const tokens = await withDecimals(url, prices)
  const weth = loadRegistry().chain(1)!.wrappedNative!.address.toLowerCase()
  return { native: nativeOf(prices.get(weth)!), all: tokens, busy: tokens.filter(({ token }) => busy.has(token)) }
}

/** Returns `all` tokens of the recorded pools, and those of the pools that the recorded blocks changed (`busy`). */
export function tokensOfState(): { readonly all: readonly string[]; readonly busy: ReadonlySet<string> } {
  const { pools, accounts } = readState('ethereum')
  const blocks = readBlocks().map(({ number }) => number)
  const tokensOf = (tokenPools: typeof pools) => new Set<string>(tokenPools.flatMap(({ tokens }) => tokens))
  return {
    all: [...tokensOf(pools)],
    busy: tokensOf(pools.filter(({ address }) => blocks.includes(accounts[address]!.since!))),
  }
}
