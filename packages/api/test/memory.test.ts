/** Measures the memory of a separate process after a load peak. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const PROGRAM = `
import { setTimeout as sleep } from 'node:timers/promises'
import { releaseMemoryWhenIdle } from ${JSON.stringify(join(import.meta.dirname, '../src/memory.ts'))}
const resident = () => process.memoryUsage().rss / 1e6
const stop = process.argv[1] === 'return' ? releaseMemoryWhenIdle(100) : () => {}
let flood = []
for (let k = 0; k < 40_000; k++) flood.push(new Array(1_000).fill(k + 0.5))
const full = resident()
flood = null
for (let k = 0; k < (process.argv[1] === 'return' ? 100 : 15) && resident() > full / 2; k++) await sleep(200)
stop()
console.log(JSON.stringify({ full, rest: resident() }))
`
const run = (...args: string[]): { readonly full: number; readonly rest: number } =>
  JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM, ...args], { encoding: 'utf8' }))

// Resident memory depends on the machine.
test('an idle process releases memory after a burst of requests, which it would otherwise keep', {
  tags: 'long',
}, () => {
  const retained = run()
  const returned = run('return')
  expect(retained.rest).toBeGreaterThan(retained.full / 2)
  expect(returned.rest).toBeLessThan(returned.full / 2)
})
