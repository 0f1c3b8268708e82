import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { IGuard__factory } from '@sluice/bindings'
import type { Deployment } from '@sluice/chains'
import {
  BUILDS,
  currentPlan,
  deployContracts,
  KEYLESS_DEPLOYER,
  predictDeployments,
  standardJson,
  verifyDeployment,
} from '@sluice/contracts'
import { type Anvil, startAnvil } from '@sluice/devnet'
import { getCreateAddress, Transaction } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const chainId = 424_242
let anvil: Anvil
let dir: string

async function rpc<T>(method: string, ...params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(anvil.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return ((await response.json()) as { result: T }).result
}
const deploy = (more: object = {}) => deployContracts({ rpcUrl: anvil.url, chainId, deploymentsDir: dir, ...more })

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'sluice-deploy-'))
  anvil = await startAnvil({ chainId, args: ['--disable-default-create2-deployer'] })
})
afterAll(async () => {
  await anvil?.stop()
  rmSync(dir, { recursive: true, force: true })
})

describe('a deployment', () => {
  test('that is a dry run sends and writes nothing', async () => {
    const { guard } = await deploy({ dryRun: true })
    expect(guard.status).toBe('predicted')
    expect(Number(await rpc<string>('eth_blockNumber'))).toBe(0)
    expect(existsSync(join(dir, `${chainId}.json`))).toBe(false)
  })

  test('of a chain that the registry calls unsupported is refused before any node is asked', async () => {
    await expect(deploy({ chainId: 324, rpcUrl: 'http://127.0.0.1:1' })).rejects.toMatchObject({
      code: 'UNSUPPORTED_CHAIN',
    })
    expect(readdirSync(dir)).toEqual([])
  })

  test('of another chain is refused', async () => {
    await expect(deploy({ chainId: 5 })).rejects.toMatchObject({ code: 'WRONG_CHAIN' })
    expect(readdirSync(dir)).toEqual([])
  })

  test.each(['london', 'shanghai'])('on a chain of %s rules is of the london build, and verifies', async (hardfork) => {
    const old = await startAnvil({ chainId, args: ['--hardfork', hardfork] })
    const oldDir = mkdtempSync(join(tmpdir(), 'sluice-deploy-london-'))
    try {
      const made = await deploy({ rpcUrl: old.url, deploymentsDir: oldDir })
      const { guard, executor } = await currentPlan('london')
      expect(made.guard).toMatchObject({ address: guard.address, build: 'london', status: 'deployed' })
      expect(made.executors).toMatchObject([{ address: executor.address, build: 'london', status: 'deployed' }])
      const checks = await verifyDeployment({ chainId, deploymentsDir: oldDir, rpcUrl: old.url })
      expect(checks).toHaveLength(8)
      expect(checks.filter(({ ok }) => !ok)).toEqual([])
    } finally {
      await old.stop()
      rmSync(oldDir, { recursive: true, force: true })
    }
  })

  test('that the account cannot pay is refused before anything is sent', async () => {
    const privateKey = `0x${'77'.repeat(32)}`
    await expect(deploy({ privateKey })).rejects.toMatchObject({ code: 'FUNDS_SHORT' })
    expect(Number(await rpc<string>('eth_blockNumber'))).toBe(0)
    expect(readdirSync(dir)).toEqual([])
  })

  test('brings the keyless deployer along where the chain lacks it', async () => {
    expect(await rpc('eth_getCode', KEYLESS_DEPLOYER.address, 'latest')).toBe('0x')
    const deployment = await deploy()
    expect(await rpc('eth_getCode', KEYLESS_DEPLOYER.address, 'latest')).toBe(KEYLESS_DEPLOYER.runtime)
    for (const record of [deployment.guard, deployment.executors.at(-1)!]) {
      expect(record.status).toBe('deployed')
      expect((await rpc<string>('eth_getCode', record.address, 'latest')).length).toBeGreaterThan(2)
    }
    expect(JSON.parse(readFileSync(join(dir, `${chainId}.json`), 'utf8'))).toEqual(deployment)
  })

  test('run again does nothing and says the same', async () => {
    const file = readFileSync(join(dir, `${chainId}.json`), 'utf8')
    const block = await rpc('eth_blockNumber')
    await deploy()
    expect(await rpc('eth_blockNumber')).toBe(block)
    expect(readFileSync(join(dir, `${chainId}.json`), 'utf8')).toBe(file)
  })

  test('that someone else has made is recorded with the block at which it was seen', async () => {
    rmSync(join(dir, `${chainId}.json`))
    const { guard } = await deploy()
    expect(guard).toMatchObject({ status: 'deployed', block: Number(await rpc<string>('eth_blockNumber')) })
    expect(guard.transaction).toBeUndefined()
  })

  test('verifies against this source tree and the chain', async () => {
    const checks = await verifyDeployment({ chainId, deploymentsDir: dir, rpcUrl: anvil.url })
    expect(checks).toHaveLength(8)
    expect(checks.filter(({ ok }) => !ok)).toEqual([])
  })
})

