/** No container engine runs here: what the Dockerfile, the compose file and the workflow name is held against the tree. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, matchesGlob } from 'node:path'
import { loadConfig } from '@sluice/api'
import { afterAll, describe, expect, test } from 'vitest'
import { root } from './lib/run.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const linesOf = (file: string) =>
  read(file)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
const { scripts, engines } = JSON.parse(read('package.json')) as {
  scripts: Record<string, string>
  engines: { node: string }
}

describe('Dockerfile', () => {
  const instructions = linesOf('Dockerfile').map((line) => {
    const [, name, rest] = /^([A-Z]+) (.*)$/.exec(line)!
    return { name: name!, rest: rest! }
  })
  const all = (name: string) => instructions.filter((one) => one.name === name).map(({ rest }) => rest)
  const last = (name: string) => instructions.findLastIndex((one) => one.name === name)
  const stages = all('FROM').flatMap((from) => / AS (\S+)$/.exec(from)?.[1] ?? [])
  const ignored = linesOf('.dockerignore')

  test('copies what is there and not ignored, from stages that there are', () => {
    expect(all('COPY').length).toBeGreaterThan(0)
    for (const copy of all('COPY')) {
      const from = /--from=(\S+)/.exec(copy)?.[1]
      if (from) expect(stages).toContain(from)
      else {
        const sources = copy.split(' ').filter((word) => !word.startsWith('--'))
        for (const source of sources.slice(0, -1)) {
          expect(existsSync(join(root, source)), source).toBe(true)
          expect(
            ignored.some((pattern) => matchesGlob(source, pattern)),
            source,
          ).toBe(false)
        }
      }
    }
  })

  test('keeps out what is made or downloaded, and nothing that the service reads', () => {
    for (const made of ['.git', '.devnet', 'node_modules', 'packages/api/node_modules', 'packages/client/dist'])
      expect(
        ignored.some((pattern) => matchesGlob(made, pattern)),
        made,
      ).toBe(true)
    const needed = [
      'deployments/releases.json',
      'packages/chains/data/1.json',
      'packages/api/src/main.ts',
      'package-lock.json',
    ]
    for (const file of needed) {
      expect(existsSync(join(root, file)), file).toBe(true)
      expect(
        ignored.some((pattern) => matchesGlob(file, pattern)),
        file,
      ).toBe(false)
    }
  })

  test('runs files that there are, with a Node that runs TypeScript, and not as root', () => {
    const files = [...all('RUN'), ...all('CMD')].flatMap((line) => line.match(/[\w./-]+\.(?:mjs|ts)\b/g) ?? [])
    expect(files).toEqual(['scripts/bootstrap.mjs', 'packages/api/src/main.ts'])
    for (const file of files) expect(existsSync(join(root, file)), file).toBe(true)
    for (const from of all('FROM')) expect(from).toMatch(/^node:24-slim( AS \w+)?$/)
    expect(all('USER')).toEqual(['node'])
    expect(last('USER')).toBeGreaterThan(last('FROM'))
    expect(last('CMD')).toBeGreaterThan(last('USER'))
    expect(all('COPY').at(-1)).toContain('--chown=node:node')
  })

  describe('its command and its health check, as they stand there', () => {
    const commandOf = (line: string) => JSON.parse(line.slice(line.indexOf('['))) as [string, ...string[]]
    const health = commandOf(all('HEALTHCHECK')[0]!)
    const serve = commandOf(all('CMD')[0]!)
    let server: ChildProcess | undefined
    afterAll(() => server?.kill('SIGKILL'))
    const isHealthy = (port: number) =>
      new Promise<boolean>((resolve) => {
        execFile(health[0], health.slice(1), { env: { ...process.env, PORT: String(port) } }, (error) =>
          resolve(!error),
        )
      })

    test('serve, tell whether that works, and end at SIGTERM', async () => {
      const port = await freePort()
      expect(await isHealthy(port)).toBe(false)
      const env = { ...process.env, NODE_ENV: 'production', PORT: String(port), LOG_LEVEL: 'silent' }
      server = spawn(serve[0], serve.slice(1), { cwd: root, env, stdio: 'ignore' })
      const ended = new Promise((resolve) => server!.once('exit', resolve))
      await expect.poll(() => isHealthy(port), { timeout: 20_000, interval: 200 }).toBe(true)
      server.kill('SIGTERM')
      expect(await ended).toBe(0)
    })
  })
})

test('compose.yaml names only variables that the service knows, and gives it time to end', () => {
  const text = read('compose.yaml')
  expect(text).toMatch(/^ {4}build: \.$/m)
  const variables = [...text.matchAll(/^ {6}([A-Z][A-Z0-9_]+): \$\{\1:-([^}]*)\}$/gm)].map(([, name, value]) => [
    name,
    value,
  ])
  expect(variables.length).toBeGreaterThan(0)
  const known = read('packages/api/src/config.ts')
  for (const [name] of variables) expect(name!.startsWith('RPC_URL_') || known.includes(`  ${name}: `), name).toBe(true)
  const { shutdownGraceMs, port } = loadConfig(Object.fromEntries(variables))
  expect(Number(/stop_grace_period: (\d+)s/.exec(text)![1]) * 1000).toBeGreaterThan(shutdownGraceMs)
  expect(text).toContain(`'${port}:${port}'`)
})

test.each(readdirSync(join(root, '.github/workflows')))('%s runs commands that there are', (name) => {
  const text = read(`.github/workflows/${name}`)
  const commands = [...text.matchAll(/^ +- run: (.+)$/gm)].map(([, command]) => command!)
  expect(commands.length).toBeGreaterThan(0)
  for (const command of commands) {
    const script = /^npm (?:run )?([\w:-]+)$/.exec(command)?.[1]
    const task = scripts[script!]?.match(/^node scripts\/bootstrap\.mjs ([\w-]+)$/)?.[1]
    expect(existsSync(join(root, `scripts/${task}.ts`)), command).toBe(true)
  }
  for (const [, action] of text.matchAll(/uses: (\S+)/g)) expect(action).toMatch(/^[\w-]+\/[\w-]+@v\d+$/)
  const oldest = Number(/\d+/.exec(engines.node)![0])
  const versions = [...text.matchAll(/^ +node(?:-version)?: \[?([\d, ]+)\]?$/gm)].flatMap(([, list]) =>
    list!.split(',').map(Number),
  )
  expect(Math.min(...versions)).toBe(oldest)
})

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
