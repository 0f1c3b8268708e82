/** Tests the summary of skipped tests and costs. */
import { expect, test } from 'vitest'
import { groupSkips, reasonOf } from './src/summary.ts'

test('a skipped test names the tool that it needs and how to install it', () => {
  expect(reasonOf('packages/bus/test/bus.test.ts', 'a chain on Redis > follows')).toEqual({
    reason: 'redis-server is not installed',
    enable: 'apt-get install redis-server',
  })
  expect(reasonOf('test/capacity.test.ts', 'keys go where nginx sends them').enable).toBe('apt-get install nginx')
  expect(reasonOf('packages/web/test/swap.test.ts', 'the Swap page').enable).toBe('apt-get install chromium')
  const withoutCore = 'the core itself (EKUBO_CORE names no file with the code of its core)'
  expect(reasonOf('packages/liquidity/test/ekubo.test.ts', withoutCore)).toEqual({
    reason: "no file has the family's own code",
    enable: 'see "Families of files" in bench/README.md',
  })
})

test('a test that the daily profile leaves out names the command that runs it; one that is skipped otherwise its tool', () => {
  const file = 'packages/web/test/pages.test.ts'
  expect(reasonOf(file, 'x', undefined, true).enable).toBe('npm test -- --long')
  expect(reasonOf(file, 'x').enable).toBe('apt-get install chromium')
})

test('the note of a test takes precedence over the needs of its file, and other skips name their file', () => {
  expect(reasonOf('packages/bus/test/bus.test.ts', 'x', 'no state').reason).toBe('no state')
  expect(reasonOf('packages/rpc/test/client.test.ts', 'x').enable).toBe('see packages/rpc/test/client.test.ts')
})

test('skips are counted by reason, the most first', () => {
  const [one, two] = [
    { reason: 'a', enable: 'x' },
    { reason: 'b', enable: 'y' },
  ]
  expect(groupSkips([one, two, two])).toEqual([
    { ...two, tests: 2 },
    { ...one, tests: 1 },
  ])
  expect(groupSkips([])).toEqual([])
})
