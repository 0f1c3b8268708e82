/** Finds and reads EulerSwap pools. */
import { type EulerSwapLens, EulerSwapLens__factory, IEulerSwapRegistry__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import { nullIfRefused, type Pool, type Reads, type TokenPair } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'
import { pairKey, sortPair } from '../common/direction.ts'
import { contractPool } from '../common/make-pool.ts'
import { stateReader } from '../common/read-each.ts'
import { limitsFromContract, quote } from './math.ts'
import type { EulerSwapFixed, EulerSwapLimits, EulerSwapState } from './types.ts'

const LENS = lensOf('EulerSwapLens')
const lensInterface = EulerSwapLens__factory.createInterface()
const findCodec = callCodec<
  [registry: string, tokens: readonly string[], maxPools: number],
  [{ readonly pool: string; readonly account: string }[]]
>(lensInterface, 'find')
const registryInterface = IEulerSwapRegistry__factory.createInterface()

/** Maximum pools per pair. If there are more, those whose accounts have supplied most are taken. */
const POOLS_PER_PAIR = 16
/** Estimated gas to list the pools of one pair. */
const FIND_GAS = 200_000
/** Estimated gas to read limits and quotes of both directions, which query four vaults. */
const READ_GAS = 900_000
/** Flags of the three hooks that swaps call: before the swap, for the fee, and after the swap. */
const SWAP_HOOKS = 7n

/** Returns the row if it is of version 2, whose registry lists pools by pair. Version 1 has no registry. */
export const rowsOf = (row: DexRow): readonly DexRow[] =>
  row.family === 'euler-swap' && row.version === '2' ? [row] : []

export function* findPools(row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]> {
  const sortedPairs = [...new Map(pairs.map((pair) => [pairKey(pair), sortPair(pair)])).values()]
  const answers = yield sortedPairs.map((pair) =>
    lensRead(LENS, findCodec.encode(row.address, pair, POOLS_PER_PAIR), FIND_GAS),
  )
  return sortedPairs.flatMap((pair, i) => {
    const answer = answers[i]
    if (!answer) return []
    return findCodec.decode(answer)[0].map(({ pool, account }) => makePool(row, pair, pool, account))
  })
}

function makePool(row: DexRow, tokens: readonly [Address, Address], pool: string, account: string): Pool<null> {
  return contractPool(row, toAddress(pool), tokens, { account: toAddress(account) } satisfies EulerSwapFixed)
}

export const creationTopics: readonly Hex[] = [registryInterface.getEvent('PoolRegistered').topicHash as Hex]

/** Returns the pool of a registration log. The tokens and the account are indexed; the pool is the first data word. */
export function createdPool(row: DexRow, { topics, data }: Log): Pool<null> {
  const addressOfWord = (word: string) => toAddress(`0x${word.slice(-40)}`)
  return makePool(
    row,
    [addressOfWord(topics[1]!), addressOfWord(topics[2]!)],
    addressOfWord(data.slice(0, 66)),
    addressOfWord(topics[3]!),
  )
}

export const readStates = stateReader(
  ({ address, tokens }) =>
    lensRead(LENS, lensInterface.encodeFunctionData('read', [address, [tokens[0]!, tokens[1]!]]), READ_GAS),
  decodeState,
)

/** Decodes a state. Returns null if our math does not reproduce the pool's quotes, or if swaps call a hook. */
function decodeState(answer: Hex): EulerSwapState | null {
  const [readResult] = lensInterface.decodeFunctionResult('read', answer) as unknown as [
    EulerSwapLens.StateStructOutput,
  ]
  const { params, sides } = readResult
  if ((params.swapHookedOperations & SWAP_HOOKS) !== 0n) return null
  const state: EulerSwapState = {
    open: readResult.open,
    reserves: [readResult.reserve0, readResult.reserve1],
    equilibrium: [params.equilibriumReserve0, params.equilibriumReserve1],
    prices: [params.priceX, params.priceY],
    concentrations: [params.concentrationX, params.concentrationY],
    fees: [params.fee0, params.fee1],
    limits: [limitsOf(sides[0]!), limitsOf(sides[1]!)],
  }
  const reproducesQuotes = ([0, 1] as const).every(
    (i) => (nullIfRefused(() => quote(state, i, sides[i]!.quoteIn))?.amountOut ?? 0n) === sides[i]!.quoteOut,
  )
  return reproducesQuotes ? state : null
}

const limitsOf = ({ known, inLimit, outLimit }: EulerSwapLens.SideStructOutput): EulerSwapLimits | null =>
  known ? limitsFromContract(inLimit, outLimit) : null
