/** Compiles and deploys test tokens on the local chain. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Artifact,
  type Builder,
  type Contract,
  compile,
  createBuilder,
  type Devnet,
  loadArtifact,
} from '@sluice/devnet'

const WHOLE = 10n ** 18n
/** Source files; the last one belongs to the tests of packages/simulation. */
const FILES = [
  'Paused.sol',
  'Tokens.sol',
  'Timed.sol',
  'Taxed.sol',
  'Wallets.sol',
  '../../../simulation/test/tokens/RealLayouts.sol',
]
let compiled: Readonly<Record<string, Artifact>> | undefined

/**
 * Deploys a contract of the folder `tokens` and a Uniswap V2 pair of 1,000 whole tokens against WETH.
 *
 * @param weth - whole WETH in the pair
 */
export async function deployToken(
  devnet: Devnet,
  name: string,
  args: readonly unknown[] = [],
  weth = 10n,
): Promise<Contract> {
  const builder = createBuilder(devnet.url, devnet.info.accounts[7]!.address)
  const token = await builder.deploy(compiledAs(name), args)
  await pairWithWeth(devnet, builder, token, weth)
  return token
}

/** Returns the compiled contract of the folder `tokens`. */
export function compiledAs(name: string): Artifact {
  compiled ??= compile({ compiler: 'solc', evmVersion: 'cancun', sources: sources(), packages: [] })
  return compiled[name]!
}

function sources(): Record<string, string> {
  return Object.fromEntries(
    FILES.map((file) => [file, readFileSync(join(import.meta.dirname, '../tokens', file), 'utf8')]),
  )
}

/** Creates a Uniswap V2 pair of 1,000 whole tokens against WETH. @param amount - whole WETH */
export async function pairWithWeth({ info }: Devnet, builder: Builder, token: Contract, amount: bigint): Promise<void> {
  const weth = builder.contractAt(
    ['function deposit() payable', 'function transfer(address,uint256)'],
    info.tokens.WETH!.address,
  )
  const uniswap = (name: string, address: string) =>
    builder.contractAt(loadArtifact(`@uniswap/v2-core/build/${name}.json`).abi, address)
  const factory = uniswap('UniswapV2Factory', info.routers.uniswapV2Factory!)
  const sides = [token.address, weth.address]
  await factory.send('createPair', sides)
  const pair = uniswap('UniswapV2Pair', await factory.read<string>('getPair', sides))
  await token.send('mint', [pair.address, 1_000n * WHOLE])
  await weth.send('deposit', [], amount * WHOLE)
  await weth.send('transfer', [pair.address, amount * WHOLE])
  await pair.send('mint', [builder.from])
}
