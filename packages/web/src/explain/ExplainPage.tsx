/** The Explain page: decodes a pasted call of the Guard, Sluice's swap contract, and checks the terms of the swap. */
import '../styles/explain.css'
import { contractsOf, type SwapContracts } from '@sluice/client'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useExampleSwap } from '../example/use-example-swap.ts'
import { useTokenNames } from '../service/tokens.ts'
import { afterPaint, useAfterPaint, usePaintedParts } from '../ui/after-paint.ts'
import { Icon } from '../ui/Icon.tsx'
import { Lede } from '../ui/Lede.tsx'
import { Failure, Notice } from '../ui/Notice.tsx'
import { useChain, useServiceInfo } from '../ui/service-info.ts'
import { useTitle } from '../ui/title.ts'
import { useWallet } from '../wallet/use-wallet.ts'
import { Bytes } from './Bytes.tsx'
import { callShapeBySelector, piecesOf, rangesOf } from './bytes.ts'
import { Facts } from './Facts.tsx'
import { type ExplainedTransaction, explainTransaction, poolsFact } from './facts.ts'
import { decodeUri, fragmentOf, type PastedTx, readPasted } from './input.ts'
import { Steps } from './Steps.tsx'
import { type TokenValue, termsOf, unknownPoolsOf } from './terms.ts'
import { type SentTransactionState, useSentTransaction } from './use-sent-transaction.ts'
import { useTokenValues } from './use-token-values.ts'
import { Verdict } from './Verdict.tsx'

export function ExplainPage() {
  useTitle('Explain')
  const { chain: chainId } = useRouterState({ select: ({ location }) => location.search as { chain?: number } })
  const hash = useRouterState({ select: ({ location }) => decodeUri(location.hash) })
  const navigate = useNavigate()
  const chain = useChain(chainId)
  const pastedInput = useMemo(() => readPasted(hash), [hash])
  const lookup = useSentTransaction(chain.id, pastedInput.kind === 'hash' ? pastedInput.hash : undefined)
  const lookupResult = lookup.data
  const sentTransaction = lookupResult?.kind === 'sent' ? lookupResult : undefined
  const tx = pastedInput.kind === 'transaction' ? pastedInput.tx : sentTransaction?.tx
  const block = sentTransaction?.block
  const subject = useMemo(() => tx && { tx, block }, [tx, block])
  // The form shows the transaction at once. It is decoded and checked after the paint, because both take longer.
  const paintedSubject = useAfterPaint(subject)
  const openTransaction = (text: string) => {
    const next = readPasted(text)
    const fragment = next.kind === 'transaction' ? fragmentOf(next.tx) : text.trim()
    navigate({ to: '/app/explain', search: (before) => before, hash: fragment })
  }
  const example = useExampleSwap(chain.id, ({ tx }) => openTransaction(JSON.stringify(tx)))
  return (
    <>
      <Lede page="explain" />
      <PasteForm
        key={hash}
        text={pastedInput.kind === 'hash' ? pastedInput.hash : (tx?.data ?? hash)}
        chain={chain.name}
        onOpen={openTransaction}
      />
      <div className="spaced stack">
        {pastedInput.kind === 'nothing' && (
          <Notice kind="info" title="Nothing to explain yet.">
            Paste a transaction above, or{' '}
            <button type="button" className="link" disabled={example.busy} onClick={() => void example.fill()}>
              try an example
            </button>
            .
          </Notice>
        )}
        {pastedInput.kind === 'nothing' && example.error !== null && <Failure error={example.error} />}
        {pastedInput.kind === 'wrong' && (
          <Notice kind="bad" title="This cannot be read." urgent>
            {pastedInput.reason}
          </Notice>
        )}
        {lookup.error && (
          <Notice kind="bad" title="Couldn’t look up the transaction." urgent>
            {lookup.error.message}
          </Notice>
        )}
        {lookupResult && lookupResult.kind !== 'sent' && (
          <MissingTransaction kind={lookupResult.kind} chain={chain.name} />
        )}
        {lookupResult?.kind === 'sent' && (
          <Notice
            kind={lookupResult.outcome === 'reverted' ? 'warn' : 'info'}
            title={titleByOutcome[lookupResult.outcome]}
          />
        )}
      </div>
      {paintedSubject && paintedSubject.tx === tx && (
        <Explained chainId={chain.id} chainName={chain.name} {...paintedSubject} />
      )}
    </>
  )
}

