/** Reads the endpoints of chains from the environment, as variables `RPC_URL_<chainId>`. */
import { fail } from './command-line.ts'

/** Exit code for an endpoint that is not a URL. */
const USAGE_EXIT_CODE = 2

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the first endpoint of a chain; undefined if the variable is absent or empty. The service accepts several
 * endpoints in a variable, but a deployment uses only the first.
 */
export function rpcUrlOf(chainId: number, env: Environment = process.env): string | undefined {
  return env[`RPC_URL_${chainId}`]?.split(',')[0]?.trim() || undefined
}

/** Returns the chains with an endpoint, ascending. Empty variables count as absent, as for the service. */
export function chainsWithRpcUrl(env: Environment = process.env): number[] {
  return Object.keys(env)
    .flatMap((name) => /^RPC_URL_([1-9][0-9]*)$/.exec(name)?.[1] ?? [])
    .map(Number)
    .filter((chainId) => rpcUrlOf(chainId, env) !== undefined)
    .sort((a, b) => a - b)
}

/**
 * Returns the endpoints of a chain for a command that takes `--rpc`: those of the option, else those of the environment,
 * else the public ones. Ends the process if one is not an http or https address.
 */
export function endpointsOf(
  chainId: number,
  option: string | undefined,
  publicUrls: readonly string[],
  env: Environment = process.env,
): readonly string[] {
  const variable = `RPC_URL_${chainId}`
  const text = option ?? (env[variable] || undefined)
  if (text === undefined) return publicUrls
  const urls = text.split(',').map((url) => url.trim())
  // The text of an endpoint may contain a key, so the message has none.
  if (!urls.every((url) => /^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')))
    fail(
      `${option === undefined ? variable : '--rpc'}: must be http or https addresses, separated by commas`,
      USAGE_EXIT_CODE,
    )
  return urls
}
