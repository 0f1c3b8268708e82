import { ILitePsm__factory, LitePsmLens__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Pool, Reads } from '../../family.ts'
import { lensOf } from '../../lenses.ts'
import type { LitePsmState } from './types.ts'

const LENS = lensOf('LitePsmLens')
const lens = LitePsmLens__factory.createInterface()
const psm = ILitePsm__factory.createInterface()
const READ_GAS = 60_000

/** A row is a module. */
export function* findPools(row: DexRow, pairs: readonly (readonly [Address, Address])[]): Reads<readonly Pool<null>[]> {
  const { family, brand: dex, address } = row
  const [answer] = yield [{ ...LENS, data: lens.encodeFunctionData('tokens', [address]) as Hex, gas: READ_GAS }]
  if (!answer) return []
  const { gem, dai } = lens.decodeFunctionResult('tokens', answer)
  const tokens = [toAddress(gem), toAddress(dai)] as const
  const isAsked = pairs.some((pair) => tokens.every((token) => pair.includes(token)))
  return isAsked ? [{ id: address, family, dex, address, tokens, state: null }] : []
}

export function* readStates(_row: DexRow, pools: readonly Pool[]): Reads<readonly (LitePsmState | null)[]> {
  const answers = yield pools.map(({ address }) => ({
    ...LENS,
    data: lens.encodeFunctionData('read', [address]) as Hex,
    gas: READ_GAS,
  }))
  return answers.map((answer) => {
    if (!answer) return null
    const [{ tin, tout, factor, dai, gems }] = lens.decodeFunctionResult('read', answer)
    return { tin, tout, factor, dai, gems }
  })
}

export const topics: readonly Hex[] = (['SellGem', 'BuyGem', 'File'] as const).map(
  (name) => psm.getEvent(name as 'SellGem').topicHash as Hex,
)