test('the keyless deployer is what its own transaction says', () => {
  const { from, data, gasLimit, gasPrice } = Transaction.from(KEYLESS_DEPLOYER.transaction)
  expect(from?.toLowerCase()).toBe(KEYLESS_DEPLOYER.signer)
  expect(getCreateAddress({ from: from!, nonce: 0 }).toLowerCase()).toBe(KEYLESS_DEPLOYER.address)
  expect({ data, gasLimit, cost: gasLimit * gasPrice! }).toEqual({
    data: KEYLESS_DEPLOYER.initCode,
    gasLimit: KEYLESS_DEPLOYER.gasLimit,
    cost: KEYLESS_DEPLOYER.cost,
  })
})

describe('the deployments of this repository', () => {
  test('are those that this source tree predicts', async () => {
    const fresh = mkdtempSync(join(tmpdir(), 'sluice-predict-'))
    try {
      const { written } = await predictDeployments({
        chainsDir: join(root, 'packages/chains/data'),
        deploymentsDir: fresh,
      })
      expect(written.length).toBeGreaterThan(150)
      const builds = new Set<string>()
      for (const id of written) {
        const [committed, predicted] = [join(root, 'deployments'), fresh].map(
          (folder) => JSON.parse(readFileSync(join(folder, `${id}.json`), 'utf8')) as Deployment,
        )
        const stale = `deployments/${id}.json is stale: npm run predict`
        expect(committed!.guard.address, stale).toBe(predicted!.guard.address)
        expect(committed!.executors.at(-1)!.address, stale).toBe(predicted!.executors.at(-1)!.address)
        builds.add(committed!.guard.build)
      }
      expect([...builds].sort()).toEqual(['cancun', 'london'])
    } finally {
      rmSync(fresh, { recursive: true, force: true })
    }
  })
})

describe('invariant 14: the standard JSON that explorers are given', () => {
  test.each([
    ['Guard', 'cancun'],
    ['Executor', 'cancun'],
    ['Guard', 'london'],
    ['Executor', 'london'],
  ] as const)(
    'of %s for %s compiles to the code that is deployed',
    async (contract, build) => {
      const name = BUILDS[build][contract]
      const committed = readFileSync(join(root, `deployments/standard-json/${name}.json`), 'utf8')
      expect(JSON.parse(committed), 'stale: npm run predict').toEqual(standardJson(contract, build))
      // A compiler of its own, apart from Hardhat's and its cache.
      const script = join(root, 'contracts/deploy/compile-standard-json.ts')
      const options = { input: committed, encoding: 'utf8', maxBuffer: 1 << 24 } as const
      const code = execFileSync(process.execPath, ['--stack-size=8000', script, name], options)
      const { guard, executor } = await currentPlan(build)
      expect(code).toBe((contract === 'Guard' ? guard : executor).initCode)
    },
    120_000,
  )
})

test('the clear-signing file shows the function that the Guard has', () => {
  const file = JSON.parse(readFileSync(join(root, 'contracts/erc7730-guard.json'), 'utf8'))
  for (const { chainId: id, address } of file.context.contract.deployments) {
    const committed = JSON.parse(readFileSync(join(root, `deployments/${id}.json`), 'utf8')) as Deployment
    expect(address, 'stale: npm run predict').toBe(committed.guard.address)
  }
  expect(file.context.contract.deployments.length).toBeGreaterThan(150)
  const shown = IGuard__factory.createInterface().getFunction('swap')
  expect(Object.keys(file.display.formats)).toEqual([
    `${shown
      .format('full')
      .replace(/^function /, '')
      .replace(/ payable.*$/, '')
      .replace('tuple(', '(')
      .replaceAll(', ', ',')}`,
  ])
})
