/** Names and symbols of tokens, as their contracts return them, sanitized. */
import type { Address, Hex } from '@sluice/chains'
import { type Reads, runReads } from '@sluice/liquidity'
import type { Rpc } from '@sluice/rpc'
import { BoundedMap, decodeText, type StateCount } from '@sluice/simulation'

/** Maximum characters, as in the Token Lists schema. */
const MAX_NAME = 60
export const MAX_SYMBOL = 20
const MAX_TOKENS = 10_000
/** Gas limit of one read. Proxies use up to 100,000; an endless answer is limited to a few hundred kilobytes. */
const GAS = 500_000
/** Milliseconds until a name is read again, since upgradeable tokens may change it. */
const REMEMBER_MS = 86_400_000

/** A token's name and symbol; null if the contract returns none. */
export type TokenName = { readonly name: string | null; readonly symbol: string | null }

/** Selectors of `name()` and `symbol()`. */
const NAME: Hex = '0x06fdde03'
const SYMBOL: Hex = '0x95d89b41'

/** Cache of token names. */
export class TokenNames {
  private readonly names = new BoundedMap<Address, TokenName>(MAX_TOKENS, { ttl: REMEMBER_MS })

  get count(): StateCount {
    return this.names.count
  }

  get(token: Address): TokenName | undefined {
    return this.names.get(token)
  }

  /** Reads the names that are not cached, in few calls. @throws RpcError */
  async read(tokens: readonly Address[], rpc: Rpc): Promise<void> {
    const unknown = tokens.filter((token) => !this.names.has(token))
    const read = unknown.map(function* (to): Reads<TokenName> {
      const [name, symbol] = yield [
        { to, data: NAME, gas: GAS },
        { to, data: SYMBOL, gas: GAS },
      ]
      return { name: name ? decodeText(name, MAX_NAME) : null, symbol: symbol ? decodeText(symbol, MAX_SYMBOL) : null }
    })
    const names = await runReads(rpc, 'latest', read, { priority: 'lookup' })
    for (const [k, token] of unknown.entries()) this.names.set(token, names[k]!)
  }
}
