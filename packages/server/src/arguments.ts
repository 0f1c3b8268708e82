/** Parses the command line of `sluice-server`. */
import { parseArgs } from 'node:util'

/** Parsed command line: environment variables of the service, a request for help, or a mistake of the user. */
type ParsedArguments =
  | { readonly environment: Readonly<Record<string, string>> }
  | { readonly help: true }
  | { readonly mistake: string }

/** Environment variables that get the unchanged value of an option. */
const VARIABLES = {
  chains: 'CHAINS',
  port: 'PORT',
  'data-dir': 'DATA_DIR',
  'redis-url': 'REDIS_URL',
  role: 'ROLE',
} as const

/** Converts the command line to the environment variables of the service. The service itself validates their values. */
export function argumentsToEnvironment(args: readonly string[]): ParsedArguments {
  let values: ReturnType<typeof parseOptions>
  try {
    values = parseOptions(args)
  } catch (error) {
    return { mistake: (error as Error).message }
  }
  if (values.help) return { help: true }
  const environment: Record<string, string> = {}
  for (const text of values.rpc ?? []) {
    const [, chainId, urls] = /^([1-9]\d*)=(.+)$/.exec(text) ?? []
    if (!chainId || !urls) return { mistake: `--rpc ${text}: must be <chain>=<url>, such as 1=http://localhost:8545` }
    const name = `RPC_URL_${chainId}`
    environment[name] = [environment[name], urls].filter((part) => part !== undefined).join(',')
  }
  if (values.pools?.includes('')) return { mistake: '--pools: must not be empty' }
  if (values.pools) environment.POOLS = values.pools.join(',')
  for (const [option, name] of Object.entries(VARIABLES)) {
    const value = values[option as keyof typeof VARIABLES]
    // The service treats an empty variable as absent, so an option left empty by mistake would go unnoticed.
    if (value === '') return { mistake: `--${option}: must not be empty` }
    if (value !== undefined) environment[name] = value
  }
  return { environment }
}

function parseOptions(args: readonly string[]) {
  const text = { type: 'string' } as const
  return parseArgs({
    args: [...args],
    options: {
      rpc: { type: 'string', multiple: true },
      pools: { type: 'string', multiple: true },
      chains: text,
      port: text,
      'data-dir': text,
      'redis-url': text,
      role: text,
      help: { type: 'boolean', short: 'h' },
    },
  }).values
}
