import '../styles/explain.css'
import { contractsOf } from '@sluice/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import { type ReactNode, useMemo, useState } from 'react'
import { useNamed } from '../service/tokens.ts'
import { Copy } from '../ui/Copy.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Failure, Notice } from '../ui/Notice.tsx'
import { Amount } from '../ui/Num.tsx'
import { useChain, useSetting } from '../ui/setting.ts'
import { useTitle } from '../ui/title.ts'
import { nodeProvider } from '../wallet/local-account.ts'
import { useWallet } from '../wallet/use-wallet.ts'
import { Bytes } from './Bytes.tsx'
import { piecesOf, rangesOf } from './bytes.ts'
import { Facts } from './Facts.tsx'
import { type Read, read } from './facts.ts'
import { fragmentOf, type PastedTx, readPasted } from './input.ts'
import { Steps } from './Steps.tsx'

export function ExplainPage() {
  useTitle('Explain')
  const { chain: chainId } = useRouterState({ select: ({ location }) => location.search as { chain?: number } })
  const hash = useRouterState({ select: ({ location }) => decodeURIComponent(location.hash) })
  const navigate = useNavigate()
  const chain = useChain(chainId)
  const pasted = useMemo(() => readPasted(hash), [hash])
  const sent = useSent(chain.id, pasted.kind === 'hash' ? pasted.hash : undefined)
  const tx = pasted.kind === 'transaction' ? pasted.tx : sent.data?.tx
  const go = (text: string) => {
    const next = readPasted(text)
    const fragment = next.kind === 'transaction' ? fragmentOf(next.tx) : text.trim()
    navigate({ to: '/app/explain', search: (before) => before, hash: fragment })
  }
  return (
    <>
      <div className="lede">
        <h1>Explain a transaction</h1>
        <p>
          Paste what you are about to sign. Nothing is sent: it is read in this page, and each fact shows the bytes that
          prove it.
        </p>
      </div>
      <Paste key={hash} text={pasted.kind === 'hash' ? pasted.hash : (tx?.data ?? hash)} chain={chain.name} onGo={go} />
      {pasted.kind === 'nothing' && (
        <Spaced>
          <Notice kind="info" title="Nothing to explain yet.">
            Paste calldata of this service, a transaction as JSON, or a link that somebody sent you.
          </Notice>
        </Spaced>
      )}
      {pasted.kind === 'wrong' && (
        <Spaced>
          <Notice kind="bad" title="This cannot be read." urgent>
            {pasted.why}
          </Notice>
        </Spaced>
      )}
      {sent.error && (
        <Spaced>
          <Failure error={sent.error} />
        </Spaced>
      )}
      {sent.data?.outcome && (
        <Spaced>
          <Notice kind={sent.data.outcome === 'reverted' ? 'warn' : 'info'} title={outcomes[sent.data.outcome]} />
        </Spaced>
      )}
      {tx && <Explained chainId={chain.id} chainName={chain.name} tx={tx} />}
    </>
  )
}

const outcomes = {
  landed: 'This transaction is in a block, and succeeded.',
  reverted: 'This transaction is in a block, and was undone: it cost gas and moved nothing else.',
  waiting: 'This transaction is not in a block yet.',
} as const

function Spaced({ children }: { readonly children: ReactNode }) {
  return <div className="spaced">{children}</div>
}

type PasteProps = { readonly text: string; readonly chain: string; readonly onGo: (text: string) => void }

