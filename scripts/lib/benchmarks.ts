/** Benchmarks by name, and the choice of one by the arguments of `npm run bench`. */

/** A benchmark, which has one or more parts. Part `p` of benchmark `n` is the file `bench/<n>/<p>.ts`. */
export type Benchmark = {
  /** Subject in a few words, for the list of benchmarks. */
  readonly about: string
  /** Names of the parts. The first is the main one unless `hasMain` is false. */
  readonly parts: readonly [string, ...string[]]
  /** False if there is no main part, so that the command must name a part. */
  readonly hasMain?: false
}

export const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  bounded: { about: 'routes over pools with limited capacity, compared with other ways to trade', parts: ['bounded'] },
  bus: {
    about: 'state of a chain shared over Redis: cost, and faults of its parts',
    parts: ['bus', 'faults', 'guards'],
  },
  capacity: { about: 'fleet sizes, and calls to the provider', parts: ['model', 'bill', 'calls'] },
  certificates: { about: 'proofs of quotes, and transactions checked by the SDK', parts: ['certificates', 'verify'] },
  contracts: { about: 'long fuzz of the contracts', parts: ['invariants', 'guard-model'], hasMain: false },
  docs: { about: 'how documents read, and first steps by them', parts: ['readability', 'newcomer'] },
  families: { about: 'quotes of every DEX family, compared with genuine pools', parts: ['each'] },
  faults: {
    about: 'quotes while endpoints, blocks, or processes fail or are replaced',
    parts: ['endpoints', 'reorgs', 'outage', 'rolling'],
  },
  gas: { about: 'gas of swaps, by router, cause, and hop', parts: ['swaps', 'account', 'hop'] },
  honesty: { about: 'promised and paid output of trades on Ethereum', parts: ['honesty', 'peers'] },
  inclusion: { about: 'swaps that are mined up to a day after their quote', parts: ['inclusion'] },
  load: {
    about: 'HTTP service under load',
    parts: ['api', 'against', 'burst', 'overload', 'abuse', 'soak', 'stream', 'real'],
    hasMain: false,
  },
  net: { about: 'quotes net of gas, compared with narrower ones', parts: ['warm', 'cold'] },
  pages: { about: 'pages of the playground on a phone', parts: ['pages'] },
  prices: { about: 'USD prices: speed, real tokens, attackers', parts: ['pricing', 'mainnet', 'attacks'] },
  referee: { about: 'verdicts on mined swaps', parts: ['referee'] },
  router: {
    about: 'routes of the search: output, bounds, and time',
    parts: ['search', 'scale', 'threads', 'least-input', 'against', 'ablation', 'untrusted'],
  },
  simulate: { about: 'simulation of transactions, own and of other routers', parts: ['simulate', 'routers'] },
  sync: {
    about: 'pools of a chain: reading, following, starting, memory',
    parts: ['sync', 'reading', 'event-loop', 'cold-start', 'chains', 'awake-chains'],
  },
}

/** Benchmark file to run with its arguments, or a text for the user and the exit code. */
export type Choice =
  | { readonly file: string; readonly args: readonly string[] }
  | { readonly text: string; readonly code: number }

const WORD = /^[a-z][a-z-]*$/

/**
 * Chooses a benchmark by its name and part. If a benchmark has several parts, a word after its name is a part; numbers,
 * flags, and paths are arguments of its main part. If it has one part, everything after its name is an argument.
 */
export function chooseBenchmark(args: readonly string[]): Choice {
  const [name, ...rest] = args
  if (name === undefined) return { text: listBenchmarks(), code: 0 }
  const benchmark = Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined
  if (!benchmark) return { text: `There is no benchmark "${name}".\n\n${listBenchmarks()}`, code: 1 }
  const { parts, hasMain = true } = benchmark
  const [word] = rest
  const run = (part: string, args: readonly string[]) => ({ file: `${name}/${part}.ts`, args })
  if (parts.length === 1) return run(parts[0], rest)
  if (word !== undefined && parts.includes(word)) return run(word, rest.slice(1))
  if (word !== undefined && WORD.test(word))
    return { text: `"${name}" has no part "${word}". Its parts are ${parts.join(', ')}.`, code: 1 }
  if (hasMain) return run(parts[0], rest)
  return { text: `"${name}" has no main part. Name one: npm run bench -- ${name} <${parts.join(' | ')}>`, code: 1 }
}

function listBenchmarks(): string {
  const names = Object.keys(BENCHMARKS)
  const width = Math.max(...names.map((name) => name.length)) + 2
  const lines = Object.entries(BENCHMARKS).map(([name, { about, parts }]) => {
    const partList = parts.length > 1 ? ` (${parts.join(', ')})` : ''
    return `  ${name.padEnd(width)}${about}${partList}`
  })
  const usage = 'npm run bench -- <name> [part] [arguments]; without a part, the main part runs if there is one'
  return `${usage}\n\n${lines.join('\n')}\n\nbench/README.md describes each part and its arguments.`
}
