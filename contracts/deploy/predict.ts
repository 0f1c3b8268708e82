/** Predicts the addresses of the contracts before they are deployed (`npm run predict`). */
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
import { contractRecordOf, EXECUTOR_VERSION, type Plan, planDeployment } from './plan.ts'

/**
 * Writes `releases.json` with the addresses of this tree's contracts, by build. Keeps earlier Executors of the same
 * Guard while a chain's deployment file records them.
 */
export async function predictReleases(deploymentsDir: string): Promise<void> {
  const previousReleases = readReleases(deploymentsDir)
  const deployedAddresses = addressesInFiles(deploymentsDir)
  const releases: Record<string, Release> = {}
  for (const build of ['cancun', 'london'] as const)
    releases[build] = releaseOf(await currentPlan(build), previousReleases[build], deployedAddresses)
  writeReleases(deploymentsDir, releases)
}

/** Returns the contracts of a build from Hardhat's current artifacts, without a call of a node. */
export async function currentPlan(build: Build): Promise<Plan> {
  return planDeployment(await hardhatFor('http://127.0.0.1:1'), build)
}

function releaseOf(
  { guard, executor }: Plan,
  previousRelease: Release | undefined,
  deployedAddresses: ReadonlySet<string>,
): Release {
  const earlierExecutors = previousRelease?.guard.address === guard.address ? previousRelease.executors : []
  const retainedExecutors = earlierExecutors.filter(
    ({ address }) => address !== executor.address && deployedAddresses.has(address),
  )
  const newest = { version: EXECUTOR_VERSION, families: executableFamilies, ...codeOf(contractRecordOf(executor)) }
  return { guard: codeOf(contractRecordOf(guard)), executors: [...retainedExecutors, newest] }
}

function codeOf({ address, salt, initCodeHash, codeHash }: ContractRecord) {
  return { address, salt, initCodeHash, codeHash }
}

/** Returns the addresses of all contracts that the chains' deployment files record. */
function addressesInFiles(deploymentsDir: string): ReadonlySet<string> {
  const ids = readdirSync(deploymentsDir).flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? [])
  return new Set(ids.flatMap((id) => Object.keys(readDeploymentFile(deploymentsDir, Number(id))!.deployed)))
}
