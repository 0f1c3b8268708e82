/**
 * Deploys the tokens and pools in which every router of the gas benchmark trades. The pools run original bytecode, are
 * deep, have a price of 1, and have already traded in both directions. `a`, `b`, and `c` are tokens in ascending order
 * of their addresses.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Abi, type Hex, maxUint256, parseAbi } from 'viem'
import { compileOwn, type Node, publishedArtifact } from './node.ts'

export const ZERO: Hex = `0x${'00'.repeat(20)}`
export const PERMIT2: Hex = '0x000000000022D473030F116dDEE9F6B43aC78BA3'
const ONE_TO_ONE = 1n << 96n
const LARGE_BALANCE = 10n ** 27n

export const factoryAbi = parseAbi([
  'function createPair(address,address) returns (address)',
  'function getPair(address,address) view returns (address)',
  'function createPool(address,address,uint24) returns (address)',
  'function getPool(address,address,uint24) view returns (address)',
  'function initialize(uint160)',
  'function getReserves() view returns (uint112,uint112,uint32)',
  'function deposit() payable',
]) as Abi
const v4Abi = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'struct Params { int24 tickLower; int24 tickUpper; int256 liquidityDelta; bytes32 salt; }',
  'function modifyLiquidity(PoolKey v4Key, Params params, bytes hookData) payable returns (int256)',
  'function initialize(PoolKey v4Key, uint160 sqrtPriceX96) returns (int24)',
]) as Abi

/** Deploys tokens and pools. Long: one deployment after the other. */
export async function buildWorld(node: Node) {
  const { deploy, write, read, rpc, deployer, user } = node
  const ownContracts = compileOwn()
  const tokenAbi = ownContracts.BenchToken.abi
  const weth = await deploy(publishedArtifact('@uniswap/v2-periphery/build/WETH9.json'))
  const v2Factory = await deploy(publishedArtifact('@uniswap/v2-core/build/UniswapV2Factory.json'), [deployer])
  const v3Factory = await deploy(
    publishedArtifact('@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json'),
  )
  const manager = await deploy(publishedArtifact('@uniswap/v4-core/out/PoolManager.sol/PoolManager.json'), [deployer])
  const modules = join(import.meta.dirname, '../../node_modules')
  // The package contains the runtime code of Permit2, not its creation code.
  const permit2 = JSON.parse(readFileSync(join(modules, '@1inch/solidity-utils/dist/src/permit2.json'), 'utf8'))
  await rpc('anvil_setCode', [PERMIT2, permit2.bytecode ?? permit2])

  const tokens = [
    await deploy(ownContracts.BenchToken),
    await deploy(ownContracts.BenchToken),
    await deploy(ownContracts.BenchToken),
  ]
  const [a, b, c] = tokens.sort((firstToken, secondToken) => (BigInt(firstToken) < BigInt(secondToken) ? -1 : 1)) as [
    Hex,
    Hex,
    Hex,
  ]
  const filler = await deploy(ownContracts.Filler)
  const floor = await deploy(ownContracts.Floor, [weth, manager])
  for (const token of [a, b, c])
    for (const to of [filler, user, deployer, floor]) await write(tokenAbi, token, 'mint', [to, LARGE_BALANCE])
  await write(factoryAbi, weth, 'deposit', [], deployer, 3_000_000n * 10n ** 18n)
  await write(tokenAbi, weth, 'transfer', [filler, 2_000_000n * 10n ** 18n])
  await write(tokenAbi, weth, 'transfer', [floor, 10_000n * 10n ** 18n])
  await write(factoryAbi, weth, 'deposit', [], user, 10_000n * 10n ** 18n)

  const createV2Pool = async (firstToken: Hex, secondToken: Hex): Promise<Hex> => {
    await write(factoryAbi, v2Factory, 'createPair', [firstToken, secondToken])
    const pool = await read<Hex>(factoryAbi, v2Factory, 'getPair', [firstToken, secondToken])
    await write(ownContracts.Filler.abi, filler, 'v2', [pool, 10n ** 23n, 10n ** 23n])
    return pool
  }
  const createV3Pool = async (firstToken: Hex, secondToken: Hex, fee: number): Promise<Hex> => {
    await write(factoryAbi, v3Factory, 'createPool', [firstToken, secondToken, fee])
    const pool = await read<Hex>(factoryAbi, v3Factory, 'getPool', [firstToken, secondToken, fee])
    await write(factoryAbi, pool, 'initialize', [ONE_TO_ONE])
    await write(ownContracts.Filler.abi, filler, 'v3', [pool, -60_000, 60_000, 10n ** 23n])
    return pool
  }
  const pools = {
    v2ab: await createV2Pool(a, b),
    v3ab: await createV3Pool(a, b, 3000),
    v3abLow: await createV3Pool(a, b, 500),
    v3bc: await createV3Pool(b, c, 3000),
    v3aWeth: await createV3Pool(a, weth, 3000),
    v3bWeth: await createV3Pool(b, weth, 3000),
  }
  const v4Key = { currency0: a, currency1: b, fee: 3000, tickSpacing: 60, hooks: ZERO }
  const liquidityRouter = await deploy(
    publishedArtifact('@uniswap/v4-core/out/PoolModifyLiquidityTest.sol/PoolModifyLiquidityTest.json'),
    [manager],
  )
  await write(v4Abi, manager, 'initialize', [v4Key, ONE_TO_ONE])
  for (const token of [a, b]) await write(tokenAbi, token, 'approve', [liquidityRouter, maxUint256])
  const range = { tickLower: -60_000, tickUpper: 60_000, liquidityDelta: 10n ** 23n, salt: `0x${'00'.repeat(32)}` }
  await write(v4Abi, liquidityRouter, 'modifyLiquidity', [v4Key, range, '0x'])

  const zeroForOne = (firstToken: Hex, secondToken: Hex) => BigInt(firstToken) < BigInt(secondToken)
  const amount = 10n ** 18n
  const warmUp = (name: string, args: unknown[]) => write(ownContracts.Floor.abi, floor, name, args)
  for (const [firstToken, secondToken] of [
    [a, b],
    [b, a],
    [a, b],
    [b, a],
  ] as const) {
    await warmUp('v2', [
      firstToken,
      ZERO,
      pools.v2ab,
      zeroForOne(firstToken, secondToken),
      amount,
      (amount * 9n) / 10n,
      floor,
    ])
    await warmUp('v4', [firstToken, ZERO, v4Key, zeroForOne(firstToken, secondToken), amount, floor])
  }
  for (let round = 0; round < 2; round++)
    for (const [firstToken, secondToken, pool] of [
      [a, b, pools.v3ab],
      [a, b, pools.v3abLow],
      [b, c, pools.v3bc],
      [a, weth, pools.v3aWeth],
      [b, weth, pools.v3bWeth],
    ] as const)
      for (const [from, to] of [
        [firstToken, secondToken],
        [secondToken, firstToken],
      ] as const)
        await warmUp('v3', [from, ZERO, pool, zeroForOne(from, to), amount, floor])

  return { ...ownContracts, tokenAbi, weth, v2Factory, v3Factory, manager, a, b, c, floor, pools, v4Key, zeroForOne }
}

export type World = Awaited<ReturnType<typeof buildWorld>>
