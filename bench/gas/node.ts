/** Starts the local chain of the gas benchmark, with functions that send transactions to it. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { startAnvil } from '@sluice/devnet'
import {
  type Abi,
  createPublicClient,
  createWalletClient,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  http,
  type SignTypedDataParameters,
} from 'viem'
import { foundry } from 'viem/chains'

export type Artifact = { readonly abi: Abi; readonly bytecode: Hex }

const require = createRequire(import.meta.url)
const nodeModulesDir = join(import.meta.dirname, '../../node_modules')

/** Loads a compiled contract that is published on npm. */
export function publishedArtifact(path: string): Artifact {
  const { abi, bytecode } = JSON.parse(readFileSync(join(nodeModulesDir, path), 'utf8'))
  const object: string = bytecode.object ?? bytecode
  return { abi, bytecode: (object.startsWith('0x') ? object : `0x${object}`) as Hex }
}

/** Compiles the benchmark's own contracts (sol/Bench.sol) with the settings of contracts/. */
export function compileOwn(): Record<'BenchToken' | 'Floor' | 'Filler', Artifact> & { readonly permitTokenCode: Hex } {
  const solc = require('solc') as { compile(input: string): string }
  const content = readFileSync(join(import.meta.dirname, 'sol/Bench.sol'), 'utf8')
  const output = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: 'Solidity',
        sources: { 'Bench.sol': { content } },
        settings: {
          evmVersion: 'cancun',
          viaIR: true,
          optimizer: { enabled: true, runs: 1_000_000 },
          outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
        },
      }),
    ),
  )
  const failure = output.errors?.find((error: { severity: string }) => error.severity === 'error')
  if (failure) throw new Error(failure.formattedMessage)
  type Compiled = { abi: Abi; evm: { bytecode: { object: string }; deployedBytecode: { object: string } } }
  const contracts: Record<string, Compiled> = output.contracts['Bench.sol']
  const artifact = (name: string): Artifact => ({
    abi: contracts[name]!.abi,
    bytecode: `0x${contracts[name]!.evm.bytecode.object}`,
  })
  const permitTokenCode: Hex = `0x${contracts.BenchPermitToken!.evm.deployedBytecode.object}`
  return { BenchToken: artifact('BenchToken'), Floor: artifact('Floor'), Filler: artifact('Filler'), permitTokenCode }
}

/**
 * Starts anvil with the newest hard fork. Blocks are 12 s apart, so that every swap writes price accumulators and
 * oracles.
 */
export async function startNode() {
  const anvil = await startAnvil({
    args: ['--hardfork', 'osaka', '--gas-limit', '60000000', '--base-fee', '1000000000', '--balance', '1000000000'],
  })
  const transport = http(anvil.url, { timeout: 60_000 })
  const client = createPublicClient({ chain: foundry, transport, pollingInterval: 5, cacheTime: 0 })
  const wallet = createWalletClient({ chain: foundry, transport })
  const [deployer, user] = await wallet.getAddresses()
  const rpc = (method: string, params: unknown[] = []) =>
    client.request({ method, params } as never) as Promise<unknown>
  await rpc('anvil_setBlockTimestampInterval', [12])

  const send = async (from: Hex, to: Hex | null, data: Hex, value = 0n) => {
    const hash = await wallet.sendTransaction({ account: from, to, data, value, gas: 15_000_000n })
    const receipt = await client.waitForTransactionReceipt({ hash })
    if (receipt.status === 'success') return receipt
    const reason = await client.call({ account: from, to, data, value }).then(
      () => 'a call with the same input does not revert',
      (error: Error) => error.message,
    )
    throw new Error(`a transaction to ${to} reverted: ${reason}`)
  }
  const deploy = async ({ abi, bytecode }: Artifact, args: readonly unknown[] = []): Promise<Hex> =>
    (await send(deployer!, null, encodeDeployData({ abi, bytecode, args }))).contractAddress!
  const write = (abi: Abi, to: Hex, functionName: string, args: readonly unknown[], from = deployer!, value = 0n) =>
    send(from, to, encodeFunctionData({ abi, functionName, args }), value)
  const read = <T>(abi: Abi, address: Hex, functionName: string, args: readonly unknown[] = []) =>
    client.readContract({ abi, address, functionName, args }) as Promise<T>
  const sign = (typedData: SignTypedDataParameters): Promise<Hex> =>
    wallet.signTypedData({ ...typedData, account: user! })
  return { anvil, client, rpc, sign, send, deploy, write, read, deployer: deployer!, user: user! }
}

export type Node = Awaited<ReturnType<typeof startNode>>
