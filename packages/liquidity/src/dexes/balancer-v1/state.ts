/** Finds and reads Balancer V1 pools, and applies their logs. */
import { BalancerV1Lens__factory, IBalancerV1State__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import { zeroPadBytes } from 'ethers'
import type { Pool, Reads, TokenPair } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'
import { contractPool } from '../common/make-pool.ts'
import { stateReader } from '../common/read-each.ts'
import type { BalancerV1State } from './math.ts'

const LENS = lensOf('BalancerV1Lens')
const lensInterface = BalancerV1Lens__factory.createInterface()
const findCodec = callCodec<
  [registry: string, factory: string, tokenA: string, tokenB: string, maxPools: number],
  [{ readonly pool: string; readonly tokens: string[] }[]]
>(lensInterface, 'find')
const eventsInterface = IBalancerV1State__factory.createInterface()

/** Estimated gas to find the pools of one pair: two short lists, with four calls per pool. */
const FIND_GAS = 400_000
/** Maximum pools per list. A pair has two lists: the deepest pools, and the pools that were registered first. */
const MAX_POOLS_PER_LIST = 8
/** Estimated gas to read one pool, in addition to 10,000 per token. */
const READ_GAS = 60_000

/** Returns the row only if it has a registry, because only the registry lists the pools of a pair. */
export const rowsOf = (row: DexRow): readonly DexRow[] =>
  row.family === 'balancer-v1' && row.contracts?.registry !== undefined ? [row] : []

/** Finds the pools of pairs in the registry. Skips pools of other factories, and pools that are not finalized. */
export function* findPools(row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]> {
  const answers = yield pairs.map(([a, b]) =>
    lensRead(LENS, findCodec.encode(row.contracts!.registry!, row.address, a, b, MAX_POOLS_PER_LIST), FIND_GAS),
  )
  const foundPools = new Map<Address, Pool<null>>()
  for (const answer of answers) {
    if (!answer) continue
    for (const { pool, tokens } of findCodec.decode(answer)[0]) {
      const address = toAddress(pool)
      foundPools.set(address, contractPool(row, address, tokens.map(toAddress)))
    }
  }
  return [...foundPools.values()]
}

export const readStates = stateReader(
  ({ address, tokens }) => ({
    ...LENS,
    data: lensInterface.encodeFunctionData('read', [address, [...tokens]]) as Hex,
    gas: READ_GAS + 10_000 * tokens.length,
  }),
  (answer) => {
    const [{ swapFee, balances, weights }] = lensInterface.decodeFunctionResult('read', answer)
    return { swapFee, balances: [...balances], weights: [...weights] }
  },
)

const topicOf = (name: 'LOG_SWAP' | 'LOG_JOIN' | 'LOG_EXIT') =>
  eventsInterface.getEvent(name as 'LOG_SWAP').topicHash as Hex
const [SWAP_TOPIC, JOIN_TOPIC, EXIT_TOPIC] = [topicOf('LOG_SWAP'), topicOf('LOG_JOIN'), topicOf('LOG_EXIT')]
/**
 * First topic of the log of a `gulp` call. The log has no event signature; its first topic is the function's selector.
 */
const GULP_TOPIC = zeroPadBytes(eventsInterface.getFunction('gulp').selector, 32) as Hex

export const topics: readonly Hex[] = [SWAP_TOPIC, JOIN_TOPIC, EXIT_TOPIC, GULP_TOPIC]

/** Returns the state after a swap, join, or exit. A join or exit emits one log per token, with the balance change. */
export function applyLog({ tokens, state }: Pool<BalancerV1State>, { topics: [topic, , first, second], data }: Log) {
  if (topic === GULP_TOPIC) return 'reread' as const
  const tokenIndex = (word: Hex | undefined) => tokens.indexOf(toAddress(`0x${word!.slice(-40)}`))
  const add = (balances: readonly bigint[], i: number, amount: bigint) => balances.with(i, balances[i]! + amount)
  const [i, amount] = [tokenIndex(first), BigInt(data.slice(0, 66))]
  if (topic === JOIN_TOPIC) return { ...state, balances: add(state.balances, i, amount) }
  if (topic === EXIT_TOPIC) return { ...state, balances: add(state.balances, i, -amount) }
  const paidAmount = BigInt(`0x${data.slice(66)}`)
  return { ...state, balances: add(add(state.balances, i, amount), tokenIndex(second), -paidAmount) }
}
