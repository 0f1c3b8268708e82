/**
 * Reads and writes deployments of the project's contracts: the Guard and its Executors. A build is their bytecode for
 * one EVM version. A release is the contracts of one build. Their addresses are the same on every chain, so each
 * release is stored once, in `releases.json`. A chain has its own file, `<chainId>.json`, if contracts were found on it
 * or its EVM features were probed.
 */
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ChainsError } from './errors.ts'
import { parseFile, parseFileOfChain } from './file.ts'
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

/** Directory of the repository's deployments. */
export const DEPLOYMENTS_DIR = fileURLToPath(new URL('../../../deployments', import.meta.url))

const RELEASES = 'releases.json'

/**
 * Returns the expected build of a chain. Unknown EVM features count as supported until `npm run deploy` probes them.
 */
export function expectedBuild({ push0, transientStorage, mcopy }: Chain['evm']): Build {
  return [push0, transientStorage, mcopy].includes(false) ? 'london' : 'cancun'
}

/** Returns the releases of a directory. For builds that the directory lacks, returns the repository's releases. */
export function readReleases(dir: string = DEPLOYMENTS_DIR): Releases {
  const releasesOfDir = releasesIn(dir)
  return dir === DEPLOYMENTS_DIR ? releasesOfDir : { ...releasesIn(DEPLOYMENTS_DIR), ...releasesOfDir }
}

/** Replaces the releases of a directory atomically. */
export function writeReleases(dir: string, releases: Releases): void {
  replaceFile(join(dir, RELEASES), releases)
}

/**
 * Reads a chain's deployment file.
 *
 * @returns undefined if the directory has no file of the chain
 * @throws ChainsError `BAD_FILE`
 */
export function readDeploymentFile(dir: string, chainId: number): DeploymentFile | undefined {
  const path = deploymentPath(dir, chainId)
  return existsSync(path) ? parseFileOfChain(path, chainId, deploymentFileSchema) : undefined
}

/**
 * Returns the deployment that a directory records for a chain; undefined if it records none.
 *
 * @throws ChainsError `BAD_FILE`
 */
export function readDeployment(dir: string, chainId: number): Deployment | undefined {
  const file = readDeploymentFile(dir, chainId)
  return file && deploymentOf(file, readReleases(dir))
}

/**
 * Records a deployment. Writes the deployed contracts to the chain's file, and new Executors to `releases.json`.
 */
export function writeDeployment(dir: string, { chainId, guard, executors }: Deployment): void {
  const { build } = guard
  const release = releaseOf({ guard, executors })
  const previous = readReleases(dir)[build]
  const recordedExecutors = previous?.guard.address === guard.address ? previous.executors : []
  const isMissingFrom = (list: Release['executors']) => (executor: ContractCode) =>
    !list.some(({ address }) => address === executor.address)
  if (release.executors.some(isMissingFrom(recordedExecutors)))
    writeReleases(dir, {
      ...releasesIn(dir),
      [build]: {
        ...release,
        // Sort, because the chain may lack an Executor version between two versions that it has.
        executors: [...recordedExecutors.filter(isMissingFrom(release.executors)), ...release.executors].sort(
          (a, b) => a.version - b.version,
        ),
      },
    })
  const deployedEntries = [guard, ...executors].flatMap(({ address, status, block, transaction }) =>
    status === 'deployed' ? [[address, { block: block ?? 0, ...(transaction && { transaction }) }] as const] : [],
  )
  replaceFile(deploymentPath(dir, chainId), { chainId, build, deployed: Object.fromEntries(deployedEntries) })
}

/**
 * Combines a chain's file with the release of its build. Contains the newest Executor, and older ones only if they are
 * deployed on the chain.
 *
 * @throws ChainsError `BAD_FILE` if the build has no release
 */
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
 * Returns the predicted contracts of the London build, for past blocks at which the chain's EVM did not support the
 * Cancun build. Undefined if the deployment itself is of the London build, or if the London build has no release.
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

/** Returns the releases in the file of a directory; empty without a file. */
function releasesIn(dir: string): Releases {
  return existsSync(join(dir, RELEASES)) ? parseFile(join(dir, RELEASES), releasesSchema) : {}
}

const deploymentPath = (dir: string, chainId: number) => join(dir, `${chainId}.json`)

/** Writes a file through a temporary file, so that readers never see a partial file. */
function replaceFile(path: string, content: object): void {
  makeDirectory(join(path, '..'))
  const temporaryPath = `${path}.${process.pid}.tmp`
  writeFileSync(temporaryPath, `${JSON.stringify(content, null, 2)}\n`)
  renameSync(temporaryPath, path)
}
