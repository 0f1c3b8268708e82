/**
 * Peer that is Uniswap's smart-order-router from npm. Runs its `computeAllRoutes` and `getBestSwapRouteBy`, which
 * splits in steps of 5 %. Pools and exact quotes are those of the scenario. The measured time thus includes no calls to
 * a node or a subgraph.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { PoolStates } from '../evaluate.ts'
import type { Scenario, ScenarioPool, ScenarioTrade } from '../scenario.ts'
import type { Hop, Peer, PeerRoute } from './peer.ts'
import { candidateFinder } from './uniswap-candidates.ts'

const PACKAGE = '@uniswap/smart-order-router'
const FUNCTIONS = `${PACKAGE}/build/main/routers/alpha-router/functions`
/** Defaults of the package. */
const STEP_PERCENT = 5
const MAX_SPLITS = 7
const MAX_HOPS = 3
const PERCENTS = Array.from({ length: 100 / STEP_PERCENT }, (_, index) => (index + 1) * STEP_PERCENT)

/** Parts of the package's types that are used here. */
type Token = { equals(other: Token): boolean }
type Amount = { readonly quotient: { toString(): string }; subtract(other: Amount): Amount }
type PoolOfPackage = { readonly pool: ScenarioPool; readonly token0: Token; readonly token1: Token }
type PathQuote = { readonly hops: readonly Hop[]; readonly amount: Amount; readonly quoteAdjustedForGas: Amount }
type Package = {
  computeAllRoutes(
    tokenIn: Token,
    tokenOut: Token,
    build: (pools: readonly PoolOfPackage[]) => { readonly pools: readonly PoolOfPackage[] },
    involves: (pool: PoolOfPackage, token: Token) => boolean,
    pools: readonly PoolOfPackage[],
    maxHops: number,
  ): readonly { readonly pools: readonly PoolOfPackage[] }[]
  getBestSwapRouteBy(...args: readonly unknown[]): Promise<{ readonly routes: readonly PathQuote[] } | null>
  Token: new (chainId: number, address: string, decimals: number, symbol: string) => Token
  CurrencyAmount: { fromRawAmount(token: Token, amount: string): Amount }
  BigNumber: { from(value: number): unknown }
}

/**
 * Loads the package. Installs it first if necessary, from the lockfile of this folder. The folder is not part of the
 * workspace, because the package is large and has old dependencies.
 */
function loadPackage(): Package {
  if (!existsSync(join(import.meta.dirname, 'node_modules', PACKAGE))) {
    console.error('Installing the peers of the benchmark…')
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    execFileSync('npm', args, { cwd: import.meta.dirname, stdio: ['ignore', 2, 2] })
  }
  const require = createRequire(import.meta.url)
  // Loads the whole package first, because its modules import one another in a cycle.
  require(PACKAGE)
  // Disables the functions that format paths for logs. Their time is not part of the search.
  const names = require(`${PACKAGE}/build/main/util/routes.js`)
  for (const name of ['routeToString', 'routeAmountsToString', 'poolToString']) names[name] = () => ''
  return {
    ...require(`${FUNCTIONS}/compute-all-routes.js`),
    ...require(`${FUNCTIONS}/best-swap-route.js`),
    ...require('@uniswap/sdk-core'),
    ...require('@ethersproject/bignumber'),
  }
}

let loadedPackage: Package | undefined

