import { BalancerV1Lens__factory, IBalancerV1State__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import { zeroPadBytes } from 'ethers'
import type { Pool, Reads } from '../../family.ts'
import { lensOf } from '../../lenses.ts'
import { readEach } from '../common/read-each.ts'
import type { BalancerV1State } from './math.ts'

const LENS = lensOf('BalancerV1Lens')
const lens = BalancerV1Lens__factory.createInterface()
const events = IBalancerV1State__factory.createInterface()

/** Two lists of few, each pool of which is asked for four things. */
const FIND_GAS = 400_000
/** Most of the deepest pools of a pair, and of those that were registered first. */
const POOLS_A_PAIR = 8
const READ_GAS = 60_000

/** Rows whose pools somebody lists by pairs: the factory lists none. */
export const rowsOf = (row: DexRow): readonly DexRow[] =>
  row.family === 'balancer-v1' && row.contracts?.registry !== undefined ? [row] : []

/** Asks the registry for pools of the factory that nobody can change any more. */
export function* findPools(row: DexRow, pairs: readonly (readonly [Address, Address])[]): Reads<readonly Pool<null>[]> {
  const answers = yield pairs.map(([a, b]) => ({
    ...LENS,
    data: lens.encodeFunctionData('find', [row.contracts!.registry!, row.address, a, b, POOLS_A_PAIR]) as Hex,
    gas: FIND_GAS,
  }))
  const found = new Map<Address, Pool<null>>()
  for (const answer of answers) {
    if (!answer) continue
    for (const { pool, tokens } of lens.decodeFunctionResult('find', answer)[0]) {
      const address = toAddress(pool)
      const { family, brand: dex } = row
      found.set(address, { id: address, family, dex, address, tokens: tokens.map(toAddress), state: null })
    }
  }
  return [...found.values()]
}

export function readStates(_row: DexRow, pools: readonly Pool<null>[]): Reads<readonly (BalancerV1State | null)[]> {
  return readEach(
    pools,
    ({ address, tokens }) => ({
      ...LENS,
      data: lens.encodeFunctionData('read', [address, [...tokens]]) as Hex,
      gas: READ_GAS + 10_000 * tokens.length,
    }),
    (answer) => {
      const [{ swapFee, balances, weights }] = lens.decodeFunctionResult('read', answer)
      return { swapFee, balances: [...balances], weights: [...weights] }
    },
  )
}

const topicOf = (name: 'LOG_SWAP' | 'LOG_JOIN' | 'LOG_EXIT') => events.getEvent(name as 'LOG_SWAP').topicHash as Hex
const [SWAP, JOIN, EXIT] = [topicOf('LOG_SWAP'), topicOf('LOG_JOIN'), topicOf('LOG_EXIT')]
/** First topic of an anonymous log: the selector of the call. */
const GULP = zeroPadBytes(events.getFunction('gulp').selector, 32) as Hex

export const topics: readonly Hex[] = [SWAP, JOIN, EXIT, GULP]

/** The balances after a swap, or after one token of a join or an exit. */
export function applyLog({ tokens, state }: Pool<BalancerV1State>, { topics: [topic, , first, second], data }: Log) {
  if (topic === GULP) return 'reread' as const
  const at = (word: Hex | undefined) => tokens.indexOf(toAddress(`0x${word!.slice(-40)}`))
  const add = (balances: readonly bigint[], i: number, amount: bigint) => balances.with(i, balances[i]! + amount)
  const [i, amount] = [at(first), BigInt(data.slice(0, 66))]
  if (topic === JOIN) return { ...state, balances: add(state.balances, i, amount) }
  if (topic === EXIT) return { ...state, balances: add(state.balances, i, -amount) }
  const paid = BigInt(`0x${data.slice(66)}`)
  return { ...state, balances: add(add(state.balances, i, amount), at(second), -paid) }
}
