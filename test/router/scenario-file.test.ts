/** Tests of how scenario files are read. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { evaluate } from '../../bench/router/evaluate.ts'
import { generate } from '../../bench/router/generate.ts'
import type { Scenario } from '../../bench/router/scenario.ts'
import { readScenario } from '../../bench/router/scenario-file.ts'

const directory = mkdtempSync(join(tmpdir(), 'sluice-route-'))
afterAll(() => rmSync(directory, { recursive: true }))

const scenario = generate({ name: 'file', nPools: 20, seed: 77, nTrades: 6 })
const script = join(import.meta.dirname, '../../scripts/route.ts')

async function route(contents: object, ...args: readonly string[]) {
  const file = join(directory, 'scenario.json')
  writeFileSync(file, JSON.stringify(contents))
  const run = promisify(execFile)(process.execPath, [script, file, ...args])
  return run.then(
    ({ stdout }) => ({
      lines: stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      stderr: '',
    }),
    ({ stderr, stdout }) => ({ lines: stdout as string, stderr: stderr as string }),
  )
}

/** Returns the same scenario with strings as ids, in another order. */
function renamed({ tokens, pools, trades, ...rest }: Scenario) {
  const token = (id: number) => `token ${id}`
  return {
    ...rest,
    nativeToken: token(rest.nativeToken),
    tokens: tokens.map((entry) => ({ ...entry, id: token(entry.id) })).reverse(),
    pools: pools.map((pool) => ({
      ...pool,
      id: `pool ${pool.id}`,
      token0: token(pool.token0),
      token1: token(pool.token1),
    })),
    trades: trades.map((trade) => ({ ...trade, tokenIn: token(trade.tokenIn), tokenOut: token(trade.tokenOut) })),
  }
}

async function expectActualOutputs(gasPrice: string): Promise<void> {
  const { lines } = await route(scenario, '--gas-price', gasPrice)
  expect(lines).toHaveLength(scenario.trades.length)
  for (const [index, trade] of scenario.trades.entries()) {
    const { id, amountOut, legs, gapBps, ms } = lines[index]
    expect(id).toBe(trade.id)
    expect(ms).toBeGreaterThan(0)
    expect(gapBps).toBeGreaterThanOrEqual(0)
    for (const { num, den } of legs) expect([num, den].every((text) => /^\d+$/.test(text))).toBe(true)
    expect(String(evaluate(scenario, trade, legs).amountOut)).toBe(amountOut)
  }
}

test('the command prints one line per trade, with its actual output', () => expectActualOutputs('10000000000'))
test('without gas too', { tags: 'long' }, () => expectActualOutputs('0'))

test('ids keep their spelling, and one trade can be selected', { tags: 'long' }, async () => {
  const words = renamed(scenario)
  const trades = words.trades.map((trade) => ({ ...trade, id: `trade ${trade.id}` }))
  const { lines } = await route({ ...words, trades }, '--trade', 'trade 2')
  const [plain] = (await route(scenario, '--trade', '2')).lines
  expect(lines).toHaveLength(1)
  expect(lines[0].id).toBe('trade 2')
  expect(plain.id).toBe(2)
  expect(lines[0].amountOut).toBe(plain.amountOut)
  for (const { pool, tokenIn } of lines[0].legs) expect([pool, tokenIn].join()).toMatch(/^pool \d+,token \d+$/)
})

test('a trade without a route has a line too', { tags: 'long' }, async () => {
  const { lines } = await route({ ...scenario, pools: [] })
  expect(lines[0]).toMatchObject({ id: 0, amountOut: '0', legs: [], gapBps: null })
})

async function expectRefused(_: string, args: readonly string[], change: object, message: string): Promise<void> {
  const { lines, stderr } = await route({ ...scenario, ...change }, ...args)
  expect(stderr).toContain(message)
  expect(stderr).not.toContain('    at ')
  expect(lines).toBe('')
}
test.each<[string, readonly string[], object, string]>([
  ['an unknown trade', ['--trade', '99'], {}, 'has no trade 99'],
])('%s is refused with its name', expectRefused)
test.each<[string, readonly string[], object, string]>([
  ['a gas price that is none', ['--gas-price', '1.5'], {}, '--gas-price: 1.5 is not a whole number of wei'],
  ['another version', [], { version: 2 }, 'version must be 1'],
  ['no trades', [], { trades: [] }, 'has no trades'],
])('%s is refused with its name', { tags: 'long' }, expectRefused)

test.each<[string, (scenario: ReturnType<typeof copy>) => void, string]>([
  [
    'lists that are none',
    (spoiled) => Object.assign(spoiled, { pools: {}, tokens: 1 }),
    'tokens must be a list\npools must be a list',
  ],
  ['a pool of an unknown kind', ({ pools }) => Object.assign(pools[1]!, { type: 'v9' }), 'pools.1.type must be v2, v3'],
  [
    'an amount as a number',
    ({ trades }) => Object.assign(trades[0]!, { amountIn: 5 }),
    'trades.0.amountIn must be a dec',
  ],
  [
    'nothing to trade',
    ({ trades }) => Object.assign(trades[0]!, { amountIn: '0' }),
    'trades.0.amountIn must be above 0',
  ],
  [
    'an unknown token',
    ({ trades }) => Object.assign(trades[0]!, { tokenIn: 999 }),
    'trades.0.tokenIn 999 is not among',
  ],
  ['an id given twice', ({ pools }) => Object.assign(pools[1]!, { id: 0 }), 'pools.1.id 0 occurs twice'],
  [
    'a pool of one token',
    ({ pools }) => Object.assign(pools[0]!, { token1: pools[0]!.token0 }),
    'pools.0 must name two',
  ],
])('%s is refused with its field', (_what, spoil, message) => {
  const spoiled = copy()
  spoil(spoiled)
  expect(() => readScenario(JSON.stringify(spoiled))).toThrow(message)
})

function copy(): Scenario {
  return structuredClone(scenario)
}