const titleByOutcome = {
  landed: 'This transaction is in a block, and succeeded.',
  reverted: 'This transaction is in a block, and reverted: it cost gas and moved nothing else.',
  waiting: 'This transaction is not in a block yet.',
} as const

/** Explains why there is no transaction to show for a hash. */
function MissingTransaction({
  kind,
  chain,
}: {
  readonly kind: Exclude<SentTransactionState['kind'], 'sent'>
  readonly chain: string
}) {
  const [title, text] = {
    absent: [`No transaction with this hash on ${chain}.`, 'Check the hash and the chain.'],
    empty: ['This transaction has no calldata.', 'It calls no contract: there is nothing to explain.'],
    'no-node': [
      'Couldn’t look up the hash.',
      'Only a node knows a transaction by its hash: connect a wallet on this chain, or paste the calldata.',
    ],
  }[kind] as [string, string]
  return (
    <Notice kind="warn" title={title} urgent>
      {text}
    </Notice>
  )
}

type PasteFormProps = { readonly text: string; readonly chain: string; readonly onOpen: (text: string) => void }

function PasteForm({ text, chain, onOpen }: PasteFormProps) {
  const [typedText, setTypedText] = useState(text)
  return (
    <form
      className="panel paste"
      onSubmit={(event) => {
        event.preventDefault()
        afterPaint(() => onOpen(typedText))
      }}
    >
      <label className="lab" htmlFor="tx">
        Calldata, or the hash of a transaction on {chain}
      </label>
      <span />
      <textarea
        className="field"
        id="tx"
        spellCheck={false}
        value={typedText}
        onChange={(event) => setTypedText(event.target.value)}
        onPaste={(event) => {
          // A paste that replaces the whole text is read at once, without a click.
          const textArea = event.currentTarget
          const replacesAll = textArea.selectionEnd - textArea.selectionStart === textArea.value.length
          if (!replacesAll) return
          event.preventDefault()
          onOpen(event.clipboardData.getData('text'))
        }}
      />
      <button type="submit" className="btn">
        Explain
      </button>
    </form>
  )
}

type ExplainedProps = {
  readonly chainId: number
  readonly chainName: string
  readonly tx: PastedTx
  /** Block of a mined transaction. */
  readonly block: number | undefined
}

function Explained({ chainId, chainName, tx, block }: ExplainedProps) {
  const { local } = useServiceInfo()
  const contracts = chainId === local?.chainId ? local.contracts : contractsOf(chainId)
  const result = useMemo((): ExplainedTransaction | Error => {
    try {
      return explainTransaction(tx, contracts, Math.floor(Date.now() / 1000), block !== undefined)
    } catch (error) {
      return error as Error
    }
  }, [tx, contracts, block])
  if (result instanceof Error) return <NotASwap data={tx.data} error={result} />
  return <ExplainedSwap {...{ chainId, chainName, tx, block, contracts, transaction: result }} />
}

const erc20CallBySelector: Readonly<Record<string, string>> = {
  '0xa9059cbb': 'transfer(address,uint256) of ERC-20 tokens',
  '0x095ea7b3': 'approve(address,uint256) of ERC-20 tokens',
  '0x23b872dd': 'transferFrom(address,address,uint256) of ERC-20 tokens',
}

