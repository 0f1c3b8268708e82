/**
 * Deploys Guard and Executor to one chain and records them. `npm run deploy`, the local chain, and `deployMany` call
 * it.
 */
import type { PublicClient, WalletClient } from '@nomicfoundation/hardhat-viem/types'
import { type ContractRecord, type Deployment, type Hex, readDeployment, writeDeployment } from '@sluice/chains'
import { executableFamilies } from '@sluice/program'
import { formatEther, formatGwei } from 'viem'
import { create2Calldata, hashOf, KEYLESS_DEPLOYER } from './create2.ts'
import { DeployError } from './errors.ts'
import { currentFees, type Fees, maxGasPrice } from './fees.ts'
import { requireFunds, waitForOwnTransactions } from './funding.ts'
import { withChain } from './hardhat.ts'
import { ensureKeylessDeployer, keylessState } from './keyless.ts'
import { describeOutlay, type Outlay, outlaysFor, totalOf } from './outlay.ts'
import { contractRecordOf, EXECUTOR_VERSION, type PlannedContract } from './plan.ts'
import { confirmCode, creationBlock, isDeployed, refuseUnsupported, type Survey, surveyChain } from './survey.ts'
import {
  FEW_BLOCKS_MS,
  MINED_TIMEOUT_MS,
  receiptOf,
  type SendTransaction,
  transactionSender,
  waitFor,
} from './transactions.ts'

export type DeployOptions = {
  readonly rpcUrl: string
  readonly chainId: number
  /** Folder to which `<chainId>.json` is written. */
  readonly deploymentsDir: string
  /** Private key of the account that signs and pays; by default the node's first unlocked account does. */
  readonly privateKey?: Hex
  /** True to only read the chain and estimate the cost, without sending transactions or writing files. */
  readonly dryRun?: boolean
  /** Timeout of each wait for pending funds or transactions, in milliseconds; 180,000 by default. */
  readonly timeoutMs?: number
  readonly onProgress?: (text: string) => void
}

/** Result of `deployWithOutcome`. */
export type DeployOutcome = {
  readonly deployment: Deployment
  /** Names of the contracts that did not exist before the call. Unless it was a dry run, they exist now. */
  readonly missingContracts: readonly PlannedContract['name'][]
  /** Upper estimate of the deployment's cost in wei, from before the first transaction. */
  readonly estimateWei: bigint
}

/** Block in which a contract was created, and the transaction if it is known. */
type Creation = { readonly block: number; readonly transaction?: Hex }

/**
 * Creates Guard and Executor on a chain unless they exist, and writes the chain's deployment record. Can be called
 * again at any time, for example after an interruption.
 *
 * @throws DeployError; then no record was written
 */
export async function deployContracts(options: DeployOptions): Promise<Deployment> {
  return (await deployWithOutcome(options)).deployment
}

/**
 * Like `deployContracts`, but also returns which contracts were missing and the estimated cost.
 *
 * @throws DeployError
 */
export async function deployWithOutcome(options: DeployOptions): Promise<DeployOutcome> {
  const { rpcUrl, chainId, deploymentsDir, privateKey, dryRun = false, onProgress = () => {} } = options
  refuseUnsupported(chainId)
  const previousDeployment = readDeployment(deploymentsDir, chainId)
  const target = { rpcUrl, chainId, ...(privateKey && { privateKey }) }
  return withChain(target, async (hre, connection) => {
    const client = await connection.viem.getPublicClient()
    onProgress(`chain ${chainId}, by ${new URL(rpcUrl).host}`)
    const survey = await surveyChain(hre, client, onProgress)
    const fees = await currentFees(client)
    const estimateWei = totalOf(survey.outlays, maxGasPrice(fees))
    const creations = new Map<PlannedContract, Creation>()
    if (dryRun) {
      announce(survey.outlays, maxGasPrice(fees), onProgress)
    } else if (survey.missing.length > 0) {
      const wallet = await payingWallet(connection.viem.getWalletClients)
      await createMissing(client, wallet, survey, options, creations)
    }
    const deployment = await deploymentOf(client, survey, previousDeployment, creations, options)
    if (!dryRun) writeDeployment(deploymentsDir, deployment)
    return { deployment, missingContracts: survey.missing.map(({ name }) => name), estimateWei }
  })
}

async function createMissing(
  client: PublicClient,
  wallet: WalletClient,
  survey: Survey,
  { timeoutMs = MINED_TIMEOUT_MS, onProgress = () => {} }: DeployOptions,
  creations: Map<PlannedContract, Creation>,
): Promise<void> {
  const { address } = wallet.account
  const hasWaited = await waitForOwnTransactions(client, address, timeoutMs, onProgress)
  // Reads the state again: the pending transactions may have created contracts or funded the keyless deployer.
  const missing = hasWaited ? await stillMissing(client, survey.missing) : survey.missing
  if (missing.length === 0) return
  const outlays = hasWaited ? await outlaysFor(client, missing, await keylessState(client)) : survey.outlays
  const fees = await currentFees(client)
  await requireFunds(client, address, outlays, maxGasPrice(fees), timeoutMs, onProgress)
  const send = transactionSender(client, wallet)
  await ensureKeylessDeployer(client, send, fees, timeoutMs, onProgress)
  for (const plannedContract of missing) {
    const creation = await createContract(client, send, plannedContract, fees, timeoutMs, onProgress)
    if (creation) creations.set(plannedContract, creation)
  }
}

