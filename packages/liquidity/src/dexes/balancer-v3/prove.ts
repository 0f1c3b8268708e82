/** Verifies pools and buffers of an untrusted pool list, with reads of the vault and of the factories. */
import { IBalancerV2Factory__factory, IBalancerV3VaultState__factory } from '@sluice/bindings'
import { type DexRow, type Hex, isAddress, toAddress, wordOf } from '@sluice/chains'
import type { ListedPool, Pool, PoolReads } from '../../family.ts'
import { findBuffers } from './buffers.ts'
import { registeredPool } from './state.ts'
import type { BalancerV3Fixed } from './types.ts'

const vaultInterface = IBalancerV3VaultState__factory.createInterface()
/** Factories of Balancer V2 and V3 have the same `isPoolFromFactory`. */
const factoryInterface = IBalancerV2Factory__factory.createInterface()
/** Estimated gas of one getter call. */
const READ_GAS = 120_000

/**
 * Reads tokens, rate providers, roles, and hooks from the vault. The vault has no getter for the factory of a pool, so
 * the factory in the pool list is asked. If it does not confirm that it created the pool, the pool's own address is
 * recorded as its factory.
 */
export function* provePools(row: DexRow, listedPools: readonly ListedPool[]): PoolReads<Pool<null>> {
  const entries = listedPools.map((pool) => ({ ...pool, fixed: fixedOf(pool) }))
  const pools = entries.filter(({ fixed }) => fixed.buffer !== true)
  const pairs = entries.flatMap(({ fixed, tokens: [asset, share] }) =>
    fixed.buffer === true && asset && share ? [[asset, share] as const] : [],
  )
  const reads = pools.flatMap(({ address, fixed }) => [
    { to: row.address, data: vaultInterface.encodeFunctionData('getPoolData', [address]) as Hex, gas: READ_GAS },
    { to: row.address, data: vaultInterface.encodeFunctionData('getHooksConfig', [address]) as Hex, gas: READ_GAS },
    {
      to: row.address,
      data: vaultInterface.encodeFunctionData('getPoolRoleAccounts', [address]) as Hex,
      gas: READ_GAS,
    },
    {
      to: fixed.factory ?? address,
      data: factoryInterface.encodeFunctionData('isPoolFromFactory', [address]) as Hex,
      gas: READ_GAS,
    },
  ])
  const answers = yield reads
  const provenPools = new Map<string, Pool<null>>()
  for (const [k, { address, fixed }] of pools.entries()) {
    const [data, hooks, roles, fromFactory] = answers.slice(4 * k, 4 * k + 4)
    if (!data || !hooks || !roles) continue
    const { tokens, tokenInfo } = vaultInterface.decodeFunctionResult('getPoolData', data)[0]
    const isConfirmed = fixed.factory !== undefined && wordOf(fromFactory) === 1n
    const pool = registeredPool(row, {
      pool: address,
      factory: isConfirmed ? fixed.factory! : address,
      tokens: [...tokens],
      rateProviders: [...tokenInfo].map(({ rateProvider }) => rateProvider),
      swapFeeManager: vaultInterface.decodeFunctionResult('getPoolRoleAccounts', roles)[0].swapFeeManager,
      hooks: vaultInterface.decodeFunctionResult('getHooksConfig', hooks)[0],
    })
    if (pool && pool.tokens.length >= 2) provenPools.set(pool.id, pool)
  }
  if (pairs.length > 0) for (const buffer of yield* findBuffers(row, pairs)) provenPools.set(buffer.id, buffer)
  return listedPools.map(({ id }) => provenPools.get(id) ?? null)
}

/** Validates the fields of a listed pool. The first account in its `dependsOn` is the factory. */
function fixedOf({ fixed }: ListedPool): Pick<BalancerV3Fixed, 'buffer'> & { readonly factory?: Pool['address'] } {
  const { dependsOn, buffer } = (fixed ?? {}) as Readonly<Record<string, unknown>>
  if (buffer === true) return { buffer }
  const factory: unknown = Array.isArray(dependsOn) ? dependsOn[0] : undefined
  return isAddress(factory) ? { factory: toAddress(factory) } : {}
}
