import type { RequestHandler } from 'express'
import { llmsIndex, llmsReference } from '../docs/llms.ts'
import { openApiDocument } from '../docs/openapi.ts'
import { docsPage, styleSheet } from '../docs/page.ts'
import { FixedBytes } from '../http/compress.ts'
import { fixedHeaders } from '../http/headers.ts'
import { type Reply, replyBytes } from '../http/reply.ts'

const none = ["'none'"]
/** Nothing but the style sheet beside the page. */
const fixed = fixedHeaders({
  useDefaults: false,
  directives: { defaultSrc: none, styleSrc: ["'self'"], baseUri: none, formAction: none, frameAncestors: none },
})

/** Serves text that is rendered on the first request. */
function page(type: Reply['type'], render: () => string): RequestHandler {
  let body: FixedBytes | undefined
  return async (request, response) => {
    body ??= new FixedBytes(Buffer.from(render()))
    const { bytes, headers } = await body.for(request)
    replyBytes(response, { type, bytes, headers: [...headers, 'Cache-Control', 'public, max-age=300'], fixed })
  }
}

export const openApi = page('json', () => JSON.stringify(openApiDocument()))
const docsText = page('html', docsPage)
/** Its links are relative, so that it can stand under any prefix: `/docs/` would lead them astray. */
export const docs: RequestHandler = (request, response, next) => {
  if (request.path.endsWith('/')) response.redirect(301, '../docs')
  else docsText(request, response, next)
}

export const docsStyle = page('css', () => styleSheet)

export const llms = page('text', llmsIndex)
export const llmsFull = page('text', llmsReference)
