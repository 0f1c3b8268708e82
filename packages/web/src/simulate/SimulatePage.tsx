import '../styles/api.css'
import { NATIVE, type SimulateParameters } from '@sluice/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouterState, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { sluice } from '../service/client.ts'
import { useTokens } from '../service/tokens.ts'
import { firstPair } from '../swap/params.ts'
import { FormRow } from '../ui/FormRow.tsx'
import { Failure, Notice } from '../ui/Notice.tsx'
import { useChain } from '../ui/setting.ts'
import { useTitle } from '../ui/title.ts'
import { useWallet } from '../wallet/use-wallet.ts'
import { type FieldName, fields, readSimulateParams, type SimulateParams } from './params.ts'
import { Result, Running } from './Result.tsx'

type Row = {
  readonly name: FieldName | 'data'
  readonly note: string
  readonly hint?: string
  readonly required?: boolean
}

const rows: readonly Row[] = [
  { name: 'from', note: 'Sender. Needs neither funds nor approvals.', hint: '0x…', required: true },
  { name: 'to', note: 'What is called: a router of any kind.', hint: '0x…', required: true },
  { name: 'data', note: 'Calldata, exactly as it would be sent.', hint: '0x…', required: true },
  { name: 'tokenIn', note: 'What is given: an ERC-20.', hint: '0x…', required: true },
  { name: 'amountIn', note: 'So many base units of it are put there and approved.', hint: '1000000', required: true },
  { name: 'tokenOut', note: 'What is measured; the native token by its usual address.', hint: NATIVE, required: true },
]
const more: readonly Row[] = [
  { name: 'spender', note: 'Who is approved, where it is not the contract called.', hint: '0x…' },
  { name: 'block', note: 'A number or a tag.', hint: 'latest' },
  { name: 'gas', note: 'Gas limit.', hint: 'half of a block' },
  { name: 'gasPrice', note: 'Wei.', hint: 'of the network' },
]
const required = rows.flatMap(({ name }) => (name === 'data' ? [] : [name as FieldName]))

export function SimulatePage() {
  useTitle('Simulate')
  const params = useSearch({ strict: false }) as SimulateParams
  const data = useRouterState({ select: ({ location }) => location.hash })
  const chain = useChain(params.chain)
  const whole = required.every((name) => params[name] !== undefined) && /^0x([0-9a-fA-F]{2})+$/.test(data)
  const asked = { ...Object.fromEntries(fields.flatMap((name) => (params[name] ? [[name, params[name]]] : []))), data }
  const {
    data: result,
    error,
    isFetching,
    refetch,
  } = useQuery({
    queryKey: ['simulate', chain.id, asked],
    enabled: whole,
    retry: false,
    queryFn: () => sluice.simulate(chain.id, asked as unknown as SimulateParameters),
  })
  return (
    <>
      <div className="lede">
        <h1>Simulate</h1>
        <p>
          What any swap transaction would do, of any router: run once on the state of the chain, without funds,
          approvals or keys.
        </p>
      </div>
      <div className="sim">
        <SimulateForm params={params} data={data} chainId={chain.id} busy={isFetching} onAgain={() => void refetch()} />
        <section className="panel" aria-labelledby="result" aria-busy={isFetching}>
          <div className="panel__h">
            <h2 id="result">Result</h2>
            <span className="note">{isFetching ? 'Running…' : chain.name}</span>
          </div>
          {error ? (
            <div className="sim__b">
              <Failure error={error} />
            </div>
          ) : result ? (
            <Result result={result} chainId={chain.id} params={params} data={data} />
          ) : isFetching ? (
            <Running />
          ) : (
            <div className="sim__b">
              <Notice kind="info" title="Nothing was run yet.">
                Fill the fields, or take a swap of this chain as an example.
              </Notice>
            </div>
          )}
        </section>
      </div>
    </>
  )
}

type FormProps = {
  readonly params: SimulateParams
  readonly data: string
  readonly chainId: number
  readonly busy: boolean
  readonly onAgain: () => void
}

