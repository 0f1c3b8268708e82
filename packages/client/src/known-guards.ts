/** The Guard of every build: the same address on every chain, which follows from its code. Made by the build; not edited. */
export const knownGuards: readonly string[] = ['0x3345ee38d93ec8d5ec99345352805dbde40aa03c']
