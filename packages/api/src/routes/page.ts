/** The playground: the files of packages/web as its build left them, held in memory and sent compressed. */
import { existsSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { type Request, type Response, Router } from 'express'
import { z } from 'zod'
import { type FixedHeaders, fixedHeaders } from '../http/headers.ts'
import { reply } from '../http/reply.ts'
import { FOREVER, readFiles, type StaticFile, sendFile, VALIDATED } from '../http/static-files.ts'

const INDEX = '/index.html'
/** Their names carry a hash of what is in them. */
const HASHED = '/app/assets/'

/** Facts that `npm start` tells the page of the chain that it runs. Its keys stay where they are. */
const localChain = z.object({
  chainId: z.int().positive(),
  rpcUrl: z.url({ protocol: /^https?$/ }),
  accounts: z.array(z.object({ address: z.string() })).min(1),
  /** As the SDK takes them, for what it does not know by itself. */
  contracts: z.looseObject({ guard: z.string(), executors: z.array(z.string()) }),
})

/**
 * @param dir - what the build of packages/web wrote; without it there is no page
 * @param localChainFile - of a local chain, looked at when the page asks
 */
export function page(dir: string, localChainFile: string | undefined): Router {
  const router = Router()
  const files = readFiles(dir)
  const index = files.get(INDEX)
  if (!index) return router
  const policy = policyFor(localChainFile)
  const send = (file: StaticFile, cache: string, request: Request, response: Response) =>
    sendFile(request, response, file, cache, policy())
  router.get('/', (request, response) => send(index, VALIDATED, request, response))
  router.get('/app/local-chain.json', (_request, response) => {
    const body = JSON.stringify({ local: readLocalChain(localChainFile) ?? null })
    reply(response, { type: 'json', body, headers: ['Cache-Control', 'no-store'] })
  })
  router.get('/app/{*path}', (request, response, next) => {
    const file = files.get(request.path)
    const isHashed = request.path.startsWith(HASHED)
    if (file) return send(file, isHashed ? FOREVER : VALIDATED, request, response)
    // A view of the page, by its own address; a file that is not there is none.
    if (isHashed || extname(request.path)) return next()
    return send(index, VALIDATED, request, response)
  })
  return router
}

/** Undefined where there is none, or none yet: it is written when all of it is known. */
function readLocalChain(file: string | undefined): z.infer<typeof localChain> | undefined {
  if (file === undefined || !existsSync(file)) return undefined
  const parsed = localChain.safeParse(JSON.parse(readFileSync(file, 'utf8')))
  return parsed.success ? parsed.data : undefined
}

/**
 * Own files alone, no inline script or style, no text that becomes markup or script at run time, nothing that embeds the page or is
 * embedded by it; calls go to this service and to the node of a local chain, as its file names it now. Wallets call their own nodes,
 * out of its reach.
 */
function policyFor(localChainFile: string | undefined): () => FixedHeaders {
  let last: { readonly origin: string; readonly headers: FixedHeaders } | undefined
  return () => {
    const node = readLocalChain(localChainFile)?.rpcUrl
    const origin = node === undefined ? '' : new URL(node).origin
    if (last?.origin !== origin) last = { origin, headers: policy(origin) }
    return last.headers
  }
}

function policy(node: string): FixedHeaders {
  const none = ["'none'"]
  const self = ["'self'"]
  return fixedHeaders({
    useDefaults: false,
    directives: {
      ...{ defaultSrc: none, scriptSrc: self, styleSrc: self, fontSrc: self, imgSrc: self },
      connectSrc: node ? [...self, node] : self,
      ...{ objectSrc: none, baseUri: none, formAction: none, frameAncestors: none },
      // React and the rest write text and attributes only: what would take a string as markup or script throws.
      ...{ requireTrustedTypesFor: ["'script'"], trustedTypes: none },
    },
  })
}
