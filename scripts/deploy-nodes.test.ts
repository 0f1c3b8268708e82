/** Tests deployments through nodes that lag, are rate limited, or lack parts of the usual interface. */
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { currentPlan, deployContracts, KEYLESS_DEPLOYER, verifyDeployment } from '@sluice/contracts'
import {
  type Anvil,
  type Interceptor,
  NodeProxy,
  type RpcAnswer,
  type RpcCall,
  request,
  startAnvil,
} from '@sluice/devnet'
import { keccak256, Wallet } from 'ethers'
import { afterEach, beforeEach, expect, test } from 'vitest'

const CHAIN = 424_301
const KEY = `0x${'5b'.repeat(32)}` as const
const DEPLOYER = new Wallet(KEY).address
const TEN_ETHER = '0x8ac7230489e80000'
const NO_KEYLESS_DEPLOYER = ['--disable-default-create2-deployer']

let dir: string
let running: { stop(): Promise<void> }[]
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sluice-nodes-'))
  running = []
})
afterEach(async () => {
  await Promise.all(running.map((service) => service.stop()))
  rmSync(dir, { recursive: true, force: true })
})

/** Starts a chain, and a deployment to it through a proxy. */
async function deployThrough(
  intercept: (call: RpcCall, anvil: Anvil) => ReturnType<Interceptor>,
  args: readonly string[] = [],
) {
  const anvil = await startAnvil({ chainId: CHAIN, args })
  running.push(anvil)
  await request(anvil.url, 'anvil_setBalance', [DEPLOYER, TEN_ETHER])
  const proxy = await NodeProxy.start(anvil.url, (call) => intercept(call, anvil))
  running.push(proxy)
  const deployment = deployContracts({ rpcUrl: proxy.url, chainId: CHAIN, deploymentsDir: dir, privateKey: KEY })
  // The test awaits it, or expects its error.
  deployment.catch(() => {})
  return { anvil, deployment }
}

const refusal = (message: string, code = -32_000): RpcAnswer => ({ error: { code, message } })

type NodeCase = {
  readonly name: string
  /** Returns the answers of a new node, which may keep a state. */
  readonly start: () => (call: RpcCall, anvil: Anvil) => ReturnType<Interceptor>
  readonly args?: readonly string[]
}

const nodes: readonly NodeCase[] = [
  /** See NomicFoundation/hardhat#8092, cowprotocol/services#64, hiero-ledger/hiero-json-rpc-relay#1513. */
  {
    name: 'that reports the nonce before the last transaction',
    start:
      () =>
      async ({ method, params }, { url }) => {
        if (method !== 'eth_getTransactionCount') return undefined
        const count = Number(await request<string>(url, method, params))
        return { result: `0x${Math.max(0, count - 1).toString(16)}` }
      },
  },
  {
    name: 'without pending transactions',
    start:
      () =>
      ({ method, params }) =>
        method === 'eth_getTransactionCount' && params[1] === 'pending'
          ? refusal('pending block is not available')
          : undefined,
  },
  /** See ethereum/go-ethereum#28877, ethers-io/ethers.js#4999, NomicFoundation/hardhat#6753. */
  {
    name: 'that still indexes the block of a transaction, and is rate limited',
    start: () => {
      let failures = 0
      return ({ method }) => {
        if (method !== 'eth_getTransactionReceipt' || failures >= 4) return undefined
        failures++
        return failures < 3 ? refusal('transaction indexing is in progress') : refusal('limit exceeded', -32_005)
      }
    },
  },
  /** See erigontech/erigon#11743, ava-labs/coreth#932, cosmos/evm#745. */
  {
    name: 'that estimates no gas with overrides of state, on a chain without the keyless deployer',
    start:
      () =>
      ({ method, params }) =>
        method === 'eth_estimateGas' && params.length > 2
          ? refusal('too many arguments, want at most 2', -32_602)
          : undefined,
    args: NO_KEYLESS_DEPLOYER,
  },
]

