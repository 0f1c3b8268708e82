/** The Guard of every build: the same address on every chain, which follows from its code. Made by the build; not edited. */
export const knownGuards: readonly string[] = ['0x0c7c2a894cca9cdf8f3ee0a7b68d69849a91ef0f']
