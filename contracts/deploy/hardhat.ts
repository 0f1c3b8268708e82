import { join } from 'node:path'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import type { SensitiveString } from 'hardhat/types/config'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import type { EthereumProvider } from 'hardhat/types/providers'
import config from '../hardhat.config.ts'
import { DeployError, toDeployError } from './errors.ts'

const root = join(import.meta.dirname, '..')

/**
 * Hardhat with one network, `target`, behind the given endpoint; without a key the node's own accounts sign.
 *
 * @throws DeployError `UNREACHABLE` for what is no endpoint
 */
export async function hardhatFor(rpcUrl: string, key?: SensitiveString): Promise<HardhatRuntimeEnvironment> {
  if (!/^https?:/.test(rpcUrl) || !URL.canParse(rpcUrl))
    throw new DeployError('UNREACHABLE', `${rpcUrl} is not an http address`)
  const target = {
    type: 'http' as const,
    chainType: 'generic' as const,
    url: rpcUrl,
    accounts: key === undefined ? ('remote' as const) : [key],
  }
  return createHardhatRuntimeEnvironment({ ...config, networks: { target } }, {}, root)
}

export type Connection = Awaited<ReturnType<HardhatRuntimeEnvironment['network']['create']>>

/**
 * Connects to the chain behind an endpoint for the time of `work`.
 *
 * @throws DeployError; the endpoint's path is not in its text
 */
export async function withChain<T>(
  { rpcUrl, chainId, privateKey }: { rpcUrl: string; chainId: number; privateKey?: string },
  work: (hre: HardhatRuntimeEnvironment, connection: Connection) => Promise<T>,
): Promise<T> {
  try {
    const hre = await hardhatFor(rpcUrl, privateKey)
    const connection = await hre.network.create('target')
    try {
      await expectChain(connection.provider, rpcUrl, chainId)
      return await work(hre, connection)
    } finally {
      await connection.close()
    }
  } catch (error) {
    throw toDeployError(error, rpcUrl)
  }
}

/** @throws DeployError `UNREACHABLE`, `WRONG_CHAIN` */
export async function expectChain(provider: EthereumProvider, rpcUrl: string, chainId: number): Promise<void> {
  let rpcChainId: unknown
  try {
    rpcChainId = await provider.request({ method: 'eth_chainId' })
  } catch (cause) {
    throw new DeployError('UNREACHABLE', `${rpcUrl} does not answer: ${(cause as Error).message}`, { cause })
  }
  if (Number(rpcChainId) !== chainId)
    throw new DeployError('WRONG_CHAIN', `${rpcUrl} is chain ${Number(rpcChainId)}, not ${chainId}`)
}
