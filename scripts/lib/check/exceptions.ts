/** Exceptions to the rules of `check-source.ts`, with their reasons. An unused exception fails the check. */
export const exceptions: readonly { readonly fault: RegExp; readonly why: string }[] = [
  {
    fault: /^contracts\/test\/.*: imports @sluice\/(bindings|devnet),/,
    why: 'bindings and devnet are built from contracts, so declaring them would create a cycle of builds',
  },
  {
    fault: /^bench\/router\/peers\/uniswap\.ts: imports @(uniswap|ethersproject)\//,
    why: 'the benchmark installs these packages itself when it runs',
  },
]
