import { Erc4626Lens__factory, IERC20__factory, IERC4626State__factory } from '@sluice/bindings'
import type { Address, DexRow, Hex } from '@sluice/chains'
import { orRefused, type Pool, type Reads } from '../../family.ts'
import { lensOf } from '../../lenses.ts'
import { findTokenRow } from '../common/token-row.ts'
import { type Erc4626State, quote } from './math.ts'

const LENS = lensOf('Erc4626Lens')
const lens = Erc4626Lens__factory.createInterface()
const vault = IERC4626State__factory.createInterface()

const erc20 = IERC20__factory.createInterface()

const READ_GAS = 300_000
/** Decimals that shares may have beyond the asset's. */
const MAX_OFFSET = 18

/** A row is a vault: it is the pool of its asset and itself. */
export function findPools(row: DexRow, pairs: readonly (readonly [Address, Address])[]): Reads<readonly Pool<null>[]> {
  const read = { to: row.address, data: vault.encodeFunctionData('asset') as Hex }
  return findTokenRow(row, pairs, read, (answer) => vault.decodeFunctionResult('asset', answer)[0])
}

export const readStates = (_row: DexRow, pools: readonly Pool[]): Reads<readonly (Erc4626State | null)[]> =>
  readVaults(pools.map(({ address, tokens }) => ({ share: address, asset: tokens[0]! })))

/** Vaults, which are their shares. */
export function* readVaults(
  vaults: readonly { readonly share: Address; readonly asset: Address }[],
): Reads<readonly (Erc4626State | null)[]> {
  const answers = yield vaults.flatMap(({ share, asset }) => [
    { ...LENS, data: lens.encodeFunctionData('read', [share]) as Hex, gas: READ_GAS },
    { to: asset, data: erc20.encodeFunctionData('balanceOf', [share]) as Hex },
  ])
  return vaults.map((_, k) => {
    const [state, cash] = [answers[2 * k], answers[2 * k + 1]]
    return state && cash ? decodeState(state, erc20.decodeFunctionResult('balanceOf', cash)[0]) : null
  })
}

/** Null where no known way of counting gives what the vault quotes itself: it takes a fee, or is of another kind. */
function decodeState(answer: Hex, cash: bigint): Erc4626State | null {
  const [read] = lens.decodeFunctionResult('read', answer)
  const { totalAssets, totalSupply, maxDeposit, rate } = read
  const offsets = Array.from({ length: MAX_OFFSET + 1 }, (_, offset) => ({ virtualShares: 10n ** BigInt(offset) }))
  const kinds = [{ virtualShares: 0n }, ...offsets, ...(rate > 0n ? [{ virtualShares: 0n, rate }] : [])]
  for (const kind of kinds) {
    const state = { totalAssets, totalSupply, ...kind, maxDeposit, cash }
    const known = gives(state, true, read.sampleAssets, read.quotedShares)
    if (known && gives(state, false, read.sampleShares, read.quotedAssets)) return state
  }
  return null
}

function gives(state: Erc4626State, deposit: boolean, amountIn: bigint, amountOut: bigint): boolean {
  return orRefused(() => quote({ ...state, maxDeposit: amountIn }, deposit, amountIn).amountOut) === amountOut
}

const topicOf = (name: 'Deposit' | 'Withdraw') => vault.getEvent(name).topicHash as Hex
export const topics: readonly Hex[] = [topicOf('Deposit'), topicOf('Withdraw')]
export const applyLog = () => 'reread' as const
