/** Tests the playground's files and headers. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig, type RunningServer, startServer } from '../src/index.ts'

/** Folder with a minimal build output; the service treats it like the real one. */
const dir = mkdtempSync(join(tmpdir(), 'sluice-page-'))
const local = join(dir, 'local.json')
let server: RunningServer
let bare: RunningServer

const start = (env: Record<string, string>) =>
  startServer(loadConfig({ PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent', ...env }))

beforeAll(async () => {
  mkdirSync(join(dir, 'app/assets'), { recursive: true })
  writeFileSync(join(dir, 'index.html'), '<!doctype html><title>page</title>')
  writeFileSync(join(dir, 'app/assets/main-4f3a.js'), `// ${'x'.repeat(5_000)}`)
  writeFileSync(join(dir, 'app/assets/type.woff2'), 'font')
  writeFileSync(join(dir, 'app/assets/main-4f3a.js.map'), 'of no type that is served')
  server = await start({ WEB_DIR: dir, LOCAL_CHAIN_FILE: local })
  bare = await start({ WEB_DIR: join(dir, 'nowhere') })
})
afterAll(async () => {
  await Promise.all([server?.close(), bare?.close()])
  rmSync(dir, { recursive: true, force: true })
})

test.each(['/', '/?chain=1', '/app/explain', '/app/chains/1'])(
  '%s is the page, which browsers revalidate each time',
  async (path) => {
    const answer = await fetch(`${server.url}${path}`)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('<title>page</title>')
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-cache')
    const again = await fetch(`${server.url}${path}`, { headers: { 'if-none-match': answer.headers.get('etag')! } })
    expect(again.status).toBe(304)
  },
)

test('its policy allows only its own files, and calls to the node of a local chain if there is one', async () => {
  const policyOf = async () => (await fetch(server.url)).headers.get('content-security-policy')!
  expect(await policyOf()).toBe(
    "default-src 'none';script-src 'self';style-src 'self';font-src 'self';img-src 'self';connect-src 'self';object-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none';require-trusted-types-for 'script';trusted-types 'none'",
  )
  expect(await (await fetch(`${server.url}/app/local-chain.json`)).json()).toEqual({ local: null })
  const contracts = { guard: '0x1', executors: [], factories: [], managers: [], vaultsV2: [], vaultsV3: [] }
  const accounts = [{ address: '0x2', privateKey: '0x3' }]
  writeFileSync(local, JSON.stringify({ chainId: 31337, rpcUrl: 'http://127.0.0.1:9/x', accounts, contracts }))
  expect(await policyOf()).toContain("connect-src 'self' http://127.0.0.1:9;")
  const localChain = await (await fetch(`${server.url}/app/local-chain.json`)).json()
  expect(localChain).toEqual({
    local: { chainId: 31337, rpcUrl: 'http://127.0.0.1:9/x', accounts: [{ address: '0x2' }], contracts },
  })
})

test('files with a hash in their name are immutable, and compressed for clients that accept it', async () => {
  const path = `${server.url}/app/assets/main-4f3a.js`
  const zipped = await fetch(path, { headers: { 'accept-encoding': 'gzip' } })
  expect(zipped.headers.get('content-encoding')).toBe('gzip')
  expect(Number(zipped.headers.get('content-length'))).toBeLessThan(200)
  expect(zipped.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  const encodingOf = async (accepted: string) =>
    (await fetch(path, { headers: { 'accept-encoding': accepted } })).headers.get('content-encoding')
  expect(await encodingOf('gzip, deflate, br')).toBe('br')
  expect(await encodingOf('br;q=0, gzip;q=0.5')).toBe('gzip')

  const plain = await fetch(path, { headers: { 'accept-encoding': 'identity' } })
  expect(plain.headers.get('content-encoding')).toBeNull()
  expect(await plain.text()).toBe(await zipped.text())
  // A strong tag names one sequence of bytes: caches may combine parts of responses that share it.
  const strong = plain.headers.get('etag')!
  expect(strong).toMatch(/^"/)
  expect(zipped.headers.get('etag')).toBe(`W/${strong}`)
  for (const accepted of ['gzip', 'identity']) {
    const again = await fetch(path, { headers: { 'accept-encoding': accepted, 'if-none-match': strong } })
    expect([again.status, again.headers.get('vary')]).toEqual([304, 'Accept-Encoding'])
  }
  const font = await fetch(`${server.url}/app/assets/type.woff2`, { headers: { 'accept-encoding': 'gzip' } })
  expect(font.headers.get('content-encoding')).toBeNull()
})

test.each(['/health', '/ready', '/metrics'])('%s is stored by no cache', async (path) => {
  expect((await fetch(`${server.url}${path}`)).headers.get('cache-control')).toBe('no-store')
})

test.each([
  '/app/assets/gone.js',
  '/app/assets/main-4f3a.js.map',
  '/app/../../package.json',
  '/nowhere',
  '/aggregator',
  '/prices',
])('%s stays 404 with a body for programs', async (path) => {
  const answer = await fetch(`${server.url}${path}`)
  expect(answer.status).toBe(404)
  expect(await answer.json()).toMatchObject({ code: 'NOT_FOUND' })
})

test('without a built page, its paths are 404', async () => {
  for (const path of ['/', '/app/explain']) {
    const answer = await fetch(`${bare.url}${path}`)
    expect(answer.status, path).toBe(404)
    expect(await answer.json()).toMatchObject({ code: 'NOT_FOUND' })
  }
})
