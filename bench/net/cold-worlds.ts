/**
 * Starts the chains on which new services are tested. On each chain, a wallet holds the tokens, and has approved the
 * Guard to transfer them.
 */
import { loadConfig, type RunningServer, startServer } from '@sluice/api'
import { loadRegistry } from '@sluice/chains'
import { Node } from '@sluice/system-test/wallet'
import { startEthereum as startEthereumNode } from '../lib/ethereum.ts'
import { pricesOf, tokensOfState, withDecimals } from '../lib/prices.ts'
import type { TradedToken } from '../lib/trades.ts'
import { fund, UNLIMITED, wallet } from '../lib/wallet.ts'
import { startWorld } from '../lib/world.ts'

export type ColdWorld = {
  readonly name: string
  readonly chainId: number
  readonly node: Node
  readonly wallet: string
  readonly tokens: readonly TradedToken[]
  /** USD per whole native token with 18 decimals. */
  readonly nativeUsd: number
  /** Starts a service that has not learned from any simulation. */
  readonly startService: () => Promise<RunningServer>
}
/** A chain whose wallet has no tokens yet. */
type StartedWorld = Omit<ColdWorld, 'tokens' | 'nativeUsd' | 'wallet'> & {
  readonly guard: string
  readonly wrappedNative: string
  readonly withPrices: (prices: ReadonlyMap<string, number>) => Promise<readonly TradedToken[]>
  readonly addresses: readonly string[]
  readonly stop: () => Promise<void>
}

/** Value in USD of each token in the wallet. One trade uses at most a tenth of it, and is reverted afterwards. */
const FUND_USD = 1_000_000

const WORLD_STARTERS = [startLocal, startEthereum]

/** Yields the chains one after the other. Stops each chain before the next one starts. */
export async function* startColdWorlds(name: string | undefined): AsyncGenerator<ColdWorld> {
  for (const start of WORLD_STARTERS) {
    if (name !== undefined && start.name.toLowerCase() !== `start${name}`) continue
    const world = await start()
    try {
      yield await fundWorld(world)
    } finally {
      await world.stop()
    }
  }
}

/** Funds the wallet with all tokens that have a price. */
async function fundWorld(started: StartedWorld): Promise<ColdWorld> {
  const { addresses, wrappedNative, withPrices, guard, stop: _, ...world } = started
  const service = await world.startService()
  const prices = await pricesOf(service.url, addresses, world.chainId)
  await service.close()
  const tokens: TradedToken[] = []
  for (const pricedToken of await withPrices(prices)) {
    const amount = BigInt(Math.round((FUND_USD / pricedToken.usd) * 1e6)) * 10n ** BigInt(pricedToken.decimals)
    if (await fund(world.node, pricedToken.token, amount / 1_000_000n, guard, UNLIMITED)) tokens.push(pricedToken)
  }
  return { ...world, wallet, tokens, nativeUsd: prices.get(wrappedNative)! }
}

async function startLocal(): Promise<StartedWorld> {
  const { devnet, env, stop } = await startWorld()
  const { chainId, url, info } = devnet
  const decimalsOf = new Map(
    Object.values(info.tokens).map(({ address, decimals }) => [address.toLowerCase(), decimals]),
  )
  return {
    ...{ name: 'devnet', chainId, node: new Node(url), guard: info.guard, stop },
    wrappedNative: info.tokens.WETH!.address.toLowerCase(),
    addresses: [...decimalsOf.keys()],
    withPrices: async (prices) => [...prices].map(([token, usd]) => ({ token, usd, decimals: decimalsOf.get(token)! })),
    startService: () => serve(env),
  }
}

async function startEthereum(): Promise<StartedWorld> {
  const { chainId, url, guard, env, stop } = await startEthereumNode()
  return {
    ...{ name: 'ethereum', chainId, node: new Node(url), guard, stop },
    wrappedNative: loadRegistry().chain(chainId)!.wrappedNative!.address,
    addresses: tokensOfState().all,
    withPrices: (prices) => withDecimals(url, prices),
    startService: () => serve(env),
  }
}

const serve = (env: Readonly<Record<string, string>>): Promise<RunningServer> =>
  startServer(loadConfig({ ...env, LOG_LEVEL: 'silent' }))