function Paste({ text, chain, onGo }: PasteProps) {
  const [typed, setTyped] = useState(text)
  return (
    <form
      className="panel paste"
      onSubmit={(event) => {
        event.preventDefault()
        onGo(typed)
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
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onPaste={(event) => {
          // A paste over everything is what people come for: it is read at once.
          const all = event.currentTarget
          const replaces = all.selectionEnd - all.selectionStart === all.value.length
          if (!replaces) return
          event.preventDefault()
          onGo(event.clipboardData.getData('text'))
        }}
      />
      <button type="submit" className="btn">
        Explain
      </button>
    </form>
  )
}

type Sent = { readonly tx: PastedTx; readonly outcome: keyof typeof outcomes }

/** A transaction by its hash, from the wallet's node or that of the local chain: the service keeps none. */
function useSent(chainId: number, hash: string | undefined) {
  const wallet = useWallet()
  const { local } = useSetting()
  return useQuery({
    queryKey: ['sent', chainId, hash, wallet?.address],
    enabled: hash !== undefined,
    retry: false,
    queryFn: async (): Promise<Sent> => {
      const own = wallet?.chainId === chainId ? (await wallet.open()).provider : undefined
      const provider = chainId === local?.chainId ? nodeProvider(local.rpcUrl) : own
      if (!provider)
        throw new Error(
          'Only a node knows a transaction by its hash: connect a wallet on this chain, or paste the calldata.',
        )
      const ask = (method: string) => provider.request({ method, params: [hash] })
      const [found, receipt] = (await Promise.all([
        ask('eth_getTransactionByHash'),
        ask('eth_getTransactionReceipt'),
      ])) as [{ input: string; to: string | null; from: string; value: string } | null, { status: string } | null]
      if (!found) throw new Error('This chain knows no transaction by this hash.')
      const parsed = readPasted(
        JSON.stringify({ data: found.input, to: found.to, from: found.from, value: found.value }),
      )
      if (parsed.kind !== 'transaction') throw new Error('This transaction calls nothing.')
      return { tx: parsed.tx, outcome: receipt ? (receipt.status === '0x1' ? 'landed' : 'reverted') : 'waiting' }
    },
  })
}

type ExplainedProps = { readonly chainId: number; readonly chainName: string; readonly tx: PastedTx }

function Explained({ chainId, chainName, tx }: ExplainedProps) {
  const { local } = useSetting()
  const contracts = chainId === local?.chainId ? local.contracts : contractsOf(chainId)
  const result = useMemo((): Read | Error => {
    try {
      return read(tx, contracts, Math.floor(Date.now() / 1000))
    } catch (error) {
      return error as Error
    }
  }, [tx, contracts])
  if (result instanceof Error) return <Foreign data={tx.data} error={result} />
  return <Whole {...{ chainId, chainName, tx, read: result }} />
}

function Foreign({ data, error }: { readonly data: string; readonly error: Error }) {
  const known: Readonly<Record<string, string>> = {
    '0xa9059cbb': 'transfer(address,uint256) of ERC-20 tokens',
    '0x095ea7b3': 'approve(address,uint256) of ERC-20 tokens',
    '0x23b872dd': 'transferFrom(address,address,uint256) of ERC-20 tokens',
  }
  const name = known[data.slice(0, 10).toLowerCase()]
  return (
    <div className="verdict verdict--bad" role="alert">
      <Icon name="bad" />
      <div>
        <p>
          <b>This is no swap of the Guard. Do not sign it as one.</b>
        </p>
        <p className="verdict__more">
          {error.message.charAt(0).toUpperCase() + error.message.slice(1)}. It begins with {data.slice(0, 10)}
          {name && `, which is ${name}`}.
        </p>
      </div>
    </div>
  )
}

function Whole({ chainId, chainName, tx, read }: ExplainedProps & { readonly read: Read }) {
  const { explanation, facts, faults } = read
  const [lit, setLit] = useState<string | null>(null)
  const { steps } = explanation
  const mentioned = [explanation.tokenIn, explanation.tokenOut, ...steps.map(({ tokenIn }) => tokenIn)]
  const { of } = useNamed(chainId, mentioned)
  const pieces = useMemo(() => piecesOf(tx.data, rangesOf(tx.data, explanation)), [tx.data, explanation])
  const dst = of(explanation.tokenOut)
  const src = of(explanation.tokenIn)
  const least = (
    <>
      <Amount base={explanation.minOutput} decimals={dst.decimals} digits={9} /> {dst.symbol}
    </>
  )
  const link = `${location.origin}/app/explain?chain=${chainId}#${fragmentOf(tx)}`
  return (
    <>
      <div
        className={`verdict ${faults.length > 0 ? 'verdict--bad' : ''}`}
        role={faults.length > 0 ? 'alert' : 'status'}
      >
        <Icon name={faults.length > 0 ? 'bad' : 'good'} />
        {faults.length > 0 ? (
          <div>
            <p>
              <b>Do not sign: {faults[0]}.</b>
            </p>
            <p className="verdict__more">
              {faults.length > 1 && `${faults.length - 1} more below. `}
              {faults[0]!.startsWith('the Executor') ? (
                <>
                  The Guard still pays the signer at least {least} or undoes everything, but unknown code runs in
                  between.
                </>
              ) : (
                <>Held against the deployment of {chainName}.</>
              )}
            </p>
          </div>
        ) : (
          <p>
            Takes <Amount base={explanation.amountIn} decimals={src.decimals} /> {src.symbol} from the signer and pays
            the signer at least {least}, or nothing happens.
          </p>
        )}
        <Copy text={link} className="btn btn--small">
          Copy link
        </Copy>
      </div>
      <div className="ex">
        <Facts facts={facts} tokenOf={of} lit={lit} onLight={setLit} />
        <Bytes pieces={pieces} steps={steps} lit={lit} onLight={setLit} offFacts={facts} />
      </div>
      <Steps explanation={explanation} tokenOf={of} lit={lit} onLight={setLit} />
    </>
  )
}
