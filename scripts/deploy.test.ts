/** Tests of `npm run deploy` on local nodes. */
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type Hex, readDeployment, readReleases, toAddress, writeDeployment } from '@sluice/chains'
import {
  BUILDS,
  compileStandardJson,
  create2Address,
  currentPlan,
  deployContracts,
  executorInitCode,
  KEYLESS_DEPLOYER,
  predictReleases,
  standardJson,
  standardJsonFile,
  verifyDeployment,
} from '@sluice/contracts'
import { type Anvil, startAnvil } from '@sluice/devnet'
import { getCreateAddress, keccak256, Transaction } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const chainId = 424_242
let anvil: Anvil
let dir: string

async function rpcOf<T>(url: string, method: string, ...params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return ((await response.json()) as { result: T }).result
}
const rpc = <T>(method: string, ...params: unknown[]): Promise<T> => rpcOf(anvil.url, method, ...params)
const deploy = (overrides: object = {}) =>
  deployContracts({ rpcUrl: anvil.url, chainId, deploymentsDir: dir, ...overrides })

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
    const output: string[] = []
    const { guard, executors } = await deploy({ dryRun: true, onProgress: (text: string) => output.push(text) })
    expect(guard.status).toBe('predicted')
    const text = output.join('\n')
    for (const address of [KEYLESS_DEPLOYER.address, guard.address, executors[0]!.address])
      expect(text).toContain(`at ${address}`)
    expect(text).toMatch(/would cost up to 0\.0\d+ native at [\d.]+ gwei; nothing was sent or written/)
    expect(Number(await rpc<string>('eth_blockNumber'))).toBe(0)
    expect(readdirSync(dir)).toEqual([])
  })

  test('of an unsupported chain is refused before any RPC request', async () => {
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
      const record = await deploy({ rpcUrl: old.url, deploymentsDir: oldDir })
      const { guard, executor } = await currentPlan('london')
      expect(record.guard).toMatchObject({ address: guard.address, build: 'london', status: 'deployed' })
      expect(record.executors).toMatchObject([{ address: executor.address, build: 'london', status: 'deployed' }])
      const { checks, notes } = await verifyDeployment({ chainId, deploymentsDir: oldDir, rpcUrl: old.url })
      expect(checks).toHaveLength(8)
      expect(checks.filter(({ ok }) => !ok)).toEqual([])
      expect(notes).toEqual([])
    } finally {
      await old.stop()
      rmSync(oldDir, { recursive: true, force: true })
    }
  })

  test('that exceeds the balance of the account is refused before anything is sent', async () => {
    const privateKey = `0x${'77'.repeat(32)}`
    await expect(deploy({ privateKey })).rejects.toMatchObject({ code: 'FUNDS_SHORT' })
    expect(Number(await rpc<string>('eth_blockNumber'))).toBe(0)
    expect(readdirSync(dir)).toEqual([])
  })

  test('creates the keyless deployer if the chain lacks it', async () => {
    expect(await rpc('eth_getCode', KEYLESS_DEPLOYER.address, 'latest')).toBe('0x')
    const deployment = await deploy()
    expect(await rpc('eth_getCode', KEYLESS_DEPLOYER.address, 'latest')).toBe(KEYLESS_DEPLOYER.runtime)
    for (const record of [deployment.guard, deployment.executors.at(-1)!]) {
      expect(record.status).toBe('deployed')
      expect((await rpc<string>('eth_getCode', record.address, 'latest')).length).toBeGreaterThan(2)
    }
    expect(readDeployment(dir, chainId)).toEqual(deployment)
  })

  test('run again does nothing, with the same output', async () => {
    const file = readFileSync(join(dir, `${chainId}.json`), 'utf8')
    const block = await rpc('eth_blockNumber')
    await deploy()
    expect(await rpc('eth_blockNumber')).toBe(block)
    expect(readFileSync(join(dir, `${chainId}.json`), 'utf8')).toBe(file)
  })

  test('is recorded with the blocks of its transactions', () => {
    const { guard, executors } = readDeployment(dir, chainId)!
    return Promise.all(
      [guard, ...executors].map(async ({ block, transaction }) => {
        const receipt = await rpc<{ blockNumber: string }>('eth_getTransactionReceipt', transaction)
        expect(block).toBe(Number(receipt.blockNumber))
      }),
    )
  })

  test('by another account is recorded with its block, found in past states', async () => {
    const before = readDeployment(dir, chainId)!
    await rpc('anvil_mine', '0x11')
    rmSync(join(dir, `${chainId}.json`))
    const { guard, executors } = await deploy()
    expect(guard).toMatchObject({ status: 'deployed', block: before.guard.block })
    expect(executors).toMatchObject([{ status: 'deployed', block: before.executors[0]!.block }])
    expect(guard.transaction).toBeUndefined()
  })

  test('verifies against this source tree and the chain', async () => {
    const { checks, notes } = await verifyDeployment({ chainId, deploymentsDir: dir, rpcUrl: anvil.url })
    expect(checks).toHaveLength(8)
    expect(checks.filter(({ ok }) => !ok)).toEqual([])
    expect(notes).toEqual([])
  })

  test('is recorded without a transaction if another sender was first', async () => {
    const contested = await startAnvil({ chainId })
    const contestedDir = mkdtempSync(join(tmpdir(), 'sluice-deploy-race-'))
    const send = <T>(method: string, ...params: unknown[]) => rpcOf<T>(contested.url, method, ...params)
    try {
      const { guard } = await currentPlan('cancun')
      const competitor = (await send<string[]>('eth_accounts'))[1]
      await send('evm_setAutomine', false)
      const data = `0x${'00'.repeat(32)}${guard.initCode.slice(2)}`
      await send('eth_sendTransaction', {
        from: competitor,
        to: KEYLESS_DEPLOYER.address,
        data,
        gasPrice: '0x4a817c800',
      })
      // The other account's transaction is mined only after ours is rejected.
      const onProgress = (text: string) => {
        if (text.startsWith('refused')) void send('evm_setAutomine', true).then(() => send('evm_mine'))
      }
      const record = await deploy({ rpcUrl: contested.url, deploymentsDir: contestedDir, onProgress })
      expect(record.guard).toMatchObject({ status: 'deployed', address: guard.address })
      expect(record.guard.transaction).toBeUndefined()
      expect(record.executors[0]!.transaction).toBeDefined()
    } finally {
      await contested.stop()
      rmSync(contestedDir, { recursive: true, force: true })
    }
  })
})

