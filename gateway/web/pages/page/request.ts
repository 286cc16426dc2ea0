// A request as a page sees it: its path and query, validated against the page's schemas, and the links from
// here.
import { type FieldErrors, invalid, Refusal } from '../../../../shared/messages/refusal.ts'
import { instantOf } from '../../../../shared/utilities/date-times.ts'
import { attributes, html } from '../../../html/html.ts'
import type { ReadConnections } from '../../../reads/connections/read-connections.ts'
import { check } from '../../../server/http/middleware/validate.ts'
import type { Context } from '../../../server/services/context.ts'
import { linkTo } from '../../sessions/addresses.ts'
import { COOKIES, readCookie } from '../../sessions/cookies.ts'
import type { Device, Viewer } from '../../sessions/sessions.ts'
import { withReferringPage } from './back.ts'
import type { SiteContext } from './context.ts'
import { contentOf } from './live-parts.ts'
import { type Call, findNamed, type LivePart, type Page } from './page.ts'
import { RefusedQuery } from './refused-query.ts'
import { mayWrite } from './roles.ts'

/** The parameter with which a script requests one part of a page. */
export const PART = '_part'
/** The part that every page has: the notice of what a script has just sent. */
export const NOTICE = 'notice'
/** The parameter that requests a download of a page. */
export const DOWNLOAD = '_download'

type CallOptions = { page: Page; viewer: Viewer; connections: ReadConnections }

export function createCall(
  ctx: Context,
  { services, signIns, provider, root, site }: SiteContext,
  { page, viewer, connections }: CallOptions,
): Call {
  const own = ctx.path.slice(site.base.length) || '/'
  ctx.search = withReferringPage(ctx, root)
  const { query, refused } = readQuery(page, ctx)
  const call: Call = {
    params: readParams(page, ctx),
    query,
    requireAdmin() {
      if (!viewer.admin) throw new Error(`The page ${page.path} is for everybody`)
      return viewer.admin
    },
    requirePerson() {
      if (!viewer.person) throw new Error(`The page ${page.path} is not for signed-in people`)
      return viewer.person
    },
    mayWrite: mayWrite(viewer, page),
    viewer,
    device: deviceOf(ctx),
    now: instantOf(ctx.state.receivedMs),
    baseUrl: ctx.state.baseUrl,
    requestId: ctx.state.requestId,
    services,
    signIns,
    provider,
    reads: site.limitReads?.(connections, viewer) ?? connections.pool,
    base: site.base,
    link: (path, query) => linkTo(root, path, query),
    linkHere: (changes) =>
      linkTo(root, `${own}${ctx.search}`, { [PART]: null, [DOWNLOAD]: null, ...changes }),
    async live(name) {
      const content = contentOf(await requirePart(page, name).show(call))
      return html`<div id="live-${name}"${call.liveAttributes(name)}>${content}</div>`
    },
    liveAttributes(name) {
      const { everySeconds } = requirePart(page, name)
      return attributes({ 'data-refresh': call.linkHere({ [PART]: name }), 'data-every': everySeconds })
    },
    download: (name) => call.linkHere({ [DOWNLOAD]: name }),
    refusedForm: undefined,
    formOf: (action) => findNamed(page.actions, action)?.form,
    refusedQuery: refused,
  }
  return call
}

/** The origin of a request. */
export function deviceOf(ctx: Context): Device {
  return {
    address: ctx.ip,
    userAgent: ctx.get('User-Agent'),
    knownBrowser: readCookie(ctx, COOKIES.knownBrowser),
  }
}

function requirePart(page: Page, name: string): LivePart {
  const part = page.live[name]
  if (!part) throw new Error(`The page ${page.path} has no part “${name}”`)
  return part
}

function readParams(page: Page, ctx: Context): unknown {
  const found: FieldErrors = {}
  const params = check(page.params, ctx.params as unknown, found, about('path', ctx))
  if (Object.keys(found).length > 0) throw new Refusal('not_found', page.missing)
  return params
}

// A search field that was left empty counts as absent.
function readQuery(page: Page, ctx: Context): { query: unknown; refused?: RefusedQuery } {
  const filled = Object.entries(ctx.query).filter(([, value]) => value !== '')
  const errors: FieldErrors = {}
  const query = check(page.query, Object.fromEntries(filled), errors, about('query', ctx))
  if (Object.keys(errors).length === 0) return { query }
  const isWrong = ([name]: [string, unknown]) => Object.hasOwn(errors, name)
  const others: FieldErrors = {}
  const rest = Object.fromEntries(filled.filter((each) => !isWrong(each)))
  const restQuery = check(page.query, rest, others, about('query', ctx))
  // Only a page can show errors; its parts and downloads cannot.
  if (Object.keys(others).length > 0 || !isPageRequest(ctx)) throw invalid(errors)
  const values = filled.filter(isWrong).map(([name, value]) => [name, [value ?? []].flat()])
  return { query: restQuery, refused: new RefusedQuery(Object.fromEntries(values), errors) }
}

const isPageRequest = ({ method, query }: Context) =>
  method !== 'POST' && query[PART] === undefined && query[DOWNLOAD] === undefined

function about<Part>(part: Part, ctx: Context) {
  return { part, context: { now: instantOf(ctx.state.receivedMs) } }
}
