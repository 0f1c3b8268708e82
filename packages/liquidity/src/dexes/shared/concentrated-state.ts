/** Reading pools with a tick bitmap, and following them from their logs. */
import { ConcentratedLens__factory, IUniswapV3PoolEvents__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Interface } from 'ethers'
import type { Pool, Reads } from '../../family.ts'
import { CONCENTRATED_LENS } from '../../lenses.ts'
import type { ConcentratedState, Tick } from '../../math/concentrated.ts'
import { changeLiquidity } from '../../math/positions.ts'

const lens = ConcentratedLens__factory.createInterface()
const events = IUniswapV3PoolEvents__factory.createInterface()

/** Rough gas of reading a pool, for packing reads: a few hundred bitmap words, some dozens of ticks. */
const READ_GAS = 1_000_000

export function* readConcentrated(
  _row: DexRow,
  pools: readonly Pool<null>[],
): Reads<readonly (ConcentratedState | null)[]> {
  const answers = yield pools.map((pool) => ({
    ...CONCENTRATED_LENS,
    data: lens.encodeFunctionData('read', [pool.address]) as Hex,
    gas: READ_GAS,
  }))
  return answers.map((answer) => answer && decodeState(answer))
}

function decodeState(answer: Hex): ConcentratedState {
  const [state] = lens.decodeFunctionResult('read', answer)
  return {
    sqrtPriceX96: state.sqrtPriceX96,
    tick: Number(state.tick),
    liquidity: state.liquidity,
    feePpm: Number(state.feePpm),
    tickSpacing: Number(state.tickSpacing),
    ticks: decodeTicks([...state.ticks]),
  }
}

/** Two words a tick, as the lens lays them down. */
export function decodeTicks(words: readonly bigint[]): readonly Tick[] {
  const ticks: Tick[] = []
  for (let i = 0; i < words.length; i += 2) {
    const liquidity = words[i + 1]!
    ticks.push([Number(BigInt.asIntN(256, words[i]!)), BigInt.asIntN(128, liquidity), liquidity >> 128n])
  }
  return ticks
}

const topicOf = (contract: Interface, name: string) => contract.getEvent(name)!.topicHash as Hex
const MINT = topicOf(events, 'Mint')
const BURN = topicOf(events, 'Burn')
const INITIALIZE = topicOf(events, 'Initialize')

/**
 * `Swap` carries price, tick and liquidity after it; `Mint` and `Burn` change two ticks.
 *
 * @param swapEvents - holds the family's `Swap`, which forks have given further fields
 */
export function concentratedLogs(swapEvents: Interface = events) {
  const SWAP = topicOf(swapEvents, 'Swap')
  return {
    topics: [INITIALIZE, SWAP, MINT, BURN] as readonly Hex[],
    applyLog<State extends ConcentratedState>({ state }: Pool<State>, log: Log): State | 'reread' {
      switch (log.topics[0]) {
        case SWAP: {
          const { sqrtPriceX96, liquidity, tick } = swapEvents.decodeEventLog('Swap', log.data, log.topics)
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
    },
  }
}
