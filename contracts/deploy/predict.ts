import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Deployment } from '@sluice/chains'
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
  readonly evm: { transientStorage?: boolean }
}

/** Where this tree's contracts will stand on every chain that can run them, as far as is known. */
export async function predictDeployments({ chainsDir, deploymentsDir }: PredictOptions): Promise<Predicted> {
  const plan = await currentPlan()
  const written: number[] = []
  const skipped: { chainId: number; reason: string }[] = []
  for (const file of readdirSync(chainsDir).filter((name) => /^[0-9]+\.json$/.test(name))) {
    const chain = JSON.parse(readFileSync(join(chainsDir, file), 'utf8')) as ChainFacts
    const reason = whyNot(chain)
    if (reason) skipped.push({ chainId: chain.chainId, reason })
    else {
      writeDeployment(deploymentsDir, predict(chain.chainId, plan, readDeployment(deploymentsDir, chain.chainId)))
      written.push(chain.chainId)
    }
  }
  return { written, skipped }
}

/** The plan of the contracts as they are compiled now. No node is asked. */
export async function currentPlan(): Promise<Plan> {
  return planDeployment(await hardhatFor('http://127.0.0.1:1'))
}

function whyNot({ unsupported, evm }: ChainFacts): string | undefined {
  if (unsupported) return unsupported
  if (evm.transientStorage === false) return 'has no transient storage, which the cancun build needs'
  return undefined
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
