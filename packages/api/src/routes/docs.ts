/** Serves the OpenAPI document and the built documentation of packages/docs. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RequestHandler, Router } from 'express'
import { openApiDocument } from '../docs/openapi.ts'
import { ApiError } from '../errors.ts'
import { FixedBytes } from '../http/compress.ts'
import { contextOf } from '../http/context.ts'
import { fixedHeaders } from '../http/headers.ts'
import { replyBytes } from '../http/reply.ts'
import { FOREVER, REVALIDATE, readFiles, sendFile, staticFile } from '../http/static-files.ts'

const none = ["'none'"]
const self = ["'self'"]
const dataHeaders = fixedHeaders({ useDefaults: false, directives: { defaultSrc: none, frameAncestors: none } })
/**
 * Headers of documentation pages. Their Content-Security-Policy allows only files of this origin, and no inline code.
 */
const pageHeaders = fixedHeaders({
  useDefaults: false,
  directives: {
    ...{ defaultSrc: none, scriptSrc: self, styleSrc: self, fontSrc: self, imgSrc: self, connectSrc: self },
    ...{ objectSrc: none, baseUri: none, formAction: none, frameAncestors: none },
    ...{ requireTrustedTypesFor: ["'script'"], trustedTypes: none },
  },
})

let openApiBody: FixedBytes | undefined
/** Sends the OpenAPI document, which is generated at the first request. */
export const openApi: RequestHandler = async (request, response) => {
  openApiBody ??= new FixedBytes(Buffer.from(JSON.stringify(openApiDocument())))
  const { bytes, headers } = await openApiBody.bodyFor(request)
  const cacheHeaders = [...headers, 'Cache-Control', 'public, max-age=300']
  replyBytes(response, { type: 'json', bytes, headers: cacheHeaders, constantHeaders: dataHeaders })
}

/** Returns a router that serves the documentation. @param dir - build output of packages/docs */
export function docsRouter(dir: string, methodNotAllowed: (methods: string) => RequestHandler): Router {
  const router = Router({ strict: true })
  const files = readFiles(dir)
  const index = files.get('/index.html')
  const refuseMissingDocs: RequestHandler = () => {
    throw new ApiError('NOT_FOUND', 'this service was started without its documentation; `npm run build` makes it')
  }
  const paths = ['/docs', '/docs/{*path}', '/llms.txt', '/llms-full.txt']
  if (!index) {
    for (const path of paths) router.route(path).get(refuseMissingDocs).all(methodNotAllowed('GET, HEAD'))
    return router
  }
  // Links in the pages are relative to `/docs/`. The redirect is relative too, so that a proxy may serve the API under
  // any path.
  router
    .route('/docs')
    .get((_request, response) => {
      const headers = ['Location', 'docs/', 'Content-Length', '0', 'X-Request-Id', contextOf(response).id]
      response.writeHead(301, [...dataHeaders, ...headers]).end()
    })
    .all(methodNotAllowed('GET, HEAD'))
  router
    .route('/docs/{*path}')
    .get(async (request, response) => {
      const path = request.path.slice('/docs'.length).replace(/\/$/, '/index.html')
      const file = files.get(path)
      if (!file) throw new ApiError('NOT_FOUND', 'there is no such page; /docs lists the pages')
      // Clients that prefer Markdown get the Markdown file at the same URL.
      const markdownFile = files.get(path.replace(/\.html$/, '.md'))
      const isPage = path.endsWith('.html') && markdownFile !== undefined
      const prefersMarkdown = isPage && request.accepts(['text/html', 'text/markdown']) === 'text/markdown'
      const cache = path.startsWith('/assets/') ? FOREVER : REVALIDATE
      const headers = isPage ? [...pageHeaders, 'Vary', 'Accept'] : pageHeaders
      await sendFile(request, response, prefersMarkdown ? markdownFile : file, cache, headers)
    })
    .all(methodNotAllowed('GET, HEAD'))
  const llms = staticFile('llms.txt', Buffer.from(rebaseLinks(readFileSync(join(dir, 'llms.txt'), 'utf8'))))
  const llmsFull = files.get('/llms-full.txt')!
  router
    .route('/llms.txt')
    .get((request, response) => sendFile(request, response, llms, REVALIDATE, dataHeaders))
    .all(methodNotAllowed('GET, HEAD'))
  router
    .route('/llms-full.txt')
    .get((request, response) => sendFile(request, response, llmsFull, REVALIDATE, dataHeaders))
    .all(methodNotAllowed('GET, HEAD'))
  return router
}

/**
 * Prefixes the links in a file with `docs/`. The links are relative to `/docs/`, but the file is served one folder
 * above. Appends links to API endpoints.
 */
function rebaseLinks(text: string): string {
  const serviceLinks =
    '## Service\n\n- [OpenAPI 3.1](openapi.json): the interface for programs\n- [Chains](chains): chains that are served, with their Guard contracts\n'
  return `${text.replaceAll('](', '](docs/')}\n${serviceLinks}`
}
