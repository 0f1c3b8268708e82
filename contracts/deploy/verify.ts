/** Compares a recorded deployment with the sources and with the chain (`npm run verify-deployment`). */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Address, type ContractRecord, DEPLOYMENTS_DIR, type Deployment, loadRegistry } from '@sluice/chains'
import { create2Address, hashOf } from './create2.ts'
import { DeployError, toDeployError } from './errors.ts'
import { expectChain, hardhatFor } from './hardhat.ts'
import { EXECUTOR_VERSION, executorInitCode, type PlannedContract, planDeployment } from './plan.ts'
import { compileStandardJson, standardJsonFile } from './standard-json.ts'

export type VerifyOptions = {
  readonly chainId: number
  /** Folder with deployment files that override those of `deployments/`. */
  readonly deploymentsDir?: string | undefined
  /** Endpoint of the chain. If absent, the deployment is compared only with the sources. */
  readonly rpcUrl?: string
  /** Folder of the standard JSON inputs; `deployments/standard-json` by default. */
  readonly standardJsonDir?: string
}
export type Check = { readonly what: string; readonly ok: boolean }
export type VerificationReport = {
  readonly checks: readonly Check[]
  /** Remarks that are no checks, for example that a contract is not deployed yet. */
  readonly notes: readonly string[]
}
type ContractEntry = { readonly name: string; readonly record: ContractRecord; readonly version?: number }

/**
 * Compares every recorded contract with its source, and with the chain if an endpoint is given.
 *
 * @throws DeployError `BAD_FILE` if the chain has no recorded deployment, `WRONG_CHAIN` if the endpoint serves another
 * chain, `UNREACHABLE` or `NODE_FAILED` if it does not answer
 */
export async function verifyDeployment(options: VerifyOptions): Promise<VerificationReport> {
  const { chainId, deploymentsDir, rpcUrl, standardJsonDir = join(DEPLOYMENTS_DIR, 'standard-json') } = options
  const deployment = loadRegistry({ deploymentsDir }).deployment(chainId)
  if (!deployment)
    throw new DeployError(
      'BAD_FILE',
      `no deployment of chain ${chainId} is known: name the folder that has ${chainId}.json`,
    )
  const entries = entriesOf(deployment)
  const hre = await hardhatFor(rpcUrl ?? 'http://127.0.0.1:1')
  const plan = await planDeployment(hre, deployment.guard.build)
  const checks: Check[] = []
  const notes: string[] = []
  for (const { name, record, version } of entries) {
    if (version === undefined) checks.push(...compareWithPlan(name, record, plan.guard))
    else if (version === EXECUTOR_VERSION) checks.push(...compareWithPlan(name, record, plan.executor))
    else
      checks.push(
        compareOlderExecutor(
          name,
          record,
          deployment.guard.address,
          join(standardJsonDir, standardJsonFile('Executor', record.build, version)),
        ),
      )
    const derivedAddress = create2Address(record.initCodeHash, record.salt)
    checks.push({ what: `${name} address ${record.address}`, ok: record.address === derivedAddress })
  }
  if (!rpcUrl) {
    for (const { name, record } of entries)
      if (record.status === 'predicted') notes.push(`${name} is predicted: it will have this address once deployed`)
    return { checks, notes: [...notes, 'no endpoint was given (--rpc), so no chain was asked'] }
  }

  try {
    const connection = await hre.network.create('target')
    try {
      await expectChain(connection.provider, rpcUrl, chainId)
      const client = await connection.viem.getPublicClient()
      for (const { name, record } of entries) {
        const code = await client.getCode({ address: record.address })
        const description = `${name} code on chain ${chainId}`
        if (code && code !== '0x') {
          checks.push({ what: description, ok: hashOf(code) === record.codeHash })
          if (record.status === 'predicted') notes.push(`${name} is deployed, which npm run deploy would record`)
        } else if (record.status === 'predicted') {
          notes.push(`${name} is NOT deployed yet: there is no code at ${record.address}`)
        } else {
          checks.push({ what: description, ok: false })
        }
      }
      return { checks, notes }
    } finally {
      await connection.close()
    }
  } catch (error) {
    throw toDeployError(error, rpcUrl)
  }
}

/** Returns the recorded Guard and Executors. The `version` of the Guard is undefined. */
function entriesOf({ chainId, guard, executors }: Deployment): ContractEntry[] {
  if (executors.length === 0) throw new DeployError('BAD_FILE', `the deployment of chain ${chainId} has no Executor`)
  if (executors.some(({ build }) => build !== guard.build))
    throw new DeployError('BAD_FILE', `the Guard and the Executors of chain ${chainId} are of different builds`)
  return [
    { name: 'Guard', record: guard },
    ...executors.map((record) => ({ name: `Executor ${record.version}`, record, version: record.version })),
  ]
}

function compareWithPlan(name: string, contractRecord: ContractRecord, plannedContract: PlannedContract): Check[] {
  return [
    { what: `${name} creation code`, ok: contractRecord.initCodeHash === plannedContract.initCodeHash },
    { what: `${name} runtime code`, ok: contractRecord.codeHash === plannedContract.codeHash },
  ]
}

/**
 * Compares an Executor of an earlier version with its standard JSON input, because this tree no longer has its sources.
 */
function compareOlderExecutor(
  name: string,
  { build, initCodeHash }: ContractRecord,
  guard: Address,
  file: string,
): Check {
  if (!existsSync(file)) return { what: `${name} creation code: ${file} is missing`, ok: false }
  const initCode = executorInitCode(compileStandardJson(readFileSync(file, 'utf8'), 'Executor', build), guard)
  return { what: `${name} creation code, compiled from ${file}`, ok: hashOf(initCode) === initCodeHash }
}