/** Explains calldata that is not a complete call of a swap function of the Guard. */
function NotASwap({ data, error }: { readonly data: string; readonly error: Error }) {
  const selector = data.slice(0, 10).toLowerCase()
  const isSwapCall = Object.hasOwn(callShapeBySelector, selector)
  const name = Object.hasOwn(erc20CallBySelector, selector) ? erc20CallBySelector[selector] : undefined
  return (
    <div className="verdict verdict--bad" role="alert">
      <Icon name="bad" />
      <div>
        <p>
          <b>
            {isSwapCall
              ? 'The calldata is malformed or truncated. Don’t sign it.'
              : 'This isn’t a Sluice swap. Don’t sign it as one.'}
          </b>
        </p>
        <p className="verdict__more">
          {isSwapCall
            ? `It begins like a swap of the Guard, and cannot be read to its end: ${error.message}.`
            : `It begins with ${data.slice(0, 10)}${name ? `, which is ${name}` : ''}.`}
        </p>
      </div>
    </div>
  )
}

type ExplainedSwapProps = ExplainedProps & {
  readonly contracts: SwapContracts | undefined
  readonly transaction: ExplainedTransaction
}

/** Number of parts that are painted one after another: the verdict, the facts, and the bytes with the steps. */
const PART_COUNT = 3

function ExplainedSwap({ chainId, chainName, tx, block, contracts, transaction }: ExplainedSwapProps) {
  const { explanation, facts, deploymentDifferences } = transaction
  const [highlightedKey, setHighlightedKey] = useState<string | null>(null)
  const wallet = useWallet()
  const { steps, tokenIn, tokenOut } = explanation
  const { tokenOf } = useTokenNames(chainId, [tokenIn, tokenOut, ...steps.map((step) => step.tokenIn)])
  const { input, output, isPending } = useTokenValues({ chainId, tokenIn, tokenOut, contracts, block }, tokenOf)
  const signer = tx.from ?? wallet?.address
  // Computes many hashes, so the result is kept until the transaction changes.
  const unknownPools = useMemo(() => unknownPoolsOf(explanation, contracts), [explanation, contracts])
  // `input` and `output` are new objects in each render, so the memo below depends on their JSON text.
  const valueKey = JSON.stringify([input, output])
  const terms = useMemo(() => {
    const [input, output] = JSON.parse(valueKey) as [TokenValue, TokenValue]
    const now = Math.floor(Date.now() / 1000)
    return termsOf({
      tx,
      explanation,
      contracts,
      unknownPools,
      signer,
      isMined: block !== undefined,
      now,
      input,
      output,
    })
  }, [tx, explanation, contracts, unknownPools, signer, block, valueKey])
  // Paints the bytes and the steps last, because they have many elements.
  const visibleParts = usePaintedParts(PART_COUNT)
  const link = `${location.origin}/app/explain?chain=${chainId}#${fragmentOf(tx)}`
  const shownFacts = [...facts, poolsFact(explanation, terms.unknownPools)]
  return (
    <>
      <Verdict {...{ explanation, terms, deploymentDifferences, isPending, chainName, tokenOf, link }} />
      <div className="ex">
        {visibleParts > 1 && (
          <Facts
            facts={shownFacts}
            unusualTerms={terms.unusualTerms}
            tokenOf={tokenOf}
            highlightedKey={highlightedKey}
            onHighlight={setHighlightedKey}
          />
        )}
        {visibleParts === PART_COUNT && (
          <Calldata {...{ tx, explanation, facts, highlightedKey }} onHighlight={setHighlightedKey} />
        )}
      </div>
      {visibleParts === PART_COUNT && (
        <Steps
          explanation={explanation}
          tokenOf={tokenOf}
          highlightedKey={highlightedKey}
          onHighlight={setHighlightedKey}
        />
      )}
    </>
  )
}

type CalldataProps = Pick<ExplainedTransaction, 'explanation' | 'facts'> & {
  readonly tx: PastedTx
  readonly highlightedKey: string | null
  readonly onHighlight: (key: string | null) => void
}

function Calldata({ tx, explanation, facts, highlightedKey, onHighlight }: CalldataProps) {
  const pieces = useMemo(() => piecesOf(tx.data, rangesOf(tx.data, explanation)), [tx.data, explanation])
  return <Bytes {...{ pieces, highlightedKey, onHighlight }} steps={explanation.steps} facts={facts} />
}
