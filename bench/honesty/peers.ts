/**
 * `npm run bench -- honesty peers [<trades of each size>]`: compares routers on recorded Ethereum state. Each router
 * makes the same trades from the same state, in mined transactions. The routers are the service, the best single pool
 * of Uniswap V2 and of V3 through Uniswap's contracts, and Uniswap's splitting router from npm. Compares the output
 * minus the cost of the charged gas. Results in `results/peers.json`. Fails if the service pays over 1 bp less than a
 * peer.
 */
import { fund, wallet } from '../lib/wallet.ts'
import { record } from '../record.ts'
import { uniswapPeer } from '../router/peers/uniswap.ts'
import { writePage } from './page.ts'
import { drawTrades } from './peers/draw.ts'
import {
  type Call,
  type Contender,
  splitContender,
  type Trade,
  V2_ROUTER,
  V3_ROUTER,
  v2Contender,
  v3Contender,
} from './peers/routers.ts'
import { scenarioOf } from './peers/scenario.ts'
import { compareWithPeers, type Result } from './peers/versus.ts'
import { startWorld } from './peers/world.ts'

const [tradesPerSize = 40] = process.argv.slice(2).map(Number)
const SEED = 20_261_122
const SIZES_USD = [100, 1_000, 10_000, 100_000, 1_000_000]
const GAS_LIMIT = 10_000_000n

const { node, api, guard, gasPriceWei, tokens, stop } = await startWorld()
try {
  const scenario = await scenarioOf(node.url, tokens)
  // The gas price is set because the local node suggests seven times the block's gas price.
  const requestOptions = { maxPriceImpact: '100', gasPrice: String(gasPriceWei) }
  const refusedTrades = new Map<Trade, string>()
  const contenders: Readonly<Record<string, Contender>> = {
    sluice: async (trade) => {
      const { src, dst, amount } = trade
      const query = { src: src.token, dst: dst.token, amount: String(amount), from: wallet, ...requestOptions }
      const answer = await fetch(`${api}/aggregator/1?${new URLSearchParams(query)}`)
      const body = (await answer.json()) as { readonly tx: Call; readonly code: string }
      if (!answer.ok) refusedTrades.set(trade, body.code)
      return answer.ok ? body.tx : null
    },
    'Uniswap V2, one pool': v2Contender,
    'Uniswap V3, one pool': v3Contender(node),
    'Uniswap, split': splitContender(uniswapPeer(scenario, Number(gasPriceWei)), scenario),
  }
  const results: Result[] = []
  for (const usd of SIZES_USD)
    for (const trade of drawTrades({
      seed: SEED + usd,
      count: tradesPerSize,
      sizeUsd: usd,
      tokens,
      pools: scenario.pools,
    })) {
      const nets: Record<string, number | null> = {}
      for (const [name, contender] of Object.entries(contenders)) nets[name] = await measureNetOutput(trade, contender)
      results.push({ usd, trade, nets, refused: refusedTrades.get(trade) })
    }
  const outcome = compareWithPeers(results)
  const state = { tokens: tokens.length, pools: scenario.pools.length, gasPriceWei: String(gasPriceWei) }
  record('peers', { seed: SEED, ...state, ...outcome })
  writePage()
  if (outcome.losses.length > 0) process.exitCode = 1
} finally {
  await stop()
}

/**
 * Makes a trade and reverts it.
 *
 * @returns the received output minus the value of the gas, in base units of the output token; null if the router cannot
 *   make the trade, or makes only a part of it
 */
async function measureNetOutput(trade: Trade, contender: Contender): Promise<number | null> {
  const { src, dst, amount } = trade
  const snapshotId = await node.request<string>('evm_snapshot')
  try {
    if (!(await fund(node, src.token, amount, guard))) throw new Error(`${src.token} cannot be given to the wallet`)
    for (const router of [V2_ROUTER, V3_ROUTER]) await node.approve(src.token, wallet, router, amount)
    const call = await contender(trade)
    if (!call) return null
    const [soldBefore, boughtBefore] = [await node.balance(src.token, wallet), await node.balance(dst.token, wallet)]
    const { status, gasUsed } = await node.send({ ...call, gas: GAS_LIMIT })
    if (!status || soldBefore - (await node.balance(src.token, wallet)) !== amount) return null
    const received = (await node.balance(dst.token, wallet)) - boughtBefore
    const outputPerEther = (tokens[0]!.usd / dst.usd) * 10 ** dst.decimals
    return Number(received) - (Number(gasUsed * gasPriceWei) / 1e18) * outputPerEther
  } finally {
    await node.undo(snapshotId)
  }
}
