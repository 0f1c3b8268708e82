/** Exceptions to the source rules of `npm run check`, with their reasons. An unused exception fails the check. */
export const exceptions: readonly { readonly fault: RegExp; readonly why: string }[] = [
  {
    fault: /^contracts\/test\/.*: imports @sluice\/(bindings|devnet),/,
    why: 'bindings and devnet are made from contracts: declaring them would be a cycle of builds',
  },
  {
    fault: /^bench\/router\/peers\/uniswap\.ts: imports @(uniswap|ethersproject)\//,
    why: 'the peer is installed by the benchmark itself, when it is run',
  },
]
