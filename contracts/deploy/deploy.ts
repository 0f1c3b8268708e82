import { setTimeout } from 'node:timers/promises'
import type { PublicClient, WalletClient } from '@nomicfoundation/hardhat-viem/types'
import { type ContractRecord, type Deployment, type Hex, readDeployment, writeDeployment } from '@sluice/chains'
import { executableFamilies } from '@sluice/program'
import { BaseError, formatEther, formatGwei } from 'viem'
import { create2Calldata, hashOf, KEYLESS_DEPLOYER } from './create2.ts'
import { DeployError } from './errors.ts'
import { expectChain, hardhatFor } from './hardhat.ts'
import { chainFacts } from './networks.ts'
import { describe, type Outlay, outlaysFor, totalOf } from './outlay.ts'
import { EXECUTOR_VERSION, type PlannedContract, planDeployment, record } from './plan.ts'
import { probeBuild } from './probe.ts'

/** A few blocks of most chains. */
const RIVAL_SECONDS = 30

export type DeployOptions = {
  readonly rpcUrl: string
  readonly chainId: number
  /** Receives `<chainId>.json`. */
  readonly deploymentsDir: string
  /** Signs and pays; without it the node's first own account does. */
  readonly privateKey?: Hex
  /** Looks and computes, sends nothing, writes nothing. */
  readonly dryRun?: boolean
  readonly onProgress?: (text: string) => void
}

/**
 * Brings Guard and Executor to a chain and records them. What stands there already is only recorded, so it can be run
 * again at any time, also after it was killed midway.
 *
 * @throws DeployError; then nothing was written
 */
export async function deployContracts(options: DeployOptions): Promise<Deployment> {
  const { rpcUrl, chainId, deploymentsDir, privateKey, dryRun = false, onProgress = () => {} } = options
  refuseUnsupported(chainId)
  const before = readDeployment(deploymentsDir, chainId)
  const hre = await hardhatFor(rpcUrl, privateKey)
  const connection = await hre.network.create('target')
  try {
    await expectChain(connection.provider, rpcUrl, chainId)
    const client = await connection.viem.getPublicClient()
    const build = await probeBuild(client)
    onProgress(`chain ${chainId}, by ${new URL(rpcUrl).host}, runs the ${build} build`)
    const { guard, executor } = await planDeployment(hre, build)

    const missing: PlannedContract[] = []
    for (const planned of [guard, executor]) {
      if (await stands(client, planned)) onProgress(`${planned.name} stands at ${planned.address}`)
      else missing.push(planned)
    }
    const outlays = await outlaysFor(client, missing)
    const transactions = new Map<PlannedContract, Hex>()
    if (dryRun) {
      await announce(client, outlays, onProgress)
    } else if (missing.length > 0) {
      const wallet = await payer(connection.viem.getWalletClients)
      await checkFunds(client, wallet, outlays)
      await ensureKeylessDeployer(client, wallet, onProgress)
      for (const planned of missing) {
        const hash = await deployOne(client, wallet, planned, onProgress)
        if (hash) transactions.set(planned, hash)
      }
    }
    const block = Number(await client.getBlockNumber())
    const recordOf = (planned: PlannedContract) => {
      if (dryRun && missing.includes(planned)) return record(planned)
      const transaction = transactions.get(planned)
      if (transaction) return record(planned, { block, transaction })
      const old = [before?.guard, ...(before?.executors ?? [])].find(
        (entry) => entry?.address === planned.address && entry.status === 'deployed',
      )
      return record(planned, old?.block === undefined ? { block } : { block: old.block, ...pick(old) })
    }
    const newest = { version: EXECUTOR_VERSION, families: executableFamilies, ...recordOf(executor) }
    const older = await standing(client, before?.executors.filter(({ address }) => address !== newest.address) ?? [])
    const deployment: Deployment = { chainId, guard: recordOf(guard), executors: [...older, newest] }
    if (!dryRun) writeDeployment(deploymentsDir, deployment)
    return deployment
  } finally {
    await connection.close()
  }
}

/** A chain outside the registry is left to the probe. */
function refuseUnsupported(chainId: number): void {
  const unsupported = chainFacts(chainId)?.unsupported
  if (unsupported) throw new DeployError('UNSUPPORTED_CHAIN', unsupported)
}

/** Announcement of what a deployment would send now. */
async function announce(
  client: PublicClient,
  outlays: readonly Outlay[],
  onProgress: (text: string) => void,
): Promise<void> {
  if (outlays.length === 0) return onProgress('nothing is left to send')
  const gasPrice = await client.getGasPrice()
  for (const outlay of outlays) onProgress(`would ${describe(outlay)}`)
  const total = formatEther(totalOf(outlays, gasPrice))
  onProgress(`would cost up to ${total} native at ${formatGwei(gasPrice)} gwei; nothing was sent or written`)
}

const pick = ({ transaction }: ContractRecord) => (transaction ? { transaction } : {})

