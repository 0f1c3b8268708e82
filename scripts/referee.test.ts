/** Tests the command on swaps of the local chain: its text, its JSON, and its exit codes. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createBuilder, type Devnet, NodeProxy, startDevnet } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from './lib/run.ts'

const dir = join(root, '.devnet')
const overlay = { CHAINS_DIR: join(dir, 'chains'), DEPLOYMENTS_DIR: join(dir, 'deployments') }
const WHOLE = 10n ** 18n
let devnet: Devnet
let hash: string
beforeAll(async () => {
  devnet = await startDevnet({ dir })
  const { accounts, tokens, routers } = devnet.info
  const router = createBuilder(devnet.url, accounts[0]!.address).contractAt(
    ['function swapExactETHForTokens(uint256,address[],address,uint256) payable'],
    routers.uniswapV2Router02!,
  )
  const path = [tokens.WETH!.address, tokens.USDC!.address]
  const receipt = await router.send('swapExactETHForTokens', [0, path, accounts[0]!.address, 2n ** 40n], 30n * WHOLE)
  hash = (receipt as unknown as { transactionHash: string }).transactionHash
})
afterAll(() => devnet?.stop())

type Finished = { readonly code: number; readonly stdout: string; readonly stderr: string }

async function referee(...args: readonly string[]): Promise<Finished> {
  const env = { ...process.env, ...overlay }
  const run = promisify(execFile)(process.execPath, [join(root, 'scripts/referee.ts'), ...args], { env })
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (failed: Finished) => failed,
  )
}

test('a swap is judged as the JSON of the endpoint', { tags: 'long', timeout: 240_000 }, async () => {
  const json = await referee(hash, '--rpc', devnet.url, '--json')
  const verdict = JSON.parse(json.stdout)
  expect(json.code).toBe(0)
  expect(verdict).toMatchObject({ hash, outcome: 'swap', index: 0, unknown: [], sandwich: null })
  const [{ fromAmount, comparisons }] = verdict.trades
  expect(fromAmount).toBe(`${30n * WHOLE}`)
  expect(comparisons[0].leftBps).toBeGreaterThan(1)
})

test('a swap is judged as text', async () => {
  const words = await referee(hash, '--rpc', devnet.url)
  expect(words.code).toBe(0)
  expect(words.stdout).toMatch(/gave +30\.0 ETH/)
  expect(words.stdout).toMatch(/received +\d+\.\d+ USDC/)
  expect(words.stdout).toMatch(/best simulated +\d+\.\d+ USDC \(\d+ pools\)/)
  expect(words.stdout).toMatch(/left on the table +\d+(\.\d+)? bps, at most /)
  expect(words.stdout).toContain('No sandwich was seen around it.')
}, 240_000)

test('an unknown hash and an invalid one have different exit codes', async () => {
  const unknown = await referee(`0x${'ab'.repeat(32)}`, '--rpc', devnet.url)
  expect(unknown).toMatchObject({ code: 1, stdout: expect.stringContaining('the node does not know') })
  expect(await referee('0x12', '--rpc', devnet.url)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('usage'),
  })
}, 120_000)

test('an unsupported chain, no node, and a node that does not answer', { tags: 'long', timeout: 120_000 }, async () => {
  expect(await referee(hash, '--rpc', devnet.url, '--chain', '31338')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/31338 is not supported.*CHAINS_DIR and DEPLOYMENTS_DIR add chains/s),
  })
  expect(await referee(hash)).toMatchObject({ code: 2 })
  const nowhere = await referee(hash, '--rpc', 'http://127.0.0.1:9')
  expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('does not answer') })
})

test('a node with malformed responses or without the block is an error with a reason, without a stack trace', {
  tags: 'long',
  timeout: 240_000,
}, async () => {
  const receipt = { transactionHash: hash, transactionIndex: '0x0', blockNumber: '0x1', status: '0x1' }
  for (const result of [{ ...receipt, logs: 5 }, { logs: [] }, 'x']) {
    const proxy = await NodeProxy.start(devnet.url, ({ method }) =>
      method === 'eth_getTransactionReceipt' ? { result } : undefined,
    )
    const { code, stdout, stderr } = await referee(hash, '--rpc', proxy.url)
    await proxy.stop()
    expect(code, stderr).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toContain('cannot be read')
    expect(stderr).not.toMatch(/\n +at /)
  }
})
