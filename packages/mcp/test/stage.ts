/** Test fixtures: a real service on the local chain, and MCP clients of the real command. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { startChain, startOver } from '@sluice/api/testing'
import { NATIVE } from '@sluice/client'
import { type Devnet, request, swapContracts } from '@sluice/devnet'

export const CHAIN = 31337
export const BIN = join(import.meta.dirname, '../bin/sluice-mcp.mjs')

export type Stage = {
  readonly devnet: Devnet
  readonly url: string
  /** Path of a `--contracts` file for the local chain, which the SDK does not know. */
  readonly contractsFile: string
  /** Returns the token of a symbol; `ETH` is the native token. */
  readonly token: (symbol: string) => string
  readonly account: (index: number) => string
  readonly rpc: <T>(method: string, ...params: readonly unknown[]) => Promise<T>
  readonly stop: () => Promise<void>
}

export async function startStage(): Promise<Stage> {
  const devnet = await startChain()
  const server = await startOver(devnet.url)
  const dir = mkdtempSync(join(tmpdir(), 'sluice-mcp-'))
  const contractsFile = join(dir, 'contracts.json')
  writeFileSync(contractsFile, JSON.stringify({ [CHAIN]: swapContracts(devnet.info) }))
  return {
    ...{ devnet, url: server.url, contractsFile },
    token: (symbol) => (symbol === 'ETH' ? NATIVE : devnet.info.tokens[symbol]!.address),
    account: (index) => devnet.info.accounts[index]!.address,
    rpc: (method, ...params) => request(devnet.url, method, params),
    async stop() {
      await server.close()
      await devnet.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

export type Connection = {
  readonly client: Client
  readonly call: (name: string, args?: Readonly<Record<string, unknown>>) => Promise<CallToolResult>
  /** Returns the server's output on stderr so far. */
  readonly log: () => string
  readonly close: () => Promise<void>
}

/** Starts the command and connects a client over stdio. */
export async function connectStdio(args: readonly string[]): Promise<Connection> {
  const transport = new StdioClientTransport({ command: process.execPath, args: [BIN, ...args], stderr: 'pipe' })
  let log = ''
  transport.stderr!.on('data', (chunk) => {
    log += chunk
  })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  // The client validates outputs only after it has listed the tools.
  await client.listTools()
  return { client, call: callerOf(client), log: () => log, close: () => client.close() }
}

export function callerOf(client: Client): Connection['call'] {
  return async (name, args = {}) =>
    (await client.callTool({ name, arguments: args }, undefined, { timeout: 120_000 })) as CallToolResult
}

/** Returns the text parts of a result, joined by line breaks. */
export function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}

/** Returns the structured content of a result. @throws Error if the result is an error */
// biome-ignore lint/suspicious/noExplicitAny: the tests read fields of many output types
export function answerOf(result: CallToolResult): any {
  if (result.isError || !result.structuredContent) throw new Error(`an error: ${textOf(result)}`)
  return result.structuredContent
}

export type Local = { readonly url: string; readonly close: () => Promise<void> }

/** Starts an HTTP server on a free port. */
export async function serveLocally(
  answer: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
): Promise<Local> {
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
