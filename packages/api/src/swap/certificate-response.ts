/** Response schema of a certificate. @see docs/certificates.md for the mathematics */
import { CERTIFIED_KINDS } from '@sluice/quoting'
import { z } from 'zod'

const lowerAddress = z.string().regex(/^0x[0-9a-f]{40}$/)
const digest = z.string().regex(/^0x[0-9a-f]{64}$/)
const digits = z.string().regex(/^[0-9]+$/)
const index = z.int().min(0)
const ppm = z.int().min(0).max(999_999)

const certifiedPool = z.object({
  id: z.string().describe('Address of the pool, or its id if a single contract holds many pools.'),
  address: lowerAddress,
  kind: z
    .enum(CERTIFIED_KINDS)
    .describe(
      'Formula that recomputes `earned` from the state on the chain. `assumed`: there is no such formula, so the value has to be trusted.',
    ),
  family: z.string(),
  tokens: z.array(lowerAddress).min(2).describe('The zero address stands for the native token.'),
  pairs: z
    .array(z.array(index).length(2))
    .describe('Swaps that are covered: indexes in `tokens` of the token sold and of the token bought.'),
  feePpm: ppm.describe(
    'Fee of a constant-product pool in parts per million, because its contract does not report it; 0 for all other kinds.',
  ),
  taxes: z
    .array(z.object({ token: index, soldPpm: ppm, boughtPpm: ppm }))
    .describe(
      'Transfer taxes in parts per million: `soldPpm` when the token is sent to the pool, `boughtPpm` when the pool sends it.',
    ),
  state: digest.describe('SHA-256 of the pool state from which `earned` was computed.'),
  earned: digits.describe(
    'Maximum that any such swaps can gain in this pool at `prices`, in base units of `tokenOut` times 10^`scale`.',
  ),
})

export const certificate = z.object({
  version: z.literal(1),
  chainId: z.int(),
  block: z.object({ number: z.int(), hash: digest }),
  tokenIn: lowerAddress.describe('The zero address stands for the native token, as everywhere in the certificate.'),
  tokenOut: lowerAddress,
  amountIn: digits,
  bound: digits.describe('Upper bound in base units of `tokenOut`: no route within `scope` pays more.'),
  scale: z
    .int()
    .min(0)
    .max(100)
    .describe('`prices` and all `earned` are in base units of `tokenOut` times 10^`scale`.'),
  maxHops: z.int().min(0).max(4).describe('Maximum number of pools in series.'),
  prices: z
    .array(z.object({ token: lowerAddress, byHop: z.array(digits).min(1).max(5) }))
    .min(1)
    .describe(
      'Dual price of a base unit of each token, indexed by the number of pools that a path has passed before. Any prices yield a valid bound; these yield a low one.',
    ),
  pools: z.array(certifiedPool).max(2_000),
  beyond: z
    .object({ pools: z.int().min(0), earned: digits })
    .describe(
      'Number and total `earned` of the pools above the limit of 2,000. These are the pools whose prices are furthest from a profitable trade.',
    ),
  allowance: digits.describe(
    'Added to the bound: for floating-point rounding in the search, and for fees that one swap leaves in a pool of several tokens and a later swap can gain.',
  ),
  digest: digest.describe('SHA-256 over the data of all pools.'),
  scope: z.string().describe('Text that describes the routes and pools that the bound covers.'),
})
