/**
 * Reads and writes deployments of the contracts. A release is the Guard and the Executors of a build. Their addresses
 * are the same on every chain with that build, so each release is stored once, in `releases.json`. A chain has its own
 * file if contracts were seen there, or if the EVM features that determine its build had to be probed.
 */
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ChainsError } from './errors.ts'
import { parseFile, parseFileOf } from './file.ts'
import { makeDirectory } from './make-directory.ts'
import { deploymentFileSchema, releasesSchema } from './schema.ts'
import type {
  Build,
  Chain,
  ContractCode,
  ContractRecord,
  Deployment,
  DeploymentFile,
  Release,
  Releases,
} from './types.ts'

/** Deployments of the repository. */
export const DEPLOYMENTS_DIR = fileURLToPath(new URL('../../../deployments', import.meta.url))

const RELEASES = 'releases.json'

/**
 * Returns the expected build of a chain. Unknown EVM features count as supported until `npm run deploy` probes them.
 */
export function expectedBuild({ push0, transientStorage, mcopy }: Chain['evm']): Build {
  return [push0, transientStorage, mcopy].includes(false) ? 'london' : 'cancun'
}

/** Returns the releases that apply to a directory: its own, and the repository's for builds without an own release. */
export function readReleases(dir: string = DEPLOYMENTS_DIR): Releases {
  const releasesOfDir = ownReleases(dir)
  return dir === DEPLOYMENTS_DIR ? releasesOfDir : { ...ownReleases(DEPLOYMENTS_DIR), ...releasesOfDir }
}

/** Writes the releases of a directory, replacing its file atomically. */
export function writeReleases(dir: string, releases: Releases): void {
  replaceFile(join(dir, RELEASES), releases)
}

/**
 * Reads a chain's deployment file.
 *
 * @returns undefined if the directory has none
 * @throws ChainsError `BAD_FILE`
 */
export function readDeploymentFile(dir: string, chainId: number): DeploymentFile | undefined {
  const path = fileOf(dir, chainId)
  return existsSync(path) ? parseFileOf(path, chainId, deploymentFileSchema) : undefined
}

/** Returns the deployment that a directory records for a chain. @throws ChainsError `BAD_FILE` */
export function readDeployment(dir: string, chainId: number): Deployment | undefined {
  const file = readDeploymentFile(dir, chainId)
  return file && deploymentOf(file, readReleases(dir))
}

/** Records a deployment: deployed contracts in the chain's file, and the release in `releases.json` if it is new. */
export function writeDeployment(dir: string, { chainId, guard, executors }: Deployment): void {
  const { build } = guard
  const release = releaseOf({ guard, executors })
  const previous = readReleases(dir)[build]
  const olderExecutors = previous?.guard.address === guard.address ? previous.executors : []
  const isMissingFrom = (list: Release['executors']) => (executor: ContractCode) =>
    !list.some(({ address }) => address === executor.address)
  if (release.executors.some(isMissingFrom(olderExecutors)))
    writeReleases(dir, {
      ...ownReleases(dir),
      [build]: {
        ...release,
        // The chain may lack a generation that lies between its own ones.
        executors: [...olderExecutors.filter(isMissingFrom(release.executors)), ...release.executors].sort(
          (a, b) => a.version - b.version,
        ),
      },
    })
  const deployedEntries = [guard, ...executors].flatMap(({ address, status, block, transaction }) =>
    status === 'deployed' ? [[address, { block: block ?? 0, ...(transaction && { transaction }) }] as const] : [],
  )
  replaceFile(fileOf(dir, chainId), { chainId, build, deployed: Object.fromEntries(deployedEntries) })
}

/** Combines a release and a chain's file: the newest Executor always, older ones only if deployed. */
export function deploymentOf({ chainId, build, deployed }: DeploymentFile, releases: Releases): Deployment {
  const release = releases[build]
  if (!release) throw new ChainsError('BAD_FILE', `chain ${chainId}: ${RELEASES} has no release of the ${build} build`)
  const recordOf = <T extends ContractCode>(contract: T): T & ContractRecord => {
    const deployment = deployed[contract.address]
    return {
      ...contract,
      build,
      ...(deployment ? { status: 'deployed' as const, ...deployment } : { status: 'predicted' as const }),
    }
  }
  const executors = release.executors.map(recordOf)
  return {
    chainId,
    guard: recordOf(release.guard),
    executors: executors.filter(({ status }, k) => status === 'deployed' || k === executors.length - 1),
  }
}

/**
 * Returns the deployment for blocks at which the chain's EVM did not support the Cancun build yet: the contracts of the
 * London build. Undefined if the deployment is of the London build itself, or if that build has no release.
 */
export function deploymentForOlderEvm({ chainId, guard }: Deployment): Deployment | undefined {
  if (guard.build !== 'cancun') return undefined
  const releases = readReleases()
  return releases.london && deploymentOf({ chainId, build: 'london', deployed: {} }, releases)
}

function releaseOf({ guard, executors }: Pick<Deployment, 'guard' | 'executors'>): Release {
  const codeOf = ({ address, salt, initCodeHash, codeHash }: ContractRecord): ContractCode => ({
    address,
    salt,
    initCodeHash,
    codeHash,
  })
  return {
    guard: codeOf(guard),
    executors: executors.map(({ version, families, ...record }) => ({ version, families, ...codeOf(record) })),
  }
}

/** Returns the releases in the directory's own file. */
function ownReleases(dir: string): Releases {
  return existsSync(join(dir, RELEASES)) ? parseFile(join(dir, RELEASES), releasesSchema) : {}
}

const fileOf = (dir: string, chainId: number) => join(dir, `${chainId}.json`)

/** Writes a temporary file and renames it, so that readers never see a partial file. */
function replaceFile(path: string, content: object): void {
  makeDirectory(join(path, '..'))
  const temporaryPath = `${path}.${process.pid}.tmp`
  writeFileSync(temporaryPath, `${JSON.stringify(content, null, 2)}\n`)
  renameSync(temporaryPath, path)
}
