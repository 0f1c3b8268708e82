/**
 * Differential fuzz of the Guard. Runs random sequences of calls both with the compiled Guard on anvil and with the
 * reference implementation (guard.ts), and compares their results and state. The contract Driver of World.sol runs a
 * whole sequence in one `eth_call`.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { IGuard__factory } from '@sluice/bindings'
import { type Anvil, startAnvil } from '@sluice/devnet'
import { id } from 'ethers'
import { ADDRESSES, GUARD, HOLDERS, MODEL_TOKENS, PERMIT2, PLAIN, PLAYERS, scriptHex, WETH, ZERO } from './calls.ts'
import { Generator, type Step, setup } from './generate.ts'
import { type Outcome, TooDeep } from './outcome.ts'
import { Signer } from './permits.ts'
import { World } from './world.ts'

const CHAIN_ID = 31_337
const NOW = 2_000_000_000n
const DRIVER = `0x${'d1'.repeat(20)}`
const COINBASE = `0x${'c0'.repeat(20)}`
const GAS_LIMIT = '0xe8d4a51000'
const modules = join(import.meta.dirname, '../../../node_modules')
/** Steps of a sequence. A step is one call from outside (see generate.ts). */
const STEPS_PER_SEQUENCE = 32
/** Number of steps between comparisons of the state. The state after the last step of a sequence is also compared. */
const STEPS_PER_COMPARISON = 4
const SEQUENCES_PER_REQUEST = 16
const MAX_CONCURRENT_REQUESTS = 3
/** Number of differences after which a run ends. */
const MAX_DIFFERENCES = 1
const REQUEST_TIMEOUT_MS = 600_000

export type Difference = {
  readonly sequence: number
  readonly step: number
  readonly expected: string
  readonly actual: string
}
export type Tally = {
  sequences: number
  /** Sequences that ended early, because the next call would have been nested too deeply. */
  cutShort: number
  /** Steps that consist of one call of the Guard: a swap, a pull of input, a native transfer, or a read. */
  calls: number
  /** Calls among `calls` that are swaps. */
  swaps: number
  /** Swaps among `swaps` that did not revert. */
  succeeded: number
  /** All calls of the Guard, including those of scripts that run during other calls. */
  answers: number
  /** Number of `calls` by the error with which they reverted. */
  readonly errors: Record<string, number>
  /** Number of succeeded swaps by function of the Guard. */
  readonly functions: Record<string, number>
}
export type Run = {
  /** Runtime code of the Guard. */
  readonly code: string
  readonly build: World['build']
  readonly calls: number
  readonly seed: number
  /** False for a chain without Permit2. */
  readonly hasPermit2?: boolean
}
export type Finding = { readonly tally: Tally; readonly difference: Difference | undefined }
type Expected = {
  readonly ok: boolean
  readonly word: bigint
  readonly errors: readonly string[]
  readonly digest: bigint
}
type Sequence = { readonly index: number; readonly steps: readonly Step[]; readonly expected: readonly Expected[] }

const guardErrors = IGuard__factory.createInterface()
const SELECTOR_BY_ERROR = new Map<string, bigint>()
guardErrors.forEachError(({ name, selector }) => SELECTOR_BY_ERROR.set(name, BigInt(selector)))
for (const error of [
  'Refused',
  'NoBalance',
  'NoAllowance',
  'BadNonce',
  'BadSignature',
  'InvalidNonce',
  'InvalidContractSignature',
])
  SELECTOR_BY_ERROR.set(error, BigInt(id(`${error}()`).slice(0, 10)))
for (const error of ['SignatureExpired', 'AllowanceExpired', 'InsufficientAllowance'])
  SELECTOR_BY_ERROR.set(error, BigInt(id(`${error}(uint256)`).slice(0, 10)))
SELECTOR_BY_ERROR.set('Error', 0x08c379a0n)
SELECTOR_BY_ERROR.set('Panic', 0x4e487b71n)
SELECTOR_BY_ERROR.set('empty', 0n)
/** Selector of the model token's `Expired()`. The Guard has an error of the same name with another selector. */
const TOKEN_EXPIRED_SELECTOR = BigInt(id('Expired()').slice(0, 10))
const errorNameOf = (selector: bigint): string => {
  for (const [name, errorSelector] of SELECTOR_BY_ERROR) if (errorSelector === selector) return name
  return selector === TOKEN_EXPIRED_SELECTOR ? 'Expired' : `0x${selector.toString(16)}`
}