function SimulateForm({ params, data, chainId, busy, onAgain }: FormProps) {
  const navigate = useNavigate()
  const go = (search: SimulateParams, hash: string) => navigate({ to: '/app/simulate', search, hash })
  const example = useExample(chainId, go)
  const form = useRef<HTMLFormElement>(null)
  const stands = JSON.stringify({ ...params, data })
  // Another address fills the same fields, so that whoever works by keys stays where they are.
  useEffect(() => {
    const values = JSON.parse(stands) as Readonly<Record<string, string>>
    for (const field of form.current?.elements ?? [])
      if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)
        field.value = values[field.name] ?? ''
  }, [stands])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (busy) return
    const sent = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>
    const trimmed = Object.fromEntries(Object.entries(sent).map(([name, text]) => [name, text.trim()]))
    const next = readSimulateParams({ ...trimmed, chain: chainId })
    const same = JSON.stringify(next) === JSON.stringify(readSimulateParams({ ...params, chain: chainId }))
    if (same && trimmed.data === data) onAgain()
    else go(next, trimmed.data ?? '')
  }
  const row = (one: Row) => (
    <FieldRow key={one.name} row={one} value={one.name === 'data' ? data : (params[one.name] ?? '')} />
  )
  return (
    <section className="panel" aria-labelledby="call">
      <div className="panel__h">
        <h2 id="call">Call</h2>
        <button type="button" className="link" disabled={example.busy} onClick={example.fill}>
          Take a swap as an example
        </button>
      </div>
      {example.error !== null && (
        <div className="sim__b">
          <Failure error={example.error} />
        </div>
      )}
      <form className="form" onSubmit={submit} ref={form}>
        {rows.map(row)}
        <details open={more.some(({ name }) => name !== 'data' && params[name] !== undefined)}>
          <summary>{more.length} optional fields</summary>
          {more.map(row)}
        </details>
        <button type="submit" className="btn btn--go" aria-disabled={busy}>
          {busy ? 'Running…' : 'Simulate'}
        </button>
      </form>
    </section>
  )
}

function FieldRow({ row: { name, note, hint, required }, value }: { readonly row: Row; readonly value: string }) {
  return (
    <FormRow name={name} id={`sim-${name}`} required={required}>
      {name === 'data' ? (
        <textarea
          className="field"
          id="sim-data"
          name="data"
          rows={3}
          defaultValue={value}
          placeholder={hint}
          required
          spellCheck={false}
          aria-describedby="sim-data-note"
        />
      ) : (
        <input
          className="field"
          id={`sim-${name}`}
          name={name}
          defaultValue={value}
          placeholder={hint}
          required={required}
          spellCheck={false}
          autoComplete="off"
          aria-describedby={`sim-${name}-note`}
        />
      )}
      <p className="note" id={`sim-${name}-note`}>
        {note}
      </p>
    </FormRow>
  )
}

/** A real swap of this chain: whatever the service would have signed now. */
function useExample(chainId: number, go: (search: SimulateParams, hash: string) => Promise<void>) {
  const { data: tokens } = useTokens(chainId)
  const wallet = useWallet()
  const [state, setState] = useState<{ busy: boolean; error: unknown }>({ busy: false, error: null })
  const pair = tokens && firstPair(tokens)
  return {
    busy: state.busy || !pair,
    error: state.error,
    async fill() {
      if (!pair) return
      setState({ busy: true, error: null })
      const { src, dst } = pair
      // Nobody's account: a simulation needs none.
      const from = wallet?.address ?? '0x000000000000000000000000000000000000dEaD'
      try {
        const amount = String(10n ** BigInt(src.decimals))
        const { tx } = await sluice.getSwap(chainId, { src: src.address, dst: dst.address, amount, from })
        await go(
          { chain: chainId, from, to: tx.to, tokenIn: src.address, amountIn: amount, tokenOut: dst.address },
          tx.data,
        )
        setState({ busy: false, error: null })
      } catch (error) {
        setState({ busy: false, error })
      }
    },
  }
}
