/** Tests of `npm run coverage:pools` on the recorded blocks of Scroll. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readRecordings, replayBlock, startRecording } from '@sluice/devnet'
import { expect, onTestFinished, test } from 'vitest'
import type { Coverage } from './coverage-pools/coverage.ts'
import { type Summary, summaryOf } from './coverage-pools/report.ts'
import { root } from './lib/run.ts'

const TIMEOUT_MS = 180_000
const MAX_BYTES = 2 ** 24
const file = join(root, 'bench/results/pool-coverage.json')
const committed = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<'ethereum' | 'linea' | 'scroll', Summary>>

async function run(...args: readonly string[]): Promise<string> {
  const script = join(root, 'scripts/coverage-pools.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], { maxBuffer: MAX_BYTES })
  return stdout
}

test(
  'the recorded blocks have the shares of the committed result',
  async () => {
    const { scroll } = JSON.parse(await run('--recorded', 'scroll', '--json')) as { scroll: readonly Coverage[] }
    const { swaps, transactions, pools, unused } = summaryOf(scroll)
    expect({ swaps, transactions, pools, unused }).toEqual({
      swaps: committed.scroll.swaps,
      transactions: committed.scroll.transactions,
      pools: committed.scroll.pools,
      unused: committed.scroll.unused,
    })
  },
  TIMEOUT_MS,
)

test('over an RPC the pools of the most traded tokens are listed with their states and reasons', {
  tags: 'long',
  timeout: TIMEOUT_MS,
}, async () => {
  const [recording] = readRecordings('scroll')
  const node = await startRecording(recording!)
  onTestFinished(() => node.stop())
  for (const block of recording!.blocks) await replayBlock(node.url, block)
  const text = await run('--chain', '534352', '--rpc', node.url, '--blocks', '20', '--tokens', '2', '--settle', '5')
  expect(text).toMatch(/^WETH: 57 swaps in 22 pools$/m)
  expect(text).toMatch(/^ {2}served +24 {2}Honeypop 0x04566bf83399e4f750728d1ef57008aedda00e71$/m)
  expect(text).toMatch(/^ {2}sampled +1 {2}Maverick V2 0x882f1fdd5e320e39b6baa8317ec6f0171d1f4998$/m)
  expect(text).toMatch(/^scroll: 2 tokens\n {2}swaps +\d+(\.\d+)? % of \d+ usable: \d+ served, /m)
  expect(text).not.toContain('the recorded state lacks')
})

async function expectRefused(args: readonly string[], reason: string): Promise<void> {
  const error = await run(...args).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 2, stderr: expect.stringContaining(`${reason}\nnpm run coverage:pools`) })
}
test.each([
  [['--blocks', '0'], '--blocks: 0 is not a whole number from 1 to 1000'],
  [['--tokens', '1e3'], '--tokens: 1e3 is not a whole number from 1 to 1000'],
  [['--chain', '7'], '--chain: the registry has no chain 7'],
  [[], '--chain is missing'],
  [['--recorded', 'base'], '--recorded: base is unknown; use ethereum, linea, scroll'],
  [['--recorded', '--chain', '1'], '--recorded goes without --chain and --rpc'],
])('%j is refused', { tags: 'long', timeout: TIMEOUT_MS }, expectRefused)

test('an --rpc that is no URL is refused', { tags: 'long', timeout: TIMEOUT_MS }, async () => {
  const error = await run('--chain', '1', '--rpc', 'node').catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 2, stderr: '--rpc: must be http or https addresses, separated by commas\n' })
})
