import { BalancerV3Lens__factory, IBalancerV3VaultState__factory } from '@sluice/bindings'
import { type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import { orRefused, type Pool, type Reads } from '../../family.ts'
import { BALANCER_V3_LENS } from '../../lenses.ts'
import { liveBalances, scaledOut } from './math.ts'
import type { BalancerV3Fixed, BalancerV3State } from './types.ts'

const lens = BalancerV3Lens__factory.createInterface()
const vault = IBalancerV3VaultState__factory.createInterface()

/** Rates are asked for, and the pool quotes three times. */
const READ_GAS = 550_000

export function* readStates(row: DexRow, pools: readonly Pool<null>[]): Reads<readonly (BalancerV3State | null)[]> {
  const answers = yield pools.map((pool) => ({
    ...BALANCER_V3_LENS,
    data: lens.encodeFunctionData('read', [row.address, pool.address]) as Hex,
    gas: READ_GAS,
  }))
  return answers.map((answer) => answer && decodeState(answer))
}

/** Null while the pool is closed, where a hook has a say in swaps, and where the pool's own maths are not those known here. */
function decodeState(answer: Hex): BalancerV3State | null {
  const [read] = lens.decodeFunctionResult('read', answer)
  if (read.closed || read.hooked) return null
  const common = {
    balances: [...read.balances],
    scaling: [...read.scaling],
    rates: [...read.rates],
    swapFee: read.swapFee,
    aggregateFee: read.aggregateFee,
    bounded: false,
  }
  const earlier: BalancerV3State =
    read.amp === 0n
      ? { ...common, kind: 'weighted', weights: [...read.weights] }
      : { ...common, kind: 'stable', amp: read.amp }
  const state = { ...earlier, bounded: !agreesWithProbe(earlier, read.probe) }
  const live = liveBalances(state)
  const agrees = (i: 0 | 1, j: 0 | 1) => poolAnswer(state, live, i, j, read.samples[i]) === read.quotes[i]
  return agrees(0, 1) && agrees(1, 0) ? state : null
}

/** Whether a pool of the first release would answer this: the balances are those of `_probe` in BalancerV3Lens. */
function agreesWithProbe(state: BalancerV3State, answer: bigint): boolean {
  const weighted = state.kind === 'weighted'
  const plentiful = weighted && state.weights[0]! < state.weights[1]! ? 0 : 1
  const balances = state.balances.map(() => 10n ** 16n).with(plentiful, weighted ? 10n ** 30n : 10n ** 21n)
  return poolAnswer(state, balances, 1 - plentiful, plentiful, 10n ** 15n) === answer
}

const poolAnswer = (state: BalancerV3State, live: readonly bigint[], i: number, j: number, amountIn: bigint) =>
  orRefused(() => scaledOut(state, live, i, j, amountIn))

const topicOf = (name: Parameters<typeof vault.getEvent>[0]) => vault.getEvent(name).topicHash as Hex

/** Swaps and liquidity move balances by what they say, but fees that are due, rates and an amplification move besides. */
export const topics: readonly Hex[] = [
  topicOf('Swap'),
  topicOf('LiquidityAdded'),
  topicOf('LiquidityRemoved'),
  topicOf('PoolInitialized'),
  topicOf('SwapFeePercentageChanged'),
  topicOf('AggregateSwapFeePercentageChanged'),
  topicOf('PoolPausedStateChanged'),
]
export const applyLog = () => 'reread' as const

/** All pools speak through the vault, each with its address in the first topic. */
export const poolIdOf = (log: Log): string => toAddress(`0x${log.topics[1]!.slice(26)}`)

export const creationTopics: readonly Hex[] = [topicOf('PoolRegistered')]

/** Null for a pool in whose swaps a hook has a say. */
export function createdPool(row: DexRow, log: Log): Pool<null> | null {
  const { pool, factory, tokenConfig, roleAccounts, hooksConfig } = vault.decodeEventLog(
    'PoolRegistered',
    log.data,
    log.topics,
  )
  const { enableHookAdjustedAmounts, shouldCallComputeDynamicSwapFee, shouldCallBeforeSwap, shouldCallAfterSwap } =
    hooksConfig
  if (enableHookAdjustedAmounts || shouldCallComputeDynamicSwapFee || shouldCallBeforeSwap || shouldCallAfterSwap) {
    return null
  }
  const address = toAddress(pool)
  // Anyone may register code of their own, and whoever does is the factory.
  const rates = [...tokenConfig].map(({ rateProvider }) => rateProvider)
  const deciding = [factory, ...rates, roleAccounts.swapFeeManager]
  const dependsOn = [...new Set(deciding.map(toAddress))].filter((account) => account !== ZERO_ADDRESS)
  return {
    id: address,
    family: row.family,
    dex: row.brand,
    address,
    tokens: [...tokenConfig].map(({ token }) => toAddress(token)),
    fixed: { vault: row.address, dependsOn } satisfies BalancerV3Fixed,
    state: null,
  }
}