describe('generations of the Executor', () => {
  test('stay in the list while they have code, and verify from their compiler input', async () => {
    const generationsDir = mkdtempSync(join(tmpdir(), 'sluice-generations-'))
    try {
      const older = {
        ...standardJson('Executor', 'cancun'),
        sources: { 'Executor.sol': { content: 'contract Executor { fallback() external {} }' } },
      }
      writeFileSync(join(generationsDir, standardJsonFile('Executor', 'cancun', 77)), JSON.stringify(older))
      const { guard } = await currentPlan('cancun')
      const creationCode = compileStandardJson(JSON.stringify(older), 'Executor', 'cancun')
      const initCode = executorInitCode(creationCode, guard.address)
      const salt = `0x${'00'.repeat(32)}` as const
      const address = create2Address(keccak256(initCode) as `0x${string}`, salt)
      const [from] = await rpc<string[]>('eth_accounts')
      await rpc('eth_sendTransactionSync', { from, to: KEYLESS_DEPLOYER.address, data: salt + initCode.slice(2) })
      const codeHash = keccak256(await rpc<string>('eth_getCode', address, 'latest')) as Hex
      const record = { address, salt, initCodeHash: keccak256(initCode) as Hex, codeHash, build: 'cancun' as const }
      const recordBefore = { version: 77, families: ['uniswap-v2'], ...record, status: 'deployed' as const, block: 1 }
      const gone = { ...recordBefore, address: toAddress(`0x${'99'.repeat(20)}`), version: 76 }

      const [newest] = (await deploy()).executors
      const deployed = await deploy()
      writeDeployment(generationsDir, { ...deployed, executors: [gone, recordBefore, newest!] })
      const { executors } = await deploy({ deploymentsDir: generationsDir })
      expect(executors).toEqual([recordBefore, newest])

      const options = { chainId, deploymentsDir: generationsDir, rpcUrl: anvil.url }
      const { checks } = await verifyDeployment({ ...options, standardJsonDir: generationsDir })
      expect(checks.filter(({ what }) => what.startsWith('Executor 77'))).toHaveLength(3)
      expect(checks.filter(({ ok }) => !ok)).toEqual([])
      const { checks: without } = await verifyDeployment(options)
      expect(without.filter(({ ok }) => !ok).map(({ what }) => what)).toEqual([
        expect.stringContaining('Executor.v77.json is missing'),
      ])
    } finally {
      rmSync(generationsDir, { recursive: true, force: true })
    }
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
  test('verify, and report predicted contracts as not deployed yet', async () => {
    const { checks, notes } = await verifyDeployment({ chainId: 10 })
    expect(checks.filter(({ ok }) => !ok)).toEqual([])
    expect(notes.filter((note) => note.includes('is predicted'))).toHaveLength(2)
    const empty = await startAnvil({ chainId: 10 })
    try {
      const verification = await verifyDeployment({ chainId: 10, rpcUrl: empty.url })
      expect(verification.checks.filter(({ ok }) => !ok)).toEqual([])
      expect(verification.notes).toEqual([
        expect.stringContaining('Guard is NOT deployed yet'),
        expect.stringContaining('Executor 1 is NOT deployed yet'),
      ])
    } finally {
      await empty.stop()
    }
  })

  test('are not verified by a node that fails, whose key the error omits', async () => {
    const unreachable = verifyDeployment({ chainId: 10, rpcUrl: 'http://127.0.0.1:1/secret' })
    const error = await unreachable.catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'UNREACHABLE', message: expect.not.stringContaining('secret') })
    const node = createServer(async (request, response) => {
      const { id, method } = JSON.parse(await text(request)) as { id: number; method: string }
      const error = { code: -32_000, message: `no state at ${request.url}` }
      const answer = method === 'eth_chainId' ? { result: '0xa' } : { error }
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
    })
    await once(node.listen(0, '127.0.0.1'), 'listening')
    try {
      const rpcUrl = `http://127.0.0.1:${(node.address() as AddressInfo).port}/secret`
      const failure = await verifyDeployment({ chainId: 10, rpcUrl }).catch((thrown: unknown) => thrown)
      expect(failure).toMatchObject({ code: 'NODE_FAILED', message: expect.not.stringContaining('secret') })
    } finally {
      node.close()
    }
  })

  test('equal the predictions of this source tree', async () => {
    const fresh = mkdtempSync(join(tmpdir(), 'sluice-predict-'))
    try {
      await predictReleases(fresh)
      const predicted = readReleases(fresh)
      for (const build of ['cancun', 'london'] as const) {
        const stale = 'deployments/releases.json is stale: npm run predict'
        expect(readReleases()[build]?.guard, stale).toEqual(predicted[build]!.guard)
        expect(readReleases()[build]?.executors.at(-1), stale).toEqual(predicted[build]!.executors.at(-1))
      }
    } finally {
      rmSync(fresh, { recursive: true, force: true })
    }
  })
})

