import type { PublicClient, WalletClient } from '@nomicfoundation/hardhat-viem/types'
import { type ContractRecord, type Deployment, type Hex, readDeployment, writeDeployment } from '@sluice/chains'
import { executableFamilies } from '@sluice/program'
import { formatEther, formatGwei } from 'viem'
import { create2Calldata, hashOf, KEYLESS_DEPLOYER } from './create2.ts'
import { DeployError } from './errors.ts'
import { currentFees, type Fees, maxPrice } from './fees.ts'
import { requireFunds, settleOwnTransactions } from './funding.ts'
import { withChain } from './hardhat.ts'
import { ensureKeylessDeployer, keylessState } from './keyless.ts'
import { describe, type Outlay, outlaysFor, totalOf } from './outlay.ts'
import { EXECUTOR_VERSION, type PlannedContract, record } from './plan.ts'
import { confirmCode, creationBlock, refuseUnsupported, type Survey, stands, surveyChain } from './survey.ts'
import { FEW_BLOCKS_MS, MINED_TIMEOUT_MS, receiptOf, sentTransactionHash, waitFor } from './transactions.ts'

export type DeployOptions = {
  readonly rpcUrl: string
  readonly chainId: number
  /** Receives `<chainId>.json`. */
  readonly deploymentsDir: string
  /** Signs and pays; without it the node's first own account does. */
  readonly privateKey?: Hex
  /** Looks and computes, sends nothing, writes nothing. */
  readonly dryRun?: boolean
  /** Timeout of each wait for funds or transactions that are pending; 180,000 by default. */
  readonly timeoutMs?: number
  readonly onProgress?: (text: string) => void
}

/** Result of a deployment, for those who run many. */
export type DeployOutcome = {
  readonly deployment: Deployment
  /** Names of the contracts that were missing; created, unless it was a dry run. */
  readonly created: readonly PlannedContract['name'][]
  /** Upper estimate of what was left to pay before, in wei. */
  readonly estimateWei: bigint
}

/** Creation of a contract: its block, and its transaction if that is known. */
type Creation = { readonly block: number; readonly transaction?: Hex }

/**
 * Brings Guard and Executor to a chain and records them. What stands there already is only recorded, so it can be run
 * again at any time, also after it was killed midway.
 *
 * @throws DeployError; then nothing was written
 */
export async function deployContracts(options: DeployOptions): Promise<Deployment> {
  return (await deployWithOutcome(options)).deployment
}

