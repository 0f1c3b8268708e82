/** Parses the command line of `sluice-mcp`. */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { SwapContracts } from '@sluice/client'
import { z } from 'zod'

export const USAGE = `sluice-mcp [options]

Model Context Protocol server for a Sluice service, over stdio or Streamable HTTP. It never signs.

  --service <url>        address of the Sluice service (SLUICE_URL; default http://127.0.0.1:3000)
  --http [<host>:]<port> serve Streamable HTTP at /mcp instead of stdio; the default host is 127.0.0.1
  --allow-host <host>    value of the Host header that clients may send, such as mcp.example.com; again for others
  --contracts <file>     JSON with the contracts of chains that @sluice/client does not know: { "<chain id>": { … } }
  --timeout <seconds>    time for one call of a tool, 1 to 55 (default 30)
  --version, --help`

const DEFAULT_SERVICE = 'http://127.0.0.1:3000'
const DEFAULT_TIMEOUT_SECONDS = 30
/** Maximum of `--timeout`, below the 60 s after which clients of the MCP SDK time out. */
const MAX_TIMEOUT_SECONDS = 55
const WILDCARD_HOSTS = ['0.0.0.0', '::']

/** Parsed options of the server. */
export type Options = {
  readonly service: string
  readonly timeoutSeconds: number
  readonly contracts: Readonly<Record<string, Partial<SwapContracts>>>
  readonly http?: { readonly host: string; readonly port: number; readonly allowedHosts: readonly string[] }
}

/** Parsed command line: options, a request to show a text, or the description of a mistake of the user. */
export type CommandLine =
  | { readonly options: Options }
  | { readonly show: 'help' | 'version' }
  | { readonly mistake: string }

/** A mistake of the user in the command line. */
class UsageMistake extends Error {}

/** Parses the command line. Returns a mistake of the user as `mistake` and does not throw it. */
export function parseCommandLine(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): CommandLine {
  try {
    const values = parseOptions(args)
    if (values.help) return { show: 'help' }
    if (values.version) return { show: 'version' }
    const { http, contracts, timeout, 'allow-host': allowedHosts = [] } = values
    if (allowedHosts.length > 0 && http === undefined) throw new UsageMistake('--allow-host: needs --http')
    return {
      options: {
        service: parseService(values.service ?? (environment.SLUICE_URL || DEFAULT_SERVICE)),
        timeoutSeconds: timeout === undefined ? DEFAULT_TIMEOUT_SECONDS : parseTimeout(timeout),
        contracts: contracts === undefined ? {} : readContracts(contracts),
        ...(http !== undefined && { http: { ...parseListener(http, allowedHosts), allowedHosts } }),
      },
    }
  } catch (error) {
    // `parseArgs` throws a TypeError for an invalid command line.
    if (error instanceof UsageMistake || error instanceof TypeError) return { mistake: error.message }
    throw error
  }
}

function parseOptions(args: readonly string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  return parseArgs({
    args: [...args],
    options: {
      ...{ service: text, http: text, contracts: text, timeout: text, version: flag },
      'allow-host': { type: 'string', multiple: true },
      help: { type: 'boolean', short: 'h' },
    },
  }).values
}

function parseService(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new UsageMistake(`--service: must be an http or https URL, such as ${DEFAULT_SERVICE}`)
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new UsageMistake('--service: must not carry a user name, password, query, or fragment')
  return text
}

function parseTimeout(text: string): number {
  const seconds = /^\d{1,2}$/.test(text) ? Number(text) : 0
  if (seconds < 1 || seconds > MAX_TIMEOUT_SECONDS)
    throw new UsageMistake(`--timeout: must be whole seconds from 1 to ${MAX_TIMEOUT_SECONDS}`)
  return seconds
}

function parseListener(
  text: string,
  allowedHosts: readonly string[],
): { readonly host: string; readonly port: number } {
  const [, bracketedHost, plainHost, digits] = /^(?:(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]+)):)?(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (digits === undefined || port > 65_535)
    throw new UsageMistake(`--http ${text}: must be [<host>:]<port>, such as 8080 or 127.0.0.1:8080`)
  const host = bracketedHost ?? plainHost ?? '127.0.0.1'
  if (WILDCARD_HOSTS.includes(host) && allowedHosts.length === 0)
    throw new UsageMistake(
      `--http ${text}: listens on every interface; name the hosts that clients use by --allow-host`,
    )
  return { host, port }
}

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
const contractFile = z.record(
  z.string().regex(/^[1-9]\d{0,15}$/),
  z.looseObject({ guard: address, executors: z.array(address).min(1) }),
)

function readContracts(file: string): Options['contracts'] {
  let content: unknown
  try {
    content = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new UsageMistake(`--contracts ${file}: ${(error as Error).message}`)
  }
  const { data, error } = contractFile.safeParse(content)
  if (error)
    throw new UsageMistake(`--contracts ${file}: ${error.issues[0]!.path.join('.')}: ${error.issues[0]!.message}`)
  return data as Options['contracts']
}
