/** Starts the service for tests, in the test's own process (cheap) or as a separate process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { loadConfig, startServer } from '@sluice/api'
import { SHUTDOWN_GRACE_MS, SLOW_MACHINE_LIMITS } from '@sluice/api/testing'
import { type Devnet, freePort, startDevnet } from '@sluice/devnet'

const root = join(import.meta.dirname, '../..')
export const devnetDir = join(root, '.devnet')

export type Service = {
  readonly url: string
  readonly stop: () => Promise<void>
}
/** A service in its own process. */
export type ServiceProcess = Service & { readonly process: ChildProcess }

/** Starts the API in this process, on a free port unless `PORT` is set. */
export async function startService(env: Readonly<Record<string, string>>): Promise<Service> {
  const testEnv = { HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: '' }
  const { url, close } = await startServer(
    loadConfig({ ...testEnv, ...SLOW_MACHINE_LIMITS, SHUTDOWN_GRACE_MS, ...env }),
  )
  return { url, stop: close }
}

/** Starts the API as a separate process, on `PORT` or a free port, and resolves when it responds. */
export async function startProcess(env: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const port = env.PORT ? Number(env.PORT) : await freePort()
  const child = spawn(process.execPath, [join(root, 'packages/api/src/main.ts')], {
    // Without DATA_DIR, the service stores no data that a later test would find.
    env: { ...process.env, LOG_LEVEL: 'error', DATA_DIR: '', ...SLOW_MACHINE_LIMITS, ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = `http://127.0.0.1:${port}`
  const deadline = Date.now() + 30_000
  while (
    !(await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || Date.now() > deadline) {
      kill()
      throw new Error(`the API did not start: ${errors.slice(0, 2000)}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    url,
    process: child,
    stop: async () => {
      process.off('exit', kill)
      child.kill('SIGTERM')
      const timer = setTimeout(kill, 10_000)
      await exited
      clearTimeout(timer)
    },
  }
}

/** A local chain with an API for it. */
export type System = {
  readonly devnet: Devnet
  /** Base URL of the API. */
  readonly api: string
  readonly stop: () => Promise<void>
}

/** Starts a local chain from the saved state, and an API for it. */
export async function startSystem(env: Readonly<Record<string, string>> = {}): Promise<System> {
  const devnet = await startDevnet({ dir: devnetDir })
  try {
    const service = await startService({ ...serviceEnv(devnet), ...env })
    return {
      devnet,
      api: service.url,
      stop: async () => {
        await service.stop()
        await devnet.stop()
      },
    }
  } catch (error) {
    await devnet.stop()
    throw error
  }
}

export function serviceEnv(devnet: Devnet): Record<string, string> {
  return {
    CHAINS_DIR: join(devnetDir, 'chains'),
    DEPLOYMENTS_DIR: join(devnetDir, 'deployments'),
    [`RPC_URL_${devnet.chainId}`]: devnet.url,
  }
}
