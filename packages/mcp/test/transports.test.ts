/** Tests the transports: malformed and hostile messages, limits, and process exit. Uses no real service. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { BIN, type Local, serveLocally } from './stage.ts'

const HELLO = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}
const callOf = (id: number, name: string, args: object = {}) => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } },
})
const EXPLAIN = callOf(2, 'explain', { chainId: 1, to: `0x${'57'.repeat(20)}`, data: '0x1234' })
const DELAY_MS = 500

type Running = {
  readonly child: ChildProcessWithoutNullStreams
  readonly out: () => string
  readonly log: () => string
  readonly exit: Promise<number | null>
}

const running: Running[] = []
const locals: Local[] = []
afterEach(async () => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL')
  for (const local of locals.splice(0)) await local.close()
})

function start(...args: readonly string[]): Running {
  const child = spawn(process.execPath, [BIN, ...args])
  let [out, log] = ['', '']
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    log += chunk
  })
  // Ignore EPIPE, which occurs if the process exits before it has read everything.
  child.stdin.on('error', () => undefined)
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve))
  const started = { child, out: () => out, log: () => log, exit }
  running.push(started)
  return started
}

/** Starts a service that responds late. */
async function slowService(): Promise<string> {
  const local = await serveLocally((_, response) => void setTimeout(() => response.end('{}'), DELAY_MS))
  locals.push(local)
  return local.url
}

