/** Finds and reads Ambient pools. */
import { AmbientLens__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import { keccak256 } from '@sluice/bindings/keccak'
import type { DexRow, Hex } from '@sluice/chains'
import type { Pool, Reads, TokenPair } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'
import { chunks } from '../common/chunks.ts'
import { sortPair } from '../common/direction.ts'
import { singletonPool } from '../common/make-pool.ts'
import { withNative } from '../common/native-pairs.ts'
import { stateReader } from '../common/read-each.ts'
import type { AmbientFixed, AmbientLevel, AmbientState } from './types.ts'

const LENS = lensOf('AmbientLens')
const lensInterface = AmbientLens__factory.createInterface()
const specsCodec = callCodec<[dex: string, hashes: string[]], [bigint[]]>(lensInterface, 'specs')
const poolCodec = callCodec<[dex: string, hash: string], [bigint[]]>(lensInterface, 'read')

/** Pool type of the standard pools. */
const POOL_IDX = 420
/** Maximum pools per read. They take about 3 million gas. */
const HASHES_PER_READ = 500
/** Estimated gas to read the parameters (`spec`) of one pool. */
const SPEC_GAS = 6_000
/** Estimated gas to read one pool with about a hundred levels. */
const READ_GAS = 1_500_000

/** Finds the standard pool of each pair by reading its parameters, because the contract does not list its pools. */
export function* findPools(row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]> {
  const candidates = withNative(pairs, row.contracts?.wrappedNative).map((pair) => makePool(row, pair))
  const batches = chunks(candidates, HASHES_PER_READ)
  const answers = yield batches.map((batch) => ({
    ...LENS,
    data: specsCodec.encode(
      row.address,
      batch.map(({ id }) => id),
    ),
    gas: SPEC_GAS * batch.length,
  }))
  return batches.flatMap((batch, batchIndex) => {
    if (!answers[batchIndex]) return []
    const [specs] = specsCodec.decode(answers[batchIndex])
    return batch.filter((_, i) => decodeSpec(specs[i]!) !== null)
  })
}

function makePool(row: DexRow, pair: TokenPair): Pool<null> {
  const tokens = sortPair(pair)
  const fixed: AmbientFixed = { poolIdx: POOL_IDX }
  return singletonPool(row, poolHash(tokens, fixed), tokens, fixed)
}

/**
 * Returns the key under which the contract stores a pool: the hash of the base token, quote token, and pool type. The
 * base token is the one with the lower address.
 */
export function poolHash([base, quote]: TokenPair, { poolIdx }: AmbientFixed): Hex {
  const words = [base.slice(2), quote.slice(2), poolIdx.toString(16)].map((word) => word.padStart(64, '0'))
  return keccak256(`0x${words.join('')}`)
}

/** Reads the whole state of pools. Logs do not suffice: many commands change a pool, and no log contains the price. */
export const readStates = stateReader(
  ({ id }, { address }) => lensRead(LENS, poolCodec.encode(address, id), READ_GAS),
  (answer) => decodeState(poolCodec.decode(answer)[0]),
)

/** Returns `count` bits of a word, starting at bit `from`. */
const extractBits = (word: bigint, from: number, count: number): bigint => BigInt.asUintN(count, word >> BigInt(from))

/** Parameters of a pool. */
type Spec = Pick<AmbientState, 'feeRate' | 'protocolTake'>

/** Decodes the parameters of a pool; null if the pool does not exist, or if an oracle restricts trading. */
function decodeSpec(word: bigint): Spec | null {
  const [schema, oracleFlags] = [extractBits(word, 0, 8), extractBits(word, 64, 8)]
  if (schema === 0n || oracleFlags !== 0n) return null
  return { feeRate: extractBits(word, 8, 16), protocolTake: extractBits(word, 24, 8) }
}

/** Decodes the words of `AmbientLens.read`: parameters, two words of the curve, then two words per level. */
function decodeState([specWord, curveWord0, curveWord1, ...rest]: readonly bigint[]): AmbientState | null {
  const spec = decodeSpec(specWord!)
  if (!spec || curveWord0 === 0n) return null
  const levels = chunks(rest, 2).map(
    ([tick, word]): AmbientLevel => [
      Number(BigInt.asIntN(256, tick!)),
      extractBits(word!, 0, 96),
      extractBits(word!, 96, 96),
    ],
  )
  return {
    ...spec,
    priceRoot: extractBits(curveWord0!, 0, 128),
    ambientSeeds: extractBits(curveWord0!, 128, 128),
    concLiq: extractBits(curveWord1!, 0, 128),
    seedDeflator: extractBits(curveWord1!, 128, 64),
    concGrowth: extractBits(curveWord1!, 192, 64),
    levels,
  }
}
