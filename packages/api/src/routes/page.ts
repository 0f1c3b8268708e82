/** Serves the web app (playground): the build output of packages/web. */
import { existsSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { BoundedMap } from '@sluice/simulation'
import { type Request, type Response, Router } from 'express'
import { z } from 'zod'
import { type FixedHeaders, fixedHeaders } from '../http/headers.ts'
import { reply } from '../http/reply.ts'
import { FOREVER, REVALIDATE, readFiles, type StaticFile, sendFile, staticFile } from '../http/static-files.ts'
import { readCardLink } from './card.ts'

/** Path of the page of the web app in the build output. */
const INDEX = '/index.html'
/** Path prefix of the files with a content hash in their name. */
const HASHED_FILES = '/app/assets/'

/** Facts about the local chain of `npm start` that the page receives. The schema drops private keys. */
const localChain = z.object({
  chainId: z.int().positive(),
  rpcUrl: z.url({ protocol: /^https?$/ }),
  accounts: z.array(z.object({ address: z.string() })).min(1),
  /** Contracts in the format of the SDK, which does not know the contracts of a local chain. */
  contracts: z.looseObject({ guard: z.string(), executors: z.array(z.string()) }),
})

/**
 * Creates the routes of the web app.
 *
 * @param dir - build output of packages/web; without an `index.html` in it there are no routes
 * @param localChainFile - JSON file of a local chain, read again for each response
 */
export function pageRouter(dir: string, localChainFile: string | undefined): Router {
  const router = Router()
  const files = readFiles(dir)
  const index = files.get(INDEX)
  if (!index) return router
  const pageHeaders = pageHeadersFactory(localChainFile)
  const send = (file: StaticFile, cache: string, request: Request, response: Response) =>
    sendFile(request, response, file, cache, pageHeaders())
  const createLinkedPage = linkedPageFactory(readFileSync(join(dir, INDEX), 'utf8'))
  router.get('/', (request, response) => send(createLinkedPage(request) ?? index, REVALIDATE, request, response))
  router.get('/app/local-chain.json', (_request, response) => {
    const body = JSON.stringify({ local: readLocalChain(localChainFile) ?? null })
    reply(response, { type: 'json', body, headers: ['Cache-Control', 'no-store'] })
  })
  router.get('/app/{*path}', (request, response, next) => {
    const file = files.get(request.path) ?? files.get(`${request.path}.html`)
    const isHashed = request.path.startsWith(HASHED_FILES)
    if (file) return send(file, isHashed ? FOREVER : REVALIDATE, request, response)
    // Any other path is a view of the page, unless it looks like the path of a file.
    if (isHashed || extname(request.path)) return next()
    return send(index, REVALIDATE, request, response)
  })
  return router
}

/** Marker in the HTML that is replaced by the Open Graph tags of a link. */
const CARD_MARK = '<!--card-->'
/** Maximum pages with Open Graph tags in memory. */
const MAX_LINKED_PAGES = 100

/**
 * Returns a function that creates the page of a link to a swap, with Open Graph tags that name its preview picture. The
 * function returns undefined for a request without a valid swap, and for a host name that cannot be written into a URL.
 */
function linkedPageFactory(html: string): (request: Request) => StaticFile | undefined {
  const pages = new BoundedMap<string, StaticFile>(MAX_LINKED_PAGES)
  return (request) => {
    const cardLink = readCardLink(request.query)
    const host = request.get('host') ?? ''
    if (!cardLink || !html.includes(CARD_MARK) || !/^[\w.-]{1,253}(:\d{1,5})?$/.test(host)) return undefined
    // Only parsed values reach the HTML: numbers, addresses, and decimals.
    const query = new URLSearchParams({ ...cardLink, chain: String(cardLink.chain) })
    const url = `${request.protocol === 'https' ? 'https' : 'http'}://${host}/app/card.png?${query}`.replaceAll(
      '&',
      '&amp;',
    )
    const cached = pages.get(url)
    if (cached) return cached
    const tags = [
      '<meta property="og:title" content="A swap on Sluice" />',
      '<meta property="og:description" content="Every pool of the route, before you sign." />',
      `<meta property="og:image" content="${url}" />`,
      '<meta property="og:image:width" content="1200" />',
      '<meta property="og:image:height" content="630" />',
      '<meta name="twitter:card" content="summary_large_image" />',
    ]
    const page = staticFile(INDEX, Buffer.from(html.replace(CARD_MARK, tags.join('\n    '))))
    pages.set(url, page)
    return page
  }
}

/** Reads the file of the local chain; undefined if it is missing or incomplete. */
function readLocalChain(file: string | undefined): z.infer<typeof localChain> | undefined {
  if (file === undefined || !existsSync(file)) return undefined
  const parsed = localChain.safeParse(JSON.parse(readFileSync(file, 'utf8')))
  return parsed.success ? parsed.data : undefined
}

/**
 * Returns a function that creates the headers of the page. The Content-Security-Policy allows files of this origin, and
 * connections to this service and the node of the local chain. It allows no inline script or style, and no frames.
 * Browser extensions of wallets are not subject to it.
 */
function pageHeadersFactory(localChainFile: string | undefined): () => FixedHeaders {
  let cachedHeaders: { readonly origin: string; readonly headers: FixedHeaders } | undefined
  return () => {
    const nodeUrl = readLocalChain(localChainFile)?.rpcUrl
    const origin = nodeUrl === undefined ? '' : new URL(nodeUrl).origin
    if (cachedHeaders?.origin !== origin) cachedHeaders = { origin, headers: createPageHeaders(origin) }
    return cachedHeaders.headers
  }
}

function createPageHeaders(nodeOrigin: string): FixedHeaders {
  const none = ["'none'"]
  const self = ["'self'"]
  return fixedHeaders({
    useDefaults: false,
    directives: {
      ...{ defaultSrc: none, scriptSrc: self, styleSrc: self, fontSrc: self, imgSrc: self },
      connectSrc: nodeOrigin ? [...self, nodeOrigin] : self,
      ...{ objectSrc: none, baseUri: none, formAction: none, frameAncestors: none },
      // The page's scripts set only text and attributes. So the browser can refuse every use of a string as markup or
      // script.
      ...{ requireTrustedTypesFor: ["'script'"], trustedTypes: none },
    },
  })
}
