/** Aerodrome's volatile and stable pools (Velodrome V2), compiled from their sources. */
import { toAddress } from '@sluice/chains'
import { type FeeOverride, type PoolSpec, pool } from '../pools.ts'
import { compile, publishedSources } from '../solc.ts'
import { giveTokens, TOKENS } from '../tokens.ts'
import { amounts } from './constant-product.ts'
import { type DevnetPool, factoryRow, type Recipe } from './dex.ts'

const BRAND = 'Aerodrome'
const FAMILY = 'velodrome-v2'
const SOURCES = 'sphere-mezo-solidity-files/domains/aerodrome/contracts'

export const aerodrome = () =>
  compile({
    compiler: 'solc',
    evmVersion: 'cancun',
    runs: 200,
    sources: publishedSources([`${SOURCES}/Pool.sol`, `${SOURCES}/factories/PoolFactory.sol`]),
    packages: ['sphere-mezo-solidity-files', '@openzeppelin/contracts'],
  })

type SolidlyPoolSpec = PoolSpec & FeeOverride & { readonly stable: boolean }

const VELODROME_V2_POOLS: readonly SolidlyPoolSpec[] = [
  { ...pool('WETH', 'USDC', 3_000_000n, 8n), stable: false },
  { ...pool('AAVE', 'UNI', 400_000n, -14n), stable: false, ownFeePpm: 10_000 },
  { ...pool('USDC', 'USDT', 2_500_000n, 3n), stable: true },
  { ...pool('DAI', 'USDC', 1_500_000n, -40n), stable: true, ownFeePpm: 100 },
  { ...pool('WSTETH', 'WETH', 1_800_000n, 15n), stable: false },
  { ...pool('GUSD', 'FRAX', 300_000n, -25n), stable: true },
]

export const velodromeV2: Recipe = async (chain, tokens) => {
  const { Pool, PoolFactory } = aerodrome()
  const implementation = await chain.deploy(Pool!)
  const factory = await chain.deploy(PoolFactory!, [implementation.address])
  const pools: DevnetPool[] = []
  for (const spec of VELODROME_V2_POOLS) {
    const key = [...spec.pair.map((symbol) => tokens[symbol].address), spec.stable]
    await factory.send('createPool(address,address,bool)', key)
    const pool = chain.contractAt(Pool!.abi, await factory.read<string>('getPool(address,address,bool)', key))
    const deposits = amounts(spec)
    const first = spec.stable ? equalParts(spec.pair, deposits) : deposits
    for (const [index, amount] of first.entries())
      await giveTokens(chain, tokens, spec.pair[index]!, pool.address, amount)
    await pool.send('mint', [chain.from])
    for (const [index, symbol] of spec.pair.entries()) {
      const secondDeposit = deposits[index]! - first[index]!
      if (secondDeposit > 0n) await giveTokens(chain, tokens, symbol, pool.address, secondDeposit)
    }
    await pool.send('sync')
    // The factory's fees are in parts of 10,000. Pools without a custom fee have the fee of their kind.
    if (spec.ownFeePpm) await factory.send('setCustomFee', [pool.address, spec.ownFeePpm / 100])
    const feePpm = 100 * Number(await factory.read<bigint>('getFee', [pool.address, spec.stable]))
    pools.push({ dex: BRAND, family: FAMILY, address: toAddress(pool.address), tokens: spec.pair, feePpm })
  }
  return {
    rows: [factoryRow({ family: FAMILY, brand: BRAND }, factory.address)],
    pools,
    routers: { aerodromePoolFactory: factory.address },
  }
}

/** Reduces the amounts to equal whole tokens, which the first liquidity of a stable pool requires. */
function equalParts([a, b]: PoolSpec['pair'], [givenA, givenB]: readonly [bigint, bigint]): readonly [bigint, bigint] {
  const unitA = 10n ** BigInt(TOKENS[a].decimals)
  const unitB = 10n ** BigInt(TOKENS[b].decimals)
  const coarser = unitA < unitB ? unitA : unitB
  const [partA, partB] = [(givenA * coarser) / unitA, (givenB * coarser) / unitB]
  const share = partA < partB ? partA : partB
  return [(share * unitA) / coarser, (share * unitB) / coarser]
}
