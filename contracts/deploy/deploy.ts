import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PublicClient, WalletClient } from '@nomicfoundation/hardhat-viem/types'
import { CHAIN_DATA_DIR, type ContractRecord, type Deployment, type Hex } from '@sluice/chains'
import { BaseError, formatEther } from 'viem'
import { create2Calldata, hashOf, KEYLESS_DEPLOYER } from './create2.ts'
import { DeployError } from './errors.ts'
import { readDeployment, writeDeployment } from './file.ts'
import { hardhatFor } from './hardhat.ts'
import { EXECUTOR_FAMILIES, EXECUTOR_VERSION, type PlannedContract, planDeployment, record } from './plan.ts'
import { probeBuild } from './probe.ts'

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
    const found = Number(await connection.provider.request({ method: 'eth_chainId' }))
    if (found !== chainId) throw new DeployError('WRONG_CHAIN', `${rpcUrl} is chain ${found}, not ${chainId}`)
    const client = await connection.viem.getPublicClient()
    const { guard, executor } = await planDeployment(hre, await probeBuild(client))

    const missing: PlannedContract[] = []
    for (const planned of [guard, executor]) if (!(await stands(client, planned))) missing.push(planned)
    const transactions = new Map<PlannedContract, Hex>()
    if (missing.length > 0 && !dryRun) {
      const wallet = await payer(connection.viem.getWalletClients)
      await checkFunds(client, wallet, missing)
      await ensureKeylessDeployer(client, wallet, onProgress)
      for (const planned of missing) transactions.set(planned, await deployOne(client, wallet, planned, onProgress))
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
    const newest = { version: EXECUTOR_VERSION, families: EXECUTOR_FAMILIES, ...recordOf(executor) }
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
  const file = join(CHAIN_DATA_DIR, `${chainId}.json`)
  if (!existsSync(file)) return
  const { unsupported } = JSON.parse(readFileSync(file, 'utf8')) as { unsupported?: string }
  if (unsupported) throw new DeployError('UNSUPPORTED_CHAIN', unsupported)
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

/** An upper estimate before anything is sent: code deposit, calldata and execution of each creation. */
async function checkFunds(
  client: PublicClient,
  wallet: WalletClient,
  missing: readonly PlannedContract[],
): Promise<void> {
  const gas = missing.reduce((sum, { initCode }) => sum + creationGas(initCode), 0n)
  const gasPrice = await client.getGasPrice()
  const keyless = (await client.getCode({ address: KEYLESS_DEPLOYER.address })) ? 0n : KEYLESS_DEPLOYER.cost
  const needed = gas * gasPrice + keyless
  const held = await client.getBalance({ address: wallet.account.address })
  if (held < needed)
    throw new DeployError(
      'FUNDS_SHORT',
      `${wallet.account.address} holds ${formatEther(held)} of the native token and needs about ${formatEther(needed)}`,
    )
}

/** 200 gas per byte of code deposited, at most 16 per byte sent, 53,000 for a creating transaction, a half more to be safe. */
function creationGas(initCode: Hex): bigint {
  const bytes = BigInt((initCode.length - 2) / 2)
  return ((bytes * 216n + 53_000n) * 3n) / 2n
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
      await mined(client, await wallet.sendTransaction({ to: signer, value: cost - held }))
    }
    onProgress('creating the keyless deployer')
    await mined(client, await client.sendRawTransaction({ serializedTransaction: transaction }))
  }
  const found = await client.getCode({ address })
  if (found !== runtime)
    throw new DeployError('KEYLESS_DEPLOYER', `other code than the keyless deployer's at ${address}`)
}

async function deployOne(
  client: PublicClient,
  wallet: WalletClient,
  planned: PlannedContract,
  onProgress: (text: string) => void,
): Promise<Hex> {
  onProgress(`deploying ${planned.name} to ${planned.address}`)
  const hash = await wallet.sendTransaction({ to: KEYLESS_DEPLOYER.address, data: create2Calldata(planned.initCode) })
  await mined(client, hash)
  if (!(await stands(client, planned)))
    throw new DeployError('TRANSACTION_FAILED', `${hash} was mined and left no ${planned.name} at ${planned.address}`)
  return hash
}

async function mined(client: PublicClient, hash: Hex): Promise<void> {
  try {
    const receipt = await client.waitForTransactionReceipt({ hash, timeout: 180_000 })
    if (receipt.status === 'success') return
  } catch (cause) {
    if (cause instanceof BaseError)
      throw new DeployError('TRANSACTION_FAILED', `${hash} was not mined: ${cause.shortMessage}`, { cause })
    throw cause
  }
  throw new DeployError('TRANSACTION_FAILED', `${hash} reverted`)
}
