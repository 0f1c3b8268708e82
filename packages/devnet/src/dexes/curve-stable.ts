/**
 * Deploys Curve's pool factory and plain pools of four coins, from the Vyper bytecode of Curve's deployments on side
 * chains.
 */
import { MaxUint256, ZeroAddress } from 'ethers'
import { loadArtifact } from '../artifact.ts'
import type { StablePoolSpec } from '../pools.ts'
import { amountWorth, giveTokens } from '../tokens.ts'
import { type DevnetPool, factoryRow, type Recipe } from './dex.ts'

const BRAND = 'Curve'
const FAMILY = 'curve-stable'

export const loadCurveArtifact = (name: string) =>
  loadArtifact(`@perp/curie-deployments/optimism-goerli/core/artifacts/contracts/curve/${name}.vy/${name}.json`)

const CURVE_POOLS: readonly StablePoolSpec[] = [
  {
    tokens: ['DAI', 'USDC', 'USDT', 'FRAX'],
    dollars: [3_000_000n, 3_100_000n, 2_900_000n, 3_000_000n],
    amplification: 200n,
    feePpm: 400,
  },
  {
    tokens: ['USDC', 'FRAX', 'GUSD', 'DAI'],
    dollars: [520_000n, 545_000n, 505_000n, 530_000n],
    amplification: 100n,
    feePpm: 1000,
  },
]

export const curveStable: Recipe = async (chain, tokens) => {
  const implementation = await chain.deploy(loadCurveArtifact('StableSwap'))
  const factory = await chain.deploy(loadCurveArtifact('FactorySidechains'), [chain.from])
  const unusedImplementations = Array.from({ length: 9 }, () => ZeroAddress)
  await factory.send('set_plain_implementations', [4, [implementation.address, ...unusedImplementations]])

  const pools: DevnetPool[] = []
  for (const { tokens: symbols, dollars, amplification, feePpm } of CURVE_POOLS) {
    const name = symbols.join('/')
    const coins = symbols.map((symbol) => tokens[symbol].address)
    // Curve's fees have 10 decimals, so a fee of 1 ppm is 10,000.
    const poolArguments = [name, name.slice(0, 10), coins, amplification, BigInt(feePpm) * 10_000n]
    await factory.send('deploy_plain_pool(string,string,address[4],uint256,uint256)', poolArguments)
    const pool = chain.contractAt(
      loadCurveArtifact('StableSwap').abi,
      await factory.read<string>('pool_list', [pools.length]),
    )
    const deposits = symbols.map((symbol, index) => amountWorth(symbol, dollars[index]!))
    for (const [index, symbol] of symbols.entries()) {
      await giveTokens(chain, tokens, symbol, chain.from, deposits[index]!)
      await tokens[symbol].send('approve', [pool.address, MaxUint256])
    }
    await pool.send('add_liquidity(uint256[4],uint256)', [deposits, 0n])
    pools.push({ dex: BRAND, family: FAMILY, address: pool.address, tokens: symbols, feePpm })
  }
  return {
    rows: [factoryRow({ family: FAMILY, brand: BRAND }, factory.address)],
    pools,
    routers: { curveFactory: factory.address },
  }
}
