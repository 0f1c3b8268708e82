/**
 * Synthetic market with honest tokens and attackers, deterministic per seed. The true price of every token and the
 * amount that each attacker locked are known.
 */
import { type Address, type Chain, toAddress } from '@sluice/chains'
import { type Pool, PoolMap, type Snapshot } from '@sluice/liquidity'
import { type Draw, draws } from './draw.ts'
import { Pools } from './pools.ts'
import { addShares, type Readings, SimulatedShares } from './shares.ts'

export type MarketSize = {
  readonly seed: number
  readonly tokens: number
  readonly pools: number
  /** USD price of each of the three stables; default 1. */
  readonly stables?: readonly [number, number, number]
}

/** Token of an attacker. `lockedUsd`: USD of honest tokens in the attacker's pools. */
export type Fake = { readonly token: Address; readonly by: Strategy; lockedUsd: number }

export type Market = {
  readonly chain: Chain
  readonly pools: PoolMap
  /** Pools as attackers manipulate them for one block. */
  readonly spike: readonly Pool[]
  /** Redemption readings of shares, normally and in the block of the attack. */
  readonly shares: Readings
  readonly bentShares: Readings
  /** True USD price per whole token. */
  readonly honest: ReadonlyMap<Address, number>
  readonly fakes: readonly Fake[]
  readonly decimals: (token: Address) => number | undefined
}

/** Share of tokens and of pools that belong to attackers. */
export const HOSTILE_SHARE = 0.05
const STABLES = 3
/** USD prices of Ether and Bitcoin, the hubs after the stables. */
const OTHER_HUBS_USD = [3_000, 60_000]
const LISTED_TOKENS = 100
const PLACES = 18
/** Maximum USD that an attacker leaves in an open pool at a false price: more would be arbitraged away. */
const DUST_USD = 500
/** Number of share tokens, relative to the honest tokens. */
const SHARES = 0.02

/** Adds the pools and tokens of one attack to a scene. */
type Attack = (scene: Scene) => void
type Scene = Draw & {
  readonly pools: Pools
  readonly shares: SimulatedShares
  readonly spike: Pool[]
  /** Returns a random honest token that is not a hub. */
  readonly victim: () => Address
  /** Returns the honest pools of a random token, if it has at least three. */
  readonly contested: () => readonly Pool[]
  readonly hub: () => Address
  readonly stable: () => Address
  readonly fake: (lockedUsd: number) => Address
  /** Returns the attacker's capital in USD. */
  readonly capital: () => number
  readonly multiple: () => number
}

