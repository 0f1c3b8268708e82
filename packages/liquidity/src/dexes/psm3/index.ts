/** Implements `DexFamily` for Spark's PSM3 modules (peg stability modules). */
import { IPsm3__factory, Psm3Lens__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import type { Hex } from '@sluice/chains'
import type { DexFamily } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'
import { linearCapacity } from '../common/capacity-family.ts'
import { coinIndices } from '../common/direction.ts'
import { quoteByIndices } from '../common/exact-input.ts'
import { poolStep } from '../common/pool-step.ts'
import { stateReader } from '../common/read-each.ts'
import { findRowPool } from '../common/token-row.ts'
import { approximateMaxInput, type Psm3State, quote, rateOf } from './math.ts'

const LENS = lensOf('Psm3Lens')
const lensInterface = Psm3Lens__factory.createInterface()
const psmInterface = IPsm3__factory.createInterface()
const tokensCodec = callCodec<[psm: string], [[string, string, string]]>(lensInterface, 'tokens')
const readCodec = callCodec<[psm: string], [Psm3State]>(lensInterface, 'read')
/** Estimated gas to read the tokens. */
const FIND_GAS = 60_000
/** Estimated gas to read one module. */
const READ_GAS = 150_000

/** Finds the pool of a row, which is the module itself. */
const findPools: DexFamily['findPools'] = (row, pairs) =>
  findRowPool(
    row,
    pairs,
    lensRead(LENS, tokensCodec.encode(row.address), FIND_GAS),
    (answer) => tokensCodec.decode(answer)[0],
  )

const readStates = stateReader(
  ({ address }) => lensRead(LENS, readCodec.encode(address), READ_GAS),
  (answer) => {
    const [{ precisions, balances, rate }] = readCodec.decode(answer)
    return { precisions, balances, rate }
  },
)

const topics: readonly Hex[] = (['Swap', 'Deposit', 'Withdraw'] as const).map(
  (name) => psmInterface.getEvent(name as 'Swap').topicHash as Hex,
)

/**
 * PSM3 modules, which trade USDC, USDS, and sUSDS without a fee. USDC and USDS trade 1:1, and sUSDS at its value in
 * USDS.
 */
export const psm3: DexFamily<Psm3State> = {
  id: 'psm3',
  payment: { pullsInput: true },
  findPools,
  readStates,
  // The value of sUSDS grows with time, and any transfer changes the balances.
  refreshStates: readStates,
  topics,
  applyLog: () => 'reread',

  quoteExactInput: quoteByIndices('psm3', quote),

  ...linearCapacity<Psm3State>((pool, tokenIn, tokenOut) => {
    const { state } = pool
    const [i, j] = coinIndices(pool, tokenIn, tokenOut)
    return {
      quote: (amountIn) => quote(state, i, j, amountIn),
      approximateLimit: approximateMaxInput(state, i, j),
      rate: rateOf(state, i, j),
    }
  }),

  reserves: ({ state }) => state.balances,

  takesTaxedInput: false,
  step: poolStep('psm3'),
}
