import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { endWithUs } from './children.ts'

export type AnvilOptions = {
  readonly chainId?: number
  /** A free one is taken when absent. */
  readonly port?: number
  /** Further command line arguments, such as `--load-state <file>`. */
  readonly args?: readonly string[]
}

export type Anvil = {
  readonly url: string
  readonly port: number
  readonly stop: () => Promise<void>
}

/** The executable out of the platform's npm package, without the wrapper that would stand between us and its signals. */
export function anvilPath(): string {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const os = process.platform === 'win32' ? 'win32' : process.platform
  const require = createRequire(createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'))
  return require.resolve(`@foundry-rs/anvil-${os}-${arch}/bin/anvil${os === 'win32' ? '.exe' : ''}`)
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      )
    })
  })
}

/** Starts anvil on a port of its own and resolves when it answers. It dies with this process. */
export async function startAnvil({ chainId = 31337, port, args = [] }: AnvilOptions = {}): Promise<Anvil> {
  const onPort = port ?? (await freePort())
  // stdio is ignored: a child that outlives us and holds a pipe hangs the shell.
  const child = spawn(anvilPath(), ['--chain-id', String(chainId), '--port', String(onPort), '--silent', ...args], {
    stdio: 'ignore',
  })
  endWithUs(child)
  const kill = () => child.kill('SIGKILL')
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let gone = false
  void exited.then(() => {
    gone = true
  })
  const url = `http://127.0.0.1:${onPort}`
  const deadline = Date.now() + 20_000
  while (!(await answers(url, chainId))) {
    if (gone) throw new Error(`anvil ended before it answered on port ${onPort}`)
    if (Date.now() > deadline) {
      kill()
      throw new Error(`anvil did not answer on port ${onPort} within 20 s`)
    }
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return {
    url,
    port: onPort,
    stop: async () => {
      child.kill('SIGTERM')
      const timer = setTimeout(kill, 3000)
      await exited
      clearTimeout(timer)
    },
  }
}

async function answers(url: string, chainId: number): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
      signal: AbortSignal.timeout(1000),
    })
    const { result } = (await response.json()) as { result?: string }
    return Number(result) === chainId
  } catch {
    return false
  }
}
