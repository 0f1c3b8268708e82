/** Pools of the synthetic market. */
import { type Address, toAddress } from '@sluice/chains'
import type { Pool, UniswapV2State, UniswapV3State } from '@sluice/liquidity'
import type { Draw } from './draw.ts'

/** Share of honest pools that have concentrated liquidity. */
const CONCENTRATED_SHARE = 0.3
/** Maximum relative deviation of honest pool prices from the true price, which fees allow. */
const NOISE = 0.004
const SPACING = 60

/**
 * Options of a pool.
 *
 * @param lie - factor by which the second token appears overpriced
 */
type PairOptions = { readonly id?: string; readonly priceFactor?: number; readonly feePpm?: number }
/**
 * Options of a concentrated position.
 *
 * @param width - relative width of the range on either side
 * @param far - USD of the second token far above the price
 */
type RangeOptions = { readonly width: number; readonly priceFactor?: number; readonly rangeFactor?: number }

/** Creates pools from USD amounts; a fake token counts as one dollar. */
export class Pools {
  private readonly draw: Draw
  private readonly usdByToken: ReadonlyMap<Address, number>
  private readonly pools = new Map<string, Pool>()
  private createdCount = 0

  constructor(draw: Draw, usdByToken: ReadonlyMap<Address, number>) {
    this.draw = draw
    this.usdByToken = usdByToken
  }

  get size(): number {
    return this.pools.size
  }

  get all(): readonly Pool[] {
    return [...this.pools.values()]
  }

  byToken(): ReadonlyMap<Address, readonly Pool[]> {
    const poolsByToken = new Map<Address, Pool[]>()
    for (const pool of this.pools.values())
      for (const token of pool.tokens) {
        const pools = poolsByToken.get(token)
        if (pools) pools.push(pool)
        else poolsByToken.set(token, [pool])
      }
    return poolsByToken
  }

  /** Adds a pool at about the true price with equal USD on both sides. */
  addHonestPools(a: Address, b: Address, usd: number): void {
    const noise = 1 + (this.draw.next() - 0.5) * 2 * NOISE
    if (this.draw.chance(CONCENTRATED_SHARE)) this.range(a, usd, b, { width: 0.2, priceFactor: noise })
    else this.pair(a, usd, b, usd, { priceFactor: noise })
  }

  pair(a: Address, usdA: number, b: Address, usdB: number, options: PairOptions = {}): void {
    this.add(this.make(a, usdA, b, usdB, options))
  }

  /** Creates a constant-product pool without adding it. */
  make(a: Address, usdA: number, b: Address, usdB: number, options: PairOptions = {}): Pool<UniswapV2State> {
    const { id, priceFactor: lie = 1, feePpm = 3_000 } = options
    const [reserve0, reserve1] = [this.units(a, usdA), this.units(b, usdB / lie)]
    return this.namedPool('uniswap-v2', [a, b], { reserve0, reserve1, feePpm }, id)
  }

  /** Adds a concentrated position with equal USD on both sides of the price. */
  range(a: Address, usd: number, b: Address, { width, priceFactor: lie = 1, rangeFactor: far }: RangeOptions): void {
    const price = this.usd(a) / this.usd(b) / lie
    const tick = tickAt(price)
    const spacing = width < 0.01 ? 1 : SPACING
    const below = Math.floor(tickAt(price * (1 - width)) / spacing) * spacing
    const above = Math.ceil(tickAt(price / (1 - width)) / spacing) * spacing
    const ofA = Number(this.units(a, usd))
    const liquidity = BigInt(Math.floor(ofA / (1 / Math.sqrt(price) - 1.0001 ** (-above / 2))))
    const net = new Map([
      [below, liquidity],
      [above, -liquidity],
    ])
    if (far !== undefined) {
      // Holds only the second token, below the price of the first.
      const [from, to] = [below - 2 * SPACING * 1_000, below - SPACING * 1_000]
      const amount = Number(this.units(b, far))
      const more = BigInt(Math.floor(amount / (1.0001 ** (to / 2) - 1.0001 ** (from / 2))))
      net.set(from, more)
      net.set(to, -more)
    }
    const sqrtPriceX96 = BigInt(Math.floor(Math.sqrt(price) * 2 ** 96))
    const ticks = [...net].sort(([x], [y]) => x - y)
    const state = { sqrtPriceX96, tick, liquidity, feePpm: 3_000, tickSpacing: spacing, ticks }
    this.add(this.namedPool('uniswap-v3', [a, b], state satisfies UniswapV3State))
  }

  /** Adds a vault with a false share rate and huge claimed assets. */
  vault(asset: Address, usd: number, share: Address, rate: number): void {
    const totalSupply = this.units(share, usd * 1e9)
    const totalAssets = (this.units(asset, usd * 1e9) * BigInt(Math.round(rate * 1e6))) / 1_000_000n
    const state = { totalAssets, totalSupply, virtualShares: 0n, maxDeposit: 2n ** 255n, cash: this.units(asset, usd) }
    this.add(this.namedPool('erc4626', [asset, share], state, share))
  }

  /** Returns the pool after a trade that raised the price of its first token by a factor. */
  bent(pool: Pool, multiple: number): Pool {
    const root = Math.sqrt(multiple)
    if (pool.family === 'uniswap-v2') {
      const state = pool.state as UniswapV2State
      const [reserve0, reserve1] = [scaleBy(state.reserve0, 1 / root), scaleBy(state.reserve1, root)]
      return { ...pool, state: { ...state, reserve0, reserve1 } }
    }
    // At most to the end of its range, where its liquidity ends.
    const state = pool.state as UniswapV3State
    const [, last] = state.ticks.at(-1)!
    const end = 1.0001 ** (state.ticks.at(-1)![0] / 2) * 0.99
    const sqrtPrice = Math.min((Number(state.sqrtPriceX96) / 2 ** 96) * root, end)
    const sqrtPriceX96 = BigInt(Math.floor(sqrtPrice * 2 ** 96))
    return { ...pool, state: { ...state, sqrtPriceX96, tick: tickAt(sqrtPrice ** 2), liquidity: -last } }
  }

  private usd(token: Address): number {
    return this.usdByToken.get(token) ?? 1
  }

  private units(token: Address, usd: number): bigint {
    return BigInt(Math.max(1, Math.floor((usd / this.usd(token)) * 1e18)))
  }

  private add(pool: Pool): void {
    this.pools.set(pool.id, pool)
  }

  private namedPool<State>(family: string, tokens: readonly Address[], state: State, id?: string): Pool<State> {
    this.createdCount++
    const name = toAddress(id ?? `0x${(0xf000_0000_0000 + this.createdCount).toString(16).padStart(40, '0')}`)
    return { id: name, family, dex: family, address: name, tokens, state }
  }
}

const tickAt = (price: number) => Math.floor(Math.log(price) / Math.log(1.0001))
const scaleBy = (amount: bigint, factor: number) => BigInt(Math.floor(Number(amount) * factor))
