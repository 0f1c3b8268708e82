/** The API console: fills in a request, sends it, and shows the response and code samples. */
import '../styles/api.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { memo, useCallback, useMemo, useRef, useState } from 'react'
import { sluice } from '../service/client.ts'
import { nextPaint, TYPING_PAUSE_MS, useChoice } from '../ui/after-paint.ts'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Lede } from '../ui/Lede.tsx'
import { Failure } from '../ui/Notice.tsx'
import { useChain } from '../ui/service-info.ts'
import { useTitle } from '../ui/title.ts'
import { FieldRow, Prose } from './FieldRow.tsx'
import {
  type ConsoleCall,
  type ConsoleEndpoint,
  callOf,
  endpointsOf,
  isNeeded,
  type OpenApi,
  type ParameterField,
} from './openapi.ts'
import { ResponseView } from './ResponseView.tsx'
import { type Language, languages, sampleOf } from './samples.ts'
import { useDefaultFields } from './use-default-fields.ts'
import { type ConsoleResponse, sendConsoleCall } from './wire.ts'

export type ApiParams = {
  readonly chain?: number
  /** Operation id of the open endpoint. */
  readonly ep?: string
  readonly lang?: Language
  /** Values that the user typed into the form, by field name. */
  readonly set?: Readonly<Record<string, string>>
}

export function ApiPage() {
  useTitle('API')
  const params = useSearch({ strict: false }) as ApiParams
  const { data, error } = useQuery({
    queryKey: ['openapi'],
    queryFn: () => sluice.get<OpenApi>('/openapi.json'),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const endpoints = useMemo(() => (data ? endpointsOf(data) : []), [data])
  const endpoint = endpoints.find(({ id }) => id === params.ep) ?? endpoints[0]
  return (
    <>
      <Lede
        page="api"
        extra={
          <>
            {' '}
            <a href="/docs/api.html">Full reference</a>.
          </>
        }
      />
      {error && <Failure error={error} />}
      {endpoint && (
        <div className="api">
          <Endpoints endpoints={endpoints} openId={endpoint.id} chain={params.chain} lang={params.lang} />
          <Console key={endpoint.id} endpoint={endpoint} params={params} />
        </div>
      )}
    </>
  )
}

type EndpointsProps = {
  readonly endpoints: readonly ConsoleEndpoint[]
  /** Id of the open endpoint. */
  readonly openId: string
  readonly chain: number | undefined
  readonly lang: Language | undefined
}

/** Lists the endpoints. Memoized, so that a typed value does not render the list again. */
const Endpoints = memo(function Endpoints({ endpoints, openId, chain, lang }: EndpointsProps) {
  return (
    <nav className="ep" aria-label="Endpoints">
      {endpoints.map(({ id, method, path }) => (
        <Link
          key={id}
          to="/app/api"
          search={{ ...(chain !== undefined && { chain }), ...(lang && { lang }), ep: id }}
          aria-current={id === openId ? 'true' : undefined}
        >
          <span className="mono">{method.toUpperCase()}</span>
          {path.replace('/{chain_id}', '')}
        </Link>
      ))}
    </nav>
  )
})

/** Splits a description into sentences: after each full stop before a capital letter. */
const sentencesOf = (text: string): readonly string[] => text.split(/(?<=\.) (?=[A-Z])/)

function Console({ endpoint, params }: { readonly endpoint: ConsoleEndpoint; readonly params: ApiParams }) {
  const navigate = useNavigate()
  const chain = useChain(params.chain)
  const { defaults, isPending } = useDefaultFields(chain.id, endpoint)
  const change = (changes: ApiParams) =>
    navigate({
      to: '/app/api',
      search: (before: ApiParams) => ({ ...before, ep: endpoint.id, ...changes }),
      replace: true,
    })
  const [typedValues, setTypedValues] = useChoice<TextByField>(
    params.set ?? NO_VALUES,
    (set) => change({ set }),
    TYPING_PAUSE_MS,
  )
  const values: TextByField = {
    ...defaults,
    // The service accepts only one of `amount` and `amountOut`.
    ...(typedValues.amountOut && { amount: '' }),
    ...typedValues,
    chain_id: typedValues.chain_id ?? String(chain.id),
  }
  const call = callOf(endpoint, values)
  const [request, setRequest] = useState<RequestState>({ state: 'idle' })
  const sendRequest = async () => {
    setRequest((before) => ({ ...before, state: 'sending' }))
    await nextPaint()
    try {
      setRequest({ state: 'idle', response: await sendConsoleCall(call) })
    } catch (error) {
      setRequest({ state: 'failed', error })
    }
  }
  return (
    <>
      <section className="panel" aria-labelledby="endpoint">
        <div className="panel__h">
          <h2 className="mono" id="endpoint">
            {endpoint.path}
          </h2>
        </div>
        <p className="note about">
          <Prose text={`${endpoint.summary}.`} />
        </p>
        {/* Shows each sentence as a paragraph of its own. Each paragraph is smaller than the introduction of the page.
            So the introduction stays the largest contentful paint. */}
        {sentencesOf(endpoint.description).map((sentence) => (
          <p className="note about" key={sentence}>
            <Prose text={sentence} />
          </p>
        ))}
        <Form
          {...{
            endpoint,
            values,
            typedValues,
            busy: request.state === 'sending',
            isPending,
            onType: setTypedValues,
            onSend: () => void sendRequest(),
          }}
        />
      </section>
      <Code
        {...{
          endpoint,
          call,
          values,
          language: params.lang ?? 'curl',
          request,
          onLanguage: (lang) => change({ lang }),
        }}
      />
    </>
  )
}

type RequestState = {
  readonly state: 'idle' | 'sending' | 'failed'
  /** Latest response, which stays visible while the next request is sent. */
  readonly response?: ConsoleResponse
  readonly error?: unknown
}

type TextByField = Readonly<Record<string, string>>
/** One object for all renders, so that an empty form does not look changed. */
const NO_VALUES: TextByField = {}

type FormProps = {
  readonly endpoint: ConsoleEndpoint
  readonly values: TextByField
  /** Values that the user typed, by field name. */
  readonly typedValues: TextByField
  readonly busy: boolean
  /** True while default values are loading. */
  readonly isPending: boolean
  readonly onType: (set: TextByField) => void
  readonly onSend: () => void
}

function Form({ endpoint, values, typedValues, busy, isPending, onType, onSend }: FormProps) {
  const neededFields = endpoint.fields.filter(isNeeded)
  const optionalFields = endpoint.fields.filter((field) => !isNeeded(field))
  // With the ref, `change` stays the same function, so that memoized rows do not render again.
  const typedValuesRef = useRef(typedValues)
  typedValuesRef.current = typedValues
  const change = useCallback(
    (name: string, text: string) => onType({ ...typedValuesRef.current, [name]: text }),
    [onType],
  )
  const renderRow = (field: ParameterField) => (
    <FieldRow key={field.name} field={field} value={values[field.name] ?? ''} onChange={change} />
  )
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault()
        onSend()
      }}
    >
      {neededFields.map(renderRow)}
      {optionalFields.length > 0 && (
        <details open={optionalFields.some(({ name }) => typedValues[name])}>
          <summary>
            {optionalFields.length === 1 ? '1 optional parameter' : `${optionalFields.length} optional parameters`}
          </summary>
          {optionalFields.map(renderRow)}
        </details>
      )}
      <button type="submit" className="btn btn--go" disabled={busy || isPending}>
        {busy ? (endpoint.isStream ? 'Listening for 6 s…' : 'Sending…') : 'Send'}
      </button>
    </form>
  )
}

