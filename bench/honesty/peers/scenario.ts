/**
 * Converts the Uniswap V2 and V3 pools of the recorded state to a scenario of the router benchmark, in which other
 * routers can find routes.
 */
import { type DexRow, loadRegistry } from '@sluice/chains'
import { type MainnetPool, readState } from '@sluice/devnet'
import { familyOf, type Pool, runReads, type UniswapV2State, type UniswapV3State } from '@sluice/liquidity'
import { createRpc } from '@sluice/rpc'
import type { TradedToken } from '../../lib/trades.ts'
import type { Scenario, ScenarioPool } from '../../router/scenario.ts'

const V2_FEE_PPM = 3_000
const BRANDS = { 'uniswap-v2': 'Uniswap V2', 'uniswap-v3': 'Uniswap V3' } as const

/**
 * Returns the scenario of the given tokens. The first token is the wrapped native token. Omits pools of other tokens.
 */
export async function scenarioOf(url: string, tokens: readonly TradedToken[]): Promise<Scenario> {
  const ids = new Map(tokens.map(({ token }, id) => [token, id]))
  const dexRows = loadRegistry().chain(1)!.dexes
  const rpc = createRpc({ chainId: 1, urls: [url], timeoutMs: 20_000 })
  const pools: ScenarioPool[] = []
  try {
    const block = { blockHash: (await rpc.getBlock('latest'))!.hash }
    for (const family of ['uniswap-v2', 'uniswap-v3'] as const) {
      const dexRow = dexRows.find((candidate) => candidate.family === family && candidate.brand === BRANDS[family])!
      const familyPools = readState('ethereum').pools.filter(
        ({ factory, tokens: [a, b] }) => factory === dexRow.address.toLowerCase() && ids.has(a) && ids.has(b),
      )
      const reads = familyOf(family)!.readStates(
        dexRow,
        familyPools.map((pool) => poolWithoutState(pool, dexRow)),
      )
      const [states] = await runReads(rpc, block, [reads])
      familyPools.forEach((pool, index) => {
        const state = states![index]
        if (state) pools.push(poolOf(pool, state as UniswapV2State | UniswapV3State, pools.length))
      })
    }
  } finally {
    rpc.close()
  }
  return {
    ...{ version: 1, name: 'mainnet', seed: 0, chainId: 1, gasPriceWei: '0', nativeToken: 0, pools, trades: [] },
    tokens: tokens.map(({ token, decimals, usd }, id) => ({
      ...{ id, symbol: token, address: token, decimals, priceUsd: usd, hub: id < 5 },
    })),
  }

  /**
   * Converts a pool. The peer ranks pools by their value in USD. The value of a V3 pool is that of its virtual
   * reserves: `liquidity / sqrtPrice` of the first token and `liquidity * sqrtPrice` of the second.
   */
  function poolOf(pool: MainnetPool, state: UniswapV2State | UniswapV3State, id: number): ScenarioPool {
    const [token0, token1] = pool.tokens.map((token) => ids.get(token)!) as [number, number]
    const usdOf = (token: number, amount: number) => (amount / 10 ** tokens[token]!.decimals) * tokens[token]!.usd
    const commonFields = { id, address: pool.address, token0, token1 }
    if ('reserve0' in state) {
      const { reserve0, reserve1 } = state
      const tvlUsd = usdOf(token0, Number(reserve0)) + usdOf(token1, Number(reserve1))
      return {
        ...commonFields,
        type: 'v2',
        feePpm: V2_FEE_PPM,
        tvlUsd,
        reserve0: String(reserve0),
        reserve1: String(reserve1),
      }
    }
    const { sqrtPriceX96, tick, liquidity, ticks, tickSpacing } = state
    const sqrtPrice = Number(sqrtPriceX96) / 2 ** 96
    const tvlUsd = usdOf(token0, Number(liquidity) / sqrtPrice) + usdOf(token1, Number(liquidity) * sqrtPrice)
    return {
      ...{ ...commonFields, type: 'v3', feePpm: pool.fee!, tvlUsd, tickSpacing, tick, balance0: '0', balance1: '0' },
      ...{ sqrtPriceX96: String(sqrtPriceX96), liquidity: String(liquidity) },
      ticks: ticks.map(([index, liquidityNet]) => [index, String(liquidityNet)] as const),
    }
  }
}

/** Returns the pool without state, as required to read its state. */
function poolWithoutState(pool: MainnetPool, { family, brand }: DexRow): Pool<null> {
  const { address, tokens, fee, tickSpacing } = pool
  const feeFields = { feePpm: fee ?? V2_FEE_PPM, ...(fee && { fee, tickSpacing }) }
  return { id: address, family, dex: brand, address, tokens, fixed: feeFields, state: null } as unknown as Pool<null>
}
