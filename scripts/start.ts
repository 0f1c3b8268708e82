/** `npm start`: starts the local chain with its contracts and the API, and prints curl commands to try. */
import { join } from 'node:path'
import { loadConfig, startServer } from '@sluice/api'
import { startDevnet, writeDevnetJson } from '@sluice/devnet'
import { curlLines } from './lib/curl-lines.ts'
import { preferredPort } from './lib/preferred-port.ts'
import { root } from './lib/run.ts'
import { untilStopped } from './lib/until-stopped.ts'

const start = Date.now()
const printProgress = (text: string) =>
  console.log(`[${((Date.now() - start) / 1000).toFixed(1).padStart(5)} s] ${text}`)
const dir = join(root, '.devnet')

const devnet = await startDevnet({ dir, port: await preferredPort(8545), onProgress: printProgress })
printProgress(`Local chain ${devnet.chainId} answers on ${devnet.url}`)

const environment = {
  ...process.env,
  PORT: process.env.PORT ?? '3000',
  LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
  // Each start begins with a new copy of the local chain, so no data of an earlier run is valid.
  ...{ DATA_DIR: '', REDIS_URL: '', ROLE: '' },
  CHAINS: process.env.CHAINS && `${process.env.CHAINS},${devnet.chainId}`,
  CHAINS_DIR: join(dir, 'chains'),
  DEPLOYMENTS_DIR: join(dir, 'deployments'),
  LOCAL_CHAIN_FILE: join(dir, 'devnet.json'),
  [`RPC_URL_${devnet.chainId}`]: devnet.url,
}
const startApi = async () => startServer(loadConfig(environment))
const api = await startApi().catch(async (error: Error) => {
  await devnet.stop()
  console.error(`The API could not start: ${error.message}`)
  process.exit(1)
})

const shutDown = untilStopped(() => [api.close(), devnet.stop()])

await writeDevnetJson({ dir, devnet, apiUrl: api.url })
const lines = curlLines({ apiUrl: api.url, chainId: devnet.chainId, ...devnet.info })
printProgress('Finding pools for the first quote')
const firstQuote = await fetch(lines.swapUrl)
if (!firstQuote.ok) {
  console.error(`The first quote failed with ${firstQuote.status}: ${await firstQuote.text()}`)
  await shutDown(1)
}
printProgress(`Ready on ${api.url}`)
console.log(lines.text)
