/** Whatever the service is doing, whoever tells it to end: all of it is gone within five seconds. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { devnetDir, startService } from './src/service.ts'

const root = join(import.meta.dirname, '..')
const WITHIN_MS = 5_000
const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0)) await step()
})

const answers = (url: string) =>
  fetch(url, { method: 'POST', body: '{}' }).then(
    () => true,
    () => false,
  )

async function msUntilExit(child: ChildProcess): Promise<number> {
  const started = performance.now()
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return performance.now() - started
}

/** The program of `test/src/frozen.ts`, as npm runs one. */
async function frozen() {
  const child = spawn(process.execPath, [join(root, 'scripts/bootstrap.mjs'), '../test/src/frozen'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  undo.push(() => child.kill('SIGKILL'))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const node = String(line).trim()
  expect(await answers(node)).toBe(true)
  await new Promise((resolve) => setTimeout(resolve, 300))
  return { child, node }
}

test('SIGTERM ends a program whose main thread hangs, and its node', async () => {
  const { child, node } = await frozen()
  child.kill('SIGTERM')
  expect(await msUntilExit(child)).toBeLessThan(WITHIN_MS)
  await expect.poll(() => answers(node), { timeout: 2_000 }).toBe(false)
}, 60_000)

test('a second Ctrl-C does not wait', async () => {
  const { child, node } = await frozen()
  child.kill('SIGINT')
  await new Promise((resolve) => setTimeout(resolve, 500))
  child.kill('SIGINT')
  expect(await msUntilExit(child)).toBeLessThan(1_000)
  await expect.poll(() => answers(node), { timeout: 2_000 }).toBe(false)
}, 60_000)

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s ends a service whose node hangs, with fifty requests under way',
  async (signal) => {
    const hanging: Server = createServer(() => {})
    hanging.listen(0, '127.0.0.1')
    await once(hanging, 'listening')
    undo.push(() => {
      hanging.closeAllConnections()
      hanging.close()
    })
    const service = await startService({
      CHAINS_DIR: join(devnetDir, 'chains'),
      DEPLOYMENTS_DIR: join(devnetDir, 'deployments'),
      RPC_URL_31337: `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`,
      RPC_TIMEOUT_MS: '60000',
      REQUEST_TIMEOUT_MS: '60000',
    })
    undo.push(service.stop)
    const address = (k: number) => `0x${String(k).padStart(40, '1')}`
    const under = Array.from({ length: 50 }, (_, k) =>
      fetch(`${service.url}/prices/31337?token=${address(k)}`).then(
        ({ status }) => status,
        () => 'cut',
      ),
    )
    await expect
      .poll(async () => (await fetch(`${service.url}/metrics`)).text())
      .toMatch(/sluice_chain_requests{chain="31337",state="running"} [1-9]/)
    service.process.kill(signal)
    expect(await msUntilExit(service.process)).toBeLessThan(WITHIN_MS)
    for (const outcome of await Promise.all(under)) expect(['cut', 502, 503, 504]).toContain(outcome)
  },
  60_000,
)
