/** The Simulate page: simulates a contract call, and shows by how much it changes the sender's balance. */
import '../styles/api.css'
import { NATIVE, type SimulateParameters } from '@sluice/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouterState, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef } from 'react'
import { Prose } from '../console/FieldRow.tsx'
import { useExampleSwap } from '../example/use-example-swap.ts'
import { sluice } from '../service/client.ts'
import { FormRow } from '../ui/FormRow.tsx'
import { Lede } from '../ui/Lede.tsx'
import { Failure, Notice } from '../ui/Notice.tsx'
import { useChain } from '../ui/service-info.ts'
import { useTitle } from '../ui/title.ts'
import { type FieldName, fields, readSimulateParams, type SimulateParams } from './params.ts'
import { Result, ResultSkeleton } from './Result.tsx'

/** Specification of one field of the form. */
type FieldSpec = {
  readonly name: FieldName | 'data'
  readonly note: string
  readonly hint?: string
  readonly required?: boolean
}

const requiredFields: readonly FieldSpec[] = [
  { name: 'from', note: 'Sender. Needs neither funds nor approvals.', hint: '0x…', required: true },
  { name: 'to', note: 'Contract to call: any router.', hint: '0x…', required: true },
  { name: 'data', note: 'Calldata, exactly as it would be sent.', hint: '0x…', required: true },
  { name: 'tokenIn', note: 'Token you pay (ERC-20).', hint: '0x…', required: true },
  {
    name: 'amountIn',
    note: 'Amount in base units; funded and approved for the simulation.',
    hint: '1000000',
    required: true,
  },
  { name: 'tokenOut', note: 'Token to measure (0xEeee… for native).', hint: NATIVE, required: true },
]
const optionalFields: readonly FieldSpec[] = [
  { name: 'spender', note: 'Spender to approve, if not `to`.', hint: '0x…' },
  { name: 'block', note: 'A number or a tag.', hint: 'latest' },
  { name: 'gas', note: 'Gas limit.', hint: 'half of a block' },
  { name: 'gasPrice', note: 'Wei.', hint: 'of the network' },
]
const requiredNames = requiredFields.flatMap(({ name }) => (name === 'data' ? [] : [name as FieldName]))

export function SimulatePage() {
  useTitle('Simulate')
  const params = useSearch({ strict: false }) as SimulateParams
  const data = useRouterState({ select: ({ location }) => location.hash })
  const chain = useChain(params.chain)
  const isComplete = requiredNames.every((name) => params[name] !== undefined) && /^0x([0-9a-fA-F]{2})+$/.test(data)
  const request = {
    ...Object.fromEntries(fields.flatMap((name) => (params[name] ? [[name, params[name]]] : []))),
    data,
  }
  const {
    data: result,
    error,
    isFetching,
    refetch,
  } = useQuery({
    queryKey: ['simulate', chain.id, request],
    enabled: isComplete,
    retry: false,
    queryFn: () => sluice.simulate(chain.id, request as unknown as SimulateParameters),
  })
  return (
    <>
      <Lede page="simulate" />
      <div className="sim">
        <SimulateForm params={params} data={data} chainId={chain.id} busy={isFetching} onAgain={() => void refetch()} />
        <section className="panel" aria-labelledby="result" aria-busy={isFetching}>
          <div className="panel__h">
            <h2 id="result">Result</h2>
            <span className="note">{isFetching ? 'Simulating…' : chain.name}</span>
          </div>
          {error ? (
            <div className="sim__b">
              <Failure error={error} />
            </div>
          ) : result ? (
            <Result result={result} chainId={chain.id} params={params} data={data} />
          ) : isFetching ? (
            <ResultSkeleton />
          ) : (
            <div className="sim__b">
              <Notice kind="info" title="No simulation yet.">
                Fill the fields, or use an example.
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
  /** Simulates the call of the URL again. */
  readonly onAgain: () => void
}

function SimulateForm({ params, data, chainId, busy, onAgain }: FormProps) {
  const navigate = useNavigate()
  const navigateTo = (search: SimulateParams, hash: string) => navigate({ to: '/app/simulate', search, hash })
  const example = useExampleSwap(chainId, ({ tx, src, dst }, amountIn) =>
    navigateTo({ chain: chainId, from: tx.from, to: tx.to, tokenIn: src, amountIn, tokenOut: dst }, tx.data),
  )
  const form = useRef<HTMLFormElement>(null)
  const valuesKey = JSON.stringify({ ...params, data })
  // After a change of the URL, writes the new values into the fields. If React created new fields, the focus would be
  // lost.
  useEffect(() => {
    const values = JSON.parse(valuesKey) as Readonly<Record<string, string>>
    for (const field of form.current?.elements ?? [])
      if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)
        field.value = values[field.name] ?? ''
  }, [valuesKey])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (busy) return
    const formFields = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>
    const trimmedFields = Object.fromEntries(Object.entries(formFields).map(([name, text]) => [name, text.trim()]))
    const next = readSimulateParams({ ...trimmedFields, chain: chainId })
    const isUnchanged = JSON.stringify(next) === JSON.stringify(readSimulateParams({ ...params, chain: chainId }))
    if (isUnchanged && trimmedFields.data === data) onAgain()
    else navigateTo(next, trimmedFields.data ?? '')
  }
  const renderField = (spec: FieldSpec) => (
    <FieldRow key={spec.name} spec={spec} value={spec.name === 'data' ? data : (params[spec.name] ?? '')} />
  )
  return (
    <section className="panel" aria-labelledby="call">
      <div className="panel__h">
        <h2 id="call">Call</h2>
        <button type="button" className="link" disabled={example.busy} onClick={() => void example.fill()}>
          Use an example
        </button>
      </div>
      {example.error !== null && (
        <div className="sim__b">
          <Failure error={example.error} />
        </div>
      )}
      <form className="form" onSubmit={submit} ref={form}>
        {requiredFields.map(renderField)}
        <details open={optionalFields.some(({ name }) => name !== 'data' && params[name] !== undefined)}>
          <summary>{optionalFields.length} optional fields</summary>
          {optionalFields.map(renderField)}
        </details>
        <button type="submit" className="btn btn--go" aria-disabled={busy}>
          {busy ? 'Simulating…' : 'Simulate'}
        </button>
      </form>
    </section>
  )
}

type FieldRowProps = { readonly spec: FieldSpec; readonly value: string }

function FieldRow({ spec: { name, note, hint, required }, value }: FieldRowProps) {
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
        <Prose text={note} />
      </p>
    </FormRow>
  )
}