/** Creates the peer. Long: it provides everything that the package's router needs. */
export function uniswapPeer(scenario: Scenario, gasPrice: number): Peer {
  loadedPackage ??= loadPackage()
  const { computeAllRoutes, getBestSwapRouteBy, Token, CurrencyAmount, BigNumber } = loadedPackage
  const tokens = scenario.tokens.map(({ address, decimals, symbol }) => new Token(1, address, decimals, symbol))
  const pools = new Map<ScenarioPool, PoolOfPackage>(
    scenario.pools.map((pool) => [pool, { pool, token0: tokens[pool.token0]!, token1: tokens[pool.token1]! }]),
  )
  const findCandidates = candidateFinder(scenario)
  const native = scenario.tokens[scenario.nativeToken]!
  const poolStates = new PoolStates(scenario)

  /** Returns a path's exact output and gas for a part of the amount; null if a pool cannot accept it. */
  const quotePath = (path: readonly PoolOfPackage[], tokenIn: number, amountIn: bigint) => {
    const hops: Hop[] = []
    let amount = amountIn
    let gas = 0
    let token = tokenIn
    for (const { pool } of path) {
      const next = poolStates.otherToken(pool.id, token)
      const swapResult = poolStates.quote(pool.id, token, next, amount)
      if (swapResult.amountOut <= 0n || swapResult.unspentInput > 0n) return null
      hops.push({ pool: pool.id, tokenIn: token, tokenOut: next })
      amount = swapResult.amountOut
      gas += swapResult.gas
      token = next
    }
    return { hops, amount, gas }
  }

  const run = async (trade: ScenarioTrade): Promise<PeerRoute | null> => {
    const [tokenIn, tokenOut] = [tokens[trade.tokenIn]!, tokens[trade.tokenOut]!]
    const outputToken = scenario.tokens[trade.tokenOut]!
    const outputPerGas =
      ((gasPrice / 10 ** native.decimals) * native.priceUsd * 10 ** outputToken.decimals) / outputToken.priceUsd
    const total = BigInt(trade.amountIn)
    const paths = computeAllRoutes(
      tokenIn,
      tokenOut,
      (pools) => ({ pools }),
      (pool, token) => pool.token0.equals(token) || pool.token1.equals(token),
      findCandidates(trade.tokenIn, trade.tokenOut).map((pool) => pools.get(pool)!),
      MAX_HOPS,
    )
    const zeroAmount = CurrencyAmount.fromRawAmount(tokenOut, '0')
    const quotes: Record<number, PathQuote[]> = {}
    for (const percent of PERCENTS) {
      const partAmount = (total * BigInt(percent)) / 100n
      const amount = CurrencyAmount.fromRawAmount(tokenIn, String(partAmount))
      for (const { pools } of paths) {
        const result = quotePath(pools, trade.tokenIn, partAmount)
        if (!result) continue
        const gasCostInToken = CurrencyAmount.fromRawAmount(
          tokenOut,
          String(BigInt(Math.floor(result.gas * outputPerGas))),
        )
        const amountPaid = CurrencyAmount.fromRawAmount(tokenOut, String(result.amount))
        const ids = result.hops.map((hop) => String(hop.pool))
        quotes[percent] ??= []
        quotes[percent].push({
          ...{
            protocol: 'MIXED',
            percent,
            tradeType: 0,
            quoteToken: tokenOut,
            poolIdentifiers: ids,
            poolAddresses: ids,
          },
          ...{ quote: amountPaid, gasCostInToken, gasCostInUSD: zeroAmount, gasEstimate: BigNumber.from(result.gas) },
          ...{ route: { input: tokenIn, output: tokenOut, path: [tokenIn, tokenOut], pools: [] } },
          amount,
          quoteAdjustedForGas: amountPaid.subtract(gasCostInToken),
          hops: result.hops,
        } as PathQuote)
      }
    }
    const routing = {
      maxSplits: MAX_SPLITS,
      minSplits: 1,
      forceCrossProtocol: false,
      distributionPercent: STEP_PERCENT,
    }
    const portion = { getRouteWithQuotePortionAdjusted: (_type: unknown, routes: unknown) => routes }
    const netOf = ({ quoteAdjustedForGas }: PathQuote) => quoteAdjustedForGas
    const best = await getBestSwapRouteBy(0, quotes, PERCENTS, 1, netOf, routing, portion)
    if (!best) return null
    const parts = best.routes.map(({ amount, hops }) => ({ amountIn: BigInt(amount.quotient.toString()), hops }))
    // Percentages are rounded down, and the last route gets the rest, as in the package's `getBestSwapRoute`.
    parts.at(-1)!.amountIn += total - parts.reduce((sum, { amountIn }) => sum + amountIn, 0n)
    return { paths: parts }
  }
  return { name: `${PACKAGE} 4.31.10`, run }
}
