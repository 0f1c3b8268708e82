/**
 * Checks and creates the keyless deployer (see create2.ts). Through it, Guard and Executor have the same addresses on
 * every chain.
 */
import type { PublicClient } from '@nomicfoundation/hardhat-viem/types'
import { formatEther, formatGwei, keccak256 } from 'viem'
import { KEYLESS_DEPLOYER } from './create2.ts'
import { DeployError, nodeMessage } from './errors.ts'
import type { Fees } from './fees.ts'
import { pendingBalance, receiptOf, type SendTransaction, waitFor } from './transactions.ts'

/** State of the keyless deployer on a chain. */
export type KeylessState = {
  readonly exists: boolean
  /**
   * Wei that must still be sent to the signer of the creation transaction; 0 if the deployer exists. Pending transfers
   * to the signer count as sent.
   */
  readonly lackingWei: bigint
}

/** Hash of the creation transaction, which is the same on every chain. */
const CREATION_HASH = keccak256(KEYLESS_DEPLOYER.transaction)

/**
 * Checks whether the keyless deployer exists. If not, checks that the chain can run its creation with the signed gas
 * limit, gas price, and nonce. A failed creation would use up the nonce, so the deployer could never have its address
 * on this chain. The checks come before any funds are sent.
 *
 * @throws DeployError `KEYLESS_DEPLOYER`
 */
export async function keylessState(client: PublicClient): Promise<KeylessState> {
  const { address, signer, cost, gasLimit, gasPrice, initCode, runtime } = KEYLESS_DEPLOYER
  const code = await client.getCode({ address })
  if (code && code !== '0x') {
    if (code !== runtime)
      throw new DeployError('KEYLESS_DEPLOYER', `other code than the keyless deployer's at ${address}`)
    return { exists: true, lackingWei: 0n }
  }
  if ((await client.getTransactionCount({ address: signer })) > 0)
    throw new DeployError(
      'KEYLESS_DEPLOYER',
      `${signer} used its only signed transaction on this chain and left no code at ${address}: the contracts cannot have their addresses here`,
    )
  const { baseFeePerGas } = await client.getBlock()
  if (baseFeePerGas && baseFeePerGas > gasPrice)
    throw new DeployError(
      'KEYLESS_DEPLOYER',
      `its creation is signed for ${formatGwei(gasPrice)} gwei and the base fee is ${formatGwei(baseFeePerGas)} gwei: try again when it has fallen`,
    )
  const creation = { account: signer, data: initCode } as const
  const neededGas = await client
    .estimateGas({ ...creation, stateOverride: [{ address: signer, balance: cost }] })
    // Many nodes have no overrides of state in eth_estimateGas, and most estimate without the balance.
    .catch(() => client.estimateGas(creation))
  if (neededGas > gasLimit)
    throw new DeployError('KEYLESS_DEPLOYER', `its creation needs ${neededGas} gas here and is signed for ${gasLimit}`)
  const balance = await pendingBalance(client, signer)
  return { exists: false, lackingWei: balance < cost ? cost - balance : 0n }
}

/**
 * Creates the keyless deployer unless it exists. Funds the signer of the creation transaction, and publishes the
 * transaction.
 *
 * @throws DeployError `KEYLESS_DEPLOYER`, `TRANSACTION_FAILED`
 */
export async function ensureKeylessDeployer(
  client: PublicClient,
  send: SendTransaction,
  fees: Fees,
  timeoutMs: number,
  onProgress: (text: string) => void,
): Promise<void> {
  const { address, signer, cost, runtime } = KEYLESS_DEPLOYER
  const { exists, lackingWei } = await keylessState(client)
  if (exists) return
  if (lackingWei > 0n) {
    await requireUnprotectedAccepted(client)
    onProgress(`funding the keyless deployer's signer with ${formatEther(lackingWei)}`)
    const { status, transactionHash } = await receiptOf(client, await send({ to: signer, value: lackingWei, ...fees }))
    if (status !== 'success') throw new DeployError('TRANSACTION_FAILED', `${transactionHash} reverted`)
  } else if ((await client.getBalance({ address: signer })) < cost) {
    onProgress(`waiting up to ${timeoutMs / 1_000} s for the pending funds of the keyless deployer's signer ${signer}`)
    if (!(await waitFor(async () => (await client.getBalance({ address: signer })) >= cost, timeoutMs)))
      throw new DeployError('TRANSACTION_FAILED', `the transaction that funds ${signer} is still pending`)
  }
  onProgress('creating the keyless deployer')
  const isCreated = async () => (await client.getCode({ address })) === runtime
  try {
    await client.sendRawTransaction({ serializedTransaction: KEYLESS_DEPLOYER.transaction })
  } catch (error) {
    // The node also rejects the transaction if it has already been published.
    if (!(await waitFor(isCreated, timeoutMs)))
      throw new DeployError('TRANSACTION_FAILED', `its creation was not accepted: ${nodeMessage(error)}`, {
        cause: error,
      })
  }
  await receiptOf(client, CREATION_HASH)
  if (!(await waitFor(isCreated, timeoutMs)))
    throw new DeployError('KEYLESS_DEPLOYER', `${CREATION_HASH} was mined and left no keyless deployer at ${address}`)
}

/**
 * Throws if the node accepts only transactions with a chain id (EIP-155). The creation transaction has no chain id, so
 * funds sent to its signer would be lost. Tests the node by sending the creation transaction before its signer has
 * funds. A node that accepts transactions without a chain id then reports insufficient funds.
 */
async function requireUnprotectedAccepted(client: PublicClient): Promise<void> {
  try {
    await client.sendRawTransaction({ serializedTransaction: KEYLESS_DEPLOYER.transaction })
  } catch (error) {
    const message = nodeMessage(error)
    if (/replay.?protect|eip-?155|unprotected|chain.?id/i.test(message))
      throw new DeployError(
        'KEYLESS_DEPLOYER',
        `this endpoint refuses its creation, which names no chain id: ${message}. Use an endpoint that accepts such transactions, or ask the chain to preinstall it`,
        { cause: error },
      )
  }
}