async function stillMissing(client: PublicClient, contracts: readonly PlannedContract[]): Promise<PlannedContract[]> {
  const missing: PlannedContract[] = []
  for (const plannedContract of contracts)
    if (!(await isDeployed(client, plannedContract))) missing.push(plannedContract)
  return missing
}

/**
 * Returns the deployment to record. Confirms the code of each contract. In a dry run, does not confirm missing
 * contracts.
 */
async function deploymentOf(
  client: PublicClient,
  { plan, missing }: Survey,
  previousDeployment: Deployment | undefined,
  creations: ReadonlyMap<PlannedContract, Creation>,
  { chainId, dryRun = false, timeoutMs = MINED_TIMEOUT_MS }: DeployOptions,
): Promise<Deployment> {
  const previousRecords = [previousDeployment?.guard, ...(previousDeployment?.executors ?? [])]
  const recordContract = async (plannedContract: PlannedContract) => {
    if (dryRun && missing.includes(plannedContract)) return contractRecordOf(plannedContract)
    await confirmCode(client, plannedContract, timeoutMs)
    const creation = creations.get(plannedContract)
    if (creation) return contractRecordOf(plannedContract, creation)
    const previousRecord = previousRecords.find(
      (entry) => entry?.address === plannedContract.address && entry.status === 'deployed',
    )
    if (previousRecord?.block !== undefined)
      return contractRecordOf(plannedContract, {
        block: previousRecord.block,
        ...(previousRecord.transaction && { transaction: previousRecord.transaction }),
      })
    const block = (await creationBlock(client, plannedContract.address)) ?? Number(await client.getBlockNumber())
    return contractRecordOf(plannedContract, { block })
  }
  const guard = await recordContract(plan.guard)
  const newestExecutor = {
    version: EXECUTOR_VERSION,
    families: executableFamilies,
    ...(await recordContract(plan.executor)),
  }
  const olderExecutors = await withCode(
    client,
    previousDeployment?.executors.filter(({ address }) => address !== newestExecutor.address) ?? [],
  )
  return { chainId, guard, executors: [...olderExecutors, newestExecutor] }
}

/** Reports the transactions that a deployment would send now, and their cost. */
function announce(outlays: readonly Outlay[], gasPrice: bigint, onProgress: (text: string) => void): void {
  if (outlays.length === 0) {
    onProgress('nothing is left to send')
    return
  }
  for (const outlay of outlays) onProgress(`would ${describeOutlay(outlay)}`)
  const total = formatEther(totalOf(outlays, gasPrice))
  onProgress(`would cost up to ${total} native at ${formatGwei(gasPrice)} gwei; nothing was sent or written`)
}

/** Returns the recorded contracts that still exist. They do not if a local chain was reset. */
async function withCode<T extends ContractRecord>(client: PublicClient, records: readonly T[]): Promise<T[]> {
  const codes = await Promise.all(records.map(({ address }) => client.getCode({ address })))
  return records.filter(({ codeHash }, index) => hashOf(codes[index] ?? '0x') === codeHash)
}

async function payingWallet(getWalletClients: () => Promise<WalletClient[]>): Promise<WalletClient> {
  const [wallet] = await getWalletClients()
  if (!wallet) throw new DeployError('NO_ACCOUNT', 'no key was given and the node has no account of its own')
  return wallet
}

/**
 * Creates a contract.
 *
 * @returns the creation; undefined if another transaction created the contract first
 */
async function createContract(
  client: PublicClient,
  send: SendTransaction,
  plannedContract: PlannedContract,
  fees: Fees,
  timeoutMs: number,
  onProgress: (text: string) => void,
): Promise<Creation | undefined> {
  onProgress(`creating ${plannedContract.name} at ${plannedContract.address}`)
  const data = create2Calldata(plannedContract.initCode)
  let hash: Hex
  try {
    hash = await send({ to: KEYLESS_DEPLOYER.address, data, ...fees })
  } catch (error) {
    // A node refuses the transaction if another pending transaction creates the contract. An interrupted run or another
    // account may have sent it.
    const waitMs = Math.min(timeoutMs, FEW_BLOCKS_MS)
    onProgress(`refused; waiting up to ${waitMs / 1_000} s whether another transaction creates ${plannedContract.name}`)
    if (await waitFor(() => isDeployed(client, plannedContract), waitMs)) return undefined
    throw error
  }
  const { status, blockNumber } = await receiptOf(client, hash)
  if (!(await waitFor(() => isDeployed(client, plannedContract), Math.min(timeoutMs, FEW_BLOCKS_MS))))
    throw new DeployError(
      'TRANSACTION_FAILED',
      `${hash} was mined and left no ${plannedContract.name} at ${plannedContract.address}`,
    )
  return status === 'success' ? { block: Number(blockNumber), transaction: hash } : undefined
}
