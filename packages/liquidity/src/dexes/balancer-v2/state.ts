/** Reads Balancer V2 pools, and finds them by logs. */
import { BalancerV2Lens__factory, IBalancerV2VaultState__factory } from '@sluice/bindings'
import { type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import { id as keccakOf } from 'ethers'
import type { ListedPool, Pool, PoolReads } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'
import { contractPool } from '../common/make-pool.ts'
import { stateReader } from '../common/read-each.ts'
import type { BalancerV2Fixed, BalancerV2State } from './types.ts'

const LENS = lensOf('BalancerV2Lens')
const lensInterface = BalancerV2Lens__factory.createInterface()
const vaultInterface = IBalancerV2VaultState__factory.createInterface()

/** Estimated gas to read the state of one pool, with two rates behind proxies. */
export const READ_GAS = 350_000
/** Estimated gas to read the tokens of a pool with many tokens, each in its own slots. */
const TOKENS_GAS = 150_000
const POOL_ID_PATTERN = /^0x[0-9a-f]{64}$/

export const readStates = stateReader(
  ({ id }, { address }) => lensRead(LENS, lensInterface.encodeFunctionData('read', [address, id]), READ_GAS),
  decodeState,
)

/**
 * Decodes the state, and leaves out the pool's own share token (BPT). Returns null while the pool is paused. Also
 * returns null if the lengths of the lists do not match the tokens, as for managed pools, whose tokens change.
 */
function decodeState(answer: Hex, { tokens }: Pool): BalancerV2State | null {
  const [readResult] = lensInterface.decodeFunctionResult('read', answer)
  if (readResult.paused) return null
  const bptIndex = Number(readResult.bptIndex)
  const withoutBpt = (list: Iterable<bigint>) => [...list].toSpliced(bptIndex, 1)
  const common = {
    balances: withoutBpt(readResult.balances),
    scaling: withoutBpt(readResult.scaling),
    swapFee: readResult.swapFee as bigint,
    ...(readResult.moves && { moves: true as const }),
  }
  const weights = readResult.amp === 0n ? [...(readResult.weights as Iterable<bigint>)] : undefined
  const lists = [common.balances, common.scaling, weights ?? tokens]
  if (lists.some(({ length }) => length !== tokens.length)) return null
  if (weights) {
    const suspended = readResult.suspended && { suspended: true as const }
    return { ...common, kind: 'weighted', weights, exactPowers: readResult.versioned, ...suspended }
  }
  // Only composable pools register their own share as a token. The stable pools before them round up.
  const roundsUp = bptIndex === readResult.balances.length
  return { ...common, kind: 'stable', amp: readResult.amp, roundsUp }
}

const topicOf = (name: 'Swap' | 'PoolBalanceChanged' | 'PoolBalanceManaged' | 'TokensRegistered') =>
  vaultInterface.getEvent(name).topicHash as Hex

/**
 * Logs of the vault that concern a pool. They contain only balance changes, but rates, weights, and fees may have
 * changed too. So after each of these logs, the pool is read again.
 */
export const topics: readonly Hex[] = [topicOf('Swap'), topicOf('PoolBalanceChanged'), topicOf('PoolBalanceManaged')]

/**
 * Logs that a pool itself emits. They do not contain the pool's id.
 *
 * @see BasePool, StablePoolAmplification, and LiquidityBootstrappingPool, balancer/balancer-v2-monorepo
 */
export const contractTopics: readonly Hex[] = [
  'SwapFeePercentageChanged(uint256)',
  'PausedStateChanged(bool)',
  'SwapEnabledSet(bool)',
  'AmpUpdateStarted(uint256,uint256,uint256,uint256)',
  'AmpUpdateStopped(uint256)',
].map((signature) => keccakOf(signature) as Hex)

/** Ignores logs of contracts other than the vault, because any contract can emit a log with the id of a pool. */
export const applyLog = ({ fixed }: Pool<unknown>, log: Log) =>
  log.address === (fixed as BalancerV2Fixed).vault ? 'reread' : 'ignore'

/** The vault emits the logs of all pools, with the pool id as the first indexed argument. */
export const poolIdOf = (log: Log): string => log.topics[1]!

export const creationTopics: readonly Hex[] = [topicOf('TokensRegistered')]

/** Returns the pool of a registration log. */
export function createdPool(row: DexRow, log: Log): Pool<null> {
  const { poolId, tokens } = vaultInterface.decodeEventLog('TokensRegistered', log.data, log.topics)
  return makePool(row, poolId as Hex, [...tokens])
}

/**
 * Reads the tokens of each pool id from the vault, which reverts for an unknown id. `readFixed` later checks that a
 * known factory created the pool.
 */
export function* provePools(row: DexRow, listedPools: readonly ListedPool[]): PoolReads<Pool<null>> {
  const ids = listedPools.flatMap(({ id }) => (POOL_ID_PATTERN.test(id) ? [id as Hex] : []))
  const answers = yield ids.map((id) => ({
    to: row.address,
    data: vaultInterface.encodeFunctionData('getPoolTokens', [id]) as Hex,
    gas: TOKENS_GAS,
  }))
  const provenPools = new Map<string, Pool<null>>()
  for (const [k, id] of ids.entries()) {
    const answer = answers[k]
    if (!answer || answer === '0x') continue
    const pool = makePool(row, id, [...vaultInterface.decodeFunctionResult('getPoolTokens', answer).tokens])
    if (pool.tokens.length >= 2) provenPools.set(id, pool)
  }
  return listedPools.map(({ id }) => provenPools.get(id) ?? null)
}

/**
 * Returns a pool without its own share among its tokens. Some pools register their share, whose address is the pool's.
 */
function makePool(row: DexRow, poolId: Hex, tokens: readonly string[]): Pool<null> {
  const address = toAddress(poolId.slice(0, 42))
  const tradedTokens = tokens.map(toAddress).filter((token) => token !== address)
  return { ...contractPool(row, address, tradedTokens, { vault: row.address }), id: poolId }
}
