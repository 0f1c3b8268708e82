/**
 * `npm run bench -- certificates [certificates] [seed]`: checks certificates of random trades on the local chain, and
 * as many falsified certificates. A certificate states an upper bound on the output of all routes. The checker shares
 * no code with the search, and reads the node itself. `falsify` makes the falsified certificates. Pools change between
 * rounds. Fails if a true certificate is rejected. Also fails if a falsified certificate is accepted, or rejected for
 * another reason than its falsification.
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
/** Certificates of one round. Trades change the pools between rounds. */
const CERTIFICATES_PER_ROUND = 250
/** Families that the checker supports. Half of the trades use only these, the other trades use all families. */
const CHECKED_FAMILIES = ['uniswap-v2', 'uniswap-v3', 'curve-stable', 'wrapped-native']

/** Number of checked certificates (`count`) and of right verdicts (`right`), and messages about wrong verdicts. */
type Tally = { count: number; right: number; readonly wrong: string[] }
const newTally = (): Tally => ({ count: 0, right: 0, wrong: [] })
const verifiedTally = newTally()
/** Tallies of falsified certificates, by kind of falsification. */
const refutedTallies = new Map<string, Tally>()
/** Number of pools in certificates, by kind. */
const countByKind = new Map<string, number>()
/** Sum of the basis points by which each stated bound exceeds the bound that the checker computes. */
let slackSumBps = 0
/** Largest difference between the gap of a certificate to its route's output and the gap that the search reports. */
let maxAboveGapBps = 0
/** Number of compared gaps, and of gaps that exceed the reported gap by at most a tenth of a basis point. */
let [comparedCount, closeCount] = [0, 0]
let checkMs = 0

function addResult(tally: Tally, isRight: boolean, message: string): void {
  tally.count++
  if (isRight) tally.right++
  else tally.wrong.push(message)
}

const describe = (verdict: CertificateResult) =>
  verdict.status === 'verified' ? 'verified' : `${verdict.status}: ${verdict.reason}: ${verdict.message}`

const randomSource = random(SEED)
const randomBelow = (limit: number) => randomSource.integer(Math.max(1, limit))
const world = await startLocal()
const wrappedNative = world.chain.wrappedNative?.address ?? null

/** Returns a trade between tokens of one or two pools, of a ten-millionth to a tenth of the pool's balance. */
function drawTrade(pools: readonly Pool[]): RouteRequest {
  const [firstPool, secondPool] = [pools[randomBelow(pools.length)]!, pools[randomBelow(pools.length)]!]
  const tokenIndex = randomBelow(firstPool.tokens.length)
  const otherTokens = (randomBelow(2) === 0 ? firstPool : secondPool).tokens.filter(
    (token) => token !== firstPool.tokens[tokenIndex],
  )
  const asNative = (token: string) => (BigInt(token) === 0n ? NATIVE : token) as RouteRequest['tokenIn']
  const divisor = 10n + 10n ** BigInt(1 + randomBelow(7))
  const amountIn = familyOf(firstPool.family)!.reserves(firstPool)[tokenIndex]! / divisor
  return {
    tokenIn: asNative(firstPool.tokens[tokenIndex]!),
    tokenOut: asNative(otherTokens[randomBelow(otherTokens.length)]!),
    wrappedNative,
    gasPriceWei: 0n,
    amountIn: amountIn > 0n ? amountIn : 1n,
    maxHops: 1 + randomBelow(4),
    proof: true,
    ...(randomBelow(2) === 0 && { sources: { include: new Set(CHECKED_FAMILIES) } }),
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
  // Compares only large outputs, because one unit of a small output exceeds a tenth of a basis point.
  if (route.optimalityGapBps !== null && route.amountOut > 10n ** 7n) {
    comparedCount++
    const gap = (1 - Number(route.amountOut) / Number(certificate.bound)) * 1e4
    maxAboveGapBps = Math.max(maxAboveGapBps, gap - route.optimalityGapBps)
    if (gap - route.optimalityGapBps <= 0.1) closeCount++
  }
  return { certificate, paid: route.amountOut }
}

let earlierCertificate: Certificate | undefined
try {
  for (let round = 0; verifiedTally.count < COUNT; round++) {
    await stir(world, SEED + round)
    const snapshot = world.market.snapshot()
    const graph = buildGraph(snapshot)
    const pools = [...snapshot.pools.values()]
    const options = { request: memoized(({ method, params }) => world.request(method, params)), maxAssumed: 1 }
    let lastCertificate: Certificate | undefined
    for (let certificateCount = 0; certificateCount < CERTIFICATES_PER_ROUND && verifiedTally.count < COUNT; ) {
      const certifiedTrade = certify(graph, drawTrade(pools))
      if (!certifiedTrade) continue
      const { certificate, paid } = certifiedTrade
      certificateCount++
      lastCertificate = certificate
      for (const { kind } of certificate.pools) countByKind.set(kind, (countByKind.get(kind) ?? 0) + 1)
      const checkStart = performance.now()
      const verdict = await checkCertificate(certificate, options)
      checkMs += performance.now() - checkStart
      addResult(
        verifiedTally,
        verdict.status === 'verified',
        `${describe(verdict)} ${JSON.stringify(certificate).slice(0, 300)}`,
      )
      if (verdict.status !== 'verified') continue
      slackSumBps += (Number(verdict.bound - verdict.recomputed) / Number(verdict.bound)) * 1e4
      const ways = falsify(certificate, {
        recomputed: verdict.recomputed,
        paid,
        below: randomBelow,
        ...(earlierCertificate && { earlier: earlierCertificate }),
      })
      if (ways.length === 0) continue
      // Chooses the way with the fewest cases so far, so that all ways occur about equally often.
      const [{ way, reason, certificate: falsified }] = ways.toSorted(
        (a, b) => (refutedTallies.get(a.way)?.count ?? 0) - (refutedTallies.get(b.way)?.count ?? 0),
      ) as [(typeof ways)[number]]
      const mustInclude = certificate.pools.map(({ id }) => id)
      const answer = await checkCertificate(falsified, {
        ...options,
        ...(reason === 'pool missing' && { mustInclude }),
      })
      const wayTally = refutedTallies.get(way) ?? newTally()
      refutedTallies.set(way, wayTally)
      addResult(wayTally, answer.status === 'refuted' && answer.reason === reason, `${way}: ${describe(answer)}`)
    }
    earlierCertificate = lastCertificate ?? earlierCertificate
  }
} finally {
  await world.stop()
}

const wayTallies = [...refutedTallies.values()]
const wrong = [...verifiedTally.wrong, ...wayTallies.flatMap((tally) => tally.wrong)]
record('certificates', {
  seed: SEED,
  certificates: verifiedTally.count,
  verified: verifiedTally.right,
  falsified: wayTallies.reduce((sum, { count }) => sum + count, 0),
  refuted: wayTallies.reduce((sum, { right }) => sum + right, 0),
  refutedByWay: Object.fromEntries(
    [...refutedTallies].sort().map(([way, { count, right }]) => [way, `${right} of ${count}`]),
  ),
  poolsByKind: Object.fromEntries([...countByKind].sort()),
  meanSlackBps: rounded(slackSumBps / verifiedTally.right, 6),
  largestAboveOptimalityGapBps: rounded(maxAboveGapBps, 6),
  comparedWithOptimalityGap: comparedCount,
  atMostTenthOfBpsAboveIt: closeCount,
  meanCheckMs: rounded(checkMs / verifiedTally.count, 2),
  wrong: wrong.slice(0, 20),
})
if (wrong.length > 0) process.exitCode = 1
