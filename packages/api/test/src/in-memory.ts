/** Test fixture: the app over one chain with a fake live part, and a client with in-memory connections. */
import { createServer, type IncomingHttpHeaders, request as send } from 'node:http'
import { duplexPair } from 'node:stream'
import { type Address, toAddress } from '@sluice/chains'
import { type Logger, pino } from 'pino'
import { ChainAdmission } from '../../src/admission/admission.ts'
import { ConcurrencyLimit } from '../../src/admission/concurrency-limit.ts'
import { createApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import { EventStreams } from '../../src/http/event-streams.ts'
import { createMetrics } from '../../src/metrics.ts'
import { unsupportedChainError } from '../../src/requests.ts'
import { type Services, silentLog } from '../../src/services.ts'

type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string }
type Sent = { readonly method?: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }

export const account = (digit: string): Address => toAddress(`0x${digit.repeat(40)}`)
export const [ONE, TWO] = [account('1'), account('2')] as [Address, Address]

/** Returns a logger of errors, and the lines that it has written. */
export function errorLog(): {
  readonly log: Logger
  readonly lines: readonly { readonly err: { readonly message: string } }[]
} {
  const lines: { readonly err: { readonly message: string } }[] = []
  return { log: pino({ level: 'error' }, { write: (line) => void lines.push(JSON.parse(line)) }), lines }
}

/** Creates the app over one chain with a fake live part, and a client with in-memory connections. */
export function served(
  liveChain: object = {},
  environment: Readonly<Record<string, string>> = {},
  log: Logger = silentLog(),
) {
  const config = loadConfig({ WEB_DIR: '/nowhere', ...environment })
  const metrics = createMetrics()
  const places = new ConcurrencyLimit(config.maxConcurrent, () => 0)
  const chain = {
    ...{
      chain: { chainId: 1, wrappedNative: null },
      deployment: { guard: { address: account('f') }, executors: [] },
      routerAddress: account('f'),
    },
    admission: new ChainAdmission({ concurrency: places, maxWaiting: 10, maxWaitMs: 1_000 }),
    liveChain: { recentResponse: () => undefined, status: () => ({ chainId: 1, state: 'following' }), ...liveChain },
  }
  const services = {
    metrics,
    log,
    isClosing: false,
    startedChains: [],
    scaleOut: undefined,
    startedChain: () => chain,
    registry: {
      chainMap: () => ({ 1: { ChainName: 'Ethereum', ChainID: '1', CoinsPrefix: null, RouterAddress: account('f') } }),
      supportedIds: () => [1],
    },
    streams: new EventStreams({ maxTotal: 2, maxPerCaller: 2 }),
    chain: (chainId: number) => {
      if (chainId !== 1) throw unsupportedChainError(chainId)
      return chain
    },
  } as unknown as Services
  const { listener, metrics: metricsListener } = createApp(services, config)
  const ask = (
    path: string,
    { method = 'GET', headers = {}, body: sentBody }: Sent = {},
    by = listener,
  ): Promise<Answer> => {
    const [ours, theirs] = duplexPair()
    createServer({ maxHeaderSize: 65_536 }, by).emit('connection', theirs)
    return new Promise((resolve, reject) => {
      const sent = send({ createConnection: () => ours as never, path, method, headers })
      sent.once('error', reject)
      sent.once('response', (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (text: string) => {
          body += text
        })
        response.once('error', reject)
        response.once('end', () => resolve({ status: response.statusCode!, headers: response.headers, body }))
      })
      sent.end(sentBody)
    })
  }
  return { ask, metrics, services, metricsListener }
}
