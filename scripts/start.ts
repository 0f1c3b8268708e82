/** `npm start`: contracts, local chain, deployment and API, ready for the curl lines it prints. */
import { join } from 'node:path'
import { loadConfig, startServer } from '@sluice/api'
import { freePort, startDevnet, writeDevnetJson } from '@sluice/devnet'
import { curlLines } from './lib/curl-lines.ts'
import { root } from './lib/run.ts'

const started = Date.now()
const say = (text: string) => console.log(`[${((Date.now() - started) / 1000).toFixed(1).padStart(5)} s] ${text}`)
const dir = join(root, '.devnet')

const devnet = await startDevnet({ dir, port: await preferredPort(8545), onProgress: say })
say(`Local chain ${devnet.chainId} answers on ${devnet.url}`)

const config = loadConfig({
  ...process.env,
  PORT: process.env.PORT ?? '3000',
  LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
  CHAINS_DIR: join(dir, 'chains'),
  DEPLOYMENTS_DIR: join(dir, 'deployments'),
  [`RPC_URL_${devnet.chainId}`]: devnet.url,
})
const api = await startServer(config).catch(async (error: Error) => {
  await devnet.stop()
  console.error(`The API could not start: ${error.message}`)
  process.exit(1)
})

let closing = false
async function shutDown() {
  if (closing) return
  closing = true
  console.log('\nStopping…')
  await Promise.allSettled([api.close(), devnet.stop()])
  process.exit(0)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, shutDown)
// A parent that was killed outright sends no signal: being handed to another parent tells us.
const parent = process.ppid
setInterval(() => process.ppid !== parent && shutDown(), 1000).unref()

await writeDevnetJson({ dir, devnet, apiUrl: api.url })
const lines = curlLines({ apiUrl: api.url, chainId: devnet.chainId, info: devnet.info })
say('Finding pools for the first quote')
const first = await fetch(lines.swapUrl)
if (!first.ok) {
  console.error(`The first quote failed with ${first.status}: ${await first.text()}`)
  await shutDown()
}
say(`Ready on ${api.url}`)
console.log(lines.text)

/** The well-known port when nobody has it, so that wallets find the node; else a free one. */
async function preferredPort(port: number): Promise<number> {
  const { createServer } = await import('node:net')
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(freePort()))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(port)))
  })
}