/** A node with the accounts of the model, on which sequences run. */
export class Arena {
  readonly #anvil: Anvil
  readonly #world: World
  readonly #generator: Generator
  #permit2 = '0x'

  private constructor(anvil: Anvil) {
    this.#anvil = anvil
    this.#world = new World(NOW)
    this.#generator = new Generator(this.#world, new Signer(BigInt(CHAIN_ID)))
  }

  static async start(): Promise<Arena> {
    const args = [
      '--hardfork',
      'cancun',
      '--gas-limit',
      String(BigInt(GAS_LIMIT)),
      '--code-size-limit',
      '100000',
      '--base-fee',
      '0',
    ]
    const anvil = await startAnvil({ chainId: CHAIN_ID, args })
    const arena = new Arena(anvil)
    try {
      await arena.#prepare()
      return arena
    } catch (error) {
      await anvil.stop()
      throw error
    }
  }

  stop(): Promise<void> {
    return this.#anvil.stop()
  }

  async #prepare(): Promise<void> {
    const code = compileWorld()
    const set = (address: string, hex: string) => this.#rpc('anvil_setCode', [address, hex])
    const hexAddressOf = (account: number) => `0x${ADDRESSES[account]!}`
    await this.#rpc('anvil_setCoinbase', [COINBASE])
    for (let player = 0; player < PLAYERS; player++) await set(hexAddressOf(player), code.Player)
    for (const token of MODEL_TOKENS) await set(hexAddressOf(token), code.ModelToken)
    const weth = JSON.parse(readFileSync(join(modules, '@uniswap/v2-periphery/build/WETH9.json'), 'utf8'))
    const creation: string = weth.bytecode.object ?? weth.bytecode
    await set(
      hexAddressOf(WETH),
      await this.#rpc('eth_call', [{ data: creation.startsWith('0x') ? creation : `0x${creation}` }, 'latest']),
    )
    const permit2 = JSON.parse(readFileSync(join(modules, '@1inch/solidity-utils/dist/src/permit2.json'), 'utf8'))
    this.#permit2 = permit2.bytecode ?? permit2
    await set(hexAddressOf(PERMIT2), this.#permit2)
    await set(DRIVER, code.Driver)
    for (let holder = 0; holder < HOLDERS; holder++) {
      const value = [ZERO, PLAIN, WETH].includes(holder) ? 0n : holder === GUARD ? 5_555n : 10n ** 24n
      await this.#rpc('anvil_setBalance', [hexAddressOf(holder), `0x${value.toString(16)}`])
      this.#world.write(holder, value)
    }
    const steps = setup()
    for (const step of steps) {
      const outcome = this.#play(step)
      if (!outcome.ok) throw new Error(`the reference refuses the setup: ${outcome.errors}`)
    }
    const [from] = await this.#rpc<string[]>('eth_accounts', [])
    const data = driverData(steps, false)
    // Gives the Guard code that returns a word, because Driver's digest reads `remaining` from the Guard. `run` replaces
    // this code by that of the tested Guard.
    await set(hexAddressOf(GUARD), '0x60206000f3')
    const receipt = await this.#rpc<{ status: string }>('eth_sendTransactionSync', [
      { from, to: DRIVER, data, gas: GAS_LIMIT, gasPrice: '0x0' },
    ])
    if (receipt.status !== '0x1') throw new Error('the setup reverted')
  }

  #play({ player, script }: Step): Outcome {
    return this.#world.call(player, player, 0n, { kind: 'play', script })
  }

  /** Runs random sequences until they contain at least `calls` calls of the Guard, or until the first difference. */
  async run({ code, build, calls, seed, hasPermit2 = true }: Run): Promise<Finding> {
    const tally: Tally = {
      sequences: 0,
      cutShort: 0,
      calls: 0,
      swaps: 0,
      succeeded: 0,
      answers: 0,
      errors: {},
      functions: {},
    }
    const differences: Difference[] = []
    await this.#rpc('anvil_setCode', [`0x${ADDRESSES[GUARD]!}`, code])
    await this.#rpc('anvil_setCode', [`0x${ADDRESSES[PERMIT2]!}`, hasPermit2 ? this.#permit2 : '0x'])
    const mark = this.#world.mark()
    this.#world.build = build
    this.#world.hasPermit2 = hasPermit2
    const inFlight = new Set<Promise<void>>()
    let index = 0
    while (tally.calls < calls && differences.length < MAX_DIFFERENCES) {
      const batch = Array.from({ length: SEQUENCES_PER_REQUEST }, () => this.#sequence(index++, seed, tally))
      const comparison = this.#compare(batch).then((newDifferences) => {
        differences.push(...newDifferences)
        inFlight.delete(comparison)
      })
      inFlight.add(comparison)
      if (inFlight.size >= MAX_CONCURRENT_REQUESTS) await Promise.race(inFlight)
    }
    await Promise.all(inFlight)
    this.#world.restore(mark)
    differences.sort((a, b) => a.sequence - b.sequence)
    return { tally, difference: differences[0] }
  }

  /** Draws a sequence, and computes the expected results with the reference. */
  #sequence(index: number, seed: number, tally: Tally): Sequence {
    const world = this.#world
    const mark = world.mark()
    const answersBefore = world.answers
    const steps: Step[] = []
    const expected: Expected[] = []
    const playStep = (step: Step) => {
      const outcome = this.#play(step)
      steps.push(step)
      const { digest } = world
      if (outcome.ok) expected.push({ ok: true, word: outcome.answer.word, errors: [], digest })
      else expected.push({ ok: false, word: 0n, errors: outcome.errors, digest })
      count(step, outcome, tally)
    }
    try {
      for (const step of this.#generator.start(Math.imul(seed, 0x9e3779b1) ^ index)) playStep(step)
      while (steps.length < STEPS_PER_SEQUENCE) playStep(this.#generator.step())
    } catch (error) {
      // Ends the sequence before the step whose calls are nested too deeply.
      if (!(error instanceof TooDeep)) throw error
      tally.cutShort++
    }
    world.restore(mark)
    tally.sequences++
    tally.answers += world.answers - answersBefore
    return { index, steps, expected }
  }

  async #compare(batch: readonly Sequence[]): Promise<readonly Difference[]> {
    const requests = batch.map(({ steps }, batchIndex) => this.#request(batchIndex, driverData(steps, false)))
    const answers = await this.#post<{ id: number; result?: string; error?: unknown }[]>(requests)
    const differences: Difference[] = []
    for (const { id: batchIndex, result, error } of answers) {
      const sequence = batch[batchIndex]!
      if (!result) throw new Error(`the node does not answer: ${JSON.stringify(error)}`)
      const step = firstDifference(sequence, result)
      if (step !== undefined) differences.push(await this.#explain(sequence, step, result))
    }
    return differences
  }

  #request(requestId: number, data: string): object {
    const time = { time: `0x${NOW.toString(16)}` }
    return {
      jsonrpc: '2.0',
      id: requestId,
      method: 'eth_call',
      params: [{ to: DRIVER, data, gas: GAS_LIMIT }, 'latest', {}, time],
    }
  }

  /** Describes a difference: the call, both results, and the words of the state that differ after the step. */
  async #explain(sequence: Sequence, step: number, result: string): Promise<Difference> {
    const steps = sequence.steps.slice(0, step + 1)
    const { result: dump } = await this.#post<{ result: string }>(this.#request(0, driverData(steps, true)))
    const world = this.#world
    const mark = world.mark()
    for (const earlierStep of steps) this.#play(earlierStep)
    const words = world.words.flatMap((word, wordIndex) => {
      const actual = BigInt(`0x${dump.slice(2 + 64 * wordIndex, 66 + 64 * wordIndex)}`)
      return actual === word ? [] : [`word ${wordIndex}: ${word} expected, ${actual} actual`]
    })
    world.restore(mark)
    const { ok, word, errors } = sequence.expected[step]!
    const [actualOk, actualWord] = wordsOf(result, step)
    const call = JSON.stringify(steps.at(-1), (key, value) =>
      key === 'hex' ? undefined : typeof value === 'bigint' ? String(value) : value,
    )
    return {
      ...{ sequence: sequence.index, step },
      expected: `${ok ? `success ${word}` : `revert with ${errors.join(' or ')}`} of ${call}`,
      actual: `${actualOk === 1n ? `success ${actualWord}` : `revert with ${errorNameOf(actualWord! >> 224n)}`}; ${words.join('; ')}`,
    }
  }

  async #post<T>(body: unknown): Promise<T> {
    const response = await fetch(this.#anvil.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    })
    return (await response.json()) as T
  }

  async #rpc<T = string>(method: string, params: readonly unknown[]): Promise<T> {
    const { result, error } = await this.#post<{ result: T; error?: unknown }>({
      jsonrpc: '2.0',
      id: 1,
      method,
      params,
    })
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result
  }
}