/** The recorded contracts that are still there: a local chain may have begun anew under the same id. */
async function standing<T extends ContractRecord>(client: PublicClient, records: readonly T[]): Promise<T[]> {
  const codes = await Promise.all(records.map(({ address }) => client.getCode({ address })))
  return records.filter(({ codeHash }, index) => hashOf(codes[index] ?? '0x') === codeHash)
}

/** @throws DeployError `CODE_MISMATCH` when other code stands at the address, which CREATE2 rules out on an honest chain */
async function stands(client: PublicClient, { name, address, codeHash }: PlannedContract): Promise<boolean> {
  const code = await client.getCode({ address })
  if (!code || code === '0x') return false
  if (hashOf(code) !== codeHash)
    throw new DeployError('CODE_MISMATCH', `${name} at ${address} has code ${hashOf(code)}, expected ${codeHash}`)
  return true
}

async function payer(getWalletClients: () => Promise<WalletClient[]>): Promise<WalletClient> {
  const [wallet] = await getWalletClients()
  if (!wallet) throw new DeployError('NO_ACCOUNT', 'no key was given and the node has no account of its own')
  return wallet
}

async function checkFunds(client: PublicClient, wallet: WalletClient, outlays: readonly Outlay[]): Promise<void> {
  const needed = totalOf(outlays, await client.getGasPrice())
  const held = await client.getBalance({ address: wallet.account.address })
  if (held < needed)
    throw new DeployError(
      'FUNDS_SHORT',
      `${wallet.account.address} holds ${formatEther(held)} of the native token and needs about ${formatEther(needed)}`,
    )
}

async function ensureKeylessDeployer(
  client: PublicClient,
  wallet: WalletClient,
  onProgress: (text: string) => void,
): Promise<void> {
  const { address, signer, cost, gasLimit, initCode, runtime, transaction } = KEYLESS_DEPLOYER
  const code = await client.getCode({ address })
  if (!code || code === '0x') {
    // Its gas limit is part of what was signed: where it does not suffice, sending it would burn the address for good.
    const needed = await client.estimateGas({
      account: signer,
      data: initCode,
      stateOverride: [{ address: signer, balance: cost }],
    })
    if (needed > gasLimit)
      throw new DeployError('KEYLESS_DEPLOYER', `its creation needs ${needed} gas here and is signed for ${gasLimit}`)
    const held = await client.getBalance({ address: signer })
    if (held < cost) {
      onProgress(`funding the keyless deployer's signer with ${formatEther(cost - held)}`)
      await mined(client, await sent(wallet.sendTransaction({ to: signer, value: cost - held })))
    }
    onProgress('creating the keyless deployer')
    await mined(client, await sent(client.sendRawTransaction({ serializedTransaction: transaction })))
  }
  const found = await client.getCode({ address })
  if (found !== runtime)
    throw new DeployError('KEYLESS_DEPLOYER', `other code than the keyless deployer's at ${address}`)
}

/** @returns the transaction that made it; undefined where another one came first */
async function deployOne(
  client: PublicClient,
  wallet: WalletClient,
  planned: PlannedContract,
  onProgress: (text: string) => void,
): Promise<Hex | undefined> {
  onProgress(`creating ${planned.name} at ${planned.address}`)
  const data = create2Calldata(planned.initCode)
  let hash: Hex
  try {
    hash = await sent(wallet.sendTransaction({ to: KEYLESS_DEPLOYER.address, data }))
  } catch (error) {
    // Another transaction may be on its way, of someone else or of a run that was killed: then a second creation is refused.
    onProgress(`refused; waiting up to ${RIVAL_SECONDS} s whether another transaction creates ${planned.name}`)
    for (let second = 0; second < RIVAL_SECONDS; second++) {
      if (await stands(client, planned)) return undefined
      await setTimeout(1_000)
    }
    throw error
  }
  const made = (await receiptOf(client, hash)).status === 'success'
  if (!(await stands(client, planned)))
    throw new DeployError('TRANSACTION_FAILED', `${hash} was mined and left no ${planned.name} at ${planned.address}`)
  return made ? hash : undefined
}

async function sent(hash: Promise<Hex>): Promise<Hex> {
  try {
    return await hash
  } catch (cause) {
    if (!(cause instanceof BaseError)) throw cause
    throw new DeployError('TRANSACTION_FAILED', `a transaction was not accepted: ${cause.shortMessage}`, { cause })
  }
}

async function mined(client: PublicClient, hash: Hex): Promise<void> {
  const { status } = await receiptOf(client, hash)
  if (status !== 'success') throw new DeployError('TRANSACTION_FAILED', `${hash} reverted`)
}

async function receiptOf(client: PublicClient, hash: Hex) {
  try {
    return await client.waitForTransactionReceipt({ hash, timeout: 180_000 })
  } catch (cause) {
    if (!(cause instanceof BaseError)) throw cause
    throw new DeployError('TRANSACTION_FAILED', `${hash} was not mined: ${cause.shortMessage}`, { cause })
  }
}
