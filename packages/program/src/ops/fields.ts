/**
 * Descriptions of the fields of a step of the Executor (the contract that swaps), as data for the encoder, the decoder,
 * test generators, and FORMAT.md.
 */

type Address = `0x${string}`

/**
 * Address field. A field with `flag` (a bit of the step's flags byte) is optional. If the bit is set, every hop encodes
 * the field. Otherwise no hop encodes it, and its value is the zero address. The encoder sets the bit if the field of at
 * least one hop is not zero.
 */
export type AddressField = { readonly kind: 'address'; readonly flag?: number }
export type Bytes32Field = { readonly kind: 'bytes32' }
export type UintField = {
  readonly kind: 'uint'
  readonly bytes: number
  /** Exclusive upper bound, if the contract accepts only a part of the values that fit the bytes. */
  readonly exclusiveMax?: number
}
/** One of several strings, encoded as its index in one byte. */
export type ChoiceField = { readonly kind: 'choice'; readonly choices: readonly string[] }
export type OpField = AddressField | Bytes32Field | UintField | ChoiceField

/** Fields by name, in byte order. */
export type OpFields = Readonly<Record<string, OpField>>

/** Type of the value of a field. */
export type ValueOf<F extends OpField> = F extends AddressField
  ? Address
  : F extends Bytes32Field
    ? `0x${string}`
    : F extends ChoiceField
      ? F['choices'][number]
      : number

/** Types of the values of several fields, by field name. */
export type ValuesOf<F extends OpFields> = { readonly [Name in keyof F]: ValueOf<F[Name]> }

/** Field of 20 bytes. */
export const address = { kind: 'address' } as const satisfies OpField
export const bytes32 = { kind: 'bytes32' } as const satisfies OpField
/** Field with a big-endian number of `bytes` bytes. */
export const uint = (bytes: number, options: Pick<UintField, 'exclusiveMax'> = {}): UintField => ({
  kind: 'uint',
  bytes,
  ...options,
})
