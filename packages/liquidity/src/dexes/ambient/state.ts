/** Finds and reads Ambient pools. */
import { AmbientLens__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import type { DexRow, Hex } from '@sluice/chains'
import { keccak256 } from 'ethers'
import type { Pool, Reads } from '../../family.ts'
import { lensOf } from '../../lenses.ts'
import { chunks } from '../common/chunks.ts'
import { sortPair, type TokenPair } from '../common/direction.ts'
import { withNative } from '../common/native-pairs.ts'
import { readEach } from '../common/read-each.ts'
import type { AmbientFixed, AmbientLevel, AmbientState } from './types.ts'

const LENS = lensOf('AmbientLens')
const lensInterface = AmbientLens__factory.createInterface()
const specsCodec = callCodec<[dex: string, hashes: string[]], [bigint[]]>(lensInterface, 'specs')
const poolCodec = callCodec<[dex: string, hash: string], [bigint[]]>(lensInterface, 'read')

/** Number of the standard pool type. */
const POOL_IDX = 420
/** Pool hashes per read, which takes about 3 million gas. */
const HASHES_PER_READ = 500
/** Estimated gas to read the parameters of one pool. */
const SPEC_GAS = 6_000
/** Estimated gas to read about a hundred levels. */
const READ_GAS = 1_500_000

/** Reads the parameters of the pool that each pair may have, since the contract has no list. */
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
  return batches.flatMap((batch, b) => {
    if (!answers[b]) return []
    const [specs] = specsCodec.decode(answers[b])
    return batch.filter((_, i) => decodeSpec(specs[i]!) !== null)
  })
}

function makePool(row: DexRow, pair: TokenPair): Pool<null> {
  const tokens = sortPair(pair)
  const { family, brand: dex, address } = row
  const fixed: AmbientFixed = { poolIdx: POOL_IDX }
  return { id: poolHash(tokens, fixed), family, dex, address, tokens, fixed, state: null }
}

/** Returns the hash of the base token (the lower address), the quote token, and the pool type. */
export function poolHash([base, quote]: TokenPair, { poolIdx }: AmbientFixed): Hex {
  const words = [base.slice(2), quote.slice(2), poolIdx.toString(16)].map((word) => word.padStart(64, '0'))
  return keccak256(Buffer.from(words.join(''), 'hex')) as Hex
}

/** Reads the whole pool, because commands of many kinds change it and no log carries its price. */
export function readStates({ address }: DexRow, pools: readonly Pool[]): Reads<readonly (AmbientState | null)[]> {
  return readEach(
    pools,
    ({ id }) => ({ ...LENS, data: poolCodec.encode(address, id), gas: READ_GAS }),
    (answer) => decodeState(poolCodec.decode(answer)[0]),
  )
}

const extractBits = (word: bigint, from: number, count: number): bigint => BigInt.asUintN(count, word >> BigInt(from))

type Spec = Pick<AmbientState, 'feeRate' | 'protocolTake'>

/** Returns null if there is no pool, or if an oracle restricts trading. */
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
