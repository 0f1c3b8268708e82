import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Hex, toAddress } from './address.ts'
import { readDeployment, writeDeployment } from './deployments.ts'
import type { ContractRecord, Deployment } from './types.ts'

const recordOf = (id: number): ContractRecord => {
  const hash: Hex = `0x${String(id).repeat(64)}`
  const address = toAddress(`0x${String(id).repeat(40)}`)
  return { address, salt: hash, initCodeHash: hash, codeHash: hash, build: 'cancun', status: 'deployed', block: id }
}
const deploymentOf = (chainId: number, versions: readonly number[]): Deployment => ({
  chainId,
  guard: recordOf(9),
  executors: versions.map((version) => ({ ...recordOf(version), version, families: [] })),
})

test('Executors stay in the order of their generations if a chain skipped one', () => {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-deployments-'))
  try {
    writeDeployment(dir, deploymentOf(1, [1, 2]))
    writeDeployment(dir, deploymentOf(2, [1, 3]))
    const executorsOf = (chainId: number) =>
      readDeployment(dir, chainId)!.executors.map(({ version, status }) => `${version} ${status}`)
    expect(executorsOf(1)).toEqual(['1 deployed', '2 deployed', '3 predicted'])
    expect(executorsOf(2)).toEqual(['1 deployed', '3 deployed'])
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})
