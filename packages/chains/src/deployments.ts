/**
 * Addresses of the contracts. They are the same on every chain of a build, so each release is kept once, in
 * `releases.json`; a chain's own file exists where something was seen there, or where its build had to be probed.
 */
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ChainsError } from './errors.ts'
import { parseFile, parseFileOf } from './file.ts'
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

/** The repository's own deployments. */
export const DEPLOYMENTS_DIR = fileURLToPath(new URL('../../../deployments', import.meta.url))

const RELEASES = 'releases.json'

/** The build that a chain's file promises; what it does not know of its EVM counts as there until `npm run deploy` probes it. */
export function expectedBuild({ push0, transientStorage, mcopy }: Chain['evm']): Build {
  return [push0, transientStorage, mcopy].includes(false) ? 'london' : 'cancun'
}

/** The releases that chains of a directory refer to: its own, and for builds that it does not name the repository's. */
export function readReleases(dir: string = DEPLOYMENTS_DIR): Releases {
  const own = ownReleases(dir)
  return dir === DEPLOYMENTS_DIR ? own : { ...ownReleases(DEPLOYMENTS_DIR), ...own }
}

export function writeReleases(dir: string, releases: Releases): void {
  replaceFile(join(dir, RELEASES), releases)
}

/** @returns undefined where the directory has no file of the chain. @throws ChainsError `BAD_FILE` */
export function readDeploymentFile(dir: string, chainId: number): DeploymentFile | undefined {
  const path = fileOf(dir, chainId)
  return existsSync(path) ? parseFileOf(path, chainId, deploymentFileSchema) : undefined
}

/** The deployment that a directory records of a chain. @throws ChainsError `BAD_FILE` */
export function readDeployment(dir: string, chainId: number): Deployment | undefined {
  const file = readDeploymentFile(dir, chainId)
  return file && deploymentOf(file, readReleases(dir))
}

/**
 * Records a deployment: what was seen in the chain's file, and the release beside it where the directory does not know it
 * yet.
 */
export function writeDeployment(dir: string, { chainId, guard, executors }: Deployment): void {
  const { build } = guard
  const release = releaseOf({ guard, executors })
  const known = readReleases(dir)[build]
  const older = known?.guard.address === guard.address ? known.executors : []
  const lacks = (list: Release['executors']) => (executor: ContractCode) =>
    !list.some(({ address }) => address === executor.address)
  if (release.executors.some(lacks(older)))
    writeReleases(dir, {
      ...ownReleases(dir),
      [build]: { ...release, executors: [...older.filter(lacks(release.executors)), ...release.executors] },
    })
  const seen = [guard, ...executors].flatMap(({ address, status, block, transaction }) =>
    status === 'deployed' ? [[address, { block: block ?? 0, ...(transaction && { transaction }) }] as const] : [],
  )
  replaceFile(fileOf(dir, chainId), { chainId, build, deployed: Object.fromEntries(seen) })
}

/** A chain's contracts as its release and its own file tell: older Executors where they were seen, the newest always. */
export function deploymentOf({ chainId, build, deployed }: DeploymentFile, releases: Releases): Deployment {
  const release = releases[build]
  if (!release) throw new ChainsError('BAD_FILE', `chain ${chainId}: ${RELEASES} has no release of the ${build} build`)
  const record = <T extends ContractCode>(contract: T): T & ContractRecord => {
    const seen = deployed[contract.address]
    return {
      ...contract,
      build,
      ...(seen ? { status: 'deployed' as const, ...seen } : { status: 'predicted' as const }),
    }
  }
  const executors = release.executors.map(record)
  return {
    chainId,
    guard: record(release.guard),
    executors: executors.filter(({ status }, k) => status === 'deployed' || k === executors.length - 1),
  }
}

function releaseOf({ guard, executors }: Pick<Deployment, 'guard' | 'executors'>): Release {
  const code = ({ address, salt, initCodeHash, codeHash }: ContractRecord): ContractCode => ({
    address,
    salt,
    initCodeHash,
    codeHash,
  })
  return {
    guard: code(guard),
    executors: executors.map(({ version, families, ...record }) => ({ version, families, ...code(record) })),
  }
}

/** The releases of the directory's own file. */
function ownReleases(dir: string): Releases {
  return existsSync(join(dir, RELEASES)) ? parseFile(join(dir, RELEASES), releasesSchema) : {}
}

const fileOf = (dir: string, chainId: number) => join(dir, `${chainId}.json`)

/** Written aside and renamed, so that a reader meets the old file or the new one. */
function replaceFile(path: string, content: object): void {
  mkdirSync(join(path, '..'), { recursive: true })
  const draft = `${path}.${process.pid}.tmp`
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`)
  renameSync(draft, path)
}
