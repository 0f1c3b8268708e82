/**
 * Serves stateless Streamable HTTP: each request gets its own MCP server and transport, which close with the response.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'

const PATH = '/mcp'
/** Maximum request body: 128 kB of calldata as hexadecimal text, plus the other fields. */
const MAX_BODY_BYTES = 512 * 1024
const MAX_CONNECTIONS = 256
/** Maximum requests in progress. */
const MAX_REQUESTS = 64
/** Timeout for receiving the headers of a request. */
const HEADERS_TIMEOUT_MS = 10_000
/** Timeout for receiving a whole request. */
const REQUEST_TIMEOUT_MS = 30_000
/** Interval at which Node checks the two timeouts above. */
const CHECK_INTERVAL_MS = 5_000

/** Address to listen on, and host names that clients may use. */
export type HttpServerOptions = {
  readonly host: string
  readonly port: number
  /** Accepted values of the Host header in addition to the listening address and localhost. */
  readonly allowedHosts: readonly string[]
}

/** A listening server. */
export type HttpListener = { readonly url: string; readonly close: () => Promise<void> }

/**
 * Listens for POST requests at `/mcp`. Refuses (403) requests whose Host or Origin header is not allowed, so that no
 * web page can reach the server by DNS rebinding.
 */
export async function listen(
  { host, port, allowedHosts: configuredHosts }: HttpServerOptions,
  createMcpServer: () => McpServer,
): Promise<HttpListener> {
  let allowedHosts: string[] = []
  let inFlight = 0

  async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const mcp = createMcpServer()
    const transport = new StreamableHTTPServerTransport({
      enableJsonResponse: true,
      maxRequestBodySize: MAX_BODY_BYTES,
      enableDnsRebindingProtection: true,
      allowedHosts,
      allowedOrigins: allowedHosts.flatMap((name) => [`http://${name}`, `https://${name}`]),
    })
    response.once('close', () => {
      inFlight--
      // If the client has disconnected, `close` cancels the calls in progress.
      mcp.close().catch(logError)
    })
    await mcp.connect(transport as Transport)
    await transport.handleRequest(request, response)
  }

  const options = {
    ...{ headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS },
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
  }
  const server = createServer(options, (request, response) => {
    const [path] = (request.url ?? '').split('?')
    if (path !== PATH) return refuse(response, 404, `the only path is ${PATH}`)
    if (request.method !== 'POST')
      return refuse(response, 405, 'send POST requests: there are no sessions', { Allow: 'POST' })
    if (inFlight >= MAX_REQUESTS)
      return refuse(response, 503, 'too many requests are in progress', { 'Retry-After': '1' })
    inFlight++
    handleRequest(request, response).catch((error) => {
      logError(error)
      if (!response.headersSent) refuse(response, 500, 'internal error')
    })
  })
  server.maxConnections = MAX_CONNECTIONS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { port: boundPort } = server.address() as AddressInfo
  const urlHost = host.includes(':') ? `[${host}]` : host
  allowedHosts = [
    ...new Set([urlHost, '127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${boundPort}`)),
    ...configuredHosts,
  ]
  return {
    url: `http://${urlHost}:${boundPort}${PATH}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function refuse(response: ServerResponse, status: number, message: string, headers: Record<string, string> = {}): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null })
  // Closes the connection, because the unread rest of the body would be parsed as the next request.
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers }).end(body)
}

function logError(error: unknown): void {
  console.error(`sluice-mcp: failed to answer a request: ${error instanceof Error ? error.message : String(error)}`)
}
