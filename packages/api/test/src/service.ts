/** Starts services without a node, and sends requests to services. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ContractRecord, toAddress, writeDeployment } from '@sluice/chains'
import { loadConfig, type RunningServer, startServer } from '../../src/index.ts'
import { SHUTDOWN_GRACE_MS } from './devnet.ts'

export const GUARD = `0x${'11'.repeat(20)}`
const EXECUTOR = `0x${'22'.repeat(20)}`
const hash = `0x${'33'.repeat(32)}` as const
const record = (address: string): ContractRecord => ({
  address: toAddress(address),
  salt: hash,
  initCodeHash: hash,
  codeHash: hash,
  build: 'cancun',
  status: 'predicted',
})

/** Starts a service for Ethereum with invented contracts and, unless `env` names another, an unreachable node. */
export async function startWithoutChain(env: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-api-'))
  const executors = [{ ...record(EXECUTOR), version: 1, families: ['uniswap-v2', 'uniswap-v3'] }]
  writeDeployment(dir, { chainId: 1, guard: record(GUARD), executors })
  const server = await startServer(
    loadConfig({
      PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'silent',
      DEPLOYMENTS_DIR: dir,
      // Port 9 (discard protocol): nothing listens there.
      RPC_URL_1: 'http://127.0.0.1:9',
      SHUTDOWN_GRACE_MS,
      ...env,
    }),
  )
  return {
    ...server,
    close: async () => {
      await server.close()
      rmSync(dir, { recursive: true })
    },
  }
}

/** A response with its complete body. */
export type Answer = {
  readonly status: number
  readonly type: string
  readonly text: string
  readonly headers: Headers
}

/** Sends a request and reads the complete response. */
export async function ask(url: string, init?: RequestInit): Promise<Answer> {
  const response = await fetch(url, init)
  const type = (response.headers.get('content-type') ?? '').split(';')[0]!
  return { status: response.status, type, text: await response.text(), headers: response.headers }
}

/**
 * Requests a quote until its answer stays the same and the chain's background searches and measurements are done.
 *
 * @param path - path of a quote with the tokens to warm up
 */
export async function warmUp(url: string, path: string): Promise<void> {
  const chainId = /^\/[a-z]+\/(\d+)/.exec(path)![1]
  const isSettling = async () => 'settling' in JSON.parse((await ask(`${url}/ready/${chainId}`)).text)
  let previousText = ''
  for (let attempt = 0; attempt < 50; attempt++) {
    const { text } = await ask(url + path)
    const { requestId: _, ...answer } = JSON.parse(text)
    const currentText = JSON.stringify(answer)
    const wasSettling = await isSettling()
    if (currentText === previousText && !wasSettling) return
    previousText = currentText
    for (let poll = 0; poll < 600 && (await isSettling()); poll++)
      await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`the answer to ${path} does not settle`)
}
