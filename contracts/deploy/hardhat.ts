/** Creates Hardhat environments that are connected to an endpoint. */
import { join } from 'node:path'
import { basicAuthorization } from '@sluice/chains'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import type { SensitiveString } from 'hardhat/types/config'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import type { EthereumProvider } from 'hardhat/types/providers'
import config from '../hardhat.config.ts'
import { DeployError, toDeployError } from './errors.ts'

const root = join(import.meta.dirname, '..')

/**
 * Creates a Hardhat environment with one network `target` at an endpoint. Without a private key, the node's unlocked
 * accounts sign.
 *
 * @throws DeployError `UNREACHABLE` if `rpcUrl` is not an HTTP URL
 */
export async function hardhatFor(rpcUrl: string, key?: SensitiveString): Promise<HardhatRuntimeEnvironment> {
  if (!/^https?:/.test(rpcUrl) || !URL.canParse(rpcUrl))
    // The text may contain an API key, so the message has none.
    throw new DeployError('UNREACHABLE', 'the endpoint is not an http or https address')
  // Hardhat drops passwords without a user, such as Infura's secrets, and does not decode percent signs.
  const url = new URL(rpcUrl)
  const authorization = basicAuthorization(url)
  url.username = ''
  url.password = ''
  const target = {
    type: 'http' as const,
    chainType: 'generic' as const,
    url: authorization ? url.href : rpcUrl,
    ...(authorization && { httpHeaders: { authorization } }),
    accounts: key === undefined ? ('remote' as const) : [key],
  }
  return createHardhatRuntimeEnvironment({ ...config, networks: { target } }, {}, root)
}

export type Connection = Awaited<ReturnType<HardhatRuntimeEnvironment['network']['create']>>

/**
 * Runs `work` with a connection to an endpoint, and then closes the connection.
 *
 * @throws DeployError; its message omits the path of the endpoint
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

/**
 * Checks that an endpoint serves a chain.
 *
 * @throws DeployError `UNREACHABLE`, `WRONG_CHAIN`
 */
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
