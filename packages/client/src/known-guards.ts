/** The Guard of every build: the same address on every chain, which follows from its code. Made by the build; not edited. */
export const knownGuards: readonly string[] = ['0xf6d7bcd0794c1bb2d0fb1538caacada9276af277']
