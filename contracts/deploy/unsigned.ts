/**
 * Creates the transactions of a deployment for a wallet or a Safe to sign, and does not send them
 * (`npm run deploy -- --unsigned`, `--safe`).
 */
import type { PublicClient } from '@nomicfoundation/hardhat-viem/types'
import { type Address, type Hex, isAddress } from 'viem'
import { create2Calldata, KEYLESS_DEPLOYER } from './create2.ts'
import { DeployError } from './errors.ts'
import { withChain } from './hardhat.ts'
import { describeOutlay } from './outlay.ts'
import { type SafeBatch, safeBatch } from './safe-batch.ts'
import { refuseUnsupported, type Survey, surveyChain } from './survey.ts'

/** A transaction for any account to sign. The addresses of the contracts do not depend on the signer. */
export type UnsignedTransaction = {
  readonly description: string
  readonly chainId: number
  readonly to: Address
  /** Wei, in decimal. */
  readonly value: string
  readonly data: Hex
  /** Upper estimate of the gas, in decimal. */
  readonly gas: string
}

/** A signed transaction. Anyone can publish it with `eth_sendRawTransaction`. */
export type SignedTransaction = { readonly description: string; readonly chainId: number; readonly raw: Hex }

export type UnsignedOptions = {
  readonly rpcUrl: string
  readonly chainId: number
  readonly onProgress?: (text: string) => void
}

/**
 * Returns the transactions that are still missing for a deployment, in the order in which they must be mined. Returns
 * none if all contracts exist. Needs no private key.
 *
 * @throws DeployError
 */
export async function unsignedDeployment(
  options: UnsignedOptions,
): Promise<(UnsignedTransaction | SignedTransaction)[]> {
  return withSurvey(options, async (_, { missing, outlays, keyless: { exists, lackingWei } }) => {
    const { chainId } = options
    // The creations of the missing contracts are the last outlays, in the same order.
    const creationOutlays = outlays.slice(-missing.length)
    const creationTransactions = missing.map((plannedContract, i) => ({
      description: describeOutlay(creationOutlays[i]!),
      chainId,
      to: KEYLESS_DEPLOYER.address,
      value: '0',
      data: create2Calldata(plannedContract.initCode),
      gas: String(creationOutlays[i]!.gas),
    }))
    if (exists) return creationTransactions
    const publication = {
      description: 'publish as it is: creates the keyless deployer',
      chainId,
      raw: KEYLESS_DEPLOYER.transaction,
    }
    return [...(lackingWei > 0n ? [fundingTransaction(chainId, lackingWei)] : []), publication, ...creationTransactions]
  })
}

/**
 * Returns the missing transactions as a batch for a Safe to execute; undefined if all contracts exist. A Safe executes
 * a batch in one transaction. So while the keyless deployer is missing, the batch contains only the transfer that funds
 * its creation: calls of the deployer would succeed without an effect.
 *
 * @throws DeployError `NO_ACCOUNT` if no contract is at the Safe's address, `KEYLESS_DEPLOYER` if the creation of the
 *   keyless deployer is funded and must be published first
 */
export async function safeDeployment(
  options: UnsignedOptions & { readonly safe: string },
): Promise<SafeBatch | undefined> {
  const { chainId, safe, onProgress = () => {} } = options
  if (!isAddress(safe)) throw new DeployError('NO_ACCOUNT', `${safe} is no address, or its checksum is wrong`)
  return withSurvey(options, async (client, { missing, keyless: { exists, lackingWei } }) => {
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
    const instruction = `publish ${KEYLESS_DEPLOYER.transaction} (eth_sendRawTransaction, by anyone), then run this again`
    if (lackingWei === 0n)
      throw new DeployError(
        'KEYLESS_DEPLOYER',
        `the keyless deployer is missing and its signer is funded: ${instruction}`,
      )
    onProgress(`the keyless deployer is missing: this batch funds its signer. When it is executed, ${instruction}`)
    return batch(`Funds the signer of the keyless deployer`, [
      { to: KEYLESS_DEPLOYER.signer, value: lackingWei, data: '0x' },
    ])
  })
}

function fundingTransaction(chainId: number, lackingWei: bigint): UnsignedTransaction {
  const { signer } = KEYLESS_DEPLOYER
  const description = `fund ${signer}, which signed the creation of the keyless deployer`
  return { description, chainId, to: signer, value: String(lackingWei), data: '0x', gas: '21000' }
}

async function withSurvey<T>(
  { rpcUrl, chainId, onProgress = () => {} }: UnsignedOptions,
  work: (client: PublicClient, survey: Survey) => Promise<T>,
): Promise<T> {
  refuseUnsupported(chainId)
  return withChain({ rpcUrl, chainId }, async (hre, connection) => {
    const client = await connection.viem.getPublicClient()
    return work(client, await surveyChain(hre, client, onProgress))
  })
}
