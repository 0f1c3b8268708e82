/** Reads the names and symbols of tokens from their contracts, sanitizes them for display, and caches them. */
import type { Address, Hex } from '@sluice/chains'
import { type Reads, runReads } from '@sluice/liquidity'
import type { Rpc } from '@sluice/rpc'
import { BoundedMap, decodeText, type StateCount } from '@sluice/simulation'

/** Maximum characters of a name, as in the Token Lists schema. */
const MAX_NAME_LENGTH = 60
/** Maximum characters of a symbol, as in the Token Lists schema. */
export const MAX_SYMBOL_LENGTH = 20
/** Maximum tokens with a cached name. */
const MAX_TOKENS = 10_000
/** Estimated gas of one read, with a reserve: proxies use up to 100,000. */
const READ_GAS = 500_000
/** Milliseconds until a name is read again, since upgradeable tokens may change it. */
const TTL_MS = 86_400_000
/** Milliseconds until a token without a symbol is read again. The node may not have had the token yet. */
const UNNAMED_TTL_MS = 60_000

/** A token's name and symbol; null if the contract returns none. */
export type TokenName = { readonly name: string | null; readonly symbol: string | null }

/** Selectors of `name()` and `symbol()`. */
const NAME: Hex = '0x06fdde03'
const SYMBOL: Hex = '0x95d89b41'

export class TokenNames {
  private readonly nameByToken = new BoundedMap<Address, TokenName>(MAX_TOKENS, { ttl: TTL_MS })
  private readonly unnamedTokens = new BoundedMap<Address, TokenName>(MAX_TOKENS, { ttl: UNNAMED_TTL_MS })

  get count(): StateCount {
    const [namedCount, unnamedCount] = [this.nameByToken.count, this.unnamedTokens.count]
    return {
      entries: namedCount.entries + unnamedCount.entries,
      evicted: namedCount.evicted + unnamedCount.evicted,
    }
  }

  get(token: Address): TokenName | undefined {
    return this.nameByToken.get(token) ?? this.unnamedTokens.get(token)
  }

  /** Reads the names that are not cached, in few calls. @throws RpcError */
  async read(tokens: readonly Address[], rpc: Rpc): Promise<void> {
    const missingTokens = tokens.filter((token) => !this.get(token))
    const nameReads = missingTokens.map(function* (to): Reads<TokenName> {
      const [name, symbol] = yield [
        { to, data: NAME, gas: READ_GAS },
        { to, data: SYMBOL, gas: READ_GAS },
      ]
      return {
        name: name ? decodeText(name, MAX_NAME_LENGTH) : null,
        symbol: symbol ? decodeText(symbol, MAX_SYMBOL_LENGTH) : null,
      }
    })
    const names = await runReads(rpc, 'latest', nameReads, { priority: 'lookup' })
    for (const [k, token] of missingTokens.entries()) {
      const cache = names[k]!.symbol === null ? this.unnamedTokens : this.nameByToken
      cache.set(token, names[k]!)
    }
  }
}
