/** Reads Balancer V3 pools, and finds them by logs. */
import {
  type BalancerV3Lens,
  BalancerV3Lens__factory,
  IBalancerV3SurgeHook__factory,
  type IBalancerV3VaultState,
  IBalancerV3VaultState__factory,
} from '@sluice/bindings'
import { type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import { id as keccakOf } from 'ethers'
import { nullIfRefused, type Pool, type PoolReads, type Read } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'
import { contractPool } from '../common/make-pool.ts'
import { bufferRead, decodeBuffers, isBuffer } from './buffers.ts'
import { computeScaledOut, liveBalancesOf } from './math.ts'
import { type ReclammDynamics, virtualBalances } from './reclamm.ts'
import type { BalancerV3Fixed, BalancerV3State, PooledState } from './types.ts'

const LENS = lensOf('BalancerV3Lens')
const lensInterface = BalancerV3Lens__factory.createInterface()
const vaultInterface = IBalancerV3VaultState__factory.createInterface()
const hookInterface = IBalancerV3SurgeHook__factory.createInterface()

/** Estimated gas to read one pool, with its rates and three quotes. */
export const READ_GAS = 650_000

export function* readStates(row: DexRow, pools: readonly Pool[]): PoolReads<BalancerV3State> {
  const answers = yield pools.map((pool) => (isBuffer(pool) ? bufferRead(row, pool) : poolRead(row, pool)))
  const bufferIndices = pools.flatMap((pool, k) => (isBuffer(pool) ? [k] : []))
  const buffers = yield* decodeBuffers(
    bufferIndices.map((k) => pools[k]!),
    bufferIndices.map((k) => answers[k]!),
  )
  const bufferByIndex = new Map(bufferIndices.map((bufferIndex, k) => [bufferIndex, buffers[k]!]))
  return answers.map((answer, k) =>
    bufferByIndex.has(k) ? bufferByIndex.get(k)! : answer && decodeState(answer, pools[k]!),
  )
}

const poolRead = (row: DexRow, pool: Pool): Read =>
  lensRead(LENS, lensInterface.encodeFunctionData('read', [row.address, pool.address]), READ_GAS)

/**
 * Decodes a pool. Returns null while the pool is closed, and if a hook changes swaps in an unsupported way. Also
 * returns null if its lists do not match its tokens, or if our math does not reproduce the pool's quotes.
 */
function decodeState(answer: Hex, { tokens }: Pool): PooledState | null {
  const [readResult] = lensInterface.decodeFunctionResult('read', answer) as unknown as [
    BalancerV3Lens.StateStructOutput,
  ]
  if (readResult.closed || readResult.hooked) return null
  const common = {
    balances: [...readResult.balances],
    scaling: [...readResult.scaling],
    rates: [...readResult.rates],
    swapFee: readResult.swapFee,
    aggregateFee: readResult.aggregateFee,
    bounded: false,
    ...(readResult.ramping && { ramping: true as const }),
  }
  const kind = KINDS[Number(readResult.kind)]!
  // The pool's own code returns its kind, weights, and virtual balances. It is untrusted: anyone can register a
  // contract as a pool.
  const lists = [common.balances, common.scaling, common.rates]
  if (kind === 'weighted') lists.push([...readResult.weights])
  else if (kind === 'reclamm') lists.push([...readResult.reclamm.lastVirtualBalances])
  if (lists.some(({ length }) => length !== tokens.length)) return null
  if (PAIR_KINDS.includes(kind) && tokens.length !== 2) return null
  // Surge fees are supported for stable pools and E-CLPs.
  if (readResult.surges && kind !== 'stable' && kind !== 'gyro-eclp') return null
  const [threshold, maxFee] = readResult.surge
  if (kind === 'reclamm') return decodeReclamm(common, readResult)
  if (kind === 'gyro-2clp') {
    const [sqrtAlpha, sqrtBeta] = readResult.gyro
    const state = { ...common, kind, sqrtAlpha, sqrtBeta }
    // Such a pool may refuse to quote for callers other than the vault.
    return reproducesSamples(state, readResult, true) ? state : null
  }
  if (kind === 'gyro-eclp') {
    const [alpha, beta, c, s, lambda] = readResult.eclp as Five
    const [below, above] = readResult.slopes
    // Without slopes, the imbalance of an E-CLP cannot be computed.
    if (readResult.surges && (below === 0n || above === 0n)) return null
    const [alphaX, alphaY, betaX, betaY, u, v, w, z, dSq] = readResult.derived as Nine
    const derivedParameters = { tauAlpha: { x: alphaX, y: alphaY }, tauBeta: { x: betaX, y: betaY }, u, v, w, z, dSq }
    const surge = readResult.surges && { surge: { threshold, maxFee, slopes: { below, above } } }
    const state = { ...common, kind, params: { alpha, beta, c, s, lambda }, derived: derivedParameters, ...surge }
    return reproducesSamples(state, readResult, true) ? state : null
  }
  const unboundedState: PooledState =
    kind === 'weighted'
      ? { ...common, kind, weights: [...readResult.weights] }
      : { ...common, kind, amp: readResult.amp, ...(readResult.surges && { surge: { threshold, maxFee } }) }
  const state = { ...unboundedState, bounded: !reproducesProbe(unboundedState, readResult.probe) }
  return reproducesSamples(state, readResult, false) ? state : null
}

const ONE = 10n ** 18n

/**
 * True if rates or the amplification can change without a log. Yield fees, which reduce balances, accrue with rates.
 */
export const movesSilently = ({ rates, ramping }: PooledState): boolean =>
  ramping === true || rates.some((rate) => rate !== ONE)

type Five = [bigint, bigint, bigint, bigint, bigint]
type Nine = [...Five, bigint, bigint, bigint, bigint]

/** Kinds of pools. The index of a kind is the number that the lens returns for it. */
const KINDS = ['weighted', 'stable', 'gyro-2clp', 'gyro-eclp', 'reclamm'] as const
/** Kinds of pools that have two tokens. */
const PAIR_KINDS: readonly (typeof KINDS)[number][] = ['gyro-2clp', 'gyro-eclp', 'reclamm']

type StateRead = BalancerV3Lens.StateStructOutput

/**
 * True if our math reproduces the pool's two sample quotes.
 *
 * @param mayRefuse - true to accept a missing quote (0), for pools that may quote only for the vault
 */
function reproducesSamples(state: PooledState, { samples, quotes }: StateRead, mayRefuse: boolean): boolean {
  const liveBalances = liveBalancesOf(state)
  const reproducesQuote = (i: 0 | 1, j: 0 | 1) =>
    (mayRefuse && quotes[i] === 0n) || outputOrNull(state, liveBalances, i, j, samples[i]) === quotes[i]
  return reproducesQuote(0, 1) && reproducesQuote(1, 0)
}

/** Returns the state of a reCLAMM pool; null if the pool computes other virtual balances than our math. */
function decodeReclamm(common: Omit<PooledState, 'kind'>, { reclamm, virtualNow, timestamp }: StateRead) {
  const state: PooledState = {
    ...(common as typeof common & { bounded: boolean }),
    kind: 'reclamm',
    virtual: [0n, 0n],
  }
  const [lastA, lastB] = reclamm.lastVirtualBalances
  const [liveA, liveB] = liveBalancesOf(state)
  const dynamics: ReclammDynamics = {
    lastTimestamp: reclamm.lastTimestamp,
    lastVirtual: [lastA!, lastB!],
    dailyPriceShiftBase: reclamm.dailyPriceShiftBase,
    centerednessMargin: reclamm.centerednessMargin,
    startFourthRoot: reclamm.startFourthRootPriceRatio,
    endFourthRoot: reclamm.endFourthRootPriceRatio,
    updateStart: reclamm.priceRatioUpdateStartTime,
    updateEnd: reclamm.priceRatioUpdateEndTime,
  }
  const virtual = nullIfRefused(() => virtualBalances(dynamics, [liveA!, liveB!], timestamp))
  return virtual && virtual[0] === virtualNow[0] && virtual[1] === virtualNow[1] ? { ...state, virtual } : null
}

/**
 * True if the pool quotes a swap at extreme balances like a pool that is not `bounded`. The lens passes the same
 * balances to the pool (`_probe` of BalancerV3Lens).
 *
 * @param probeQuote - output that the pool returned
 */
function reproducesProbe(state: PooledState, probeQuote: bigint): boolean {
  const isWeighted = state.kind === 'weighted'
  const plentifulIndex = isWeighted && state.weights[0]! < state.weights[1]! ? 0 : 1
  const balances = state.balances.map(() => 10n ** 16n).with(plentifulIndex, isWeighted ? 10n ** 30n : 10n ** 21n)
  return outputOrNull(state, balances, 1 - plentifulIndex, plentifulIndex, 10n ** 15n) === probeQuote
}

const outputOrNull = (state: PooledState, liveBalances: readonly bigint[], i: number, j: number, amountIn: bigint) =>
  nullIfRefused(() => computeScaledOut(state, liveBalances, i, j, amountIn))

const topicOf = (name: Parameters<typeof vaultInterface.getEvent>[0]) => vaultInterface.getEvent(name).topicHash as Hex

/**
 * Logs that concern a pool. They contain balance changes, but accrued fees, rates, and amplification may have changed
 * too. So after each of these logs, the pool is read again.
 */
export const topics: readonly Hex[] = [
  topicOf('Swap'),
  topicOf('LiquidityAdded'),
  topicOf('LiquidityRemoved'),
  topicOf('PoolInitialized'),
  topicOf('SwapFeePercentageChanged'),
  topicOf('AggregateSwapFeePercentageChanged'),
  topicOf('PoolRecoveryModeStateChanged'),
  topicOf('PoolPausedStateChanged'),
  // Hooks emit these logs. Like the vault's logs, they have the pool as the first indexed argument.
  hookInterface.getEvent('ThresholdSurgePercentageChanged').topicHash as Hex,
  hookInterface.getEvent('MaxSurgeFeePercentageChanged').topicHash as Hex,
  hookInterface.getEvent('ImbalanceSlopeBelowPeakChanged').topicHash as Hex,
  hookInterface.getEvent('ImbalanceSlopeAbovePeakChanged').topicHash as Hex,
]

/** Logs after which an unreadable pool may be readable: the end of its pause, and its initialization. */
export const resumeTopics: readonly Hex[] = [topicOf('PoolPausedStateChanged'), topicOf('PoolInitialized')]

/**
 * Logs of the vault that concern all its pools or buffers, and logs of a pool itself.
 *
 * @see IVaultEvents and StablePool, balancer/balancer-v3-monorepo
 */
export const contractTopics: readonly Hex[] = [
  'VaultPausedStateChanged(bool)',
  'VaultBuffersPausedStateChanged(bool)',
  'AmpUpdateStarted(uint256,uint256,uint256,uint256)',
  'AmpUpdateStopped(uint256)',
].map((signature) => keccakOf(signature) as Hex)

/**
 * Accepts logs of the vault, and of the accounts on which the pool depends, such as its hook. Ignores other logs,
 * because any contract can emit a log with the address of the pool.
 */
export function applyLog({ fixed }: Pool<unknown>, log: Log) {
  const { vault, dependsOn = [] } = fixed as Pick<BalancerV3Fixed, 'vault'> & Partial<BalancerV3Fixed>
  return log.address === vault || dependsOn.includes(log.address) ? 'reread' : 'ignore'
}

/**
 * The vault emits the logs of all pools, with the pool's address as the first indexed argument. Other contracts emit
 * events of the same signature without indexed arguments.
 */
export const poolIdOf = ({ topics: [, pool], address }: Log): string =>
  pool ? toAddress(`0x${pool.slice(26)}`) : address

export const creationTopics: readonly Hex[] = [topicOf('PoolRegistered')]

/** Returns the pool of a registration log. */
export function createdPool(row: DexRow, log: Log): Pool<null> {
  const { pool, factory, tokenConfig, roleAccounts, hooksConfig } = vaultInterface.decodeEventLog(
    'PoolRegistered',
    log.data,
    log.topics,
  )
  return registeredPool(row, {
    pool,
    factory,
    tokens: [...tokenConfig].map(({ token }) => token),
    rateProviders: [...tokenConfig].map(({ rateProvider }) => rateProvider),
    swapFeeManager: roleAccounts.swapFeeManager,
    hooks: hooksConfig,
  })
}

/** Arguments with which a pool was registered in the vault. */
type Registration = {
  readonly pool: string
  /** Account that registered the pool. It may be any account, because anyone can register a contract as a pool. */
  readonly factory: string
  readonly tokens: readonly string[]
  readonly rateProviders: readonly string[]
  readonly swapFeeManager: string
  readonly hooks: IBalancerV3VaultState.HooksConfigStructOutput
}

/** Returns the pool of a registration, with the accounts that control it. */
export function registeredPool(row: DexRow, registration: Registration): Pool<null> {
  const { pool, factory, tokens, rateProviders, swapFeeManager, hooks: hooksConfig } = registration
  const { hooksContract } = hooksConfig
  const address = toAddress(pool)
  const hooks = hooksConfig.shouldCallComputeDynamicSwapFee ? [hooksContract] : []
  const controllers = [factory, ...rateProviders, swapFeeManager, ...hooks]
  const dependsOn = [...new Set(controllers.map(toAddress))].filter((account) => account !== ZERO_ADDRESS)
  const silent = toAddress(hooksContract) === address
  const fixed: BalancerV3Fixed = { vault: row.address, dependsOn, silent }
  return contractPool(row, address, tokens.map(toAddress), fixed)
}
