/** Tests the package from a consumer's view: server rendering, contents of the tarball, and bundle size. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { SluiceClient } from '@sluice/client'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { publint } from 'publint'
import { renderToString } from 'react-dom/server'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import {
  quoteOptions,
  SluiceProvider,
  tokenListOptions,
  useQuote,
  useQuoteStream,
  useSluice,
  useSwap,
  useTokenList,
} from '../src/index.ts'

const here = join(import.meta.dirname, '..')
const request = { src: '0x1', dst: '0x2', amount: 10n ** 18n }

function Page() {
  const quote = useQuote(1, request)
  const live = useQuoteStream(1, request)
  const { status } = useSwap()
  const tokens = useTokenList(1)
  const { toAmount } = quote.data ?? {}
  return [useSluice() instanceof SluiceClient, toAmount, live.transport, live.isFetching, status, tokens.status].join()
}

const render = (queries: QueryClient, client: SluiceClient) =>
  renderToString(
    <QueryClientProvider client={queries}>
      <SluiceProvider client={client}>
        <Page />
      </SluiceProvider>
    </QueryClientProvider>,
  )

test('a server renders every hook, requests nothing by itself, and shows what it prefetched', async () => {
  const requests: string[] = []
  const answer = { toAmount: '7', fromAmount: '5', gasEstimate: '1', simulationBlock: 1, swaps: [] }
  const client = new SluiceClient({
    baseUrl: 'http://127.0.0.1:9',
    fetch: async (url) => {
      requests.push(new URL(String(url)).pathname)
      return Response.json(String(url).includes('/quote/') ? answer : { tokens: [] })
    },
  })
  const queries = new QueryClient()
  expect(render(queries, client)).toBe('true,,stream,true,idle,pending')
  expect(requests).toEqual([])
  await queries.prefetchQuery(quoteOptions(client, 1, request))
  await queries.prefetchQuery(tokenListOptions(client, 1))
  expect(requests).toEqual(['/quote/1', '/tokenlist/1'])
  expect(render(queries, client)).toBe('true,7,stream,true,idle,success')
  expect(() => renderToString(<Page />)).toThrow('no SluiceProvider is above this component')
})

test('passes the checks of publint and of Are The Types Wrong', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-react-pack-'))
  try {
    await promisify(execFile)('npm', ['pack', '--silent', '--pack-destination', dir], { cwd: here })
    const tarball = readFileSync(join(dir, readdirSync(dir)[0]!))
    const files = Uint8Array.from(tarball).buffer
    expect((await publint({ pack: { tarball: files }, strict: true })).messages).toEqual([])
    const report = await checkPackage(createPackageFromTarballData(tarball))
    expect(report).toMatchObject({ types: { kind: 'included' }, problems: [] })
  } finally {
    rmSync(dir, { recursive: true })
  }
})

test('weighs at most 6 kB compressed, without its peers', async () => {
  const bundle = await rolldown({ input: join(here, 'src/index.ts'), external: [/^[@a-z]/], logLevel: 'silent' })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  const code = output.map((file) => (file.type === 'chunk' ? file.code : '')).join('')
  expect(code).toContain('useContext')
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(6_000)
})
