/** Deploys Balancer V1: finalized weighted pools, and the registry, which returns the pools of a pair. */
import { MaxUint256 } from 'ethers'
import { loadArtifact } from '../artifact.ts'
import type { WeightedPoolSpec } from '../pools.ts'
import { amountWorth, giveTokens } from '../tokens.ts'
import { type DevnetPool, factoryRow, type Recipe } from './dex.ts'

const BRAND = 'Balancer V1'
const FAMILY = 'balancer-v1'

/** Loads an artifact of Balancer V1 from the npm package of Set Protocol. */
export const loadBalancerV1Artifact = (name: string) =>
  loadArtifact(`@setprotocol/set-protocol-v2/external/abi/balancer/${name}.json`)
/** Sum of a pool's weights, with 18 decimals: the maximum that Balancer V1 accepts. */
const TOTAL_WEIGHT = 50n * 10n ** 18n

const BALANCER_V1_POOLS: readonly WeightedPoolSpec[] = [
  { tokens: ['CRV', 'WETH'], weightsPercent: [80n, 20n], dollars: 500_000n, feePpm: 3000 },
  { tokens: ['AAVE', 'UNI', 'LINK'], weightsPercent: [50n, 30n, 20n], dollars: 600_000n, feePpm: 2500 },
]

export const balancerV1: Recipe = async (chain, tokens) => {
  const factory = await chain.deploy(loadBalancerV1Artifact('BFactory'))
  const registry = await chain.deploy(loadBalancerV1Artifact('BRegistry'), [factory.address])
  const pools: DevnetPool[] = []
  for (const { tokens: symbols, weightsPercent, dollars, feePpm } of BALANCER_V1_POOLS) {
    const address = await factory.read<string>('newBPool')
    await factory.send('newBPool')
    const pool = chain.contractAt(loadBalancerV1Artifact('BPool').abi, address)
    for (const [i, symbol] of symbols.entries()) {
      const percent = weightsPercent[i]!
      const amount = amountWorth(symbol, (dollars * percent) / 100n)
      await giveTokens(chain, tokens, symbol, chain.from, amount)
      await tokens[symbol].send('approve', [pool.address, 0])
      await tokens[symbol].send('approve', [pool.address, MaxUint256])
      await pool.send('bind', [tokens[symbol].address, amount, (TOTAL_WEIGHT * percent) / 100n])
    }
    await pool.send('setSwapFee', [BigInt(feePpm) * 10n ** 12n])
    await pool.send('finalize')
    const addresses = symbols.map((symbol) => tokens[symbol].address)
    for (const [i, a] of addresses.entries())
      for (const b of addresses.slice(i + 1)) await registry.send('addPoolPair', [pool.address, a, b])
    pools.push({ dex: BRAND, family: FAMILY, address: pool.address, tokens: symbols, feePpm })
  }
  return {
    rows: [
      factoryRow({ family: FAMILY, brand: BRAND }, factory.address, { contracts: { registry: registry.address } }),
    ],
    pools,
    routers: { balancerV1Registry: registry.address },
  }
}
