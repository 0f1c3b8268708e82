import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Build, Deployment } from '@sluice/chains'
import { readDeployment, writeDeployment } from './file.ts'
import { hardhatFor } from './hardhat.ts'
import { EXECUTOR_FAMILIES, EXECUTOR_VERSION, type Plan, planDeployment, record } from './plan.ts'

export type PredictOptions = { readonly chainsDir: string; readonly deploymentsDir: string }
export type Predicted = {
  readonly written: readonly number[]
  readonly skipped: readonly { readonly chainId: number; readonly reason: string }[]
}

/** What the chain's file says of its EVM; a flag that is left out is unknown. */
type ChainFacts = {
  readonly chainId: number
  readonly unsupported?: string
  readonly evm: { push0?: boolean; transientStorage?: boolean; mcopy?: boolean }
}

/** Where this tree's contracts will stand on every chain that can run them, as far as is known. */
export async function predictDeployments({ chainsDir, deploymentsDir }: PredictOptions): Promise<Predicted> {
  const plans = { cancun: await currentPlan('cancun'), london: await currentPlan('london') }
  const written: number[] = []
  const skipped: { chainId: number; reason: string }[] = []
  for (const file of readdirSync(chainsDir).filter((name) => /^[0-9]+\.json$/.test(name))) {
    const chain = JSON.parse(readFileSync(join(chainsDir, file), 'utf8')) as ChainFacts
    if (chain.unsupported) skipped.push({ chainId: chain.chainId, reason: chain.unsupported })
    else {
      const before = readDeployment(deploymentsDir, chain.chainId)
      const build = before?.guard.status === 'deployed' ? before.guard.build : buildFor(chain)
      writeDeployment(deploymentsDir, predict(chain.chainId, plans[build], before))
      written.push(chain.chainId)
    }
  }
  return { written, skipped }
}

/** The plan of the contracts as they are compiled now. No node is asked. */
export async function currentPlan(build: Build): Promise<Plan> {
  return planDeployment(await hardhatFor('http://127.0.0.1:1'), build)
}

/** What is not known of a chain counts as there: `npm run deploy` probes it and records the build that runs. */
function buildFor({ evm }: ChainFacts): Build {
  return [evm.push0, evm.transientStorage, evm.mcopy].includes(false) ? 'london' : 'cancun'
}

function predict(chainId: number, { guard, executor }: Plan, before: Deployment | undefined): Deployment {
  const seen = before?.executors.filter(({ status, address }) => status === 'deployed' && address !== executor.address)
  const kept = <T extends { address: string; status: string }>(old: T | undefined, address: string) =>
    old?.address === address && old.status === 'deployed' ? old : undefined
  const newest = { version: EXECUTOR_VERSION, families: EXECUTOR_FAMILIES, ...record(executor) }
  return {
    chainId,
    guard: kept(before?.guard, guard.address) ?? record(guard),
    executors: [...(seen ?? []), kept(before?.executors.at(-1), executor.address) ?? newest],
  }
}
