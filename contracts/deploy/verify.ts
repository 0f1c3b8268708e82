import type { ContractRecord } from '@sluice/chains'
import { create2Address, hashOf } from './create2.ts'
import { DeployError } from './errors.ts'
import { readDeployment } from './file.ts'
import { hardhatFor } from './hardhat.ts'
import { type PlannedContract, planDeployment } from './plan.ts'

export type VerifyOptions = {
  readonly chainId: number
  readonly deploymentsDir: string
  /** Compares the code on chain too. */
  readonly rpcUrl?: string
}
export type Check = { readonly what: string; readonly ok: boolean }

/** @throws DeployError `BAD_FILE` when the chain has no deployment, `WRONG_CHAIN` when the endpoint serves another */
export async function verifyDeployment({ chainId, deploymentsDir, rpcUrl }: VerifyOptions): Promise<Check[]> {
  const deployment = readDeployment(deploymentsDir, chainId)
  if (!deployment) throw new DeployError('BAD_FILE', `${deploymentsDir} has no deployment of chain ${chainId}`)
  const hre = await hardhatFor(rpcUrl ?? 'http://127.0.0.1:1')
  const executor = deployment.executors.at(-1)
  if (!executor) throw new DeployError('BAD_FILE', `the deployment of chain ${chainId} has no Executor`)
  if (executor.build !== deployment.guard.build)
    throw new DeployError('BAD_FILE', `the Guard and the Executor of chain ${chainId} are of different builds`)
  const plan = await planDeployment(hre, executor.build)
  const checks = [...compare('Guard', deployment.guard, plan.guard), ...compare('Executor', executor, plan.executor)]
  if (!rpcUrl) return checks

  const connection = await hre.network.create('target')
  try {
    const found = Number(await connection.provider.request({ method: 'eth_chainId' }))
    if (found !== chainId) throw new DeployError('WRONG_CHAIN', `${rpcUrl} is chain ${found}, not ${chainId}`)
    const client = await connection.viem.getPublicClient()
    for (const [name, { address, codeHash }] of [
      ['Guard', deployment.guard],
      ['Executor', executor],
    ] as const) {
      const code = await client.getCode({ address })
      checks.push({ what: `${name} code on chain ${chainId}`, ok: code !== undefined && hashOf(code) === codeHash })
    }
    return checks
  } finally {
    await connection.close()
  }
}

function compare(name: string, recorded: ContractRecord, planned: PlannedContract): Check[] {
  return [
    { what: `${name} creation code`, ok: recorded.initCodeHash === planned.initCodeHash },
    { what: `${name} runtime code`, ok: recorded.codeHash === planned.codeHash },
    {
      what: `${name} address ${recorded.address}`,
      ok: recorded.address === create2Address(recorded.initCodeHash, recorded.salt),
    },
  ]
}