type CodeProps = {
  readonly endpoint: ConsoleEndpoint
  readonly call: ConsoleCall
  readonly values: TextByField
  readonly language: Language
  readonly request: RequestState
  readonly onLanguage: (language: Language) => Promise<void>
}

type LanguagesProps = { readonly selected: Language; readonly onChoose: (language: Language) => Promise<void> }

function Languages({ selected, onChoose }: LanguagesProps) {
  const [language, choose] = useChoice(selected, onChoose)
  return (
    <fieldset className="seg" aria-label="Language">
      {languages.map((name) => (
        <button key={name} type="button" aria-pressed={name === language} onClick={() => choose(name)}>
          {name}
        </button>
      ))}
    </fieldset>
  )
}

function Code({ endpoint, call, values, language, request, onLanguage }: CodeProps) {
  const sample = sampleOf(language, { origin: location.origin, endpoint, call, values })
  return (
    <div className="code">
      <section className="panel" aria-label="The request to copy">
        <div className="panel__h">
          <Languages selected={language} onChoose={onLanguage} />
          <CopyButton text={sample} className="btn btn--small">
            Copy
          </CopyButton>
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll the sample. */}
        <pre tabIndex={0}>{sample}</pre>
      </section>
      <section className="panel" aria-label="Response" aria-live="polite" aria-busy={request.state === 'sending'}>
        {request.response ? (
          <ResponseView response={request.response} />
        ) : (
          <p className="res-h note">{request.state === 'sending' ? 'Sending…' : 'Response'}</p>
        )}
        {request.state === 'failed' && <Failure error={request.error} />}
      </section>
    </div>
  )
}
