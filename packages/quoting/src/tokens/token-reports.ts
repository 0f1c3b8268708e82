import { type Address, NATIVE } from '@sluice/chains'
import { familyOf, type Pool, type Snapshot } from '@sluice/liquidity'
import { Semaphore } from '@sluice/rpc'
import { Bounded, SimulationError, type StateCount, type TokenReport } from '@sluice/simulation'
import { measureToken, type TaxSource } from './taxes.ts'

/** Pools in which a token is measured: those that hold most of it. */
const MAX_POOLS = 3
const REMEMBER_MS = 60_000
const MAX_REMEMBERED = 1_000
const MAX_UNSELLABLE = 10_000
/** Tokens measured at a time: each is some twenty calls, and quotes wait for the same node. */
const MAX_AT_ONCE = 4

/** A token as measured in each pool; the first says what holds everywhere. */
export type MeasuredToken = readonly { readonly pool: Pool | undefined; readonly report: TokenReport }[]

/** Reports for those who ask about tokens, remembered for a minute: each costs the node a few calls. */
export class TokenReports {
  private readonly known = new Bounded<Address, Promise<MeasuredToken | null>>(MAX_REMEMBERED, { ttl: REMEMBER_MS })
  /** Tokens that could be bought and not sold, wherever they were measured last. */
  private readonly unsellable = new Bounded<Address, true>(MAX_UNSELLABLE)
  private readonly turns = new Semaphore(MAX_AT_ONCE)
  /** Called when a token turns out to be unsellable. */
  onUnsellable: (token: Address) => void = () => {}

  get count(): StateCount {
    return this.known.count
  }

  /** True for a token that could not be sold when it was measured last. */
  isUnsellable(token: Address): boolean {
    return this.unsellable.has(token)
  }

  /** Null for what is no token. @throws RpcError when the node failed */
  of(token: Address, snapshot: Snapshot, source: TaxSource): Promise<MeasuredToken | null> {
    const known = this.known.get(token)
    if (known) return known
    const measured = this.turns.run(() => measureEverywhere(token, snapshot, source))
    this.known.set(token, measured)
    measured
      .then((found) =>
        this.learn(
          token,
          (found ?? []).map(({ report }) => report.sellable),
        ),
      )
      .catch(() => {})
    measured.catch(() => this.known.peek(token) === measured && this.known.delete(token))
    return measured
  }

  /** Takes in what was measured of sales, here or by whoever else measures tokens: one that worked in a pool is enough. */
  learn(token: Address, sellable: readonly (boolean | null)[]): void {
    if (sellable.includes(true)) this.unsellable.delete(token)
    else if (sellable.includes(false) && !this.unsellable.has(token)) {
      this.unsellable.set(token, true)
      this.onUnsellable(token)
    }
  }
}

async function measureEverywhere(token: Address, snapshot: Snapshot, source: TaxSource): Promise<MeasuredToken | null> {
  if (token === NATIVE) return null
  const pools = deepestPools(token, snapshot)
  const places: readonly (Pool | undefined)[] = pools.length > 0 ? pools : [undefined]
  try {
    return await Promise.all(places.map(async (pool) => ({ pool, report: await measureToken(token, pool, source) })))
  } catch (error) {
    if (error instanceof SimulationError) return null
    throw error
  }
}

function deepestPools(token: Address, { pools }: Snapshot): readonly Pool[] {
  const held = (pool: Pool) => familyOf(pool.family)!.reserves(pool)[pool.tokens.indexOf(token)]!
  return [...pools.values()]
    .filter((pool) => pool.tokens.includes(token))
    .map((pool) => ({ pool, held: held(pool) }))
    .sort((a, b) => (a.held < b.held ? 1 : -1))
    .slice(0, MAX_POOLS)
    .map(({ pool }) => pool)
}