const lines = (...messages: readonly unknown[]) => messages.map((one) => `${JSON.stringify(one)}\n`).join('')
// biome-ignore lint/suspicious/noExplicitAny: the tests read fields of many message types
const messagesIn = (text: string): any[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('stdio', () => {
  test('stdout carries only messages, for any input', async () => {
    const { child, out, log, exit } = start()
    child.stdin.write('no json\n\n{"jsonrpc":"1.0"}\n[]\nnull\n{"jsonrpc":"2.0","id":1,"method":5}\n')
    child.stdin.write(lines(HELLO).replace('\n', '\r\n'))
    child.stdin.end(lines({ jsonrpc: '2.0', method: 'notifications/initialized' }, EXPLAIN))
    expect(await exit).toBe(0)
    const [hello, explained, ...rest] = messagesIn(out())
    expect(rest).toEqual([])
    expect(hello).toMatchObject({ id: 1, result: { serverInfo: { name: 'sluice' }, capabilities: { tools: {} } } })
    expect(hello.result.instructions).toContain('never signs')
    expect(explained).toMatchObject({ id: 2, result: { isError: true } })
    expect(log()).toContain('serving stdio')
  })

  test('ends with stdin, after pending requests are answered', async () => {
    const { child, out, exit } = start('--service', await slowService())
    child.stdin.end(lines(HELLO, callOf(2, 'chains'), callOf(3, 'chains')))
    expect(await exit).toBe(0)
    expect(
      messagesIn(out())
        .map(({ id }) => id)
        .sort(),
    ).toEqual([1, 2, 3])
  })

  test('ends at once if stdin is closed from the start', async () => {
    const { child, out, exit } = start()
    child.stdin.end()
    expect(await exit).toBe(0)
    expect(out()).toBe('')
  })

  test('ends if stdout is closed', async () => {
    const { child, out, exit } = start()
    child.stdin.write(lines(HELLO))
    await expect.poll(out, { timeout: 30_000 }).toContain('serverInfo')
    child.stdout.destroy()
    child.stdin.write(lines(...Array.from({ length: 50 }, (_, k) => ({ ...EXPLAIN, id: k + 2 }))))
    expect(await exit).toBe(0)
  })

  test('an endless message is refused and ends the process', async () => {
    const { child, out, log, exit } = start()
    child.stdin.write('x'.repeat(2 * 1024 * 1024))
    expect(await exit).toBe(1)
    expect(log()).toContain('maximum size')
    expect(out()).toBe('')
  })

  test('an invalid line does not block the next one', async () => {
    const { child, out, exit } = start()
    child.stdin.write('{"jsonrpc":"2.0","id":9,"method":"tools/ca\n')
    child.stdin.end(lines(HELLO))
    expect(await exit).toBe(0)
    expect(messagesIn(out())).toHaveLength(1)
  })
})

describe('Streamable HTTP', () => {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const post = (url: string, body: unknown, overrides: Record<string, string> = {}) =>
    fetch(url, {
      ...{ method: 'POST', headers: { ...headers, ...overrides } },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })

  async function listen(...args: readonly string[]): Promise<Running & { readonly url: string }> {
    const started = start('--http', '0', ...args)
    await vi.waitFor(() => expect(started.log()).toMatch(/serving http:\S+/), 30_000)
    return Object.assign(started, { url: /serving (http:\S+)/.exec(started.log())![1]! })
  }

  /** Process without options, for tests that leave it as it was. */
  let plain: Running & { readonly url: string }
  beforeAll(async () => {
    plain = await listen()
    running.splice(running.indexOf(plain), 1)
  })
  afterAll(() => plain?.child.kill('SIGKILL'))

  /** Sends a raw request, because `fetch` does not allow a custom Host header. */
  function raw(url: string, head: string, body = ''): Promise<string> {
    const { hostname, port } = new URL(url)
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname)
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk
      })
      socket.once('close', () => resolve(text))
      socket.once('error', reject)
      socket.write(`${head}\r\nConnection: close\r\n\r\n${body}`)
    })
  }

  test('answers each request without a session', async () => {
    const { url } = plain
    const hello = await post(url, HELLO)
    expect(hello.status).toBe(200)
    expect(hello.headers.get('mcp-session-id')).toBeNull()
    expect(await hello.json()).toMatchObject({ id: 1, result: { serverInfo: { name: 'sluice' } } })
    const listed = await post(url, { jsonrpc: '2.0', id: 7, method: 'tools/list' })
    expect(await listed.json()).toMatchObject({ id: 7, result: { tools: { length: 7 } } })
    const noted = await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' })
    expect(noted.status).toBe(202)
    // Two clients may use the same request ID concurrently.
    const both = await Promise.all([post(url, EXPLAIN), post(url, EXPLAIN)])
    for (const one of both) expect(await one.json()).toMatchObject({ id: 2, result: { isError: true } })
  })

  test('other methods are 405, and other paths 404', async () => {
    const { url } = plain
    for (const [method, path, status] of [
      ['GET', '/mcp', 405],
      ['DELETE', '/mcp', 405],
      ['PUT', '/mcp', 405],
      ['GET', '/', 404],
      ['POST', '/sse', 404],
    ] as const) {
      const answer = await fetch(new URL(path, url), { method, headers })
      expect(answer.status, `${method} ${path}`).toBe(status)
      if (status === 405) expect(answer.headers.get('allow')).toBe('POST')
      expect(await answer.json()).toMatchObject({ error: { message: expect.any(String) } })
    }
  })

  test('refuses hosts and origins of web pages, except for configured ones', async () => {
    const { url } = await listen('--allow-host', 'mcp.example.com')
    const { host, port } = new URL(url)
    const body = JSON.stringify(HELLO)
    const head = (name: string) =>
      `POST /mcp HTTP/1.1\r\nHost: ${name}\r\nContent-Type: application/json\r\nAccept: ${headers.accept}\r\nContent-Length: ${body.length}`
    const statusOf = async (name: string, more = '') => (await raw(url, head(name) + more, body)).slice(9, 12)
    for (const name of [host, `localhost:${port}`, 'mcp.example.com']) expect(await statusOf(name), name).toBe('200')
    for (const name of ['evil.example', `evil.example:${port}`, `127.0.0.1.evil.example:${port}`, '127.0.0.1', ''])
      expect(await statusOf(name), name).toMatch(/40[03]/)
    expect(await statusOf(host, '\r\nOrigin: https://evil.example')).toBe('403')
    expect(await statusOf(host, `\r\nOrigin: http://localhost:${port}`)).toBe('200')
    expect(await statusOf('mcp.example.com', '\r\nOrigin: null')).toBe('403')
  })

  test('refuses bodies that are too large or invalid, and keeps answering', async () => {
    const { url } = plain
    const large = JSON.stringify({ ...EXPLAIN, params: { filler: 'x'.repeat(600 * 1024) } })
    expect((await post(url, large)).status).toBe(413)
    // The same body without a Content-Length header.
    const chunks = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(large))
        controller.close()
      },
    })
    const streamed = { method: 'POST', headers, body: chunks, duplex: 'half' } as RequestInit
    expect((await fetch(url, streamed)).status).toBe(413)
    for (const body of ['', '{', 'null', '"x"', '{"jsonrpc":"2.0"}', `${'['.repeat(50_000)}`])
      expect((await post(url, body)).status, body.slice(0, 20)).toBe(400)
    expect((await post(url, HELLO, { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await post(url, HELLO, { accept: 'text/html' })).status).toBe(406)
    expect((await post(url, HELLO)).status).toBe(200)
  })

  test('a batch cannot exceed the calls in progress', async () => {
    const { url } = await listen('--service', await slowService())
    const batch = Array.from({ length: 40 }, (_, k) => callOf(k + 1, 'chains'))
    const answers = (await (await post(url, batch)).json()) as { result: { content: { text: string }[] } }[]
    expect(answers).toHaveLength(40)
    const refused = answers.filter(({ result }) => result.content[0]!.text.startsWith('OVERLOADED'))
    expect(refused.length).toBe(40 - 16)
  })

  test('incomplete requests take slots: further ones get 503 until they end', async () => {
    const { url } = plain
    const { hostname, port, host } = new URL(url)
    const sockets = Array.from({ length: 64 }, () => {
      const socket = connect(Number(port), hostname).on('error', () => undefined)
      socket.write(`POST /mcp HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`)
      socket.write(`Accept: ${headers.accept}\r\nContent-Length: 10\r\n\r\n{`)
      return socket
    })
    const status = async () => {
      const answer = await post(url, HELLO)
      await answer.text()
      return answer.status
    }
    await expect.poll(status, { timeout: 30_000 }).toBe(503)
    for (const socket of sockets) socket.destroy()
    await expect.poll(status, { timeout: 30_000 }).toBe(200)
  })

  test('the request of a disconnected client is aborted', async () => {
    let closed = 0
    let requestCount = 0
    const silent = await serveLocally((_, response) => {
      requestCount++
      response.once('close', () => closed++)
    })
    locals.push(silent)
    const { url } = await listen('--service', silent.url)
    const controller = new AbortController()
    const calls = Array.from({ length: 8 }, () =>
      fetch(url, { method: 'POST', headers, body: JSON.stringify(callOf(1, 'chains')), signal: controller.signal }),
    )
    await expect.poll(() => requestCount, { timeout: 30_000 }).toBe(8)
    controller.abort()
    await Promise.allSettled(calls)
    await expect.poll(() => closed, { timeout: 30_000 }).toBe(8)
  })

  test.each(['SIGTERM', 'SIGINT'] as const)('%s ends the process, idle connections and all', async (signal) => {
    const { url, child, exit } = await listen()
    await (await post(url, HELLO)).text()
    child.kill(signal)
    expect(await exit).toBe(0)
  })

  test('a port that is taken is reported', async () => {
    const { url } = plain
    const second = start('--http', new URL(url).port)
    expect(await second.exit).toBe(1)
    expect(second.log()).toMatch(/failed to listen: .*EADDRINUSE/)
  })
})

describe('the command line', () => {
  async function expectMistake(args: readonly string[], message: RegExp): Promise<void> {
    const { log, out, exit } = start(...args)
    expect(await exit).toBe(2)
    expect(log()).toMatch(message)
    expect(log()).toContain('sluice-mcp [options]')
    expect(out()).toBe('')
  }
  test.each([
    [['--bogus'], /Unknown option '--bogus'/],
    [['--service', 'ftp://x'], /--service: must be/],
  ])('%j is a mistake', expectMistake)
  test.each([
    [['extra'], /extra/],
    [['--http', 'x:y'], /--http x:y: must be/],
    [['--http', '0.0.0.0:8080'], /--allow-host/],
    [['--contracts', '/nowhere.json'], /ENOENT/],
    [['--timeout', '56'], /--timeout: must be/],
  ])('%j is a mistake', { tags: 'long' }, expectMistake)
})
