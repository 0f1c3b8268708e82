/** Fields of a step as the bytes hold them: plain data, which encoder, decoder, generators and FORMAT.md each read in their own way. */

type Address = `0x${string}`

/** `flag`: present in every hop where the flags hold this bit, else the zero address; set where any hop needs it. */
export type AddressField = { readonly kind: 'address'; readonly flag?: number }
export type Bytes32Field = { readonly kind: 'bytes32' }
export type UintField = {
  readonly kind: 'uint'
  readonly bytes: number
  /** Limit that a value must be below, where the chain takes less than the bytes hold. */
  readonly below?: number
}
/** One of a few words, written as its index in one byte. */
export type ChoiceField = { readonly kind: 'choice'; readonly of: readonly string[] }
export type Field = AddressField | Bytes32Field | UintField | ChoiceField

/** By name, in the order of the bytes. */
export type Fields = Readonly<Record<string, Field>>

export type ValueOf<F extends Field> = F extends AddressField
  ? Address
  : F extends Bytes32Field
    ? `0x${string}`
    : F extends ChoiceField
      ? F['of'][number]
      : number

export type ValuesOf<F extends Fields> = { readonly [Name in keyof F]: ValueOf<F[Name]> }

/** 20 bytes. */
export const address = { kind: 'address' } as const satisfies Field
/** 32 bytes. */
export const bytes32 = { kind: 'bytes32' } as const satisfies Field
/** A big-endian number of so many bytes. */
export const uint = (bytes: number, more: Pick<UintField, 'below'> = {}): UintField => ({
  kind: 'uint',
  bytes,
  ...more,
})
