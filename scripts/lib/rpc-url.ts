/** Reads the endpoints of chains from the environment, as variables `RPC_URL_<chainId>`. */
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
