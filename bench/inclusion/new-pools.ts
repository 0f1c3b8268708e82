/** Creates and funds pools in one block. No other block follows before a swap through them is quoted. */
import type { Address } from '@sluice/chains'
import { type Builder, type Contract, compile, createBuilder, type Devnet, request } from '@sluice/devnet'
import { getCreate2Address, Interface, keccak256, MaxUint256, solidityPacked } from 'ethers'

const WHOLE_TOKEN = 10n ** 18n
const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
contract Coin is ERC20 {
    constructor() ERC20("Coin", "COIN") {}
    function mint(address to, uint256 amount) external { _mint(to, amount); }
}`

const PAIR_FACTORY = [
  'function createPair(address,address)',
  'function getPair(address,address) view returns (address)',
]
const PAIR = ['function mint(address)']
const TOKEN = ['function deposit() payable', 'function transfer(address,uint256)', 'function approve(address,uint256)']
const POSITIONS = [
  'function createAndInitializePoolIfNecessary(address,address,uint24,uint160)',
  'function mint((address,address,uint24,int24,int24,uint256,uint256,uint256,uint256,address,uint256))',
]
const AERODROME_FACTORY = [
  'function createPool(address,address,bool)',
  'function implementation() view returns (address)',
]

type Call = { readonly to: string; readonly data: string }
/** Returns the calls that create and fund a pool of the token and WETH. */
type PoolMaker = (context: {
  readonly devnet: Devnet
  readonly builder: Builder
  readonly token: Address
}) => Promise<readonly Call[]>

const encodeCall = (abi: readonly string[], to: string, method: string, args: readonly unknown[]): Call => {
  return { to, data: new Interface(abi).encodeFunctionData(method, args) }
}
const sortedTokens = (devnet: Devnet, token: Address) => {
  const weth = devnet.info.tokens.WETH!.address
  return BigInt(token) < BigInt(weth) ? [token, weth] : [weth, token]
}

/** Returns the address that a call of a factory returns, without sending the call. */
async function callResult(devnet: Devnet, from: Address, { to, data }: Call): Promise<string> {
  const answer = await request<string>(devnet.url, 'eth_call', [{ from, to, data }, 'latest'])
  return `0x${answer.slice(-40)}`
}

/** Creates a `PoolMaker` for the pairs of a Uniswap V2 factory. */
const pairMaker =
  (factoryOf: (devnet: Devnet) => string): PoolMaker =>
  async ({ devnet, builder, token }) => {
    const weth = devnet.info.tokens.WETH!.address
    const createCall = encodeCall(PAIR_FACTORY, factoryOf(devnet), 'createPair', [token, weth])
    const pool = await callResult(devnet, builder.from, createCall)
    return [
      createCall,
      encodeCall(TOKEN, token, 'transfer', [pool, 1_000n * WHOLE_TOKEN]),
      encodeCall(TOKEN, weth, 'transfer', [pool, 10n * WHOLE_TOKEN]),
      encodeCall(PAIR, pool, 'mint', [builder.from]),
    ]
  }

const poolMakers: Readonly<Record<string, PoolMaker>> = {
  'Uniswap V2': pairMaker(({ info }) => info.routers.uniswapV2Factory!),
  'PancakeSwap V2': pairMaker(({ info }) => info.routers.pancakeV2Factory!),
  'Uniswap V3': async ({ devnet, builder, token }) => {
    const positions = devnet.info.routers.uniswapV3PositionManager!
    const [token0, token1] = sortedTokens(devnet, token)
    const amount = 1_000n * WHOLE_TOKEN
    const mint = [token0, token1, 3_000, -6_000, 6_000, amount, amount, 0, 0, builder.from, 2n ** 40n]
    return [
      // 2^96 is the square root of the initial price, one.
      encodeCall(POSITIONS, positions, 'createAndInitializePoolIfNecessary', [token0, token1, 3_000, 2n ** 96n]),
      encodeCall(POSITIONS, positions, 'mint', [mint]),
    ]
  },
  Aerodrome: async ({ devnet, builder, token }) => {
    const weth = devnet.info.tokens.WETH!.address
    const factory = devnet.info.routers.aerodromePoolFactory!
    const implementation = await builder.contractAt(AERODROME_FACTORY, factory).read<string>('implementation')
    const [token0, token1] = sortedTokens(devnet, token)
    const salt = keccak256(solidityPacked(['address', 'address', 'bool'], [token0, token1, false]))
    const cloneInitCode = `0x3d602d80600a3d3981f3363d3d373d3d3d363d73${implementation.slice(2)}5af43d82803e903d91602b57fd5bf3`
    const pool = getCreate2Address(factory, salt, keccak256(cloneInitCode))
    return [
      encodeCall(AERODROME_FACTORY, factory, 'createPool', [token, weth, false]),
      encodeCall(TOKEN, token, 'transfer', [pool, 1_000n * WHOLE_TOKEN]),
      encodeCall(TOKEN, weth, 'transfer', [pool, 10n * WHOLE_TOKEN]),
      encodeCall(PAIR, pool, 'mint', [builder.from]),
    ]
  },
}

/** Brands of the DEXes in which `newPool` can create pools. */
export const NEW_POOLS = Object.keys(poolMakers)

let coinArtifact: ReturnType<typeof compile>[string] | undefined

/** Creates a token, and then, in one block, a funded pool of the token and WETH. Returns the token. */
export async function newPool(devnet: Devnet, brand: string): Promise<Contract> {
  coinArtifact ??= compile({
    ...{ compiler: 'solc', evmVersion: 'cancun', runs: 200, packages: ['@openzeppelin/contracts'] },
    sources: { 'Coin.sol': SOURCE },
  }).Coin!
  const from = devnet.info.accounts[7]!.address
  const builder = createBuilder(devnet.url, from)
  await request(devnet.url, 'anvil_setBalance', [from, `0x${(10n ** 24n).toString(16)}`])
  const token = await builder.deploy(coinArtifact)
  const weth = builder.contractAt(TOKEN, devnet.info.tokens.WETH!.address)
  await token.send('mint', [from, 10_000n * WHOLE_TOKEN])
  await weth.send('deposit', [], 1_100n * WHOLE_TOKEN)
  for (const erc20 of [token, weth])
    await erc20.send('approve', [devnet.info.routers.uniswapV3PositionManager!, MaxUint256])
  const calls = await poolMakers[brand]!({ devnet, builder, token: token.address })
  await request(devnet.url, 'evm_setAutomine', [false])
  try {
    for (const { to, data } of calls)
      await request(devnet.url, 'eth_sendTransaction', [{ from, to, data, gas: '0x6acfc0' }])
    await request(devnet.url, 'evm_mine', [])
  } finally {
    await request(devnet.url, 'evm_setAutomine', [true])
  }
  return token
}

/** @throws Error if a transaction of the block failed */
export async function assertFunded(devnet: Devnet): Promise<void> {
  const block = await request<{ readonly transactions: readonly string[] }>(devnet.url, 'eth_getBlockByNumber', [
    'latest',
    false,
  ])
  for (const hash of block.transactions) {
    const receipt = await request<{ readonly status: string }>(devnet.url, 'eth_getTransactionReceipt', [hash])
    if (receipt.status !== '0x1') throw new Error(`a transaction that creates a pool failed: ${hash}`)
  }
}