describe('invariant 14: the standard JSON that explorers are given', () => {
  test('is documented with its file and the name of the contract', () => {
    const page = readFileSync(join(root, 'docs/adding-a-chain.md'), 'utf8')
    for (const build of ['cancun', 'london'] as const) {
      for (const contract of ['Guard', 'Executor'] as const) {
        const name = BUILDS[build][contract]
        const path = Object.keys(standardJson(contract, build).sources).find((source) =>
          source.endsWith(`/${name}.sol`),
        )
        expect(page).toContain(
          `| ${contract}, \`${build}\` | \`${standardJsonFile(contract, build)}\` | \`${path}:${name}\` |`,
        )
      }
    }
  })

  // A compilation takes 10 to 30 seconds, and a minute on a busy machine.
  test.each([
    ['Guard', 'cancun'],
    ['Executor', 'cancun'],
    ['Guard', 'london'],
    ['Executor', 'london'],
  ] as const)(
    'of %s for %s compiles to the code that is deployed',
    {
      tags: 'long',
      timeout: 600_000,
    },
    async (contract, build) => {
      const committed = readFileSync(join(root, 'deployments/standard-json', standardJsonFile(contract, build)), 'utf8')
      expect(JSON.parse(committed), 'stale: npm run predict').toEqual(standardJson(contract, build))
      const code = compileStandardJson(committed, contract, build)
      const { guard, executor } = await currentPlan(build)
      expect(contract === 'Guard' ? code : executorInitCode(code, guard.address)).toBe(
        (contract === 'Guard' ? guard : executor).initCode,
      )
    },
  )
})
