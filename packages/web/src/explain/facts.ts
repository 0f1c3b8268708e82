/**
 * Derives facts from the calldata of a pasted swap, and from Sluice's contracts on the chain (the deployment).
 */
import { type Explanation, explain, type SwapContracts, singletonsFor } from '@sluice/client'
import { keeperOf, opOf, singletonOf } from '@sluice/program'
import { type CalldataField, callShapeBySelector } from './bytes.ts'
import type { PastedTx } from './input.ts'

/**
 * Evidence of a fact. `proven`: the calldata states it, or it names a contract of the deployment. `claimed`: only the
 * sender states it. `differs`: it names a contract that is not of the deployment.
 */
export type Certainty = 'proven' | 'claimed' | 'differs'

/** Value of a fact. */
export type FactValue =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'amount'; readonly token: string; readonly baseUnits: bigint }
  | { readonly kind: 'time'; readonly seconds: bigint }

export type ExplainFact = {
  readonly name: string
  /** Calldata field whose bytes prove the fact; absent if no single field does. */
  readonly calldataField?: CalldataField
  readonly value: FactValue
  readonly note: string
  readonly certainty: Certainty
}

export type ExplainedTransaction = {
  readonly explanation: Explanation
  readonly facts: readonly ExplainFact[]
  /** Descriptions of the differences from the deployment; empty if there are none. */
  readonly deploymentDifferences: readonly string[]
}

const textValue = (text: string): FactValue => ({ kind: 'text', text })
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

/**
 * Decodes a transaction into facts.
 *
 * @param contracts - contracts of the deployment; undefined if this page does not know them
 * @param now - Unix seconds
 * @param isMined - true if the transaction is in a block, in which case its deadline no longer matters
 * @throws ClientError if the calldata is not a swap of the Guard
 */
export function explainTransaction(
  tx: PastedTx,
  contracts: SwapContracts | undefined,
  now: number,
  isMined = false,
): ExplainedTransaction {
  const explanation = explain({
    data: tx.data,
    to: tx.to ?? ZERO_ADDRESS,
    from: tx.from ?? ZERO_ADDRESS,
    value: tx.value ?? '0',
  })
  const { name, payoutWords, wordsBeforeOrder } = callShapeBySelector[tx.data.slice(0, 10).toLowerCase()]!
  const deploymentDifferences: string[] = []
  // Adds `difference` to the list if the address is not one of the expected addresses.
  const compareWithDeployment = (
    expected: readonly string[] | undefined,
    address: string,
    difference: string,
  ): Certainty => {
    if (expected?.some((candidate) => candidate.toLowerCase() === address.toLowerCase())) return 'proven'
    if (expected !== undefined) deploymentDifferences.push(difference)
    return expected === undefined ? 'claimed' : 'differs'
  }
  const executorCertainty = compareWithDeployment(
    contracts?.executors,
    explanation.executor,
    'the Executor is not the one of the deployment',
  )
  const contractCertainty =
    tx.to === undefined
      ? undefined
      : compareWithDeployment(
          contracts && [contracts.guard],
          tx.to,
          'it calls another contract than the Guard of the deployment',
        )
  const facts: ExplainFact[] = [
    {
      ...{ name: 'Call', calldataField: 'call', value: textValue(`Guard.${name}`), certainty: 'proven' },
      note: 'Takes the input, runs the Executor, checks the output, or reverts.',
    },
    contractFact(tx.to, contracts, contractCertainty),
    {
      ...{ name: 'Takes at most', calldataField: 'amountIn', certainty: name === 'swapNative' ? 'claimed' : 'proven' },
      value: { kind: 'amount', token: explanation.tokenIn, baseUnits: explanation.amountIn },
      note: name === 'swapNative' ? 'The value that comes with the call; not in the bytes.' : explanation.tokenIn,
    },
    {
      ...{ name: 'Pays at least', calldataField: 'minOutput', certainty: 'proven', note: explanation.tokenOut },
      value: { kind: 'amount', token: explanation.tokenOut, baseUnits: explanation.minOutput },
    },
    recipientFact(explanation.recipient, tx.from, payoutWords > 0 || wordsBeforeOrder === 2),
    modeFact(explanation.mode),
    feeFact(explanation, name, payoutWords > 0),
    deadlineFact(explanation.deadline, !isMined && explanation.deadline < BigInt(now)),
    executorFact(explanation.executor, contracts, executorCertainty),
  ]
  if (explanation.permit)
    facts.push({
      ...{ name: 'Signature', value: textValue(explanation.permit.kind), certainty: 'proven' },
      note: 'Lets the Guard draw the input; it comes with the swap.',
    })
  for (const { name, calldataField, address, expected, note } of otherContracts(explanation, contracts)) {
    const certainty = compareWithDeployment(
      expected,
      address,
      `the ${name.toLowerCase()} ${address} is not of this chain`,
    )
    facts.push({ name, value: { kind: 'address', address }, certainty, note, ...(calldataField && { calldataField }) })
  }
  return { explanation, facts, deploymentDifferences }
}

