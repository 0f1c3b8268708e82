/** Finds and reads Kyber Elastic pools. */
import { IKyberElasticFactory__factory, IKyberElasticState__factory, KyberElasticLens__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { TokenPair } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'
import type { Tick } from '../../math/concentrated.ts'
import { finderCodec, findKeyedPools } from '../common/concentrated-discover.ts'
import { decodeTicks } from '../common/concentrated-state.ts'
import { poolCreation } from '../common/pair-discover.ts'
import { stateReader } from '../common/read-each.ts'
import type { KyberElasticState } from './types.ts'

const LENS = lensOf('KyberElasticLens')
const lensInterface = KyberElasticLens__factory.createInterface()
const factoryInterface = IKyberElasticFactory__factory.createInterface()
const findCodec = finderCodec(lensInterface, 'find')
const eventsInterface = IKyberElasticState__factory.createInterface()

/**
 * Fees that factories are known to offer, in fee units of 1/100,000. Pools with other fees are found by their creation
 * logs.
 */
const KNOWN_FEES = [1, 2, 8, 10, 40, 50, 100, 250, 300, 500, 1_000, 2_000, 5_000]
/** One fee unit in parts per million. */
const PPM_PER_FEE_UNIT = 10
/** Maximum token pairs per read. They take about 4 million gas if all fees are enabled. */
const PAIRS_PER_READ = 100
/**
 * Maximum ticks that are read on each side of the price. The pool stores its ticks as a linked list. One read walks
 * this list, which takes about 12,000 gas per tick.
 */
const MAX_TICKS = 500
/** Estimated gas to read price, liquidity, and a few dozen ticks. */
const READ_GAS = 600_000

export const findPools = (row: DexRow, pairs: readonly TokenPair[]) =>
  findKeyedPools(row, pairs, KNOWN_FEES, {
    lens: LENS,
    finder: findCodec,
    pairsPerRead: PAIRS_PER_READ,
    pairGas: 20_000,
  })

export const { creationTopics, createdPool } = poolCreation(factoryInterface)

export const readStates = stateReader(
  ({ address }) => lensRead(LENS, lensInterface.encodeFunctionData('read', [address, MAX_TICKS]), READ_GAS),
  decodeState,
)

function decodeState(answer: Hex): KyberElasticState {
  const [head, ticksBelow, ticksAbove] = lensInterface.decodeFunctionResult('read', answer)
  const ticks: readonly Tick[] = [...decodeTicks([...ticksBelow]).toReversed(), ...decodeTicks([...ticksAbove])]
  return {
    sqrtPriceX96: head.sqrtPriceX96,
    tick: Number(head.tick),
    liquidity: head.liquidity,
    reinvestedLiquidity: head.reinvestedLiquidity,
    feePpm: Number(head.feeUnits) * PPM_PER_FEE_UNIT,
    tickSpacing: Number(head.tickSpacing),
    ticks,
    lowestTick: Number(head.lowest),
    highestTick: Number(head.highest),
  }
}

export const topics: readonly Hex[] = (['Initialize', 'Swap', 'Mint', 'Burn', 'BurnRTokens'] as const).map(
  (name) => eventsInterface.getEvent(name as 'Swap').topicHash as Hex,
)