const attacks = {
  /** Pairs a large supply of a fake token with little money. */
  'one-sided': ({ pools, fake, hub, capital, multiple }) => {
    const usd = capital()
    pools.pair(hub(), usd, fake(usd), usd * multiple() ** 3)
  },
  /** Pairs two fake tokens with huge reserves, and one of them with a hub. */
  mutual: ({ pools, fake, hub, capital }) => {
    const usd = capital()
    const [a, b] = [fake(usd), fake(usd)]
    pools.pair(hub(), usd, a, usd)
    pools.pair(a, 1e15, b, 1e15)
  },
  ring: ({ pools, fake, hub, capital, pick }) => {
    const usd = capital()
    const ring = Array.from({ length: pick(3, 7) }, () => fake(usd))
    pools.pair(hub(), usd, ring[0]!, usd)
    for (const [k, token] of ring.entries()) pools.pair(token, 1e12, ring[(k + 1) % ring.length]!, 1e12)
  },
  /** Uses a flash loan for one block: a new or existing pool at a false price. */
  'flash-deep pool': ({ pools, spike, victim, hub, multiple, chance, size }) => {
    const [token, other] = [victim(), hub()]
    const usd = size(1e5, 1e8)
    const pool = pools.make(other, usd, token, usd / multiple())
    if (chance(0.5)) pools.pair(other, size(1, DUST_USD), token, 1, { id: pool.id })
    spike.push(pool)
  },
  /** Trades an honest pool to a false price within the block. */
  'pool bent for a block': ({ pools, spike, contested, multiple }) => {
    const [pool] = contested()
    if (pool) spike.push(pools.bent(pool, multiple()))
  },
  /** Gives a fake token a deep pool for one block, which affects other tokens through an existing pool. */
  'flash-deep token': ({ pools, spike, fake, victim, hub, multiple, size }) => {
    const usd = size(1e5, 1e8)
    const token = fake(usd)
    pools.pair(token, usd, victim(), size(10, 100), { priceFactor: multiple() })
    spike.push(pools.make(hub(), usd, token, usd))
  },
  /** Pairs a fake stable with honest tokens at the price of a real one. */
  'copy of a stable': ({ pools, fake, victim, pick, size }) => {
    const usd = Array.from({ length: pick(1, 6) }, () => size(50, 5_000))
    const token = fake(usd.reduce((sum, each) => sum + each, 0))
    for (const each of usd) pools.pair(token, each, victim(), each)
  },
  /** Donates tokens to a pair's reserves, which anyone can then trade for. */
  'donated balance': ({ pools, fake, hub, capital, multiple }) => {
    const usd = capital()
    pools.pair(hub(), usd, fake(usd), (usd / multiple()) * 1e9)
  },
  /** Adds fake tokens far from the price, where no trade reaches them. */
  'far away liquidity': ({ pools, fake, hub, capital }) => {
    const usd = capital()
    pools.range(hub(), usd, fake(usd), { width: 0.05, rangeFactor: 1e12 })
  },
  /** Concentrates liquidity in one tick at a false price, so that it appears deep. */
  'narrow position': ({ pools, victim, hub, multiple, size }) => {
    pools.range(hub(), size(10, DUST_USD), victim(), { width: 0.0002, priceFactor: multiple() })
  },
  /** Adds a deep pool at a false price that the fee protects from arbitrage. */
  'fee of 99 %': ({ pools, victim, hub, multiple, size }) => {
    const usd = size(1e4, 1e7)
    pools.pair(hub(), usd, victim(), usd, { priceFactor: multiple(), feePpm: 990_000 })
  },
  /** Token that can be bought but not sold. */
  'tax on sales': ({ pools, fake, hub, capital }) => {
    const usd = capital()
    pools.pair(hub(), usd, fake(usd), usd)
  },
  /** Token that reports different decimals on each call. */
  'changing decimals': ({ pools, fake, hub, capital }) => {
    const usd = capital()
    pools.pair(hub(), usd, fake(usd), usd)
  },
  /** Vault that claims an arbitrary amount of assets. */
  'false rate of a vault': ({ pools, fake, hub, capital, multiple }) => {
    const usd = capital()
    const share = fake(2 * usd)
    pools.vault(hub(), usd, share, multiple() ** 2)
    pools.pair(hub(), usd, share, usd)
  },
  /** Share that reports an arbitrary rate. */
  'false rate of a share': ({ shares, fake, hub, capital, multiple }) => {
    const usd = capital()
    shares.single('vault', fake(usd), hub(), usd, multiple() ** 3)
  },
  /** Share of little money and of unlimited fake tokens. */
  'share of fakes': ({ pools, shares, fake, hub, capital, multiple }) => {
    const usd = capital()
    const mintedTokens = [fake(usd), fake(usd)]
    for (const token of mintedTokens) pools.pair(hub(), usd, token, usd * multiple())
    const parts = [hub(), ...mintedTokens].map((token, k) => ({ token, usd: k === 0 ? usd : 1e15 }))
    shares.pair(fake(usd), parts, multiple())
  },
  /** Share of a stable pool with a real stable and a fake token, with an arbitrary virtual price. */
  'false virtual price': ({ pools, shares, fake, stable, capital, multiple }) => {
    const usd = capital()
    const mintedTokens = fake(usd)
    pools.pair(stable(), usd, mintedTokens, usd)
    const parts = [
      { token: stable(), usd },
      { token: mintedTokens, usd: 1e12 },
    ]
    shares.equals(fake(usd), parts, multiple() * 1_000, multiple() ** 3)
  },
  /** Share of a drained pool of two stables that still reports its virtual price. */
  'drained pool': ({ shares, fake, stable, capital, multiple }) => {
    const usd = capital()
    const parts = [stable(), stable()].map((token, k) => ({ token, usd: k === 0 ? usd : 1e-9 }))
    shares.equals(fake(usd), parts, usd * multiple(), 1.03)
  },
  /** Many pools with false prices and little in them. */
  dust: ({ pools, victim, hub, multiple, size }) => {
    pools.pair(hub(), size(1, DUST_USD), victim(), 1, { priceFactor: multiple() })
  },
} as const satisfies Record<string, Attack>

export type Strategy = keyof typeof attacks
export const strategies = Object.keys(attacks) as Strategy[]

