import type { PublicClient } from '@nomicfoundation/hardhat-viem/types'
import { type Address, type Hex, isAddress } from 'viem'
import { create2Calldata, KEYLESS_DEPLOYER } from './create2.ts'
import { DeployError } from './errors.ts'
import { withChain } from './hardhat.ts'
import { describe } from './outlay.ts'
import { type SafeBatch, safeBatch } from './safe-batch.ts'
import { refuseUnsupported, type Survey, surveyChain } from './survey.ts'

/** A transaction that any account may sign and send: the contracts get the same addresses for each signer. */
export type UnsignedTransaction = {
  readonly description: string
  readonly chainId: number
  readonly to: Address
  /** Wei, in decimal. */
  readonly value: string
  readonly data: Hex
  /** Upper estimate, in decimal. */
  readonly gas: string
}

/** A transaction that is signed already: anyone publishes it by `eth_sendRawTransaction`. */
export type SignedTransaction = { readonly description: string; readonly chainId: number; readonly raw: Hex }

export type UnsignedOptions = {
  readonly rpcUrl: string
  readonly chainId: number
  readonly onProgress?: (text: string) => void
}

/**
 * Transactions that a deployment has left to send, in the order in which they must be mined. Reads the chain and needs no
 * key; empty if everything stands.
 *
 * @throws DeployError
 */
export async function unsignedDeployment(
  options: UnsignedOptions,
): Promise<(UnsignedTransaction | SignedTransaction)[]> {
  return surveyChains(options, async (_, { missing, outlays, keyless: { exists, lackingWei } }) => {
    const { chainId } = options
    const creations = outlays.slice(-missing.length)
    const create = missing.map((plannedContract, k) => ({
      description: describe(creations[k]!),
      chainId,
      to: KEYLESS_DEPLOYER.address,
      value: '0',
      data: create2Calldata(plannedContract.initCode),
      gas: String(creations[k]!.gas),
    }))
    if (exists) return create
    const publish = {
      description: 'publish as it is: creates the keyless deployer',
      chainId,
      raw: KEYLESS_DEPLOYER.transaction,
    }
    return [...(lackingWei > 0n ? [funding(chainId, lackingWei)] : []), publish, ...create]
  })
}

/**
 * Returns the unsigned transactions as a batch that a Safe executes; undefined if nothing is left to send. A batch is one
 * transaction, so while the keyless deployer is missing it can only fund its creation: a call to the address without code
 * would do nothing, and would not fail.
 *
 * @throws DeployError `NO_ACCOUNT` when no contract is at the Safe's address, `KEYLESS_DEPLOYER` when its creation must be
 * published first
 */
export async function safeDeployment(
  options: UnsignedOptions & { readonly safe: string },
): Promise<SafeBatch | undefined> {
  const { chainId, safe, onProgress = () => {} } = options
  if (!isAddress(safe)) throw new DeployError('NO_ACCOUNT', `${safe} is no address, or its checksum is wrong`)
  return surveyChains(options, async (client, { missing, keyless: { exists, lackingWei } }) => {
    const code = await client.getCode({ address: safe })
    if (!code || code === '0x')
      throw new DeployError(
        'NO_ACCOUNT',
        `no contract is at ${safe} on chain ${chainId}: is the Safe of another chain?`,
      )
    if (missing.length === 0) return undefined
    const batch = (description: string, calls: Parameters<typeof safeBatch>[3]) =>
      safeBatch(chainId, safe, { name: `Sluice on chain ${chainId}`, description }, calls, Date.now())
    if (exists)
      return batch(
        missing.map(({ name, address }) => `${name} at ${address}`).join(', '),
        missing.map(({ initCode }) => ({ to: KEYLESS_DEPLOYER.address, value: 0n, data: create2Calldata(initCode) })),
      )
    const publish = `publish ${KEYLESS_DEPLOYER.transaction} (eth_sendRawTransaction, by anyone), then run this again`
    if (lackingWei === 0n)
      throw new DeployError('KEYLESS_DEPLOYER', `the keyless deployer is missing and its signer is funded: ${publish}`)
    onProgress(`the keyless deployer is missing: this batch funds its signer. When it is executed, ${publish}`)
    return batch(`Funds the signer of the keyless deployer`, [
      { to: KEYLESS_DEPLOYER.signer, value: lackingWei, data: '0x' },
    ])
  })
}

function funding(chainId: number, lackingWei: bigint): UnsignedTransaction {
  const { signer } = KEYLESS_DEPLOYER
  const description = `fund ${signer}, which signed the creation of the keyless deployer`
  return { description, chainId, to: signer, value: String(lackingWei), data: '0x', gas: '21000' }
}

async function surveyChains<T>(
  { rpcUrl, chainId, onProgress = () => {} }: UnsignedOptions,
  read: (client: PublicClient, survey: Survey) => Promise<T>,
): Promise<T> {
  refuseUnsupported(chainId)
  return withChain({ rpcUrl, chainId }, async (hre, connection) => {
    const client = await connection.viem.getPublicClient()
    return read(client, await surveyChain(hre, client, onProgress))
  })
}
