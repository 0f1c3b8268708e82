/** Checks the endpoints of a chain. */
import type { Chain } from '@sluice/chains'
import { createRpc, RpcError } from '@sluice/rpc'
import { type Finding, fail, pass, unknown } from './finding.ts'

const TIMEOUT_MS = 8_000

/**
 * Requests the chain id from every endpoint.
 *
 * @returns the findings, and the endpoints that respond with the right chain id
 */
export async function checkEndpoints(
  chain: Chain,
  urls: readonly string[],
): Promise<{ readonly findings: readonly Finding[]; readonly aliveUrls: readonly string[] }> {
  const answers = await Promise.all(
    urls.map(async (url) => ({ url, answer: await requestChainId(url, chain.chainId) })),
  )
  const urlsWith = (expectedAnswer: Answer) =>
    answers.filter(({ answer }) => answer === expectedAnswer).map(({ url }) => url)
  const aliveUrls = urlsWith('right')
  const wrongUrls = urlsWith('wrong chain')
  const silentUrls = urlsWith('silent')
  const findings: Finding[] = []
  const countText = `${aliveUrls.length} of ${urls.length} answer${silentUrls.length > 0 ? `; silent: ${silentUrls.join(', ')}` : ''}`
  findings.push(aliveUrls.length > 0 ? pass('endpoints', countText) : unknown('endpoints', countText))
  if (wrongUrls.length > 0)
    findings.push(
      fail('chain id', `other chains answer at ${wrongUrls.join(', ')}`, (file) => {
        file.rpcUrls = file.rpcUrls.filter((url) => !wrongUrls.includes(url))
      }),
    )
  else if (aliveUrls.length > 0) findings.push(pass('chain id', String(chain.chainId)))
  return { findings, aliveUrls }
}

/** Chain id that an endpoint reports, compared with the expected one; `silent` if the call failed. */
type Answer = 'right' | 'wrong chain' | 'silent'

async function requestChainId(url: string, chainId: number): Promise<Answer> {
  const rpc = createRpc({ chainId, urls: [url], timeoutMs: TIMEOUT_MS })
  try {
    return Number(await rpc.request<string>('eth_chainId', [])) === chainId ? 'right' : 'wrong chain'
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return error.code === 'WRONG_CHAIN' ? 'wrong chain' : 'silent'
  } finally {
    rpc.close()
  }
}
