import type { RequestHandler } from 'express'
import { openApiDocument } from '../docs/openapi.ts'
import { docsPage, styleSheet } from '../docs/page.ts'
import { fixedHeaders } from '../http/headers.ts'
import { type Reply, reply } from '../http/reply.ts'

const none = ["'none'"]
/** Nothing but the style sheet beside the page. */
const fixed = fixedHeaders({
  useDefaults: false,
  directives: { defaultSrc: none, styleSrc: ["'self'"], baseUri: none, formAction: none, frameAncestors: none },
})

/** Serves text made once, when it is first asked for. */
function page(type: Reply['type'], make: () => string): RequestHandler {
  let text: string | undefined
  return (_request, response) => {
    text ??= make()
    reply(response, { type, body: text, headers: ['Cache-Control', 'public, max-age=300'], fixed })
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
