/** A node of its own with the genuine contracts of Uniswap, and random pools. */
import { type Chain, type Hex, toAddress } from '@sluice/chains'
import {
  type Anvil,
  accounts,
  type Contract,
  createBuilder,
  loadArtifact,
  loadHardhatArtifact,
  request,
  startAnvil,
} from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { MaxUint256, ZeroAddress } from 'ethers'

export const NEVER = 1n << 40n

export type Fixture = {
  readonly anvil: Anvil
  readonly rpc: Rpc
  readonly chain: Chain
  readonly me: string
  /** Sorted by address, as pools see them. */
  readonly tokens: readonly Contract[]
  readonly v2Factory: Contract
  readonly v2Router: Contract
  readonly v3Factory: Contract
  readonly positions: Contract
  readonly v3Router: Contract
  readonly quoter: Contract
  /** Asks the node itself. */
  request<T>(method: string, params?: readonly unknown[]): Promise<T>
  stop(): Promise<void>
}

export async function startFixture(tokenCount = 3): Promise<Fixture> {
  const anvil = await startAnvil()
  const me = accounts()[0]!.address
  const node = createBuilder(anvil.url, me)
  const periphery = (name: string) => loadHardhatArtifact('@uniswap/v3-periphery', name)
  const tokenCode = loadArtifact('@uniswap/v2-core/build/ERC20.json')
  const supply = 1n << 200n
  const contracts = []
  for (let i = 0; i < tokenCount; i++) contracts.push(await node.deploy(tokenCode, [supply]))
  const tokens = contracts.sort((a, b) => (a.address < b.address ? -1 : 1))
  const v2Factory = await node.deploy(loadArtifact('@uniswap/v2-core/build/UniswapV2Factory.json'), [ZeroAddress])
  const v2Router = await node.deploy(loadArtifact('@uniswap/v2-periphery/build/UniswapV2Router02.json'), [
    v2Factory.address,
    ZeroAddress,
  ])
  const v3Factory = await node.deploy(loadHardhatArtifact('@uniswap/v3-core', 'UniswapV3Factory'))
  await v3Factory.send('enableFeeAmount', [100, 1])
  const v3Arguments = [v3Factory.address, ZeroAddress]
  const positions = await node.deploy(periphery('NonfungiblePositionManager'), [...v3Arguments, ZeroAddress])
  const v3Router = await node.deploy(periphery('SwapRouter'), v3Arguments)
  const quoter = await node.deploy(periphery('lens/QuoterV2'), v3Arguments)
  for (const token of tokens) {
    for (const spender of [v2Router, positions, v3Router]) await token.send('approve', [spender.address, MaxUint256])
  }
  const rpc = createRpc({ chainId: 31337, urls: [anvil.url] })
  const row = { role: 'factory' }
  const chain: Chain = {
    chainId: 31337,
    name: 'test',
    displayName: 'Test',
    trackerName: 'Test',
    coinsPrefix: null,
    nativeCurrency: { symbol: 'ETH', name: 'Ether', decimals: 18 },
    wrappedNative: null,
    stables: [],
    hubs: [tokens[0]!.address],
    tokens: [],
    rpcUrls: [anvil.url],
    blockTimeMs: 1_000,
    l1FeeModel: 'none',
    evm: {},
    dexes: [
      {
        ...row,
        family: 'uniswap-v2',
        brand: 'V2',
        address: v2Factory.address,
        feePpm: 3_000,
        feeBasis: 'protocol-sdk',
      },
      { ...row, family: 'uniswap-v3', brand: 'V3', address: v3Factory.address },
    ],
  }
  return {
    anvil,
    rpc,
    chain,
    me,
    tokens,
    v2Factory,
    v2Router,
    v3Factory,
    positions,
    v3Router,
    quoter,
    request: (method, params = []) => request(anvil.url, method, params),
    stop: async () => {
      rpc.close()
      await anvil.stop()
    },
  }
}

/** A pair with the reserves, by way of the router. */
export async function addPair(f: Fixture, a: Contract, b: Contract, amountA: bigint, amountB: bigint): Promise<void> {
  await f.v2Router.send('addLiquidity', [a.address, b.address, amountA, amountB, 0n, 0n, f.me, NEVER])
}

/** A pool at a price. @returns its address */
export async function addPool(f: Fixture, a: Contract, b: Contract, fee: number, sqrtPriceX96: bigint): Promise<Hex> {
  const [token0, token1] = a.address < b.address ? [a, b] : [b, a]
  await f.positions.send('createAndInitializePoolIfNecessary', [token0.address, token1.address, fee, sqrtPriceX96])
  return toAddress(await f.v3Factory.read<string>('getPool', [token0.address, token1.address, fee]))
}

/** Puts tokens into a range; returns the position's number. */
export async function addPosition(
  f: Fixture,
  pool: { readonly token0: Contract; readonly token1: Contract; readonly fee: number },
  range: { readonly tickLower: number; readonly tickUpper: number; readonly amount0: bigint; readonly amount1: bigint },
): Promise<void> {
  await f.positions.send('mint', [
    {
      token0: pool.token0.address,
      token1: pool.token1.address,
      fee: pool.fee,
      tickLower: range.tickLower,
      tickUpper: range.tickUpper,
      amount0Desired: range.amount0,
      amount1Desired: range.amount1,
      amount0Min: 0n,
      amount1Min: 0n,
      recipient: f.me,
      deadline: NEVER,
    },
  ])
}
