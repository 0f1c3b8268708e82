/** Schema of a certificate in responses. @see docs/certificates.md for the mathematics */
import { CERTIFIED_KINDS } from '@sluice/quoting'
import { z } from 'zod'

const lowerAddress = z.string().regex(/^0x[0-9a-f]{40}$/)
const digest = z.string().regex(/^0x[0-9a-f]{64}$/)
const digits = z.string().regex(/^[0-9]+$/)
const index = z.int().min(0)
const ppm = z.int().min(0).max(999_999)

const certifiedPool = z.object({
  id: z.string().describe('Address of the pool, or its id inside a singleton.'),
  address: lowerAddress,
  kind: z
    .enum(CERTIFIED_KINDS)
    .describe(
      'Formula by which `earned` can be recomputed from the state on the chain; `assumed` for pools where it has to be believed.',
    ),
  family: z.string(),
  tokens: z.array(lowerAddress).min(2).describe('The zero address is the native token.'),
  pairs: z
    .array(z.array(index).length(2))
    .describe('Swaps covered: places in `tokens` of the token sold and the token bought.'),
  feePpm: ppm.describe('Fee of a constant-product pool, which its contract does not report; 0 for all others.'),
  taxes: z
    .array(z.object({ token: index, soldPpm: ppm, boughtPpm: ppm }))
    .describe('Parts per million that a token keeps when it is sent to the pool, and when the pool sends it.'),
  state: digest.describe('SHA-256 of the state that was counted with.'),
  earned: digits.describe('The most that the pool earns by these swaps at the prices, times 10^`scale`.'),
})

export const certificate = z.object({
  version: z.literal(1),
  chainId: z.int(),
  block: z.object({ number: z.int(), hash: digest }),
  tokenIn: lowerAddress.describe('The zero address for the native token, as everywhere in the certificate.'),
  tokenOut: lowerAddress,
  amountIn: digits,
  bound: digits.describe('Base units of `tokenOut` that no route within `scope` pays more than.'),
  scale: z.int().min(0).max(100).describe('Prices and earnings are base units of `tokenOut` times 10 to this power.'),
  maxHops: z.int().min(0).max(4).describe('Most pools in series.'),
  prices: z
    .array(z.object({ token: lowerAddress, byHop: z.array(digits).min(1).max(5) }))
    .min(1)
    .describe(
      'Dual prices of a base unit of each token, by the pools that a path has passed before. Any prices give a true bound; these make it low.',
    ),
  pools: z.array(certifiedPool).max(2_000),
  beyond: z
    .object({ pools: z.int().min(0), earned: digits })
    .describe('Pools above the limit of 2,000, the ones that are furthest from a trade, and what they earn together.'),
  allowance: digits.describe(
    'Counted in for the rounding of floats in the search, and for fees that one swap leaves for the next in a pool of several tokens.',
  ),
  digest: digest.describe('SHA-256 over the facts of all pools.'),
  scope: z.string().describe('Routes and pools that the bound covers, in words.'),
})
