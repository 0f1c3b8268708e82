/** Reads Uniswap V4 pools, and applies their logs. */
import { IUniswapV4PoolManagerState__factory, UniswapV4Lens__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Pool, PoolReads } from '../../family.ts'
import { lensRead, UNISWAP_V4_LENS } from '../../lenses.ts'
import type { Tick } from '../../math/concentrated.ts'
import { changeLiquidity } from '../../math/positions.ts'
import { joinTicks, splitAnswers, wordRanges } from '../common/concentrated-state.ts'
import { unpackProtocolFees } from './fee.ts'
import type { UniswapV4Key, UniswapV4State } from './types.ts'

const lensInterface = UniswapV4Lens__factory.createInterface()
const managerInterface = IUniswapV4PoolManagerState__factory.createInterface()

/** Returns the key of a pool. */
export const keyOf = (pool: Pool<unknown>) => pool.fixed as UniswapV4Key

/** Estimated gas to read the price and fees of one pool. */
const STATE_GAS = 20_000

export function* readStates(row: DexRow, pools: readonly Pool<null>[]): PoolReads<UniswapV4State> {
  const reads = pools.map((pool) => [
    {
      ...UNISWAP_V4_LENS,
      data: lensInterface.encodeFunctionData('read', [row.address, pool.id]) as Hex,
      gas: STATE_GAS,
    },
    ...wordRanges(keyOf(pool).tickSpacing).map(({ first, last, gas }) =>
      lensRead(
        UNISWAP_V4_LENS,
        lensInterface.encodeFunctionData('ticks', [row.address, pool.id, keyOf(pool).tickSpacing, first, last]),
        gas,
      ),
    ),
  ])
  const answers = yield reads.flat()
  const answersByPool = splitAnswers(reads, answers)
  return pools.map((pool, i) => {
    const [stateAnswer, ...tickAnswers] = answersByPool[i]!
    const ticks = joinTicks(tickAnswers)
    return stateAnswer && ticks ? decodeState(stateAnswer, keyOf(pool).tickSpacing, ticks) : null
  })
}

/** Reads the price and fees of pools with a dynamic fee again. The hook changes this fee without a log. */
export function* refreshStates(row: DexRow, pools: readonly Pool<UniswapV4State>[]): PoolReads<UniswapV4State> {
  const answers = yield pools.map(({ id }) =>
    lensRead(UNISWAP_V4_LENS, lensInterface.encodeFunctionData('read', [row.address, id]), STATE_GAS),
  )
  return pools.map(({ state }, i) => {
    const stateAnswer = answers[i]
    return stateAnswer ? decodeState(stateAnswer, state.tickSpacing, state.ticks) : null
  })
}

function decodeState(answer: Hex, tickSpacing: number, ticks: readonly Tick[]): UniswapV4State | null {
  const [{ slot0, liquidity }] = lensInterface.decodeFunctionResult('read', answer)
  const field = (shift: bigint, bits: number) => BigInt.asUintN(bits, slot0 >> shift)
  const sqrtPriceX96 = field(0n, 160)
  if (sqrtPriceX96 === 0n) return null
  return {
    sqrtPriceX96,
    tick: Number(BigInt.asIntN(24, slot0 >> 160n)),
    liquidity,
    ...unpackProtocolFees(Number(field(184n, 24))),
    feePpm: Number(field(208n, 24)),
    tickSpacing,
    ticks,
  }
}

const topicOf = (name: 'Swap' | 'ModifyLiquidity' | 'ProtocolFeeUpdated') =>
  managerInterface.getEvent(name).topicHash as Hex
const SWAP_TOPIC = topicOf('Swap')
const MODIFY_LIQUIDITY_TOPIC = topicOf('ModifyLiquidity')
const PROTOCOL_FEE_TOPIC = topicOf('ProtocolFeeUpdated')

export const topics: readonly Hex[] = [SWAP_TOPIC, MODIFY_LIQUIDITY_TOPIC, PROTOCOL_FEE_TOPIC]

/** Returns the pool id, which is the first indexed argument of the manager's logs. */
export const poolIdOf = (log: Log): string => log.topics[1]!

export function applyLog({ address, state }: Pool<UniswapV4State>, log: Log): UniswapV4State | 'reread' | 'ignore' {
  // Only the manager's logs count: any contract can emit a log with the id of a pool.
  if (log.address !== address) return 'ignore'
  switch (log.topics[0]) {
    case SWAP_TOPIC: {
      const { sqrtPriceX96, liquidity, tick } = managerInterface.decodeEventLog('Swap', log.data, log.topics)
      return { ...state, sqrtPriceX96, liquidity, tick: Number(tick) }
    }
    case MODIFY_LIQUIDITY_TOPIC: {
      const event = managerInterface.decodeEventLog('ModifyLiquidity', log.data, log.topics)
      const { tickLower, tickUpper, liquidityDelta } = event
      return changeLiquidity(state, Number(tickLower), Number(tickUpper), liquidityDelta) ?? 'reread'
    }
    case PROTOCOL_FEE_TOPIC: {
      const { protocolFee } = managerInterface.decodeEventLog('ProtocolFeeUpdated', log.data, log.topics)
      return { ...state, ...unpackProtocolFees(Number(protocolFee)) }
    }
    default:
      return 'reread'
  }
}
