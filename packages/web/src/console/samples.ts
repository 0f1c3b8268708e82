/** Generates code samples of a request in several languages. Each sample runs without changes. */
import type { ConsoleCall, ConsoleEndpoint } from './openapi.ts'

export const languages = ['curl', 'TypeScript', 'Python'] as const
export type Language = (typeof languages)[number]

type SampleInput = {
  readonly origin: string
  readonly endpoint: ConsoleEndpoint
  readonly call: ConsoleCall
  readonly values: Readonly<Record<string, string>>
}

export function sampleOf(language: Language, input: SampleInput): string {
  if (language === 'curl') return curlSample(input)
  return language === 'Python' ? pythonSample(input) : typescriptSample(input)
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

function curlSample({ origin, endpoint, call }: SampleInput): string {
  const [url, query] = `${origin}${call.path}`.split('?') as [string, string?]
  const unbufferedFlag = endpoint.isStream ? 'N' : ''
  if (call.body !== undefined)
    return `curl -s ${shellQuoted(url)} \\\n  -H 'content-type: application/json' \\\n  -d ${shellQuoted(call.body)}`
  if (!query) return `curl -s${unbufferedFlag} ${shellQuoted(url)}`
  // `-G` sends the data as the query string.
  const pairs = query.split('&').map((pair) => ` \\\n  --data-urlencode ${shellQuoted(decodeURIComponent(pair))}`)
  return `curl -sG${unbufferedFlag} ${shellQuoted(url)}${pairs.join('')}`
}

/** Methods of the SDK's client, by operation id of the OpenAPI document. */
const clientMethodByOperation: Readonly<Record<string, string>> = {
  swap: 'getSwap',
  quote: 'getQuote',
  simulate: 'simulate',
  simulatePost: 'simulate',
  prices: 'prices',
  liquidity: 'liquidity',
  chains: 'chains',
}

function typescriptSample({ origin, endpoint, call, values }: SampleInput): string {
  const setup = `import { SluiceClient } from '@sluice/client'\n\nconst sluice = new SluiceClient({ baseUrl: '${origin}' })\n`
  const { chain_id: chain, ...otherValues } = values
  const filledFields = Object.fromEntries(
    endpoint.fields.flatMap(({ name }) => (otherValues[name] ? [[name, otherValues[name]]] : [])),
  )
  const fieldLines = Object.entries(filledFields).map(([name, value]) =>
    `  ${name}: ${JSON.stringify(value)},`.replaceAll('"', "'"),
  )
  const objectLiteral = fieldLines.length > 0 ? `{\n${fieldLines.join('\n')}\n}` : '{}'
  if (endpoint.isStream)
    return `const events = new EventSource('${origin}${call.path}')\nevents.addEventListener('quote', ({ data }) => console.log(JSON.parse(data)))\n// Without this the browser would ask again for what the service has ended.\nevents.addEventListener('end', () => events.close())`
  const method = clientMethodByOperation[endpoint.id]
  if (method === 'chains') return `${setup}const answer = await sluice.chains()`
  if (method === 'prices' || (method === 'liquidity' && !filledFields.curve)) {
    const tokens = (values.token ?? '').split(',').map((token) => `  '${token}',`)
    return `${setup}const answer = await sluice.${method}(${chain}, [\n${tokens.join('\n')}\n])`
  }
  if (method && method !== 'liquidity')
    return `${setup}const answer = await sluice.${method}(${chain}, ${objectLiteral})`
  if (call.body !== undefined)
    return `const response = await fetch('${origin}${call.path}', {\n  method: 'POST',\n  headers: { 'content-type': 'application/json' },\n  body: JSON.stringify(${call.body}),\n})\nconst answer = await response.json()`
  return `${setup}const answer = await sluice.get('${call.path.split('?')[0]}', ${objectLiteral})`
}

function pythonSample({ origin, endpoint, call }: SampleInput): string {
  const url = `${origin}${call.path}`
  if (endpoint.isStream)
    return `import urllib.request\n\nurl = '${url}'\nwith urllib.request.urlopen(url, timeout=60) as events:\n    for line in events:\n        print(line.decode().rstrip())`
  if (call.body !== undefined)
    return `import json, urllib.request\n\nbody = json.loads(${pythonLiteral(call.body)})\nrequest = urllib.request.Request(\n    '${url}',\n    json.dumps(body).encode(),\n    {'content-type': 'application/json'},\n)\nwith urllib.request.urlopen(request, timeout=15) as answer:\n    print(json.load(answer))`
  return `import json, urllib.request\n\nurl = '${url}'\nwith urllib.request.urlopen(url, timeout=15) as answer:\n    print(json.load(answer))`
}

/** Returns a Python string literal of the text. */
const pythonLiteral = (text: string): string => `'''${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'''`
