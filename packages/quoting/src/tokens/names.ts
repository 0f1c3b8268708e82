/** Names and symbols that tokens give themselves, made harmless. */
import type { Address, Hex } from '@sluice/chains'
import { type Reads, runReads } from '@sluice/liquidity'
import type { Rpc } from '@sluice/rpc'
import { Bounded, type StateCount, textOf } from '@sluice/simulation'

/** Characters, as the format of token lists has it. */
const MAX_NAME = 60
export const MAX_SYMBOL = 20
const MAX_TOKENS = 10_000
/** For one read: proxies take up to 100,000, and what answers without end is held to some hundred kilobytes. */
const GAS = 500_000
/** Tokens are asked again after this: upgradeable ones may take another name. */
const REMEMBER_MS = 86_400_000

export type TokenName = { readonly name: string | null; readonly symbol: string | null }

/** `name()` and `symbol()`. */
const NAME: Hex = '0x06fdde03'
const SYMBOL: Hex = '0x95d89b41'

export class TokenNames {
  private readonly known = new Bounded<Address, TokenName>(MAX_TOKENS, { ttl: REMEMBER_MS })

  get count(): StateCount {
    return this.known.count
  }

  get(token: Address): TokenName | undefined {
    return this.known.get(token)
  }

  /** Reads those that are not known yet, in a call or a few. @throws RpcError */
  async read(tokens: readonly Address[], rpc: Rpc): Promise<void> {
    const unknown = tokens.filter((token) => !this.known.has(token))
    const read = unknown.map(function* (to): Reads<TokenName> {
      const [name, symbol] = yield [
        { to, data: NAME, gas: GAS },
        { to, data: SYMBOL, gas: GAS },
      ]
      return { name: name ? textOf(name, MAX_NAME) : null, symbol: symbol ? textOf(symbol, MAX_SYMBOL) : null }
    })
    const names = await runReads(rpc, 'latest', read, { priority: 'lookup' })
    for (const [k, token] of unknown.entries()) this.known.set(token, names[k]!)
  }
}
