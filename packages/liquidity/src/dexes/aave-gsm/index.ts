/** Implements `DexFamily` for Aave's GHO Stability Modules. */
import { type AaveGsmLens, AaveGsmLens__factory, IAaveGsm__factory } from '@sluice/bindings'
import { type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { DexFamily, Pool, Reads, TokenPair } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'
import { linearTrade } from '../common/exact-input.ts'
import { contractPool } from '../common/make-pool.ts'
import { poolStep } from '../common/pool-step.ts'
import { stateReader } from '../common/read-each.ts'
import { type AaveGsmState, approximateMaxInput, quote, rateOf, tradeForSale } from './math.ts'

const LENS = lensOf('AaveGsmLens')
const lensInterface = AaveGsmLens__factory.createInterface()
const gsmInterface = IAaveGsm__factory.createInterface()
/** Estimated gas to read a short registry and the tokens of its modules. */
const FIND_GAS = 200_000
/** Estimated gas to read one module. */
const READ_GAS = 150_000

/** Finds the modules that the registry at the row's address lists. */
function* findPools(row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]> {
  const [answer] = yield [lensRead(LENS, lensInterface.encodeFunctionData('find', [row.address]), FIND_GAS)]
  if (!answer) return []
  const [modules] = lensInterface.decodeFunctionResult('find', answer)
  // Copy the decoded list into an array: `flatMap` of an ethers `Result` returns [0] instead of an empty list.
  return [...modules].flatMap(({ gsm: module, asset, gho }: AaveGsmLens.FoundStructOutput) => {
    const address = toAddress(module)
    const tokens = [toAddress(asset), toAddress(gho)] as const
    const isRequested = pairs.some((pair) => tokens.every((token) => pair.includes(token)))
    return isRequested ? [contractPool(row, address, tokens)] : []
  })
}

const readStates = stateReader(
  ({ address }) => lensRead(LENS, lensInterface.encodeFunctionData('read', [address]), READ_GAS),
  (answer) => {
    const [readResult] = lensInterface.decodeFunctionResult('read', answer)
    const { stopped, unit, ratio, sellFee, buyFee, exposure, liquidity, capacity, level } = readResult
    return { stopped, unit, ratio, sellFee, buyFee, exposure, liquidity, capacity, level }
  },
)

const EVENT_NAMES = [
  'SellAsset',
  'BuyAsset',
  'SwapFreeze',
  'Seized',
  'FeeStrategyUpdated',
  'ExposureCapUpdated',
] as const
const topics: readonly Hex[] = EVENT_NAMES.map((name) => gsmInterface.getEvent(name as 'SellAsset').topicHash as Hex)

/** GHO Stability Modules. A module exchanges GHO and one asset at a fixed price. */
export const aaveGsm: DexFamily<AaveGsmState> = {
  id: 'aave-gsm',
  payment: { pullsInput: true },
  findPools,
  readStates,
  // The module emits no log when the amount of GHO that it may mint changes, or when its fee strategy changes a fee.
  refreshStates: readStates,
  topics,
  applyLog: () => 'reread',

  ...linearTrade('aave-gsm', { quote, approximateMaxInput, rateOf }),

  // The module mints GHO, so it holds no reserve of GHO. The second number is the GHO that it pays out for all of the
  // asset that it still accepts.
  reserves: ({ state }) => [state.liquidity, tradeForSale(state, state.exposure).gho],

  takesTaxedInput: false,
  step: poolStep('aave-gsm'),
}
