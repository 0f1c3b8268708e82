/**
 * Reads the states of concentrated-liquidity pools with a tick bitmap, and applies their logs. Shared by the families
 * of such pools.
 */
import { ConcentratedLens__factory, IUniswapV3PoolEvents__factory } from '@sluice/bindings'
import { callCodec, eventReader } from '@sluice/bindings/codec'
import type { DexRow, Hex } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Interface } from 'ethers'
import type { Pool, PoolReads } from '../../family.ts'
import { CONCENTRATED_LENS, type Lens, lensRead } from '../../lenses.ts'
import type { ConcentratedState, Tick } from '../../math/concentrated.ts'
import { changeLiquidity } from '../../math/positions.ts'
import { MAX_TICK, MIN_TICK } from '../../math/ticks.ts'

const lensInterface = ConcentratedLens__factory.createInterface()
/** State without its ticks. The first round of calls reads it. */
type Head = { readonly [Field in 'sqrtPriceX96' | 'tick' | 'liquidity' | 'feePpm' | 'tickSpacing']: bigint }
const headCodecOf = (name: 'read' | 'readSolidlyV3') => callCodec<[pool: string], [Head]>(lensInterface, name)
const ticksCodec = callCodec<[pool: string, spacing: number, first: number, last: number], [bigint[]]>(
  lensInterface,
  'ticks',
)
const eventsInterface = IUniswapV3PoolEvents__factory.createInterface()

/** Estimated gas to read the head of one pool (price, liquidity, fee, and tick spacing). */
const HEAD_GAS = 60_000

/**
 * Returns the `readStates` of a family. It takes two rounds of calls for any number of pools. The first round reads the
 * heads of the pools: price, liquidity, fee, and tick spacing. The second round reads their ticks.
 */
function concentratedReader(headFunction: 'read' | 'readSolidlyV3') {
  const headCodec = headCodecOf(headFunction)
  return function* (_row: DexRow, pools: readonly Pool<null>[]): PoolReads<ConcentratedState> {
    const answers = yield pools.map((pool) => lensRead(CONCENTRATED_LENS, headCodec.encode(pool.address), HEAD_GAS))
    const heads = answers.map((answer) => answer && decodeHead(headCodec, answer))
    const ticks = yield* readTicks(CONCENTRATED_LENS, pools, heads)
    return heads.map((head, i) => (head && ticks[i] ? { ...head, ticks: ticks[i] } : null))
  }
}

/** Reads pools whose fee has a getter. */
export const readConcentrated = concentratedReader('read')
/** Reads pools of Solidly V3, whose fee is in `slot0`. */
export const readSolidlyV3 = concentratedReader('readSolidlyV3')

/**
 * Reads all ticks of the pools with a head, in one round.
 *
 * @param ticksLens - a lens with the `ticks` function of ConcentratedLens
 * @returns null for a pool without a head, or if some of its ticks could not be read
 */
export function* readTicks(
  ticksLens: Lens,
  pools: readonly Pool[],
  heads: readonly ({ readonly tickSpacing: number } | null)[],
): PoolReads<readonly Tick[]> {
  const reads = heads.map((head, i) =>
    head
      ? wordRanges(head.tickSpacing).map(({ first, last, gas }) => ({
          ...ticksLens,
          data: ticksCodec.encode(pools[i]!.address, head.tickSpacing, first, last),
          gas,
        }))
      : [],
  )
  const answersByPool = splitAnswers(reads, yield reads.flat())
  return heads.map((head, i) => head && joinTicks(answersByPool[i]!))
}

/** Splits `answers`, the results of concatenated lists of reads, into one list of results for each list of reads. */
export function splitAnswers<T>(
  lists: readonly (readonly unknown[])[],
  answers: readonly T[],
): readonly (readonly T[])[] {
  let offset = 0
  return lists.map(({ length }) => {
    offset += length
    return answers.slice(offset - length, offset)
  })
}

function decodeHead(headCodec: ReturnType<typeof headCodecOf>, answer: Hex): Omit<ConcentratedState, 'ticks'> {
  const [head] = headCodec.decode(answer)
  return {
    sqrtPriceX96: head.sqrtPriceX96,
    tick: Number(head.tick),
    liquidity: head.liquidity,
    feePpm: Number(head.feePpm),
    tickSpacing: Number(head.tickSpacing),
  }
}

