/** Implements `DexFamily` for Maker's LitePSM modules (peg stability modules). */
import { ILitePsm__factory, LitePsmLens__factory } from '@sluice/bindings'
import type { Hex } from '@sluice/chains'
import type { DexFamily } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'
import { linearTrade } from '../common/exact-input.ts'
import { poolStep } from '../common/pool-step.ts'
import { stateReader } from '../common/read-each.ts'
import { findRowPool } from '../common/token-row.ts'
import { approximateMaxInput, type LitePsmState, quote, rateOf } from './math.ts'

const LENS = lensOf('LitePsmLens')
const lensInterface = LitePsmLens__factory.createInterface()
const psmInterface = ILitePsm__factory.createInterface()
/** Estimated gas to read one module. */
const READ_GAS = 60_000

/** Finds the pool of a row, which is the module itself. */
const findPools: DexFamily['findPools'] = (row, pairs) => {
  const read = lensRead(LENS, lensInterface.encodeFunctionData('tokens', [row.address]), READ_GAS)
  return findRowPool(row, pairs, read, (answer) => [...lensInterface.decodeFunctionResult('tokens', answer)])
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
  // Not all changes have logs of the module: other contracts fill its DAI reserve, and any transfer changes its gems.
  refreshStates: readStates,
  topics,
  applyLog: () => 'reread',

  ...linearTrade('lite-psm', { quote, approximateMaxInput, rateOf }),

  reserves: ({ state }) => [state.gems, state.dai],

  takesTaxedInput: false,
  step: poolStep('lite-psm'),
}
