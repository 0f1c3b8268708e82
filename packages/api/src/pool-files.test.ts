/** Tests of loading pool lists from files and URLs. */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type PoolList, writePoolList } from '@sluice/liquidity'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from './config.ts'
import { loadPoolFiles } from './pool-files.ts'

const list: PoolList = { chainId: 1, block: 24_000_000, deployments: [] }
const bytes = writePoolList(list)
const hash = createHash('sha256').update(bytes).digest('hex')
const other = '0'.repeat(64)

const dir = mkdtempSync(join(tmpdir(), 'sluice-pools-'))
const file = join(dir, 'pools.gz')
let server: Server
let url: string
beforeAll(async () => {
  writeFileSync(file, bytes)
  server = createServer((request, response) => {
    const hops = Number(/^\/hop\/(\d+)$/.exec(request.url!)?.[1] ?? Number.NaN)
    if (hops > 0) response.writeHead(302, { location: `/hop/${hops - 1}` }).end()
    else if (request.url === '/elsewhere') response.writeHead(302, { location: 'file:///etc/passwd' }).end()
    else if (request.url === '/secure') response.writeHead(302, { location: `https://${request.headers.host}/` }).end()
    else if (request.url === '/large') for (let k = 0; k < 33; k++) response.write(Buffer.alloc(1_000_000))
    else if (request.url === '/none') response.writeHead(404).end()
    else response.end(bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  rmSync(dir, { recursive: true })
})

const load = (text: string) => loadPoolFiles(loadConfig({ POOLS: text }).pools)

test('a file and a URL with the right hash are lists of their chain', async () => {
  for (const source of [
    file,
    `${file}#sha256=${hash}`,
    `${file}#sha256=${hash.toUpperCase()}`,
    `${url}/a?key=b#sha256=${hash}`,
  ]) {
    const { lists, warnings } = await load(source)
    expect(warnings).toEqual([])
    expect([...lists.keys()]).toEqual([1])
    expect(lists.get(1)!()).toEqual(list)
  }
  expect((await loadPoolFiles(loadConfig({}).pools)).lists.size).toBe(0)
})

test('another hash than the one named is refused, from wherever the file comes', async () => {
  await expect(load(`${file}#sha256=${other}`)).rejects.toThrow(`has the SHA-256 ${hash}, not ${other}`)
  await expect(load(`${url}/a#sha256=${other}`)).rejects.toThrow('it is not the file that was named')
})

test('a URL without a hash, and a hash that is none, are mistakes of the configuration', () => {
  for (const text of [
    url,
    `${url}/a`,
    `https://example.org/a#sha256=${hash.slice(1)}`,
    `${file}#${hash}`,
    `ftp://a/b#sha256=${hash}`,
    '#sha256=',
    `https://user:secret@a/b#sha256=${hash}`,
    ',',
  ])
    expect(() => loadConfig({ POOLS: text }), text).toThrow('POOLS: ')
})

test('files that are missing, too large, no list, or of the same chain twice are refused', async () => {
  await expect(load(join(dir, 'missing'))).rejects.toThrow('cannot be read')
  await expect(load(dir)).rejects.toThrow('it is not a file')
  const broken = join(dir, 'broken')
  writeFileSync(broken, gzipSync('{"format":"sluice-pools-2"}'))
  await expect(load(broken)).rejects.toThrow('its format is not sluice-pools-1')
  writeFileSync(broken, Buffer.alloc(32_000_001))
  await expect(load(broken)).rejects.toThrow('it is larger than')
  await expect(load(`${file},${url}/a#sha256=${hash}`)).rejects.toThrow('is a second list of chain 1')
})

describe('downloads that fail are done without, and named without their query', () => {
  test.each([
    ['/none', 'status 404'],
    ['/large', 'it is larger than'],
    ['/hop/4', 'more than 3 redirects'],
    ['/elsewhere', 'it is redirected to file:'],
    // The redirect to HTTPS is followed, and meets a server without TLS.
    ['/secure', 'SSL'],
  ])('%s: %s', async (path, reason) => {
    const { lists, warnings } = await load(`${url}${path}#sha256=${hash}`)
    expect(lists.size).toBe(0)
    expect(warnings).toEqual([expect.stringContaining(reason)])
  })

  test('a few redirects are followed', async () => {
    expect((await load(`${url}/hop/3#sha256=${hash}`)).lists.size).toBe(1)
  })

  test('a host that is not there', async () => {
    const { warnings } = await load(`http://127.0.0.1:9/a?key=secret#sha256=${hash}`)
    expect(warnings).toEqual([expect.stringContaining('http://127.0.0.1:9/a cannot be downloaded')])
    expect(warnings.join()).not.toContain('secret')
  })
})
