import { CurveLens__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool, Reads } from '../../family.ts'
import { CURVE_LENS } from '../../lenses.ts'
import { chunks } from '../common/chunks.ts'

const lens = CurveLens__factory.createInterface()

/** Pools of one pair that are asked for in a factory. */
const DEPTH = 4
/** About 3 million gas. */
const PAIRS_PER_READ = 100

export function* findPools(row: DexRow, pairs: readonly (readonly [Address, Address])[]): Reads<readonly Pool<null>[]> {
  const answers = yield chunks(pairs, PAIRS_PER_READ).map((batch) => ({
    ...CURVE_LENS,
    data: lens.encodeFunctionData('find', [row.address, batch.flat(), DEPTH]) as Hex,
    gas: 30_000 * batch.length,
  }))
  const found = answers.flatMap((answer) =>
    answer ? (lens.decodeFunctionResult('find', answer) as unknown as [string[]])[0].map(toAddress) : [],
  )
  const addresses = [...new Set(found)].filter((address) => address !== ZERO_ADDRESS)
  const coins = yield addresses.map((address) => ({
    ...CURVE_LENS,
    data: lens.encodeFunctionData('coins', [address]) as Hex,
    gas: 40_000,
  }))
  return addresses.flatMap((address, i) => {
    const answer = coins[i]
    if (!answer) return []
    const tokens = (lens.decodeFunctionResult('coins', answer) as unknown as [string[]])[0].map(toAddress)
    // Pools of the native token itself are traded in another way.
    if (tokens.length < 2 || tokens.includes(NATIVE)) return []
    return [{ id: address, family: 'curve-stable', dex: row.brand, address, tokens, state: null }]
  })
}