function modeFact(mode: Explanation['mode']): ExplainFact {
  const isCustody = mode === 'custody'
  return {
    ...{ name: 'Mode', value: textValue(isCustody ? 'Custody' : 'Direct'), certainty: 'proven', calldataField: 'call' },
    note: isCustody
      ? 'The Guard receives the output, checks it and passes it on.'
      : 'The Executor pays the recipient; the Guard checks what the balance grew by.',
  }
}

/** @param hasFeeField - true if the calldata has a field for the fee, even if the fee is zero */
function feeFact({ fee }: Explanation, callName: string, hasFeeField: boolean): ExplainFact {
  const emptyNote = hasFeeField ? 'The field for it is zero.' : `${callName} has no field for a fee.`
  return {
    ...{ name: 'Fee', certainty: 'proven', ...(hasFeeField && { calldataField: 'fee' as const }) },
    value: textValue(fee ? `${Number(fee.ppm) / 10_000} %` : 'None'),
    note: fee ? `To ${fee.recipient}.` : emptyNote,
  }
}

function deadlineFact(deadline: bigint, isExpired: boolean): ExplainFact {
  return {
    ...{
      name: 'Valid until',
      calldataField: 'deadline',
      certainty: 'proven',
      value: { kind: 'time', seconds: deadline },
    },
    note: isExpired ? 'By this clock it has passed: the transaction would revert.' : 'After that it reverts.',
  }
}

/** Returns the fact about the pools of the route. Its note names the pools that are not from a known factory. */
export function poolsFact({ pools }: Explanation, unknownPools: readonly string[] | undefined): ExplainFact {
  const count = pools.length === 1 ? '1 pool' : `${pools.length} pools`
  const sharedFields = { name: 'Pools', certainty: 'claimed' } as const
  if (unknownPools === undefined)
    return {
      ...sharedFields,
      value: textValue(count),
      note: 'This page knows no contracts of this chain to compare them with.',
    }
  if (unknownPools.length === 0)
    return {
      ...sharedFields,
      certainty: 'proven',
      value: textValue(count),
      note: 'All from known factories, or named by the deployment.',
    }
  return {
    ...sharedFields,
    value: textValue(count),
    note: `Not known: ${unknownPools.join(', ')}. The minimum still holds.`,
  }
}