test.each(nodes)(
  'a node $name deploys both contracts',
  async ({ start, args }) => {
    const { anvil, deployment } = await deployThrough(start(), args)
    const { guard, executors } = await deployment
    const plan = await currentPlan('cancun')
    for (const [record, { codeHash }] of [
      [guard, plan.guard],
      [executors[0]!, plan.executor],
    ] as const) {
      expect(record.transaction).toMatch(/^0x/)
      expect(keccak256(await request<string>(anvil.url, 'eth_getCode', [record.address, 'latest']))).toBe(codeHash)
    }
    const count = await request<string>(anvil.url, 'eth_getTransactionCount', [DEPLOYER, 'latest'])
    expect(Number(count)).toBe(args ? 3 : 2)
  },
  120_000,
)

/** See foundry-rs/foundry#3772, mds1/multicall3#238. */
test.each(['ChainId is required', 'invalid chain id for signer'])(
  'a node that refuses the keyless creation with "%s" receives no funds for it',
  async (message) => {
    const { anvil, deployment } = await deployThrough(
      ({ method, params }) =>
        method === 'eth_sendRawTransaction' && params[0] === KEYLESS_DEPLOYER.transaction
          ? refusal(message)
          : undefined,
      NO_KEYLESS_DEPLOYER,
    )
    await expect(deployment).rejects.toMatchObject({ code: 'KEYLESS_DEPLOYER' })
    expect(BigInt(await request<string>(anvil.url, 'eth_getBalance', [KEYLESS_DEPLOYER.signer, 'latest']))).toBe(0n)
  },
)

test('an answer of another type, and a refused probe, are reported with what the node said', async () => {
  const { deployment } = await deployThrough(({ method }) => (method === 'eth_gasPrice' ? { result: null } : undefined))
  await expect(deployment).rejects.toMatchObject({ code: 'NODE_FAILED', message: expect.stringContaining('null') })
  const strict = await deployThrough(({ method }) =>
    method === 'eth_call' ? refusal('to field is required', -32_602) : undefined,
  )
  await expect(strict.deployment).rejects.toMatchObject({
    code: 'UNSUPPORTED_CHAIN',
    message: expect.stringContaining('to field is required'),
  })
  expect(readdirSync(dir)).toEqual([])
})

test.each([
  'wss://node.example/ws/v3/secret',
  'node.example/v3/secret',
  'http://:secret@127.0.0.1:1',
  'http://user:secret@127.0.0.1:1/',
  'http://127.0.0.1:1/v3/secret?key=secret',
])('the key of the endpoint %s is in no error', async (rpcUrl) => {
  const failures = [
    deployContracts({ rpcUrl, chainId: CHAIN, deploymentsDir: dir }),
    verifyDeployment({ rpcUrl, chainId: 1, deploymentsDir: join(import.meta.dirname, '../deployments') }),
  ]
  for (const failure of failures)
    await expect(failure).rejects.toMatchObject({ code: 'UNREACHABLE', message: expect.not.stringContaining('secret') })
})

test('the credentials of an endpoint are sent decoded, also without a user', async () => {
  const received = new Set<string | undefined>()
  const node = createServer(({ headers }, response) => {
    received.add(headers.authorization)
    response.writeHead(401).end('{}')
  })
  await once(node.listen(0, '127.0.0.1'), 'listening')
  running.push({ stop: async () => void node.close() })
  const { port } = node.address() as AddressInfo
  for (const credentials of [':50%25off', 'me:a%40b']) {
    const rpcUrl = `http://${credentials}@127.0.0.1:${port}/v3`
    const refused = deployContracts({ rpcUrl, chainId: CHAIN, deploymentsDir: dir, dryRun: true })
    await expect(refused).rejects.toMatchObject({ code: 'UNREACHABLE' })
  }
  expect([...received]).toEqual([`Basic ${btoa(':50%off')}`, `Basic ${btoa('me:a@b')}`])
})
