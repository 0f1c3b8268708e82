/** Checks the form of addresses and hashes. */

export const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)

export const isZeroAddress = (address: string): boolean => /^0x0{40}$/.test(address)

export const isHash = (value: string): value is `0x${string}` => /^0x[0-9a-fA-F]{64}$/.test(value)
