/**
 * Checks the RPC endpoints in the environment before the service starts. Compares their chains with the registry, and
 * requests the chain id of each endpoint.
 */
import { basicAuthorization, loadRegistry } from '@sluice/chains'

/** Timeout of the request for the chain id. */
const TIMEOUT_MS = 3_000
/** Maximum endpoints whose chain id is requested. */
const MAX_ENDPOINTS = 64

export type EndpointReport = {
  /** Reasons why the service must not start. */
  readonly mistakes: readonly string[]
  readonly warnings: readonly string[]
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Checks all endpoints. An endpoint of an unsupported chain is a mistake, and so is an endpoint that reports another
 * chain id. An endpoint that does not respond is only a warning, because it may respond later.
 */
export async function checkEndpoints(environment: Environment): Promise<EndpointReport> {
  const { CHAINS_DIR: chainsDir, DEPLOYMENTS_DIR: deploymentsDir, CHAINS } = environment
  const supportedIds = loadRegistry({
    chainsDir: chainsDir || undefined,
    deploymentsDir: deploymentsDir || undefined,
  }).supportedIds()
  const allowedIds = CHAINS ? CHAINS.split(',').map((id) => Number(id.trim())) : undefined
  const mistakes: string[] = []
  const warnings: string[] = []
  const endpoints = Object.entries(environment).flatMap(([name, urls]) => {
    const id = Number(/^RPC_URL_([1-9]\d*)$/.exec(name)?.[1])
    return id && urls ? urls.split(',').map((url) => ({ id, url: url.trim() })) : []
  })
  for (const id of new Set(endpoints.map(({ id }) => id))) {
    if (!supportedIds.includes(id)) {
      const similarId = supportedIds.find((candidate) => havePermutedDigits(candidate, id))
      const hint = similarId === undefined ? 'add a file for it (CHAINS_DIR)' : `did you mean ${similarId}?`
      mistakes.push(`Chain ${id} has an RPC endpoint and is not served: ${hint}`)
    } else if (allowedIds && !allowedIds.includes(id))
      mistakes.push(
        `Chain ${id} has an RPC endpoint and is not in --chains ${CHAINS}: add it there, or leave its --rpc out`,
      )
  }
  const checkedEndpoints = endpoints.filter(({ id }) => supportedIds.includes(id)).slice(0, MAX_ENDPOINTS)
  const chainIds = await Promise.all(checkedEndpoints.map(({ url }) => readChainId(url)))
  for (const [index, { id, url }] of checkedEndpoints.entries()) {
    const chainId = chainIds[index]!
    if (typeof chainId === 'string')
      warnings.push(
        `${hostOf(url)} of chain ${id} does not answer (${chainId}); it is tried again. Check its address and that the node runs`,
      )
    else if (chainId !== id)
      mistakes.push(`${hostOf(url)} is a node of chain ${chainId}, not of ${id}: use --rpc ${chainId}=<url>`)
  }
  return { mistakes, warnings }
}

/**
 * Requests the chain id of an endpoint. Returns the id, or a text with the reason of a failure. The text does not
 * contain the URL, which may contain a key.
 */
async function readChainId(url: string): Promise<number | string> {
  if (!URL.canParse(url)) return 'it is no URL'
  const { protocol, host, pathname, search } = new URL(url)
  const authorization = basicAuthorization(new URL(url))
  try {
    // `fetch` rejects a URL with credentials, and its error message contains the URL.
    const answer = await fetch(`${protocol}//${host}${pathname}${search}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { result } = (await answer.json()) as { result?: unknown }
    return typeof result === 'string' && /^0x[0-9a-f]+$/i.test(result) ? Number(result) : `status ${answer.status}`
  } catch (error) {
    const { message, cause } = error as Error
    return (cause as { code?: string } | undefined)?.code ?? message
  }
}

/** Returns the host without path and credentials, which may contain a key. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'An endpoint that is no URL'
}

/** Returns true if two ids have the same digits in any order, as after a typing error. */
function havePermutedDigits(a: number, b: number): boolean {
  const sortDigits = (id: number) => [...String(id)].sort().join('')
  return sortDigits(a) === sortDigits(b)
}