function count({ script }: Step, outcome: Outcome, tally: Tally): void {
  const [first] = script
  if (script.length !== 1 || first?.to !== GUARD) return
  tally.calls++
  if (first.call.kind === 'swap') {
    tally.swaps++
    const { name } = first.call.swap
    if (outcome.ok) tally.succeeded++
    if (outcome.ok) tally.functions[name] = (tally.functions[name] ?? 0) + 1
  }
  if (!outcome.ok) for (const error of outcome.errors) tally.errors[error] = (tally.errors[error] ?? 0) + 1
}

/** Returns the three words of a step in Driver's result: success, the returned word or the error, and the digest. */
function wordsOf(result: string, step: number): readonly bigint[] {
  const offset = 2 + 192 * step
  return [0, 1, 2].map((wordIndex) =>
    BigInt(`0x${result.slice(offset + 64 * wordIndex, offset + 64 * wordIndex + 64)}`),
  )
}

function firstDifference({ expected }: Sequence, result: string): number | undefined {
  for (let step = 0; step < expected.length; step++) {
    const { ok, word, errors, digest } = expected[step]!
    const [actualOk, actualWord, actualDigest] = wordsOf(result, step)
    const isStateCompared = step % STEPS_PER_COMPARISON === STEPS_PER_COMPARISON - 1 || step === expected.length - 1
    const isSame = ok
      ? actualOk === 1n && actualWord === word
      : actualOk === 0n && errors.some((error) => isError(error, actualWord!))
    if (!isSame || (isStateCompared && actualDigest !== digest)) return step
  }
  return undefined
}

