/** Runs several processes of the service behind nginx, with the configuration in `deploy/nginx`. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@sluice/devnet'
import { type ServiceProcess, startProcess } from './service.ts'

const shippedConfigDir = join(import.meta.dirname, '../../deploy/nginx')
const START_TIMEOUT_MS = 10_000

export const hasNginx = spawnSync('nginx', ['-v']).status === 0

/** Processes of the service behind nginx. */
export type Fleet = {
  /** URL of nginx. */
  readonly url: string
  /** URLs of the processes. */
  readonly workers: readonly string[]
  /** Returns the lines of nginx's log. */
  readonly log: () => readonly string[]
  /** Replaces a process as in an upgrade: stops it gracefully, and starts a new process at the same address. */
  readonly replace: (workerIndex: number) => Promise<void>
  readonly stop: () => Promise<void>
}

export async function startFleet(count: number, env: Readonly<Record<string, string>>): Promise<Fleet> {
  const ports = await Promise.all(Array.from({ length: count }, freePort))
  const start = (port: number) => startProcess({ ...env, PORT: String(port), TRUST_PROXY: 'loopback' })
  const services: ServiceProcess[] = await Promise.all(ports.map(start))
  const nginx = await startNginx(ports).catch(async (error) => {
    await Promise.all(services.map((service) => service.stop()))
    throw error
  })
  return {
    url: nginx.url,
    workers: services.map(({ url }) => url),
    log: nginx.log,
    replace: async (workerIndex) => {
      await services[workerIndex]!.stop()
      services[workerIndex] = await start(ports[workerIndex]!)
    },
    stop: async () => {
      await nginx.stop()
      await Promise.all(services.map((service) => service.stop()))
    },
  }
}

/** Starts nginx with the files of `deploy/nginx`, in which only addresses and folders are replaced. */
async function startNginx(ports: readonly number[]) {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-nginx-'))
  // If root starts nginx, its worker processes run as another user, who must be able to read the folder.
  chmodSync(dir, 0o755)
  const log = join(dir, 'access.log')
  const port = await freePort()
  const config = readFileSync(join(shippedConfigDir, 'nginx.conf'), 'utf8')
    .replaceAll('/tmp/nginx', join(dir, 'nginx'))
    .replace('/dev/stdout', log)
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
  const [, ...serverOptions] = /^server \S+( .*;)$/m.exec(readFileSync(join(shippedConfigDir, 'workers.conf'), 'utf8'))!
  writeFileSync(join(dir, 'nginx.conf'), config)
  writeFileSync(
    join(dir, 'workers.conf'),
    ports.map((workerPort) => `server 127.0.0.1:${workerPort}${serverOptions}\n`).join(''),
  )
  const child = spawn('nginx', ['-c', join(dir, 'nginx.conf'), '-g', 'daemon off;'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const url = `http://127.0.0.1:${port}`
  await waitUntilHealthy(child, url)
  return {
    url,
    log: () => readFileSync(log, 'utf8').trimEnd().split('\n'),
    stop: async () => {
      const exited = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await exited
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

async function waitUntilHealthy(child: ChildProcess, url: string): Promise<void> {
  let errors = ''
  child.stderr!.on('data', (chunk: Buffer) => {
    errors += chunk
  })
  const deadline = Date.now() + START_TIMEOUT_MS
  for (let ok = false; !ok; ) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`nginx did not start: ${errors.slice(0, 2_000)}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
    ok = await fetch(`${url}/health`).then(
      (answer) => answer.ok,
      () => false,
    )
  }
}