/** Same as `deployContracts`, with what it created and cost. @throws DeployError */
export async function deployWithOutcome(options: DeployOptions): Promise<DeployOutcome> {
  const { rpcUrl, chainId, deploymentsDir, privateKey, dryRun = false, onProgress = () => {} } = options
  refuseUnsupported(chainId)
  const before = readDeployment(deploymentsDir, chainId)
  const target = { rpcUrl, chainId, ...(privateKey && { privateKey }) }
  return withChain(target, async (hre, connection) => {
    const client = await connection.viem.getPublicClient()
    onProgress(`chain ${chainId}, by ${new URL(rpcUrl).host}`)
    const survey = await surveyChain(hre, client, onProgress)
    const fees = await currentFees(client)
    const estimateWei = totalOf(survey.outlays, maxPrice(fees))
    const creations = new Map<PlannedContract, Creation>()
    if (dryRun) {
      announce(survey.outlays, maxPrice(fees), onProgress)
    } else if (survey.missing.length > 0) {
      const wallet = await payer(connection.viem.getWalletClients)
      await createMissing(client, wallet, survey, options, creations)
    }
    const deployment = await recordOf(client, survey, before, creations, options)
    if (!dryRun) writeDeployment(deploymentsDir, deployment)
    return { deployment, created: survey.missing.map(({ name }) => name), estimateWei }
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
  const settledTransactions = await settleOwnTransactions(client, address, timeoutMs, onProgress)
  // Transactions that were pending may have created, and paid for, some of it.
  const missing = settledTransactions ? await stillMissing(client, survey.missing) : survey.missing
  if (missing.length === 0) return
  const outlays = settledTransactions ? await outlaysFor(client, missing, await keylessState(client)) : survey.outlays
  const fees = await currentFees(client)
  await requireFunds(client, address, outlays, maxPrice(fees), timeoutMs, onProgress)
  await ensureKeylessDeployer(client, wallet, fees, timeoutMs, onProgress)
  for (const plannedContract of missing) {
    const creation = await createOne(client, wallet, plannedContract, fees, timeoutMs, onProgress)
    if (creation) creations.set(plannedContract, creation)
  }
}

async function stillMissing(client: PublicClient, contracts: readonly PlannedContract[]): Promise<PlannedContract[]> {
  const missing: PlannedContract[] = []
  for (const plannedContract of contracts) if (!(await stands(client, plannedContract))) missing.push(plannedContract)
  return missing
}

/** Deployment to record: every contract with its code confirmed, unless it is a dry run and the contract is missing. */
async function recordOf(
  client: PublicClient,
  { plan, missing }: Survey,
  before: Deployment | undefined,
  creations: ReadonlyMap<PlannedContract, Creation>,
  { chainId, dryRun = false, timeoutMs = MINED_TIMEOUT_MS }: DeployOptions,
): Promise<Deployment> {
  const recordedBefore = [before?.guard, ...(before?.executors ?? [])]
  const one = async (plannedContract: PlannedContract) => {
    if (dryRun && missing.includes(plannedContract)) return record(plannedContract)
    await confirmCode(client, plannedContract, timeoutMs)
    const now = creations.get(plannedContract)
    if (now) return record(plannedContract, now)
    const old = recordedBefore.find(
      (entry) => entry?.address === plannedContract.address && entry.status === 'deployed',
    )
    if (old?.block !== undefined)
      return record(plannedContract, { block: old.block, ...(old.transaction && { transaction: old.transaction }) })
    const block = (await creationBlock(client, plannedContract.address)) ?? Number(await client.getBlockNumber())
    return record(plannedContract, { block })
  }
  const guard = await one(plan.guard)
  const newest = { version: EXECUTOR_VERSION, families: executableFamilies, ...(await one(plan.executor)) }
  const older = await withCode(client, before?.executors.filter(({ address }) => address !== newest.address) ?? [])
  return { chainId, guard, executors: [...older, newest] }
}

/** Announcement of what a deployment would send now. */
function announce(outlays: readonly Outlay[], gasPrice: bigint, onProgress: (text: string) => void): void {
  if (outlays.length === 0) {
    onProgress('nothing is left to send')
    return
  }
  for (const outlay of outlays) onProgress(`would ${describe(outlay)}`)
  const total = formatEther(totalOf(outlays, gasPrice))
  onProgress(`would cost up to ${total} native at ${formatGwei(gasPrice)} gwei; nothing was sent or written`)
}

/** Returns the recorded contracts that still exist: a local chain may have been reset under the same id. */
async function withCode<T extends ContractRecord>(client: PublicClient, records: readonly T[]): Promise<T[]> {
  const codes = await Promise.all(records.map(({ address }) => client.getCode({ address })))
  return records.filter(({ codeHash }, index) => hashOf(codes[index] ?? '0x') === codeHash)
}

async function payer(getWalletClients: () => Promise<WalletClient[]>): Promise<WalletClient> {
  const [wallet] = await getWalletClients()
  if (!wallet) throw new DeployError('NO_ACCOUNT', 'no key was given and the node has no account of its own')
  return wallet
}

/** @returns the transaction that made it and its block; undefined if another one came first */
async function createOne(
  client: PublicClient,
  wallet: WalletClient,
  plannedContract: PlannedContract,
  fees: Fees,
  timeoutMs: number,
  onProgress: (text: string) => void,
): Promise<Creation | undefined> {
  onProgress(`creating ${plannedContract.name} at ${plannedContract.address}`)
  const data = create2Calldata(plannedContract.initCode)
  let hash: Hex
  try {
    hash = await sentTransactionHash(wallet.sendTransaction({ to: KEYLESS_DEPLOYER.address, data, ...fees }))
  } catch (error) {
    // Another transaction may be on its way, of someone else or of a run that was killed: then a second creation is refused.
    const waitMs = Math.min(timeoutMs, FEW_BLOCKS_MS)
    onProgress(`refused; waiting up to ${waitMs / 1_000} s whether another transaction creates ${plannedContract.name}`)
    if (await waitFor(() => stands(client, plannedContract), waitMs)) return undefined
    throw error
  }
  const { status, blockNumber } = await receiptOf(client, hash)
  if (!(await waitFor(() => stands(client, plannedContract), Math.min(timeoutMs, FEW_BLOCKS_MS))))
    throw new DeployError(
      'TRANSACTION_FAILED',
      `${hash} was mined and left no ${plannedContract.name} at ${plannedContract.address}`,
    )
  return status === 'success' ? { block: Number(blockNumber), transaction: hash } : undefined
}