export function makeMarket({ seed, tokens, pools: count, stables = [1, 1, 1] }: MarketSize): Market {
  const hubs = [...stables, ...OTHER_HUBS_USD]
  const draw = draws(seed)
  const { pick, chance, size } = draw
  const honestTokens = Math.round(tokens * (1 - HOSTILE_SHARE))
  const trueUsd = Array.from({ length: honestTokens }, (_, t) => hubs[t] ?? Math.exp((draw.next() - 0.5) * 16))
  const usdByToken = new Map(trueUsd.map((usd, t) => [tokenAt(t), usd]))
  const pools = new Pools(draw, usdByToken)
  const shares = new SimulatedShares(usdByToken)
  const hub = () => tokenAt(pick(0, hubs.length))
  const victim = () => tokenAt(pick(hubs.length, honestTokens))

  for (let a = 0; a < hubs.length; a++)
    for (let b = a + 1; b < hubs.length; b++) pools.addHonestPools(tokenAt(a), tokenAt(b), size(5e6, 1e8))
  // One deep pool per token, then pools of random size.
  for (let t = hubs.length; t < honestTokens; t++) pools.addHonestPools(hub(), tokenAt(t), size(10_000, 5e6))
  while (pools.size < count * (1 - HOSTILE_SHARE)) {
    const [a, b] = [chance(0.8) ? hub() : victim(), victim()]
    if (a !== b) pools.addHonestPools(a, b, size(400, 3e6))
  }

  const fakes: Fake[] = []
  const spike: Pool[] = []
  const byVictim = pools.byToken()
  for (let attempt = 0; fakes.length < tokens - honestTokens || pools.size < count; attempt++) {
    const strategy = strategies[attempt % strategies.length]!
    // All fake tokens exist; only attacks without new tokens continue.
    const isLate = fakes.length >= tokens - honestTokens
    const fake = (lockedUsd: number) => {
      const token = tokenAt(tokens * 2 + fakes.length)
      fakes.push({ token, by: strategy, lockedUsd })
      return token
    }
    const contestedPools = () => {
      const fakesOfVictim = byVictim.get(victim()) ?? []
      return fakesOfVictim.length >= 3 ? fakesOfVictim : []
    }
    if (isLate && makesTokens.has(strategy)) continue
    const scene = {
      pools,
      shares,
      spike,
      victim,
      contested: contestedPools,
      hub,
      stable: () => tokenAt(pick(0, STABLES)),
      fake,
      capital: () => size(50, 50_000),
      multiple: () => size(1.1, 1_000),
    }
    attacks[strategy]({ ...draw, ...scene })
  }
  addShares(shares, draw, usdByToken, (n) => tokenAt(tokens * 4 + n), Math.round(honestTokens * SHARES), victim, hub)
  const changing = new Set(fakes.filter(({ by }) => by === 'changing decimals').map(({ token }) => token))
  let decimalsReads = 0
  return {
    chain: chainOf(trueUsd.length),
    ...{ pools: PoolMap.empty.with(pools.all), spike, honest: usdByToken, fakes },
    ...{ shares: shares.calmReadings, bentShares: new Map([...shares.calmReadings, ...shares.bent]) },
    decimals: (token) => (changing.has(token) ? decimalsReads++ % 78 : PLACES),
  }
}

const makesTokens: ReadonlySet<Strategy> = new Set<Strategy>([
  ...(['one-sided', 'mutual', 'ring', 'flash-deep token', 'copy of a stable', 'donated balance'] as const),
  ...(['far away liquidity', 'tax on sales', 'changing decimals', 'false rate of a vault'] as const),
  ...(['false rate of a share', 'share of fakes', 'false virtual price', 'drained pool'] as const),
])

export function snapshotAt(market: Market, number: number, pools: ReadonlyMap<string, Pool>): Snapshot {
  const hash = `0x${number.toString(16).padStart(64, '0')}` as const
  const { address: miner } = market.chain.stables[0]!
  const block = { number, hash, parentHash: hash, timestamp: number, gasLimit: 0n, baseFeePerGas: null, miner }
  return { chainId: market.chain.chainId, block, pools, changedIds: null }
}

const tokenAt = (n: number): Address => toAddress(`0x${(n + 1).toString(16).padStart(40, '0')}`)

function chainOf(tokens: number): Chain {
  const token = (t: number) => ({ address: tokenAt(t), symbol: `T${t}`, decimals: PLACES })
  return {
    chainId: 1,
    name: 'made-up',
    displayName: 'Made up',
    trackerName: 'Made up',
    coinsPrefix: null,
    nativeCurrency: { symbol: 'ETH', name: 'Ether', decimals: PLACES },
    wrappedNative: token(STABLES),
    stables: Array.from({ length: STABLES }, (_, t) => token(t)),
    hubs: [STABLES, 0, 1, 2, STABLES + 1].map(tokenAt),
    tokens: Array.from({ length: Math.min(LISTED_TOKENS, tokens) }, (_, t) => token(t)),
    rpcUrls: [],
    blockTimeMs: 1_000,
    l1FeeModel: 'none',
    evm: {},
    dexes: [],
  }
}
