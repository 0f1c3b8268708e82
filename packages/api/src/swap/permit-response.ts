/** Response schema of `/permit`. */
import { permitKinds } from '@sluice/quoting'
import { z } from 'zod'
import { hexAddress, hexBytes, units } from '../responses.ts'

const typedField = z.object({ name: z.string(), type: z.string() })
const permitOffer = z.object({
  kind: z.enum(permitKinds),
  unlimited: z
    .boolean()
    .describe(
      'True if the signature names no amount: until the owner revokes it, the Guard may draw any amount, in swaps of this owner. `approval.unlimited` is about the transaction before it.',
    ),
  approval: z
    .object({
      to: hexAddress,
      data: hexBytes,
      value: units,
      unlimited: z
        .boolean()
        .describe(
          'True if it sets the largest allowance: Permit2, which moves tokens by signatures alone, may draw any amount.',
        ),
    })
    .nullable()
    .describe('What the owner has to send first, once: an approval of Permit2. Null where nothing is missing.'),
  typedData: z
    .object({
      domain: z.looseObject({}),
      types: z.record(z.string(), z.array(typedField)),
      primaryType: z.string(),
      message: z.looseObject({}),
    })
    .describe('For `eth_signTypedData_v4`.'),
  permit: z.string().describe('To be followed by the signature, as 0x-hex: what `permit` of `/aggregator` takes.'),
})

export const permitResponse = z.object({
  src: hexAddress.describe('As in the request.'),
  from: hexAddress.describe('As in the request.'),
  spender: hexAddress.describe('Guard Contract of the chain.'),
  amount: units,
  deadline: z.int().describe('Unix seconds.'),
  block: z.int().describe('Block that nonces and domains were read at.'),
  blockHash: z.string().describe('Hash of that block.'),
  permits: z.array(permitOffer).describe("The token's own form first; empty where approving is the only way."),
})
export type PermitResponse = z.infer<typeof permitResponse>
