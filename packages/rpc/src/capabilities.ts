/** Detects which extensions of eth_call an endpoint supports. */
import { EnvironmentProbe__factory } from '@sluice/bindings'
import { bytecode } from '@sluice/bindings/bytecode'
import { type Hex, toAddress } from '@sluice/chains'
import { quantity } from './encode.ts'
import { RpcError, type RpcErrorCode } from './errors.ts'
import { orBadAnswer } from './results.ts'

/** Extensions of eth_call that an endpoint supports. */
export type Capabilities = {
  /** True if code, balance, and storage of accounts can be overridden. */
  readonly canOverrideState: boolean
  /** Name of the field that overrides `block.coinbase`; null if it cannot be overridden. Nodes ignore unknown names. */
  readonly coinbaseField: CoinbaseField | null
  /** True if block overrides can set number and time. */
  readonly canOverrideTime: boolean
  /**
   * Measured maximum gas of a call; null if it is above 1,000,000,000 or unknown. Slightly below the real maximum,
   * because the measurement itself uses gas.
   */
  readonly gasCap: bigint | null
  /** True if calls run at the newest block even if another block is requested. */
  readonly ignoresBlock: boolean
}
export type CoinbaseField = 'feeRecipient' | 'coinbase'

const abi = EnvironmentProbe__factory.createInterface()
/** Address at which the probe is installed: code that returns values of its block. */
const PROBE = toAddress('0x5177ce0000000000000000000000000000000004')
/** Coinbase that the probe calls set for their block. */
const PROBE_COINBASE = toAddress('0x5177ce000000000000000000000000000000beef')
/** First gas limit that is tried. */
const LARGE_GAS = 1_000_000_000n
/** Gas limits that are tried in order if a node refuses the larger ones. */
const LOWER_GAS_LIMITS = [300_000_000n, 100_000_000n, 50_000_000n, 30_000_000n, 15_000_000n]
/**
 * Timestamp, and number, that the probe calls set for their block: so far in the future that no real block has them.
 */
const PROBE_TIME = 0x7fffffffn
/** Number of a block that no chain has. */
const FUTURE_BLOCK = quantity(PROBE_TIME)
const FIRST_BLOCK = quantity(1)

type ProbeRequest = (method: string, params: readonly unknown[]) => Promise<Hex>

/**
 * Reads the capabilities of an endpoint.
 *
 * @throws RpcError if the endpoint fails; a refusal only means that the capability is missing
 */
export async function readCapabilities(sendProbe: ProbeRequest): Promise<Capabilities> {
  const call = { to: PROBE, data: abi.encodeFunctionData('read') }
  const overrides = { [PROBE]: { code: bytecode.EnvironmentProbe.runtime } }
  const run = (request: object, ...block: object[]) =>
    sendProbe('eth_call', [request, 'latest', overrides, ...block]).then(decodeEnvironment, nullIfRefused)
  const [plainAnswer, feeRecipientAnswer, coinbaseAnswer, timeAnswer, gasCap, ignoresBlock] = await Promise.all([
    run(call),
    run(call, { feeRecipient: PROBE_COINBASE }),
    run(call, { coinbase: PROBE_COINBASE }),
    run(call, { number: quantity(PROBE_TIME), time: quantity(PROBE_TIME) }),
    readGasCap((gas) =>
      sendProbe('eth_call', [{ ...call, gas: quantity(gas) }, 'latest', overrides]).then(decodeEnvironment),
    ),
    detectIgnoredBlock((block) =>
      sendProbe('eth_call', [call, block, overrides]).then(decodeEnvironment, nullIfBlockRefused),
    ),
  ])
  const hasProbeCoinbase = (answer: Environment | null) => answer?.coinbase.toLowerCase() === PROBE_COINBASE
  return {
    canOverrideState: plainAnswer !== null,
    coinbaseField: hasProbeCoinbase(feeRecipientAnswer)
      ? 'feeRecipient'
      : hasProbeCoinbase(coinbaseAnswer)
        ? 'coinbase'
        : null,
    // `block.number` is not compared: on Arbitrum it is the parent chain's number, even with an override.
    canOverrideTime: timeAnswer?.timestamp === PROBE_TIME,
    gasCap,
    ignoresBlock,
  }
}

/**
 * Returns true if the endpoint ignores the block of a call. Calls at a future block first, because nodes that heed the
 * block refuse that call at once. Some nodes answer at the newest block only if a block is unknown. So the endpoint
 * ignores the block only if the answer at block 1 is not older than the answer at the future block.
 */
async function detectIgnoredBlock(callAt: (block: Hex) => Promise<Environment | null>): Promise<boolean> {
  const futureAnswer = await callAt(FUTURE_BLOCK)
  if (!futureAnswer) return false
  const firstAnswer = await callAt(FIRST_BLOCK)
  return firstAnswer !== null && firstAnswer.timestamp >= futureAnswer.timestamp
}

/** Measures the gas cap. Most nodes reduce the gas of a call to the cap; some refuse a call above the cap instead. */
async function readGasCap(call: (gas: bigint) => Promise<Environment | null>): Promise<bigint | null> {
  for (const gas of [LARGE_GAS, ...LOWER_GAS_LIMITS]) {
    try {
      const gasLeft = (await call(gas))?.gasLeft ?? null
      return gas === LARGE_GAS && gasLeft !== null && gasLeft > (LARGE_GAS * 9n) / 10n ? null : gasLeft
    } catch (error) {
      if (!(error instanceof RpcError && error.code === 'GAS_CAP')) return nullIfRefused(error)
    }
  }
  return null
}

type Environment = { readonly coinbase: string; readonly gasLeft: bigint; readonly timestamp: bigint }

/**
 * Decodes the probe's result; null if the node ignored the override and found no code.
 *
 * @throws RpcError `BAD_ANSWER` if it does not decode, so that a request continues at another endpoint
 */
function decodeEnvironment(answer: Hex): Environment | null {
  if (answer === '0x') return null
  const { coinbase, gasLeft, timestamp } = orBadAnswer(() => abi.decodeFunctionResult('read', answer))
  return { coinbase, gasLeft, timestamp }
}

/** Codes of errors with which nodes refuse an override. */
const refusalCodes: ReadonlySet<RpcErrorCode> = new Set(['REJECTED', 'REVERTED', 'UNSUPPORTED', 'SIZE', 'GAS_CAP'])

/** Like `nullIfRefused`, also for a node that lacks the block or its state. */
function nullIfBlockRefused(error: unknown): null {
  if (error instanceof RpcError && (error.code === 'LAGGING' || error.code === 'PRUNED')) return null
  return nullIfRefused(error)
}

function nullIfRefused(error: unknown): null {
  if (error instanceof RpcError && refusalCodes.has(error.code)) return null
  throw error
}
