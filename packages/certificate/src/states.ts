/**
 * Reads the state of pools at a block. A certificate contains the hash of the state's text. Called by `index.ts`. The
 * comment before each call names the functions of its selectors.
 */
import { type CertifiedPool, CheckFailure, notCheckable, refute } from './certificate.ts'
import { boundProduct, boundStable, concentratedTrade, MAX_TICK, sqrtRatioAtTick, sumOf } from './earnings.ts'
import type { CallWords, Node } from './node.ts'

/**
 * Swap between two tokens of a pool. `from` and `to` are the indices of the tokens. `priceIn` is the cost of a base unit
 * that the pool receives, and `priceOut` is the value of a base unit that the pool pays.
 */
type Swap = { readonly from: number; readonly to: number; readonly priceIn: bigint; readonly priceOut: bigint }
/** Returns the maximum total earnings of swaps in a pool. */
type EarningsOfSwaps = (swaps: readonly Swap[]) => Promise<bigint>
/** Tokens of a pool, its state as text, and a function that computes the earnings of swaps in this state. */
type PoolReading = { readonly tokens: readonly bigint[]; readonly state: string; readonly earningsOf: EarningsOfSwaps }
/** Calls a view function of the pool by selector. Returns the words of its result. */
type View = (selector: string, argument?: bigint | number, minWords?: number) => Promise<CallWords>

/** Maximum words of the tick bitmap that are read for one trade. */
const MAX_WORDS = 400
/** Address of the native token in some pools. Other pools use the zero address. */
const NATIVE = 0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeen
/** Returns the address of a token as a number; 0 for the native token. */
const toTokenNumber = (token: bigint | string) => (BigInt(token) === NATIVE ? 0n : BigInt(token))

/** Reads a pool and checks its tokens. @throws CheckFailure */
export async function readPool(node: Node, pool: CertifiedPool): Promise<PoolReading> {
  const { id, kind, tokens, address } = pool
  const view: View = (...call) => node.view(address, ...call)
  const reader = { 'constant-product': constantProductPool, concentrated: concentratedPool }[kind]
  const reading = await (reader ?? stablePool)(view, pool, node)
  if (tokens.map(toTokenNumber).join() === reading.tokens.map(toTokenNumber).join()) return reading
  throw refute('not such a pool', `${id} trades other tokens`)
}

async function constantProductPool(view: View, { feePpm }: CertifiedPool): Promise<PoolReading> {
  // getReserves(), token0(), token1()
  const reads = [view('0x0902f1ac', undefined, 2), view('0x0dfe1681'), view('0xd21220a7')] as const
  const [reserves, [token0], [token1]] = await Promise.all(reads)
  const earn = ({ from, to, priceIn, priceOut }: Swap) =>
    boundProduct(reserves[from]!, reserves[to]!, feePpm, priceIn, priceOut)
  const state = `constant-product ${reserves[0]} ${reserves[1]} ${feePpm}`
  return { tokens: [token0, token1], state, earningsOf: async (swaps) => sumOf(swaps.map(earn)) }
}

