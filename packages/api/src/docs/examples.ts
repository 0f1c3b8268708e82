/** Examples of docs/api.md, written for the local chain that `npm start` prints. */
export const examples = `## Examples

\`{base_url}\` is where the service runs, such as \`http://127.0.0.1:3000\`; \`npm start\` prints these lines with real addresses.

\`\`\`sh
curl "{base_url}/aggregator/{chain_id}?src={src}&dst={dst}&amount=1000000000000000000&from={from}"
curl "{base_url}/prices/{chain_id}?token={src},{dst}"
curl "{base_url}/liquidity/{chain_id}?token={src},{dst}"
curl "{base_url}/chains"
\`\`\`

\`\`\`ts
import { SluiceClient } from '@sluice/client'

const sluice = new SluiceClient({ baseUrl: '{base_url}', referer: 'https://your-domain.example' })
const route = await sluice.getSwap(1, { src, dst, amount: 10n ** 18n, from, slippage: 0.5 })
\`\`\`
`
