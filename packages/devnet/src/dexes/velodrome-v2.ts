/** Deploys volatile and stable pools of Aerodrome, a fork of Velodrome V2, from their sources. */
import { toAddress } from '@sluice/chains'
import { type FeeOverride, type PoolSpec, poolSpec } from '../pools.ts'
import { compile, publishedSources } from '../solc.ts'
import { giveTokens, TOKENS } from '../tokens.ts'
import { depositAmounts } from './constant-product.ts'
import { type DevnetPool, factoryRow, type Recipe } from './dex.ts'

const BRAND = 'Aerodrome'
const FAMILY = 'velodrome-v2'
const SOURCES = 'sphere-mezo-solidity-files/domains/aerodrome/contracts'

export const compileAerodrome = () =>
  compile({
    compiler: 'solc',
    evmVersion: 'cancun',
    runs: 200,
    sources: publishedSources([`${SOURCES}/Pool.sol`, `${SOURCES}/factories/PoolFactory.sol`]),
    packages: ['sphere-mezo-solidity-files', '@openzeppelin/contracts'],
  })

type SolidlyPoolSpec = PoolSpec & FeeOverride & { readonly stable: boolean }

const VELODROME_V2_POOLS: readonly SolidlyPoolSpec[] = [
  { ...poolSpec('WETH', 'USDC', 3_000_000n, 8n), stable: false },
  { ...poolSpec('AAVE', 'UNI', 400_000n, -14n), stable: false, customFeePpm: 10_000 },
  { ...poolSpec('USDC', 'USDT', 2_500_000n, 3n), stable: true },
  { ...poolSpec('DAI', 'USDC', 1_500_000n, -40n), stable: true, customFeePpm: 100 },
  { ...poolSpec('WSTETH', 'WETH', 1_800_000n, 15n), stable: false },
  { ...poolSpec('GUSD', 'FRAX', 300_000n, -25n), stable: true },
]

export const velodromeV2: Recipe = async (chain, tokens) => {
  const { Pool, PoolFactory } = compileAerodrome()
  const implementation = await chain.deploy(Pool!)
  const factory = await chain.deploy(PoolFactory!, [implementation.address])
  const pools: DevnetPool[] = []
  for (const spec of VELODROME_V2_POOLS) {
    const key = [...spec.pair.map((symbol) => tokens[symbol].address), spec.stable]
    await factory.send('createPool(address,address,bool)', key)
    const pool = chain.contractAt(Pool!.abi, await factory.read<string>('getPool(address,address,bool)', key))
    const deposits = depositAmounts(spec)
    const firstDeposits = spec.stable ? equalDeposits(spec.pair, deposits) : deposits
    for (const [index, amount] of firstDeposits.entries())
      await giveTokens(chain, tokens, spec.pair[index]!, pool.address, amount)
    await pool.send('mint', [chain.from])
    for (const [index, symbol] of spec.pair.entries()) {
      const secondDeposit = deposits[index]! - firstDeposits[index]!
      if (secondDeposit > 0n) await giveTokens(chain, tokens, symbol, pool.address, secondDeposit)
    }
    await pool.send('sync')
    // The factory's fees are in basis points. A pool without a custom fee has the default of stable or volatile pools.
    if (spec.customFeePpm) await factory.send('setCustomFee', [pool.address, spec.customFeePpm / 100])
    const feePpm = 100 * Number(await factory.read<bigint>('getFee', [pool.address, spec.stable]))
    pools.push({ dex: BRAND, family: FAMILY, address: toAddress(pool.address), tokens: spec.pair, feePpm })
  }
  return {
    rows: [factoryRow({ family: FAMILY, brand: BRAND }, factory.address)],
    pools,
    routers: { aerodromePoolFactory: factory.address },
  }
}

/**
 * Reduces two deposits to an equal number of whole tokens, as the first deposit of a stable pool requires. Rounds down
 * to base units of the token with fewer decimals.
 */
function equalDeposits(
  [a, b]: PoolSpec['pair'],
  [amountA, amountB]: readonly [bigint, bigint],
): readonly [bigint, bigint] {
  const unitA = 10n ** BigInt(TOKENS[a].decimals)
  const unitB = 10n ** BigInt(TOKENS[b].decimals)
  const coarserUnit = unitA < unitB ? unitA : unitB
  const [partA, partB] = [(amountA * coarserUnit) / unitA, (amountB * coarserUnit) / unitB]
  const minPart = partA < partB ? partA : partB
  return [(minPart * unitA) / coarserUnit, (minPart * unitB) / coarserUnit]
}
