import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Deployment } from '@sluice/chains'
import { DeployError } from './errors.ts'

const fileOf = (dir: string, chainId: number) => join(dir, `${chainId}.json`)

export function readDeployment(dir: string, chainId: number): Deployment | undefined {
  const file = fileOf(dir, chainId)
  if (!existsSync(file)) return undefined
  try {
    const found = JSON.parse(readFileSync(file, 'utf8')) as Deployment
    if (found.chainId === chainId && Array.isArray(found.executors)) return found
  } catch (cause) {
    throw new DeployError('BAD_FILE', `${file} is not JSON`, { cause })
  }
  throw new DeployError('BAD_FILE', `${file} is not a deployment of chain ${chainId}`)
}

/** Written aside and renamed, so that a reader meets the old file or the new one. */
export function writeDeployment(dir: string, deployment: Deployment): void {
  mkdirSync(dir, { recursive: true })
  const file = fileOf(dir, deployment.chainId)
  const draft = `${file}.${process.pid}.tmp`
  writeFileSync(draft, `${JSON.stringify(deployment, null, 2)}\n`)
  renameSync(draft, file)
}