/** @param hasRecipientField - false if the calldata has no recipient field */
function recipientFact(recipient: string, sender: string | undefined, hasRecipientField: boolean): ExplainFact {
  const [name, certainty] = ['Pays whom', 'proven'] as const
  if (!hasRecipientField) {
    const note = 'The bytes have no field for anyone else: the Guard pays the sender.'
    return { name, certainty, value: textValue('Who signs'), note }
  }
  const notes = {
    own: 'The sender itself.',
    other: 'Another account than the sender. Check that it is the one you mean.',
    unknown: 'Check that it is your account, or the one you mean.',
  }
  const recipientKind =
    sender === undefined ? 'unknown' : sender.toLowerCase() === recipient.toLowerCase() ? 'own' : 'other'
  return {
    name,
    calldataField: 'recipient',
    certainty,
    value: { kind: 'address', address: recipient },
    note: notes[recipientKind],
  }
}

function contractFact(
  to: string | undefined,
  contracts: SwapContracts | undefined,
  certainty: Certainty | undefined,
): ExplainFact {
  const notes = {
    proven: 'The Guard, as in the deployment. It is the only contract you approve.',
    differs: `The Guard of the deployment is ${contracts?.guard}.`,
    claimed: 'This page knows no deployment on this chain to compare it with.',
  }
  const expectedGuard = contracts ? ` It must be ${contracts.guard}.` : ''
  return {
    name: 'Contract',
    value: to === undefined ? textValue('not given') : { kind: 'address', address: to },
    note: certainty === undefined ? `The bytes do not say whom they are sent to.${expectedGuard}` : notes[certainty],
    // The calldata does not contain the target address, so the address stays a claim even if it is correct.
    certainty: certainty === 'differs' ? 'differs' : 'claimed',
  }
}

function executorFact(address: string, contracts: SwapContracts | undefined, certainty: Certainty): ExplainFact {
  const notes = {
    proven: 'One of the deployment.',
    differs: `The deployment has ${contracts?.executors.join(', ')}. Nobody knows what this one does.`,
    claimed: 'This page knows no deployment on this chain to compare it with.',
  }
  return {
    name: 'Executor',
    calldataField: 'executor',
    certainty,
    value: { kind: 'address', address },
    note: notes[certainty],
  }
}

type OtherContract = {
  readonly name: string
  readonly calldataField?: CalldataField
  readonly address: string
  readonly expected: readonly string[] | undefined
  readonly note: string
}

/** Returns the contracts, other than Guard and Executor, that hold or receive tokens during the swap. */
function otherContracts(
  { wrapper, steps }: Explanation,
  contracts: SwapContracts | undefined,
): readonly OtherContract[] {
  const contractsToShow: OtherContract[] = []
  const add = (contract: OtherContract) => {
    if (!contractsToShow.some(({ address }) => address.toLowerCase() === contract.address.toLowerCase()))
      contractsToShow.push(contract)
  }
  const wrappers = contracts && (contracts.wrapper ? [contracts.wrapper] : [])
  const wrapNote = 'Wraps or unwraps the native token.'
  if (wrapper) add({ name: 'Wrapper', calldataField: 'wrapper', address: wrapper, expected: wrappers, note: wrapNote })
  for (const step of steps) {
    if (step.op === 'wrap') add({ name: 'Wrapper', address: step.wrapped, expected: wrappers, note: wrapNote })
    if (step.op === 'unwrap') add({ name: 'Wrapper', address: step.tokenIn, expected: wrappers, note: wrapNote })
    const { title, singleton: singletonRole, keeper: keeperRole } = opOf(step)
    const singleton = singletonOf(step)
    const expected = contracts && singletonsFor(step.op, contracts)
    if (singletonRole && singleton)
      add({ name: capitalize(singletonRole), address: singleton, expected, note: `Holds the pools of ${title}.` })
    const keeper = keeperOf(step)
    // Each pool has a keeper of its own and no list contains the keepers, so this fact is only claimed.
    if (keeperRole && keeper)
      add({
        name: capitalize(keeperRole),
        address: keeper,
        expected: undefined,
        note: `Keeps the tokens of a ${title}.`,
      })
  }
  return contractsToShow
}

const capitalize = (word: string): string => word[0]!.toUpperCase() + word.slice(1)
