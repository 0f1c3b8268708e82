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
      'True if the signature has no amount: until the owner revokes it, the Guard may draw any amount, but only in swaps of this owner. Not about the approval transaction, for which see `approval.unlimited`.',
    ),
  approval: z
    .object({
      to: hexAddress,
      data: hexBytes,
      value: units,
      unlimited: z
        .boolean()
        .describe(
          'True if the approval sets the maximum allowance: Permit2 may then draw any amount, but only with a signature of the owner.',
        ),
      reset: z
        .object({ to: hexAddress, data: hexBytes, value: units })
        .optional()
        .describe(
          'Transaction that the owner must send before the approval: it sets the allowance of Permit2 to zero. Present only if the token requires it.',
        ),
    })
    .nullable()
    .describe(
      'Transaction that the owner must send once before the permit can be used: an approval of Permit2. Null if none is needed.',
    ),
  typedData: z
    .object({
      domain: z.looseObject({}),
      types: z.record(z.string(), z.array(typedField)),
      primaryType: z.string(),
      message: z.looseObject({}),
    })
    .describe('Message to sign with `eth_signTypedData_v4`.'),
  permit: z
    .string()
    .describe('Append the signature as 0x-prefixed hex to get the value of the `permit` parameter of `/aggregator`.'),
})

export const permitResponse = z.object({
  src: hexAddress.describe('As in the request.'),
  from: hexAddress.describe('As in the request.'),
  spender: hexAddress.describe('Guard Contract of the chain.'),
  amount: units,
  deadline: z.int().describe('Unix seconds.'),
  block: z.int().describe('Block at which nonces and domains were read.'),
  blockHash: z.string().describe('Hash of that block.'),
  permits: z
    .array(permitOffer)
    .describe(
      'Permits that the owner can sign, with the one that the token itself supports first. Empty if only an approval is possible.',
    ),
})
export type PermitResponse = z.infer<typeof permitResponse>
