/** Family of Maker's LitePSM modules (peg stability modules). */
import { ILitePsm__factory, LitePsmLens__factory } from '@sluice/bindings'
import { type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { DexFamily, Pool, Reads, TokenPair } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'
import { linearCapacity } from '../common/capacity-family.ts'
import { isZeroForOne } from '../common/direction.ts'
import { quoteByDirection } from '../common/exact-input.ts'
import { poolStep } from '../common/pool-step.ts'
import { stateReader } from '../common/read-each.ts'
import { approximateMaxInput, type LitePsmState, quote, rateOf } from './math.ts'

const LENS = lensOf('LitePsmLens')
const lensInterface = LitePsmLens__factory.createInterface()
const psmInterface = ILitePsm__factory.createInterface()
/** Estimated gas to read one module. */
const READ_GAS = 60_000

/** Finds the pool of a row, which is the module itself. */
function* findPools(row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]> {
  const { family, brand: dex, address } = row
  const [answer] = yield [lensRead(LENS, lensInterface.encodeFunctionData('tokens', [address]), READ_GAS)]
  if (!answer) return []
  const { gem, dai } = lensInterface.decodeFunctionResult('tokens', answer)
  const tokens = [toAddress(gem), toAddress(dai)] as const
  const isRequested = pairs.some((pair) => tokens.every((token) => pair.includes(token)))
  return isRequested ? [{ id: address, family, dex, address, tokens, state: null }] : []
}

const readStates = stateReader(
  ({ address }) => lensRead(LENS, lensInterface.encodeFunctionData('read', [address]), READ_GAS),
  (answer) => {
    const [{ tin, tout, factor, dai, gems }] = lensInterface.decodeFunctionResult('read', answer)
    return { tin, tout, factor, dai, gems }
  },
)

const topics: readonly Hex[] = (['SellGem', 'BuyGem', 'File'] as const).map(
  (name) => psmInterface.getEvent(name as 'SellGem').topicHash as Hex,
)

/** LitePSM modules, which trade DAI and another stablecoin (the gem) at a fixed price. */
export const litePsm: DexFamily<LitePsmState> = {
  id: 'lite-psm',
  payment: { pullsInput: true },
  findPools,
  readStates,
  // When the DAI reserve changes, other contracts emit the logs. The gem reserve changes with any transfer of gems.
  refreshStates: readStates,
  topics,
  applyLog: () => 'reread',

  quoteExactInput: quoteByDirection('lite-psm', quote),

  ...linearCapacity<LitePsmState>((pool, tokenIn, tokenOut) => {
    const { state } = pool
    const isGemSale = isZeroForOne(pool, tokenIn, tokenOut)
    return {
      quote: (amountIn) => quote(state, isGemSale, amountIn),
      approximateLimit: approximateMaxInput(state, isGemSale),
      rate: rateOf(state, isGemSale),
    }
  }),

  reserves: ({ state }) => [state.gems, state.dai],

  takesTaxedInput: false,
  step: poolStep('lite-psm'),
}
