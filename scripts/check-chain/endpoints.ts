/** Checks the endpoints of a chain. */
import type { Chain } from '@sluice/chains'
import { createRpc, RpcError } from '@sluice/rpc'
import { type Finding, fail, pass, unknown } from './finding.ts'

const TIMEOUT_MS = 8_000

/**
 * Calls every endpoint for its chain id.
 *
 * @returns the findings, and the endpoints of this chain that respond
 */
export async function checkEndpoints(
  chain: Chain,
  urls: readonly string[],
): Promise<{ readonly findings: readonly Finding[]; readonly alive: readonly string[] }> {
  const answers = await Promise.all(
    urls.map(async (url) => ({ url, answer: await requestChainId(url, chain.chainId) })),
  )
  const of = (expectedAnswer: Answer) => answers.filter(({ answer }) => answer === expectedAnswer).map(({ url }) => url)
  const alive = of('right')
  const wrong = of('wrong chain')
  const silent = of('silent')
  const findings: Finding[] = []
  const countText = `${alive.length} of ${urls.length} answer${silent.length > 0 ? `; silent: ${silent.join(', ')}` : ''}`
  findings.push(alive.length > 0 ? pass('endpoints', countText) : unknown('endpoints', countText))
  if (wrong.length > 0)
    findings.push(
      fail('chain id', `other chains answer at ${wrong.join(', ')}`, (file) => {
        file.rpcUrls = file.rpcUrls.filter((url) => !wrong.includes(url))
      }),
    )
  else if (alive.length > 0) findings.push(pass('chain id', String(chain.chainId)))
  return { findings, alive }
}

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
