/** Deploys Permit2 and Uniswap's routers for its V2, V3, and V4 pools. Tests compare Sluice with them. */
import { type Address, toAddress } from '@sluice/chains'
import { keccak256, ZeroAddress } from 'ethers'
import { loadArtifact, loadHardhatArtifact } from '../artifact.ts'
import type { Builder } from '../builder.ts'
import type { Tokens } from '../tokens.ts'

/** Address of Permit2 on every chain. */
export const PERMIT2 = toAddress('0x000000000022D473030F116dDEE9F6B43aC78BA3')

export async function deployUniswapRouters(
  chain: Builder,
  tokens: Tokens,
  deployedContracts: Readonly<Record<string, Address>>,
): Promise<Record<string, Address>> {
  const weth = tokens.WETH.address
  const { uniswapV2Factory, uniswapV3Factory, uniswapV3PositionManager, uniswapV4PoolManager } = deployedContracts
  const swapRouter02 = await chain.deploy(loadHardhatArtifact('@uniswap/swap-router-contracts', 'SwapRouter02'), [
    uniswapV2Factory,
    uniswapV3Factory,
    uniswapV3PositionManager,
    weth,
  ])
  // The package ships the runtime code of Permit2, not its creation code.
  await chain.setCode(PERMIT2, loadArtifact('@1inch/solidity-utils/dist/src/permit2.json').bytecode)
  const universal = await chain.deploy(loadHardhatArtifact('@uniswap/universal-router', 'UniversalRouter'), [
    {
      permit2: PERMIT2,
      weth9: weth,
      v2Factory: uniswapV2Factory,
      v3Factory: uniswapV3Factory,
      pairInitCodeHash: keccak256(loadArtifact('@uniswap/v2-core/build/UniswapV2Pair.json').bytecode),
      poolInitCodeHash: keccak256(loadHardhatArtifact('@uniswap/v3-core', 'UniswapV3Pool').bytecode),
      v4PoolManager: uniswapV4PoolManager,
      v3NFTPositionManager: uniswapV3PositionManager,
      v4PositionManager: ZeroAddress,
      spokePool: ZeroAddress,
    },
  ])
  return { permit2: PERMIT2, uniswapSwapRouter02: swapRouter02.address, uniswapUniversalRouter: universal.address }
}