/** Maximum bitmap words per read. */
const WORDS_PER_READ = 1_500
/** Estimated gas of one word: a call and a storage load. */
const WORD_GAS = 3_300
/** Estimated gas to read the ticks, a few dozen, in all words of one read. */
const TICKS_GAS = 400_000

/** Splits the words of a tick bitmap into ranges, one for each read. `first` and `last` are word positions. */
export function wordRanges(
  tickSpacing: number,
): readonly { readonly first: number; readonly last: number; readonly gas: number }[] {
  const wordOf = (tick: number) => Math.floor(Math.floor(tick / tickSpacing) / 256)
  const [lowestWord, highestWord] = [wordOf(MIN_TICK), wordOf(MAX_TICK)]
  const count = Math.ceil((highestWord - lowestWord + 1) / WORDS_PER_READ)
  return Array.from({ length: count }, (_, i) => {
    const first = lowestWord + i * WORDS_PER_READ
    const last = Math.min(highestWord, first + WORDS_PER_READ - 1)
    return { first, last, gas: (last - first + 1) * WORD_GAS + TICKS_GAS }
  })
}

/** Decodes and joins the ticks of all ranges of one pool; null if a range could not be read. */
export function joinTicks(answers: readonly (Hex | null)[]): readonly Tick[] | null {
  const ticks: Tick[] = []
  for (const answer of answers) {
    if (!answer) return null
    ticks.push(...decodeTicks(ticksCodec.decode(answer)[0]))
  }
  return ticks
}

/**
 * Decodes ticks. Each tick has two words. The first word is the number of the tick. The high half of the second word is
 * the gross liquidity, and the low half is the net liquidity.
 */
export function decodeTicks(words: readonly bigint[]): readonly Tick[] {
  const ticks: Tick[] = []
  for (let i = 0; i < words.length; i += 2) {
    const liquidity = words[i + 1]!
    ticks.push([Number(BigInt.asIntN(256, words[i]!)), BigInt.asIntN(128, liquidity), liquidity >> 128n])
  }
  return ticks
}

const topicOf = (contract: Interface, name: string) => contract.getEvent(name)!.topicHash as Hex
const MINT_TOPIC = topicOf(eventsInterface, 'Mint')
const BURN_TOPIC = topicOf(eventsInterface, 'Burn')
const INITIALIZE_TOPIC = topicOf(eventsInterface, 'Initialize')

/**
 * Returns `topics` and `applyLog` of a family. A `Swap` log contains the new price, tick, and liquidity. A `Mint` or
 * `Burn` log changes two ticks.
 *
 * @param swapEvents - interface with the family's `Swap`; forks append fields to the event
 */
export function concentratedLogs(swapEvents: Interface = eventsInterface) {
  const SWAP_TOPIC = topicOf(swapEvents, 'Swap')
  // `eventReader` is faster than the decoder of ethers, and a block has hundreds of `Swap` logs. It ignores appended
  // fields.
  const decodeSwap = eventReader<[unknown, unknown, sqrtPriceX96: bigint, liquidity: bigint, tick: bigint]>(
    swapEvents,
    'Swap',
  )
  return {
    topics: [INITIALIZE_TOPIC, SWAP_TOPIC, MINT_TOPIC, BURN_TOPIC] as readonly Hex[],
    applyLog<State extends ConcentratedState>({ state }: Pool<State>, log: Log): State | 'reread' {
      switch (log.topics[0]) {
        case SWAP_TOPIC: {
          const [, , sqrtPriceX96, liquidity, tick] = decodeSwap(log.data)
          return { ...state, sqrtPriceX96, liquidity, tick: Number(tick) }
        }
        case MINT_TOPIC: {
          const { tickLower, tickUpper, amount } = eventsInterface.decodeEventLog('Mint', log.data, log.topics)
          return changeLiquidity(state, Number(tickLower), Number(tickUpper), amount) ?? 'reread'
        }
        case BURN_TOPIC: {
          const { tickLower, tickUpper, amount } = eventsInterface.decodeEventLog('Burn', log.data, log.topics)
          return changeLiquidity(state, Number(tickLower), Number(tickUpper), -(amount as bigint)) ?? 'reread'
        }
        default:
          return 'reread'
      }
    },
  }
}
