/** Prices of the state's tokens, as the service says. */
import { IERC20Metadata__factory } from '@sluice/bindings'
import { loadRegistry } from '@sluice/chains'
import { readBlocks, readState, request } from '@sluice/devnet'
import type { Priced } from './draw.ts'

/** Prices of tokens that nobody has asked for come call by call, and pools are found meanwhile. */
const PRICE_POLLS = 60
const POLL_MS = 1_000
/** Calls in a row that bring nothing new: a run that stopped earlier drew from a fifth of the tokens. */
const SAME_POLLS = 10
/** The interface's limit for one call. */
const MOST_TOKENS = 200

/** Prices in USD of those that have one, after as many calls as bring no more. */
export async function pricesOf(
  api: string,
  addresses: readonly string[],
  chainId = 1,
): Promise<ReadonlyMap<string, number>> {
  let known = new Map<string, number>()
  for (let polls = 0, same = 0; polls < PRICE_POLLS && same < SAME_POLLS; polls++) {
    const found = new Map<string, number>()
    for (let from = 0; from < addresses.length; from += MOST_TOKENS) {
      const answer = await fetch(`${api}/prices/${chainId}?token=${addresses.slice(from, from + MOST_TOKENS).join()}`)
      const body = (await answer.json()) as Record<string, number | null>
      for (const [token, usd] of Object.entries(body)) if (usd) found.set(token.toLowerCase(), usd)
    }
    same = found.size === known.size && found.size > 0 ? same + 1 : 0
    known = found
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  return known
}

/**
 * Tokens whose decimals are known: to the registry, as to the service, else to the state. That has only the storage that its blocks
 * read, and answers 0 for WETH and others that keep their decimals in a slot.
 */
export async function withDecimals(url: string, prices: ReadonlyMap<string, number>): Promise<readonly Priced[]> {
  const data = IERC20Metadata__factory.createInterface().encodeFunctionData('decimals')
  const { wrappedNative, stables, tokens } = loadRegistry().chain(1)!
  const listed = new Map(
    [wrappedNative!, ...stables, ...tokens].map(({ address, decimals }) => [address.toLowerCase(), decimals]),
  )
  const priced = await Promise.all(
    [...prices].map(async ([token, usd]) => {
      const known = listed.get(token)
      if (known !== undefined) return [{ token, usd, decimals: known }]
      const answer = await request<string>(url, 'eth_call', [{ to: token, data }, 'latest']).catch(() => '0x')
      return answer === '0x' ? [] : [{ token, usd, decimals: Number(BigInt(answer)) }]
    }),
  )
  return priced.flat()
}

/** Tokens of the state's pools; those that the recorded blocks trade in. */
export function tokensOfState(): { readonly all: readonly string[]; readonly busy: ReadonlySet<string> } {
  const { pools, accounts } = readState('ethereum')
  const blocks = readBlocks().map(({ number }) => number)
  const tokensOf = (some: typeof pools) => new Set<string>(some.flatMap(({ tokens }) => tokens))
  return {
    all: [...tokensOf(pools)],
    busy: tokensOf(pools.filter(({ address }) => blocks.includes(accounts[address]!.since!))),
  }
}
