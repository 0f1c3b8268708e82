/**
 * Determines the accounts that can change a pool's quotes. The vault accepts any contract as a pool, so a pool that no
 * known factory created controls its own quotes.
 */
import { IBalancerV2Factory__factory, IBalancerV2PoolState__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress, wordOf, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool, Reads } from '../../family.ts'
import type { BalancerV2Fixed } from './types.ts'

const poolInterface = IBalancerV2PoolState__factory.createInterface()
const factoryInterface = IBalancerV2Factory__factory.createInterface()

/** `DELEGATE_OWNER` of Balancer's pool-utils: the protocol's governance. */
const GOVERNANCE = toAddress('0xba1ba1ba1ba1ba1ba1ba1ba1ba1ba1ba1ba1ba1b')
/** Estimated gas of one getter call. */
const READ_GAS = 30_000

/** Reads the owner and the rate providers of each pool, and whether a factory in the row's `contracts` created it. */
export function* readFixed(row: DexRow, pools: readonly Pool<null>[]): Reads<readonly Pool<null>[]> {
  const factories = Object.entries(row.contracts ?? {}).flatMap(([name, address]) =>
    /factory/i.test(name) ? [address] : [],
  )
  const ownerCall = poolInterface.encodeFunctionData('getOwner') as Hex
  const ratesCall = poolInterface.encodeFunctionData('getRateProviders') as Hex
  const answers = yield pools.flatMap(({ address }) => [
    { to: address, data: ownerCall, gas: READ_GAS },
    { to: address, data: ratesCall, gas: READ_GAS },
    ...factories.map((to) => ({
      to,
      data: factoryInterface.encodeFunctionData('isPoolFromFactory', [address]) as Hex,
      gas: READ_GAS,
    })),
  ])
  const readsPerPool = 2 + factories.length
  return pools.map((pool, i) => {
    const [ownerAnswer, providersAnswer, ...factoryAnswers] = answers.slice(i * readsPerPool, (i + 1) * readsPerPool)
    const isGenuine = factoryAnswers.some((answer) => wordOf(answer) === 1n)
    const controllers: Address[] = isGenuine
      ? [...ownerOf(ownerAnswer), ...providersOf(providersAnswer)]
      : [pool.address]
    const { vault } = pool.fixed as BalancerV2Fixed
    return { ...pool, fixed: { vault, dependsOn: [...new Set(controllers)] } satisfies BalancerV2Fixed }
  })
}

/**
 * Returns a list with the owner; empty if nobody or the governance owns the pool. A pool without an owner getter has no
 * owner, because a known factory created it.
 */
function ownerOf(answer: Hex | null | undefined): readonly Address[] {
  if (!answer || wordOf(answer) === null) return []
  const owner = toAddress(poolInterface.decodeFunctionResult('getOwner', answer)[0])
  return owner === ZERO_ADDRESS || owner === GOVERNANCE ? [] : [owner]
}

/** Returns the rate providers; empty for the first release of weighted pools, which has no rates and no getter. */
function providersOf(answer: Hex | null | undefined): readonly Address[] {
  if (!answer || answer === '0x') return []
  const [providers] = poolInterface.decodeFunctionResult('getRateProviders', answer)
  return [...providers].map(toAddress).filter((provider) => provider !== ZERO_ADDRESS)
}
