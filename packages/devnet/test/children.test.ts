/** Tests that child processes end with their parent. */
import { spawn } from 'node:child_process'
import { expect, it } from 'vitest'

const program = `
import { startAnvil } from ${JSON.stringify(new URL('../src/index.ts', import.meta.url).href)}
const { port } = await startAnvil()
console.log(port)
setInterval(() => {}, 1000)
`

it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
  'a program that ends by %s stops its node',
  async (signal) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const port = await new Promise<number>((resolve) => child.stdout.once('data', (data) => resolve(Number(data))))
    const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)))
    child.kill(signal)
    expect(await ended).toBe(signal)
    const deadline = Date.now() + 30_000
    const answers = () =>
      fetch(`http://127.0.0.1:${port}`).then(
        () => true,
        () => false,
      )
    while ((await answers()) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await answers()).toBe(false)
  },
)