function isError(error: string, word: bigint): boolean {
  const selector = word >> 224n
  return selector === SELECTOR_BY_ERROR.get(error) || (error === 'Expired' && selector === TOKEN_EXPIRED_SELECTOR)
}

/** Encodes steps for Driver. @param isDump - true to get all words of the state instead of the results of the steps */
function driverData(steps: readonly Step[], isDump: boolean): string {
  let data = isDump ? '0x01' : '0x00'
  for (const { player, script } of steps) {
    const hex = scriptHex(script)
    data += ADDRESSES[player]! + (hex.length / 2).toString(16).padStart(6, '0') + hex
  }
  return data
}

function compileWorld(): Readonly<Record<'Player' | 'ModelToken' | 'Driver', string>> {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
  const content = readFileSync(join(import.meta.dirname, 'World.sol'), 'utf8')
  const settings = {
    evmVersion: 'cancun',
    optimizer: { enabled: true, runs: 1_000_000 },
    outputSelection: { '*': { '*': ['evm.deployedBytecode.object'] } },
  }
  const output = JSON.parse(
    solc.compile(JSON.stringify({ language: 'Solidity', sources: { 'World.sol': { content } }, settings })),
  )
  const failure = output.errors?.find(({ severity }: { severity: string }) => severity === 'error')
  if (failure) throw new Error(failure.formattedMessage)
  const code = (name: string): string => `0x${output.contracts['World.sol'][name].evm.deployedBytecode.object}`
  return { Player: code('Player'), ModelToken: code('ModelToken'), Driver: code('Driver') }
}
