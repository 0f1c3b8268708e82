/** Shared views of the local chain for tests. */
import { createRequire } from 'node:module'
import { type Address, toAddress } from '@sluice/chains'
import { type InterfaceAbi, MaxUint256 } from 'ethers'
import { inNodeModules, loadArtifact, loadHardhatArtifact } from '../src/artifact.ts'
import { type Contract, createBuilder } from '../src/builder.ts'
import { compileSources } from '../src/compile.ts'
import { type Devnet, type DevnetInfo, type DevnetPool, prepareDevnet, startDevnet } from '../src/index.ts'
import { TOKENS, type TokenSpec, type TokenSymbol } from '../src/tokens.ts'

export const NEVER = 1n << 40n

export const { info } = await prepareDevnet()

/** Returns the pools of a DEX for `it.each`, each with a readable name. */
export const poolsOf = (dex: string) =>
  info.pools
    .filter((pool) => pool.dex === dex)
    .map(
      (pool) =>
        [`${pool.tokens.join('/')} ${pool.feePpm ?? ''} ${(pool.id ?? pool.address).slice(0, 8)}`, pool] as const,
    )

/** Returns both directions of a pool's first and last token. */
export function both({ tokens }: DevnetPool): readonly (readonly [TokenSymbol, TokenSymbol])[] {
  const [a, b] = [tokens[0], tokens.at(-1)] as [TokenSymbol, TokenSymbol]
  return [
    [a, b],
    [b, a],
  ]
}

/** Contracts of the local chain, used from one of its accounts. */
export type View = {
  readonly me: Address
  readonly chain: ReturnType<typeof createBuilder>
  token(symbol: TokenSymbol): Contract
  balance(symbol: TokenSymbol, of?: Address): Promise<bigint>
  /** Returns a router by its name and the path of its artifact. */
  router(name: string, path: string): Contract
}

export async function startView(): Promise<Devnet & View> {
  const devnet = await startDevnet()
  return { ...devnet, ...view(devnet.url, devnet.info, devnet.info.accounts[0]!.address) }
}

export function view(url: string, info: DevnetInfo, me: Address): View {
  const chain = createBuilder(url, me)
  const token = (symbol: TokenSymbol) => chain.contractAt(tokenAbi(symbol), info.tokens[symbol].address)
  return {
    me,
    chain,
    token,
    balance: (symbol, of = me) => token(symbol).read<bigint>('balanceOf', [of]),
    router: (name, path) => {
      const address = info.routers[name]
      if (!address) throw new Error(`no router ${name}`)
      return chain.contractAt(loadArtifact(path).abi, toAddress(address))
    },
  }
}

function tokenAbi(symbol: TokenSymbol) {
  const { kind = 'Token' }: TokenSpec = TOKENS[symbol]
  return kind === 'WETH9' ? loadArtifact('@uniswap/v2-periphery/build/WETH9.json').abi : compileSources()[kind]!.abi
}

/** Approves any amount. Resets the allowance to zero first, because some tokens require it. */
export async function approve(token: Contract, spender: Address): Promise<void> {
  await token.send('approve', [spender, 0n])
  await token.send('approve', [spender, MaxUint256])
}

export const pairAbi = loadArtifact('@uniswap/v2-core/build/UniswapV2Pair.json').abi
export const v3PoolAbi = loadHardhatArtifact('@uniswap/v3-core', 'UniswapV3Pool').abi

/** TypeChain factory with the ABI of Permit2, which the package ships without an ABI. */
const bindings = '@1inch/solidity-utils/dist/typechain-types/factories/contracts/interfaces/IPermit2__factory.js'
const { IPermit2__factory } = createRequire(import.meta.url)(inNodeModules(bindings)) as {
  IPermit2__factory: { abi: InterfaceAbi }
}
export const permit2Abi = IPermit2__factory.abi
