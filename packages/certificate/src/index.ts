/**
 * Checks a certificate against the chain. A certificate states an upper bound on the output of any route, with the
 * prices and pools that prove it.
 */
import { type CertifiedPool, CheckFailure, notCheckable, readCertificate, refute } from './certificate.ts'
import { divUp, sumOf } from './earnings.ts'
import { type Node, type NodeOptions, nodeAt } from './node.ts'
import { readPool } from './states.ts'

/** Options of a check. */
export type CheckOptions = NodeOptions & {
  /** Ids of pools that the certificate must list. */
  readonly mustInclude?: readonly string[]
  /** Maximum fraction of the pools that may be of kind `assumed`, whose earnings are not checked; default 0.5. */
  readonly maxAssumed?: number
}

/** Maximum pools that are read concurrently. Reading a pool takes about ten calls. */
const MAX_CONCURRENT = 8

/** Result of a check. The status is `verified`, `refuted`, or `not checkable`. The last two come with a reason. */
export type CertificateResult = Awaited<ReturnType<typeof checkCertificate>>

/**
 * Verifies a certificate.
 *
 * @param certificate - any JSON value; untrusted
 */
export async function checkCertificate(certificate: unknown, options: CheckOptions) {
  try {
    return await verify(readCertificate(certificate, ''), options)
  } catch (error) {
    if (!(error instanceof CheckFailure)) throw error
    return { status: error.status, reason: error.reason, message: error.message } as const
  }
}

async function verify(certificate: ReturnType<typeof readCertificate>, options: CheckOptions) {
  const { pools, block, bound, beyond, chainId } = certificate
  const scale = 10n ** certificate.scale
  const prices = new Map(certificate.prices.map(({ token, byHop }) => [token, byHop]))
  const maxHops = Number(certificate.maxHops)
  const pricesOf = (token: string) => {
    const byHop = prices.get(token)
    if (byHop?.length !== maxHops + 1) throw notCheckable('malformed', `prices must have ${maxHops + 1} of ${token}`)
    return byHop
  }
  // A path may end after any number of pools, so the price of the output token must be the same after each number.
  if (pricesOf(certificate.tokenOut).some((price) => price !== scale))
    throw notCheckable('malformed', 'prices of tokenOut must be 10^scale')
  const input = certificate.amountIn * pricesOf(certificate.tokenIn)[0]!
  const poolKeys = new Set(pools.map(({ kind, id, address }) => (kind === 'assumed' ? id : address)))
  if (poolKeys.size < pools.length) throw notCheckable('malformed', 'pools must be different ones')
  const missingId = options.mustInclude?.find((id) => pools.every((pool) => pool.id !== id.toLowerCase()))
  if (missingId !== undefined) throw refute('pool missing', `${missingId} is not among its pools`)
  const digest = await sha256(pools.map(digestLineOf).join('\n'))
  if (digest !== certificate.digest) throw refute('digest differs', `the digest of its pools is ${digest}`)
  const claimedBound = sumOf(pools.map(({ earned }) => earned)) + input + beyond.earned + certificate.allowance
  if (claimedBound > bound * scale) throw refute('sum wrong', `its own parts add up to ${divUp(claimedBound, scale)}`)
  const assumedPools = pools.filter(({ kind }) => kind === 'assumed')
  if (assumedPools.length > (options.maxAssumed ?? 0.5) * pools.length)
    throw notCheckable('too many unknown pools', `${assumedPools.length} of ${pools.length}`)

  const node = nodeAt(options, block.number)
  const nodeId = await node.request('eth_chainId', [])
  if (nodeId !== `0x${chainId.toString(16)}`) throw notCheckable('other chain', `the node is of chain ${nodeId}`)
  const checkBlock = async () => {
    const hash = await node.blockHash()
    if (hash !== block.hash) throw notCheckable('no such block', `block ${block.number} of the node is ${hash}`)
  }
  await checkBlock()
  let sum = input
  const earningsOfPool = (pool: CertifiedPool) => earningsOf(node, pool, pricesOf, maxHops)
  for (let offset = 0; offset < pools.length; offset += MAX_CONCURRENT)
    sum += sumOf(await Promise.all(pools.slice(offset, offset + MAX_CONCURRENT).map(earningsOfPool)))
  // A reorg may have replaced the block while pools were read.
  await checkBlock()
  const recomputed = divUp(sum, scale)
  if (recomputed > bound) throw refute('bound too low', `its prices prove ${recomputed}, ${recomputed - bound} more`)
  // `recomputed` is the bound that the prices and the chain prove, in output base units. A higher claimed bound is also
  // true. The earnings of `assumed` pools are taken from the certificate.
  return { status: 'verified', bound, recomputed, assumed: assumedPools.map(({ id }) => id) } as const
}

type PricesOf = (token: string) => readonly bigint[]

/**
 * Returns the maximum earnings of a pool from the swaps in `pairs`, over all positions that the pool can have in a path.
 *
 * @throws CheckFailure
 */
async function earningsOf(node: Node, pool: CertifiedPool, pricesOf: PricesOf, maxHops: number): Promise<bigint> {
  const { id, kind, address, tokens, pairs, taxes } = pool
  const netOfTax = (k: number, side: 'soldPpm' | 'boughtPpm') =>
    1_000_000n - (taxes.find(({ token }) => Number(token) === k)?.[side] ?? 0n)
  const swapsAt = (hop: number) =>
    pairs.map((pair) => {
      const [from, to] = [Number(pair[0]), Number(pair[1])]
      const [input, output] = [tokens[from], tokens[to]]
      if (!input || !output || from === to) throw notCheckable('malformed', `pairs of ${id} must be of its tokens`)
      const priceIn = (pricesOf(input)[hop]! * 1_000_000n) / netOfTax(from, 'soldPpm')
      return { from, to, priceIn, priceOut: divUp(pricesOf(output)[hop + 1]! * netOfTax(to, 'boughtPpm'), 1_000_000n) }
    })
  const byHop = Array.from({ length: maxHops }, (_, hop) => swapsAt(hop))
  if (kind === 'assumed') return pool.earned
  if (kind === 'wrapper') {
    const isWrapper = tokens.length === 2 && tokens.includes(address) && tokens.some((token) => BigInt(token) === 0n)
    if (isWrapper && byHop.flat().every(({ priceIn, priceOut }) => priceOut <= priceIn)) return 0n
    throw refute('bound too low', `${id} is no wrapper, or earns without end`)
  }
  const { state, earningsOf: earn } = await readPool(node, pool)
  if ((await sha256(state)) !== pool.state) throw refute('state differs', `the state of ${id} is: ${state}`)
  return (await Promise.all(byHop.map(earn))).reduce((max, earnings) => (earnings > max ? earnings : max), 0n)
}

/** Returns the line of a pool in the text that `digest` hashes. */
const digestLineOf = ({ id, address, kind, tokens, pairs, feePpm, taxes, state }: CertifiedPool): string => {
  const taxKeys = taxes.map(({ token, soldPpm, boughtPpm }) => [token, soldPpm, boughtPpm].join(':'))
  return [id, address, kind, tokens, pairs.map((pair) => pair.join('>')), feePpm, taxKeys, state].map(String).join(' ')
}

async function sha256(text: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return `0x${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