async function concentratedPool(view: View, { id }: CertifiedPool): Promise<PoolReading> {
  // slot0(): √price, and a word with the tick; liquidity()
  const price = [view('0x3850c7bd', undefined, 2), view('0x1a686502')] as const
  // fee(), tickSpacing(), token0(), token1()
  const facts = [view('0xddca3f43'), view('0xd0c93a7c'), view('0x0dfe1681'), view('0xd21220a7')] as const
  const [[start, word], [liquidity], [feePpm], [step], [token0], [token1]] = await Promise.all([...price, ...facts])
  const [tick, spacing] = [Number(BigInt.asIntN(24, word)), Number(step)]
  if (!(spacing > 0 && spacing < 32_768 && feePpm < 1_000_000n)) throw refute('not such a pool', `${id} has no ticks`)
  const earn = async ({ from, priceIn, priceOut }: Swap): Promise<bigint> => {
    const zeroForOne = from === 0
    const { isProfitable, earnInPiece } = concentratedTrade(zeroForOne, feePpm, priceIn, priceOut)
    let [sqrtPrice, depth, sum, tickBits, wordCount] = [start, liquidity, 0n, 0n, 0]
    // Tick i is at i times the spacing. Visits the initialized ticks, and the last tick of each word of the bitmap.
    for (let i = Math.floor(tick / spacing) + (zeroForOne ? 0 : 1); isProfitable(sqrtPrice); i += zeroForOne ? -1 : 1) {
      if (wordCount === 0 || (i & 255) === (zeroForOne ? 255 : 0)) {
        if (++wordCount > MAX_WORDS) throw notCheckable('out of reach', `${id} crosses more than ${MAX_WORDS} words`)
        // tickBitmap(int16)
        tickBits = (await view('0x5339c296', i >> 8))[0]
      }
      const isSet = ((tickBits >> BigInt(i & 255)) & 1n) === 1n
      if (!isSet && (i & 255) !== (zeroForOne ? 0 : 255)) continue
      const end = sqrtRatioAtTick(Math.max(-MAX_TICK, Math.min(MAX_TICK, i * spacing)))
      const { earned, isEnd } = earnInPiece(depth, sqrtPrice, end)
      sum += earned
      if (isEnd || Math.abs(i * spacing) >= MAX_TICK) break
      sqrtPrice = end
      // ticks(int24): the second word is liquidityNet.
      if (isSet) depth += BigInt.asIntN(128, (await view('0xf30dba93', i * spacing, 2))[1]) * (zeroForOne ? -1n : 1n)
    }
    return sum
  }
  const state = `concentrated ${start} ${tick} ${liquidity} ${feePpm} ${spacing}`
  return { tokens: [token0, token1], state, earningsOf: async (swaps) => sumOf(await Promise.all(swaps.map(earn))) }
}

async function stablePool(view: View, pool: CertifiedPool, node: Node): Promise<PoolReading> {
  /**
   * Calls a getter, or its older form if the pool lacks the getter. Older pools index coins by int128, and have `A`
   * instead of `A_precise`. `factor` converts the result of the older form.
   */
  const callEither = async (selector: string, older: string, argument?: number, factor = 1n): Promise<bigint> => {
    const words = await view(selector, argument).catch((error) => error)
    if (words instanceof CheckFailure && words.status === 'refuted') return (await view(older, argument))[0] * factor
    if (words instanceof Error) throw words
    return words[0]
  }
  const forEachToken = (read: (token: string, k: number) => Promise<bigint>) => Promise.all(pool.tokens.map(read))
  // coins, balances, and A have two forms. decimals() and fee() have one.
  const [tokens, balances, decimalsByToken, a100, [feeE10]] = await Promise.all([
    forEachToken((_, k) => callEither('0xc6610657', '0x23746eb8', k)),
    forEachToken((_, k) => callEither('0x4903b0d1', '0x065a80d8', k)),
    forEachToken(async (token) => (toTokenNumber(token) === 0n ? 18n : (await node.view(token, '0x313ce567'))[0])),
    callEither('0x76a2f0f0', '0xf446c1d0', undefined, 100n),
    view('0xddca3f43'),
  ])
  const isPlainPool = decimalsByToken.every((decimals) => decimals <= 18n) && a100 >= 100n && feeE10 < 10n ** 10n
  if (!isPlainPool) throw refute('not such a pool', `${pool.id} is no plain pool`)
  const units = decimalsByToken.map((decimals) => 10n ** (18n - decimals))
  const earningsOf: EarningsOfSwaps = async (swaps) => {
    if (swaps.every(({ priceOut }) => priceOut === 0n)) return 0n
    const pricesIn = tokens.map((_, k) => swaps.find(({ from }) => from === k)?.priceIn ?? null)
    const pricesOut = tokens.map((_, k) => swaps.find(({ to }) => to === k)?.priceOut ?? null)
    return boundStable({ balances, units, a100, feeE10 }, pricesIn, pricesOut)
  }
  return { tokens, state: `stable ${balances.join()} ${units.join()} ${a100} ${feeE10}`, earningsOf }
}
