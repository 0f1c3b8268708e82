/** Parses the `permit` parameter: a signature that replaces an approval. */
import { type Hex, NATIVE } from '@sluice/chains'
import { PERMIT2_BITS, type Permit, permitKinds } from '@sluice/quoting'
import type { z } from 'zod'
import { hexData, type RequestAddress, refuse, text, uint } from '../parameters.ts'

/** Maximum signature length. Signatures of contract wallets are longer than 65 bytes. */
const MAX_SIGNATURE_BYTES = 4_096
/** Schema of `kind:amount:nonce:deadline:signature`. `/permit` returns all parts except the signature. */
export const permit = text('permit')
  .transform((input, context): Permit => {
    const [kindText, ...fields] = input.split(':')
    const kind = permitKinds.find((name) => name === kindText)
    if (!kind || fields.length !== 4)
      return refuse(context, `permit must be kind:amount:nonce:deadline:signature, of ${permitKinds.join(', ')}`)
    const [amountText, nonceText, deadlineText, signature] = fields as [string, string, string, string]
    const numbers = { amount: amountText, nonce: nonceText, deadline: deadlineText }
    const values = { amount: 0n, nonce: 0n, deadline: 0n }
    for (const [name, digits] of Object.entries(numbers) as [keyof typeof values, string][]) {
      const { data, error } = uint(`permit.${name}`).safeParse(digits)
      if (error) return refuse(context, error.issues[0]!.message)
      if (kind === 'permit2' && data >> PERMIT2_BITS[name] !== 0n)
        return refuse(context, `permit.${name} must be below 2^${PERMIT2_BITS[name]} for Permit2`)
      values[name] = data
    }
    const mistake = signatureMistake(kind, signature)
    return mistake ? refuse(context, mistake) : { kind, ...values, signature: signature as Hex }
  })
  .meta({ pattern: '^(eip2612|dai|permit2):[0-9]{1,78}:[0-9]{1,78}:[0-9]{1,78}:0x([0-9a-fA-F]{2}){1,4096}$' })

function signatureMistake(kind: Permit['kind'], signature: string): string | undefined {
  const { data, error } = hexData('permit.signature', MAX_SIGNATURE_BYTES).safeParse(signature)
  if (error) return error.issues[0]!.message
  const bytes = (data.length - 2) / 2
  if (bytes === 0) return 'permit.signature must not be empty'
  // The signer is verified later, because only a contract wallet's own code can verify its signatures.
  const isValidLength = kind === 'permit2' || bytes === 64 || bytes === 65
  return isValidLength ? undefined : 'permit.signature must be 64 or 65 bytes'
}

type PermitTerms = {
  readonly src: RequestAddress
  readonly from?: RequestAddress | undefined
  readonly amount?: bigint | undefined
  readonly permit?: Permit | undefined
}

/** Checks that a permit agrees with the other parameters of its swap. */
export function checkPermit({ src, from, amount, permit }: PermitTerms, context: z.core.$RefinementCtx): void {
  if (!permit) return
  if (src.address === NATIVE) refuse(context, 'permit must be left out for the native token, which needs none')
  if (from === undefined) refuse(context, 'from must be provided with permit')
  if (permit.kind !== 'dai' && amount !== undefined && permit.amount < amount)
    refuse(context, 'permit.amount must be at least amount')
}
