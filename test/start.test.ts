/**
 * Tests `npm start` and `npm run mainnet` as a user runs them.
 *
 * @module-tag long
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@sluice/devnet'
import { afterEach, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
let kill = () => {}
afterEach(() => kill())

/** Returns the process ids of a process group, from `/proc`; Linux only. */
function groupMembers(group: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const [, , processGroup] = readFileSync(`/proc/${pid}/stat`, 'utf8')
          .replace(/^.*\) /, '')
          .split(' ')
        return Number(processGroup) === group
      } catch {
        return false
      }
    })
    .map(Number)
}

test.skipIf(process.platform !== 'linux').each([
  { name: 'start', command: ['start'], file: '.devnet/devnet.json', chainId: 31337 },
  { name: 'run mainnet', command: ['run', 'mainnet'], file: '.devnet/mainnet/devnet.json', chainId: 1 },
])(
  'npm $name prints working curl lines, and Ctrl-C leaves no process behind',
  async ({ command, file, chainId }) => {
    const port = await freePort()
    const dataDir = mkdtempSync(join(tmpdir(), 'sluice-start-'))
    // A separate process group, like that of a terminal's foreground job, which Ctrl-C signals as a whole.
    const child = spawn('npm', [...command, '--silent'], {
      cwd: root,
      // Settings of a service for real chains, which must not share anything with this one.
      env: { ...process.env, PORT: String(port), DATA_DIR: dataDir, REDIS_URL: 'redis://127.0.0.1:1', CHAINS: '10' },
      detached: true,
    })
    const group = child.pid!
    kill = () => {
      try {
        process.kill(-group, 'SIGKILL')
      } catch {
        // The process has already ended.
      }
    }
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk
    })
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk
    })
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    const deadline = Date.now() + 150_000
    while (!output.includes('Ctrl-C stops everything')) {
      expect(child.exitCode, output).toBeNull()
      expect(Date.now(), output).toBeLessThan(deadline)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }

    const commands = output.split('\n').filter((line) => /^(curl|npm run)/.test(line))
    expect(commands.length).toBe(6)
    for (const line of commands) {
      const { code, stdout } = await shell(line)
      expect(code, `${line}\n${stdout}`).toBe(0)
      expect(stdout, line).not.toContain('"error"')
      if (line.startsWith('npm')) {
        const [, promised, received] = stdout.match(/promised (\d+), received (\d+)/) ?? []
        expect(received, stdout).toBe(promised)
      }
    }

    const devnet = JSON.parse(readFileSync(join(root, file), 'utf8'))
    expect(devnet).toMatchObject({
      chainId,
      rpcUrl: expect.any(String),
      apiUrl: expect.stringMatching(new RegExp(`:${port}$`)),
      guard: expect.any(String),
      executor: expect.any(String),
    })
    expect(devnet.accounts[0]).toMatchObject({ address: expect.any(String), privateKey: expect.any(String) })
    expect(Object.keys(devnet.tokens).length).toBeGreaterThanOrEqual(12)

    process.kill(-group, 'SIGINT')
    await exited
    const gone = Date.now() + 10_000
    while (groupMembers(group).length > 0 && Date.now() < gone) await new Promise((resolve) => setTimeout(resolve, 100))
    expect(groupMembers(group)).toEqual([])
    expect(readdirSync(dataDir)).toEqual([])
    rmSync(dataDir, { recursive: true })
  },
  240_000,
)

test.each(['start', 'mainnet'])(
  '%s refuses an invalid setting in one line, without a stack',
  async (name) => {
    const { code, stdout } = await shell(`PORT=70000 node scripts/${name}.ts`)
    expect(code, stdout).toBe(1)
    expect(stdout).toContain('PORT: must be from 0 to 65535')
    expect(stdout).not.toMatch(/^ {4}at /m)
  },
  240_000,
)

test('npm run send refuses a text that is not a URL in one line', async () => {
  const { code, stdout } = await shell('node scripts/send.ts aggregator')
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/^aggregator is not a URL.*\n$/) })
})

function shell(command: string): Promise<{ code: number | null; stdout: string }> {
  return new Promise((resolve) => {
    const child = spawn('bash', ['-c', command], { cwd: root })
    let stdout = ''
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk
    })
    child.stderr.on('data', (chunk: Buffer) => {
      stdout += chunk
    })
    child.once('close', (code) => resolve({ code, stdout }))
  })
}
