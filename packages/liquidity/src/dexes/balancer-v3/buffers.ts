/** Finds and reads ERC-4626 buffers of the Balancer V3 vault. */
import { BalancerV3BufferLens__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import { type Address, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool, PoolReads, Read, Reads, TokenPair } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'
import { contractPool } from '../common/make-pool.ts'
import { findShareHoldings } from '../erc4626/holder.ts'
import { type Erc4626Fixed, readVaults } from '../erc4626/state.ts'
import type { VaultBuffer } from './buffer.ts'
import type { BalancerV3Fixed } from './types.ts'

const LENS = lensOf('BalancerV3BufferLens')
const lensInterface = BalancerV3BufferLens__factory.createInterface()
const findCodec = callCodec<[vault: string, shares: readonly string[]], [assets: string[]]>(lensInterface, 'find')
/** Estimated gas to find the buffer of one token. */
const FIND_GAS = 30_000
/** Estimated gas to read one buffer. */
const READ_GAS = 100_000

/** True if a pool of the family is an ERC-4626 buffer. */
export const isBuffer = (pool: Pool<unknown>): boolean =>
  (pool.fixed as Partial<BalancerV3Fixed> | undefined)?.buffer === true

/**
 * Returns the id of a buffer: the share's address, then the first 12 bytes of the Balancer vault's address. The share's
 * address alone is already the id of the share's pool in the family `erc4626`.
 */
const bufferId = (balancerVault: Address, share: Address) => `${share}${balancerVault.slice(2, 26)}`

/** Finds the buffers of pairs of an asset and its ERC-4626 share. */
export function* findBuffers(row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]> {
  const balancerVault = row.address
  const tokens = [...new Set(pairs.flat())]
  const data = findCodec.encode(balancerVault, tokens)
  const [answer] = yield [{ ...LENS, data, gas: FIND_GAS * tokens.length }]
  if (!answer) return []
  const [assets] = findCodec.decode(answer)
  return tokens.flatMap((share, k) => {
    const asset = toAddress(assets[k]!)
    const isRequested = pairs.some((pair) => pair.includes(share) && pair.includes(asset))
    if (asset === ZERO_ADDRESS || asset === share || !isRequested) return []
    // The share's own code sets its exchange rate, without a log of the Balancer vault.
    const fixed: BalancerV3Fixed = { vault: balancerVault, dependsOn: [share], silent: true, buffer: true }
    return [{ ...contractPool(row, share, [asset, share], fixed), id: bufferId(balancerVault, share) }]
  })
}

/**
 * Adds to each buffer where its share token stores balances. Reads of the ERC-4626 vault override this storage to
 * simulate a holder of shares.
 */
export function* readFixed(_row: DexRow, pools: readonly Pool<null>[]): Reads<readonly Pool<null>[]> {
  const bufferPools = pools.filter(isBuffer)
  const holdings = yield* findShareHoldings(bufferPools.map(({ address }) => address))
  const fixedById = new Map<string, Erc4626Fixed>(
    bufferPools.flatMap(({ id }, k) => (holdings[k] ? [[id, { holding: holdings[k] }]] : [])),
  )
  return pools.map((pool) => {
    const shareHolding = fixedById.get(pool.id)
    return shareHolding ? { ...pool, fixed: { ...(pool.fixed as BalancerV3Fixed), shares: shareHolding } } : pool
  })
}

/** Returns the read of a buffer, which `decodeBuffers` decodes. */
export const bufferRead = ({ address: balancerVault }: DexRow, { address: share }: Pool<unknown>): Read =>
  lensRead(LENS, lensInterface.encodeFunctionData('read', [balancerVault, share]), READ_GAS)

/**
 * Decodes buffers, and reads their ERC-4626 vaults. Returns null for a closed buffer, and for a buffer whose ERC-4626
 * vault has unknown math.
 */
export function* decodeBuffers(
  pools: readonly Pool<unknown>[],
  answers: readonly (Hex | null)[],
): PoolReads<VaultBuffer> {
  if (pools.length === 0) return []
  const vaults = yield* readVaults(
    pools.map(({ tokens, fixed }) => ({ asset: tokens[0]!, share: tokens[1]!, ...(fixed as BalancerV3Fixed).shares })),
  )
  return vaults.map((vault, k) => {
    const answer = answers[k]
    if (!answer || !vault) return null
    const [{ closed, underlying, wrapped }] = lensInterface.decodeFunctionResult('read', answer)
    return closed ? null : { kind: 'buffer', vault, underlying, wrapped }
  })
}
