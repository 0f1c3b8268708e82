import { readdirSync } from 'node:fs'
import {
  type Build,
  type ContractRecord,
  type Release,
  readDeploymentFile,
  readReleases,
  writeReleases,
} from '@sluice/chains'
import { executableFamilies } from '@sluice/program'
import { hardhatFor } from './hardhat.ts'
import { EXECUTOR_VERSION, type Plan, planDeployment, record } from './plan.ts'

/**
 * Writes the addresses of this tree's contracts on every chain of each build. Earlier Executors of the same Guard stay while a
 * chain's file records one.
 */
export async function predictReleases(deploymentsDir: string): Promise<void> {
  const before = readReleases(deploymentsDir)
  const deployedAddresses = seenAddresses(deploymentsDir)
  const releases: Record<string, Release> = {}
  for (const build of ['cancun', 'london'] as const)
    releases[build] = releaseOf(await currentPlan(build), before[build], deployedAddresses)
  writeReleases(deploymentsDir, releases)
}

/** The plan of the contracts as they are compiled now. No node is asked. */
export async function currentPlan(build: Build): Promise<Plan> {
  return planDeployment(await hardhatFor('http://127.0.0.1:1'), build)
}

function releaseOf(
  { guard, executor }: Plan,
  before: Release | undefined,
  deployedAddresses: ReadonlySet<string>,
): Release {
  const earlier = before?.guard.address === guard.address ? before.executors : []
  const retainedExecutors = earlier.filter(
    ({ address }) => address !== executor.address && deployedAddresses.has(address),
  )
  const newest = { version: EXECUTOR_VERSION, families: executableFamilies, ...codeOf(record(executor)) }
  return { guard: codeOf(record(guard)), executors: [...retainedExecutors, newest] }
}

function codeOf({ address, salt, initCodeHash, codeHash }: ContractRecord) {
  return { address, salt, initCodeHash, codeHash }
}

/** Addresses that were seen on any chain. */
function seenAddresses(deploymentsDir: string): ReadonlySet<string> {
  const ids = readdirSync(deploymentsDir).flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? [])
  return new Set(ids.flatMap((id) => Object.keys(readDeploymentFile(deploymentsDir, Number(id))!.deployed)))
}
