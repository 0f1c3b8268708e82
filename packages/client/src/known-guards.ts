/** The Guard of every build: the same address on every chain, which follows from its code. Made by the build; not edited. */
export const knownGuards: readonly string[] = ['0x9e9c7fcf45addd7121d12a01daf641a52c50e4e7']
