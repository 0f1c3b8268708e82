import { ConcentratedLens__factory, IUniswapV3PoolEvents__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Pool, Reads } from '../../family.ts'
import { CONCENTRATED_LENS } from '../../lenses.ts'
import type { Tick } from '../../math/concentrated.ts'
import { changeLiquidity } from '../../math/positions.ts'
import type { UniswapV3State } from './types.ts'

const lens = ConcentratedLens__factory.createInterface()
const events = IUniswapV3PoolEvents__factory.createInterface()

/** Rough gas of reading a pool, for packing reads: a few hundred bitmap words, some dozens of ticks. */
const READ_GAS = 1_000_000
const HALF = 1n << 128n

export function* readStates(_row: DexRow, pools: readonly Pool<null>[]): Reads<readonly (UniswapV3State | null)[]> {
  const answers = yield pools.map((pool) => ({
    ...CONCENTRATED_LENS,
    data: lens.encodeFunctionData('read', [pool.address]) as Hex,
    gas: READ_GAS,
  }))
  return answers.map((answer) => answer && decodeState(answer))
}

function decodeState(answer: Hex): UniswapV3State {
  const [state] = lens.decodeFunctionResult('read', answer)
  const words = [...state.ticks] as bigint[]
  const ticks: Tick[] = []
  for (let i = 0; i < words.length; i += 2) {
    const liquidity = words[i + 1]!
    ticks.push([Number(BigInt.asIntN(256, words[i]!)), BigInt.asIntN(128, liquidity), liquidity / HALF])
  }
  return {
    sqrtPriceX96: state.sqrtPriceX96,
    tick: Number(state.tick),
    liquidity: state.liquidity,
    feePpm: Number(state.feePpm),
    tickSpacing: Number(state.tickSpacing),
    ticks,
  }
}

const topicOf = (name: 'Initialize' | 'Swap' | 'Mint' | 'Burn') => events.getEvent(name).topicHash as Hex
const INITIALIZE = topicOf('Initialize')
const SWAP = topicOf('Swap')
const MINT = topicOf('Mint')
const BURN = topicOf('Burn')

export const topics: readonly Hex[] = [INITIALIZE, SWAP, MINT, BURN]

/** `Swap` carries price, tick and liquidity after it; `Mint` and `Burn` change two ticks. */
export function applyLog({ state }: Pool<UniswapV3State>, log: Log): UniswapV3State | 'reread' {
  switch (log.topics[0]) {
    case SWAP: {
      const { sqrtPriceX96, liquidity, tick } = events.decodeEventLog('Swap', log.data, log.topics)
      return { ...state, sqrtPriceX96, liquidity, tick: Number(tick) }
    }
    case MINT: {
      const { tickLower, tickUpper, amount } = events.decodeEventLog('Mint', log.data, log.topics)
      return changeLiquidity(state, Number(tickLower), Number(tickUpper), amount) ?? 'reread'
    }
    case BURN: {
      const { tickLower, tickUpper, amount } = events.decodeEventLog('Burn', log.data, log.topics)
      return changeLiquidity(state, Number(tickLower), Number(tickUpper), -(amount as bigint)) ?? 'reread'
    }
    default:
      return 'reread'
  }
}
