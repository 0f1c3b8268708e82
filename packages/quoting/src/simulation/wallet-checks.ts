/**
 * Which routes are simulated as they are sent, beside the run with a probe in the sender's place. A token, hook or router may ask for
 * the code of those it deals with, and the probe is code. Routes are compared where a token's code may ask and the chain's file does
 * not vouch for it, where it was seen to make a difference, and the first time for each token in each pool.
 */
import type { Address } from '@sluice/chains'
import { familyOf, type Pool } from '@sluice/liquidity'
import type { Route } from '@sluice/routing'
import type { BlockRef, Rpc } from '@sluice/rpc'
import { Bounded, mayAskForCode, type StateCount } from '@sluice/simulation'

const MAX_CODES = 20_000
const MAX_COMPARED = 50_000
const MAX_DIFFERING = 10_000
/** Milliseconds after which a token in a pool is compared again: contracts behind proxies are replaced. */
const COMPARED_MS = 86_400_000
/** The same for pools with code of others in them, such as hooks. */
const FOREIGN_COMPARED_MS = 600_000

type Legs = Route['legs']

export class WalletChecks {
  /** Tokens, and pools with code of others, that treat accounts with code otherwise than wallets. */
  private readonly differing = new Bounded<string, true>(MAX_DIFFERING)
  private readonly compared = new Bounded<string, number>(MAX_COMPARED)
  private readonly codes = new Bounded<Address, Promise<boolean>>(MAX_CODES)
  private readonly vouched: ReadonlySet<Address>

  /** @param vouched - tokens that the chain's file names */
  constructor(vouched: Iterable<Address>) {
    this.vouched = new Set(vouched)
  }

  get counts(): Readonly<Record<'codes' | 'compared' | 'differing', StateCount>> {
    return { codes: this.codes.count, compared: this.compared.count, differing: this.differing.count }
  }

  /** True where a route is to be run as it is sent. @throws RpcError where code cannot be read */
  async isDue({ legs }: Pick<Route, 'legs'>, rpc: Rpc, block: BlockRef): Promise<boolean> {
    const now = Date.now()
    if (keysOf(legs).some((key) => this.differing.has(key))) return true
    if (pairsOf(legs).some(([key, lastsMs]) => now - (this.compared.get(key) ?? Number.NEGATIVE_INFINITY) > lastsMs))
      return true
    const strange = tokensOf(legs).filter((token) => !this.vouched.has(token))
    const asking = await Promise.all(strange.map((token) => this.mayAsk(token, rpc, block)))
    return asking.includes(true)
  }

  /** @param differs - true where the transaction as it is sent ended otherwise than with a probe in the sender's place */
  observe({ legs }: Pick<Route, 'legs'>, differs: boolean): void {
    const now = Date.now()
    if (!differs) {
      for (const [key] of pairsOf(legs)) this.compared.set(key, now)
      return
    }
    // The chain's file vouches for its tokens; where there is nothing else, one of them is it all the same.
    const keys = keysOf(legs)
    const strange = keys.filter((key) => !this.vouched.has(key as Address))
    for (const key of strange.length > 0 ? strange : keys) this.differing.set(key, true)
  }

  /** True of a token that was seen to treat accounts with code otherwise than wallets. */
  differs(token: Address): boolean {
    return this.differing.has(token)
  }

  /** True for a token whose code may ask for that of others; read once. @throws RpcError */
  mayAsk(token: Address, rpc: Rpc, block: BlockRef): Promise<boolean> {
    const known = this.codes.get(token)
    if (known) return known
    const reading = rpc.getCode(token, block).then(mayAskForCode)
    this.codes.set(token, reading)
    reading.catch(() => this.codes.peek(token) === reading && this.codes.delete(token))
    return reading
  }
}

const hasForeignCode = (pool: Pool): boolean => (familyOf(pool.family)?.dependsOn?.(pool) ?? []).length > 0

function tokensOf(legs: Legs): readonly Address[] {
  return [...new Set(legs.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))]
}

function keysOf(legs: Legs): readonly string[] {
  const pools = legs.flatMap(({ pool }) => (hasForeignCode(pool) ? [pool.id] : []))
  return [...tokensOf(legs), ...new Set(pools)]
}

/** Tokens in pools, each with the milliseconds for which a comparison holds. */
function pairsOf(legs: Legs): readonly (readonly [string, number])[] {
  return legs.flatMap(({ pool, tokenIn, tokenOut }) => {
    const lastsMs = hasForeignCode(pool) ? FOREIGN_COMPARED_MS : COMPARED_MS
    return [tokenIn, tokenOut].map((token) => [`${token} ${pool.id}`, lastsMs] as const)
  })
}
