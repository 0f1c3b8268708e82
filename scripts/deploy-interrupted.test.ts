/**
 * Tests that the next run finishes a deployment that was killed between any two of its transactions.
 *
 * @module-tag long
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readDeployment } from '@sluice/chains'
import { currentPlan, deployContracts } from '@sluice/contracts'
import { startAnvil } from '@sluice/devnet'
import { afterEach, beforeEach, expect, test } from 'vitest'

const chainId = 424_243
/** Private key of anvil's first account. It is publicly known, so the account holds nothing elsewhere. */
const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const account = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
/** Transactions of a deployment: funding the keyless deployer's signer, the signer's transaction, the Guard, and the Executor. */
const TRANSACTIONS = 4

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sluice-interrupted-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

async function post(url: string, body: string): Promise<string> {
  return (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).text()
}
async function rpc<T>(url: string, method: string, ...params: unknown[]): Promise<T> {
  return JSON.parse(await post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))).result
}

function startDeploy(url: string, more: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const script = join(import.meta.dirname, 'deploy.ts')
  const args = [script, '--chain', String(chainId), '--rpc', url, '--deployments', dir, ...more]
  const child = spawn(process.execPath, args, { env: { ...process.env, DEPLOYER_KEY: key, ...env } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const done = once(child, 'close').then(([code, signal]) => ({ code, signal, output }))
  return { child, done }
}

/** Forwards calls to a node, and kills a process before it receives the response to its transaction number `fatal`. */
async function startProxy(upstream: string, fatal: number, victim: () => ChildProcess) {
  let sent = 0
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const answer = await post(upstream, body)
    // The keyless creation is first sent before its signer has funds, and is rejected then.
    if (!answer.includes('"error"')) sent += body.match(/"eth_send(Raw)?Transaction"/g)?.length ?? 0
    if (sent >= fatal) {
      victim().kill('SIGKILL')
      response.destroy()
    } else {
      response.setHeader('content-type', 'application/json').end(answer)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => server.close() }
}

/** Without LONG: after the second transaction and after the last. */
const fatalOnes = Array.from({ length: TRANSACTIONS }, (_, k) => k + 1).filter((k) => process.env.LONG || k % 2 === 0)

test.each(fatalOnes)(
  'killed after transaction %i of 4, a deployment completes at the second run, and sends nothing twice',
  async (fatal) => {
    const anvil = await startAnvil({ chainId, args: ['--disable-default-create2-deployer'] })
    try {
      let victim: ChildProcess | undefined
      const proxy = await startProxy(anvil.url, fatal, () => victim!)
      const first = startDeploy(proxy.url)
      victim = first.child
      expect(await first.done).toMatchObject({ signal: 'SIGKILL' })
      proxy.stop()
      expect(Number(await rpc<string>(anvil.url, 'eth_blockNumber'))).toBe(fatal)
      expect(readdirSync(dir)).toEqual([])

      await deployContracts({ rpcUrl: anvil.url, chainId, deploymentsDir: dir, privateKey: key })
      expect(Number(await rpc<string>(anvil.url, 'eth_blockNumber'))).toBe(TRANSACTIONS)
      expect(Number(await rpc<string>(anvil.url, 'eth_getTransactionCount', account, 'latest'))).toBe(3)
      const recorded = readDeployment(dir, chainId)!
      const { guard, executor } = await currentPlan('cancun')
      for (const [record, { address, codeHash }] of [
        [recorded.guard, guard],
        [recorded.executors[0]!, executor],
      ] as const) {
        expect(record).toMatchObject({ status: 'deployed', address, codeHash })
        expect((await rpc<string>(anvil.url, 'eth_getCode', address, 'latest')).length).toBeGreaterThan(1_000)
      }
      expect(recorded.executors).toHaveLength(1)
    } finally {
      await anvil.stop()
    }
  },
  180_000,
)

test.each([
  [
    'an account without funds',
    { DEPLOYER_KEY: `0x${'77'.repeat(32)}` },
    [],
    /^FUNDS_SHORT: 0x[0-9a-f]{40} holds 0 of/m,
  ],
  ['another chain', {}, ['--chain', '5'], /^WRONG_CHAIN: http:\/\/127.0.0.1:\d+ is chain 424243, not 5/m],
  ['no node', {}, ['--rpc', 'http://127.0.0.1:1'], /^UNREACHABLE: http:\/\/127.0.0.1:1 does not answer/m],
  ['what is no endpoint', {}, ['--rpc', 'anvil'], /^UNREACHABLE: the endpoint is not an http or https address/m],
  ['a key that is none', { DEPLOYER_KEY: '0x12' }, [], /^BAD_KEY: DEPLOYER_KEY must be/m],
  ['a key on the command line', {}, ['--key', key], /Unknown option '--key'/],
  ['no chain id', {}, ['--chain', 'ethereum'], /--chain must be a chain id/],
] as const)('the command reports why it refuses %s, and writes nothing', async (_, env, more, message) => {
  const anvil = await startAnvil({ chainId })
  try {
    const { code, output } = await startDeploy(anvil.url, more, env).done
    expect(code, output).toBe(1)
    expect(output).toMatch(message)
    expect(output).not.toMatch(/^ {4}at /m)
    expect(readdirSync(dir)).toEqual([])
    expect(Number(await rpc<string>(anvil.url, 'eth_blockNumber'))).toBe(0)
  } finally {
    await anvil.stop()
  }
})
