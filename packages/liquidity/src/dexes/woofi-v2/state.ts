/** Finds and reads WOOFi V2 pools. */
import { IWoofiV2State__factory, type WoofiV2Lens, WoofiV2Lens__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import { keccak256 } from '@sluice/bindings/keccak'
import type { DexRow, Hex } from '@sluice/chains'
import { concat } from 'ethers'
import { nullIfRefused, type Pool, type Reads, type TokenPair } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'
import { sortPair } from '../common/direction.ts'
import { singletonPool } from '../common/make-pool.ts'
import { stateReader } from '../common/read-each.ts'
import { quote, type WoofiToken, type WoofiV2State } from './math.ts'

const LENS = lensOf('WoofiV2Lens')
const lensInterface = WoofiV2Lens__factory.createInterface()
const tokenInfosCodec = callCodec<[token: string], [reserve: bigint, feeRate: bigint]>(
  IWoofiV2State__factory.createInterface(),
  'tokenInfos',
)

/** Estimated gas to read the pool and the oracle for two tokens, with a quote in each direction. */
const READ_GAS = 350_000
/** The lens reads quotes of this fraction of a whole token: 1 / `SAMPLE_DIVISOR`. */
const SAMPLE_DIVISOR = 1_000n

/**
 * Finds the token pairs whose tokens both have a reserve in the contract. The contract trades all pairs of its tokens,
 * but does not list its tokens. Each pair becomes one pool.
 */
export function* findPools(row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]> {
  const tokens = [...new Set(pairs.flat())]
  const answers = yield tokens.map((token) => ({
    to: row.address,
    data: tokenInfosCodec.encode(token),
  }))
  const tokensWithReserve = new Set(
    tokens.filter((_, i) => answers[i] && answers[i] !== '0x' && reserveOf(answers[i]) > 0n),
  )
  return pairs
    .filter(([a, b]) => tokensWithReserve.has(a) && tokensWithReserve.has(b))
    .map((pair) => {
      const sortedPair = sortPair(pair)
      return singletonPool(row, keccak256(concat([row.address, ...sortedPair]) as Hex), sortedPair)
    })
}

const reserveOf = (answer: Hex): bigint => tokenInfosCodec.decode(answer)[0]

export const readStates = stateReader(
  ({ address, tokens }) =>
    lensRead(LENS, lensInterface.encodeFunctionData('read', [address, [tokens[0]!, tokens[1]!]]), READ_GAS),
  decodeState,
)

/**
 * Decodes a state. Returns null if our math does not reproduce the pool's quotes, because contract revisions with other
 * math have the same getters.
 */
function decodeState(answer: Hex): WoofiV2State | null {
  const [readResult] = lensInterface.decodeFunctionResult('read', answer) as unknown as [WoofiV2Lens.StateStructOutput]
  const tokens = readResult.tokens.map(
    (token): WoofiToken => ({
      reserve: token.reserve,
      feeRate: token.feeRate,
      maxGamma: token.maxGamma,
      maxNotional: token.maxNotional,
      price: token.price,
      spread: token.spread,
      coeff: token.coeff,
      feasible: token.feasible,
      unit: 10n ** token.decimals,
      priceUnit: 10n ** token.priceDecimals,
    }),
  )
  const state: WoofiV2State = {
    paused: readResult.paused,
    quoteIndex: Number(readResult.quoteIndex) as WoofiV2State['quoteIndex'],
    quoteUnit: 10n ** readResult.quoteDecimals,
    tokens: [tokens[0]!, tokens[1]!],
  }
  const reproducesQuotes = ([0, 1] as const).every((i) => {
    const computedQuote = nullIfRefused(() => quote(state, i, tokens[i]!.unit / SAMPLE_DIVISOR))
    return (computedQuote?.amountOut ?? 0n) === readResult.tokens[i]!.quoted
  })
  return reproducesQuotes ? state : null
}
