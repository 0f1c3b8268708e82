/**
 * `npm run bench -- certificates [certificates] [seed]`: checks certificates of random trades over the local chain's
 * genuine pools, and as many falsified certificates. The checker shares no code with the search and reads the node
 * itself. Certificates are falsified in all ways of `falsify`. Pools change between rounds. Fails if a true certificate
 * is rejected, or a false one is not rejected for its own reason.
 */
import { falsify, memoized } from '@sluice/api/testing'
import { type CertificateResult, checkCertificate } from '@sluice/certificate'
import { NATIVE } from '@sluice/chains'
import { familyOf, type Pool } from '@sluice/liquidity'
import { random, startLocal, stir } from '@sluice/liquidity/testing'
import { type Certificate, certificateOf } from '@sluice/quoting'
import { buildGraph, findRoute, type Graph, type RouteRequest } from '@sluice/routing'
import { record, rounded } from '../record.ts'

const COUNT = Number(process.argv[2] ?? 10_000)
const SEED = Number(process.argv[3] ?? 1)
const PER_ROUND = 250
/** Families that the checker supports, for half of the trades. The other trades use all families. */
const CHECKED_FAMILIES = ['uniswap-v2', 'uniswap-v3', 'curve-stable', 'wrapped-native']

type Tally = { count: number; right: number; readonly wrong: string[] }
const tally = (): Tally => ({ count: 0, right: 0, wrong: [] })
const verifiedTally = tally()
const refutedTallies = new Map<string, Tally>()
const kinds = new Map<string, number>()
let [slackBps, apartBps, compared, close, checkMs] = [0, 0, 0, 0, 0]

function note(to: Tally, isRight: boolean, message: string): void {
  to.count++
  if (isRight) to.right++
  else to.wrong.push(message)
}

const describe = (verdict: CertificateResult) =>
  verdict.status === 'verified' ? 'verified' : `${verdict.status}: ${verdict.reason}: ${verdict.message}`

const r = random(SEED)
const below = (limit: number) => r.integer(Math.max(1, limit))
const world = await startLocal()
const wrappedNative = world.chain.wrappedNative?.address ?? null

/** Returns a trade between tokens of one or two pools, of a ten-millionth to a tenth of the pool's balance. */
function drawTrade(pools: readonly Pool[]): RouteRequest {
  const [first, second] = [pools[below(pools.length)]!, pools[below(pools.length)]!]
  const tokenIndex = below(first.tokens.length)
  const others = (below(2) === 0 ? first : second).tokens.filter((token) => token !== first.tokens[tokenIndex])
  const asNative = (token: string) => (BigInt(token) === 0n ? NATIVE : token) as RouteRequest['tokenIn']
  const part = 10n + 10n ** BigInt(1 + below(7))
  const amountIn = familyOf(first.family)!.reserves(first)[tokenIndex]! / part
  return {
    tokenIn: asNative(first.tokens[tokenIndex]!),
    tokenOut: asNative(others[below(others.length)]!),
    wrappedNative,
    gasPriceWei: 0n,
    amountIn: amountIn > 0n ? amountIn : 1n,
    maxHops: 1 + below(4),
    proof: true,
    ...(below(2) === 0 && { sources: { include: new Set(CHECKED_FAMILIES) } }),
  }
}

type CertifiedTrade = { readonly certificate: Certificate; readonly paid: bigint }

function certify(graph: Graph, request: RouteRequest): CertifiedTrade | null {
  const result = findRoute(graph, request)
  if (!result.ok || !result.proof || result.proof.pools.length === 0) return null
  const certificate = certificateOf(result.proof, request, graph.snapshot)
  const { route } = result
  if (BigInt(certificate.bound) < route.amountOut)
    verifiedTally.wrong.push(`the route pays ${route.amountOut} of ${certificate.bound}`)
  // With few units, one unit exceeds a tenth of a basis point.
  if (route.optimalityGapBps !== null && route.amountOut > 10n ** 7n) {
    compared++
    const gap = (1 - Number(route.amountOut) / Number(certificate.bound)) * 1e4
    apartBps = Math.max(apartBps, gap - route.optimalityGapBps)
    if (gap - route.optimalityGapBps <= 0.1) close++
  }
  return { certificate, paid: route.amountOut }
}

let earlier: Certificate | undefined
try {
  for (let round = 0; verifiedTally.count < COUNT; round++) {
    await stir(world, SEED + round)
    const snapshot = world.market.snapshot()
    const graph = buildGraph(snapshot)
    const pools = [...snapshot.pools.values()]
    const options = { request: memoized(({ method, params }) => world.request(method, params)), maxAssumed: 1 }
    let last: Certificate | undefined
    for (let k = 0; k < PER_ROUND && verifiedTally.count < COUNT; ) {
      const certifiedTrade = certify(graph, drawTrade(pools))
      if (!certifiedTrade) continue
      const { certificate, paid } = certifiedTrade
      k++
      last = certificate
      for (const { kind } of certificate.pools) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
      const began = performance.now()
      const verdict = await checkCertificate(certificate, options)
      checkMs += performance.now() - began
      note(
        verifiedTally,
        verdict.status === 'verified',
        `${describe(verdict)} ${JSON.stringify(certificate).slice(0, 300)}`,
      )
      if (verdict.status !== 'verified') continue
      slackBps += (Number(verdict.bound - verdict.recomputed) / Number(verdict.bound)) * 1e4
      const ways = falsify(certificate, { recomputed: verdict.recomputed, paid, below, ...(earlier && { earlier }) })
      if (ways.length === 0) continue
      // Chooses the kind with the fewest cases so far, so that all kinds occur about equally often.
      const [{ way, reason, certificate: issued }] = ways.toSorted(
        (a, b) => (refutedTallies.get(a.way)?.count ?? 0) - (refutedTallies.get(b.way)?.count ?? 0),
      ) as [(typeof ways)[number]]
      const mustInclude = certificate.pools.map(({ id }) => id)
      const answer = await checkCertificate(issued, { ...options, ...(reason === 'pool missing' && { mustInclude }) })
      const to = refutedTallies.get(way) ?? tally()
      refutedTallies.set(way, to)
      note(to, answer.status === 'refuted' && answer.reason === reason, `${way}: ${describe(answer)}`)
    }
    earlier = last ?? earlier
  }
} finally {
  await world.stop()
}

const all = [...refutedTallies.values()]
const wrong = [...verifiedTally.wrong, ...all.flatMap((one) => one.wrong)]
record('certificates', {
  seed: SEED,
  certificates: verifiedTally.count,
  verified: verifiedTally.right,
  falsified: all.reduce((sum, { count }) => sum + count, 0),
  refuted: all.reduce((sum, { right }) => sum + right, 0),
  refutedByWay: Object.fromEntries(
    [...refutedTallies].sort().map(([way, { count, right }]) => [way, `${right} of ${count}`]),
  ),
  poolsByKind: Object.fromEntries([...kinds].sort()),
  meanSlackBps: rounded(slackBps / verifiedTally.right, 6),
  largestAboveOptimalityGapBps: rounded(apartBps, 6),
  comparedWithOptimalityGap: compared,
  atMostTenthOfBpsAboveIt: close,
  meanCheckMs: rounded(checkMs / verifiedTally.count, 2),
  wrong: wrong.slice(0, 20),
})
if (wrong.length > 0) process.exitCode = 1
