// Creates the call of a page: the path and query, validated against the page's schemas, and links to other pages.
import { type FieldErrors, invalidFields, Refusal } from '../../../../shared/messages/refusal.ts'
import { formatInstant } from '../../../../shared/utilities/date-times.ts'
import { formatAttributes, html } from '../../../html/html.ts'
import type { ReadConnections } from '../../../reads/connections/read-connections.ts'
import { checkInput } from '../../../server/http/middleware/validate.ts'
import type { Context } from '../../../server/services/context.ts'
import { linkTo } from '../../sessions/addresses.ts'
import { COOKIE_NAMES, readCookie } from '../../sessions/cookies.ts'
import type { Device, Viewer } from '../../sessions/sessions.ts'
import { addReferringPage } from './back.ts'
import type { SiteContext } from './context.ts'
import { toHtml } from './live-parts.ts'
import { type Call, findNamed, type LivePart, type Page } from './page.ts'
import { RefusedQuery } from './refused-query.ts'
import { canWrite } from './roles.ts'

/** The parameter with which a script requests a single part of a page. */
export const PART_PARAMETER = '_part'
/** The name of the part that every page has. It contains the notice after a script has sent something. */
export const NOTICE_PART = 'notice'
/** The parameter that requests a download of a page. */
export const DOWNLOAD_PARAMETER = '_download'

type CallOptions = { page: Page; viewer: Viewer; connections: ReadConnections }

export function createCall(
  ctx: Context,
  { services, signIns, provider, root, site }: SiteContext,
  { page, viewer, connections }: CallOptions,
): Call {
  const own = ctx.path.slice(site.base.length) || '/'
  ctx.search = addReferringPage(ctx, root)
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
    mayWrite: canWrite(viewer, page),
    viewer,
    device: readDevice(ctx),
    now: formatInstant(ctx.state.receivedMs),
    baseUrl: ctx.state.baseUrl,
    requestId: ctx.state.requestId,
    services,
    signIns,
    provider,
    reads: site.limitReads?.(connections, viewer) ?? connections.pool,
    base: site.base,
    link: (path, query) => linkTo(root, path, query),
    linkHere: (changes) =>
      linkTo(root, `${own}${ctx.search}`, { [PART_PARAMETER]: null, [DOWNLOAD_PARAMETER]: null, ...changes }),
    async live(name) {
      const content = toHtml(await requirePart(page, name).show(call))
      return html`<div id="live-${name}"${call.liveAttributes(name)}>${content}</div>`
    },
    liveAttributes(name) {
      const { everySeconds } = requirePart(page, name)
      return formatAttributes({
        'data-refresh': call.linkHere({ [PART_PARAMETER]: name }),
        'data-every': everySeconds,
      })
    },
    download: (name) => call.linkHere({ [DOWNLOAD_PARAMETER]: name }),
    refusedForm: undefined,
    formOf: (action) => findNamed(page.actions, action)?.form,
    refusedQuery: refused,
  }
  return call
}

/** Returns the browser and network address of a request. */
export function readDevice(ctx: Context): Device {
  return {
    address: ctx.ip,
    userAgent: ctx.get('User-Agent'),
    knownBrowser: readCookie(ctx, COOKIE_NAMES.knownBrowser),
  }
}

function requirePart(page: Page, name: string): LivePart {
  const part = page.live[name]
  if (!part) throw new Error(`The page ${page.path} has no part “${name}”`)
  return part
}

function readParams(page: Page, ctx: Context): unknown {
  const found: FieldErrors = {}
  const params = checkInput(page.params, ctx.params as unknown, found, addRequestTime('path', ctx))
  if (Object.keys(found).length > 0) throw new Refusal('not_found', page.missing)
  return params
}

// Reads the query of a page. A search field that was left empty counts as absent.
function readQuery(page: Page, ctx: Context): { query: unknown; refused?: RefusedQuery } {
  const filled = Object.entries(ctx.query).filter(([, value]) => value !== '')
  const errors: FieldErrors = {}
  const query = checkInput(page.query, Object.fromEntries(filled), errors, addRequestTime('query', ctx))
  if (Object.keys(errors).length === 0) return { query }
  const isWrong = ([name]: [string, unknown]) => Object.hasOwn(errors, name)
  const others: FieldErrors = {}
  const rest = Object.fromEntries(filled.filter((each) => !isWrong(each)))
  const restQuery = checkInput(page.query, rest, others, addRequestTime('query', ctx))
  // Refuses the request of a live part or a download, because only a page can show errors.
  if (Object.keys(others).length > 0 || !isPageRequest(ctx)) throw invalidFields(errors)
  const values = filled.filter(isWrong).map(([name, value]) => [name, [value ?? []].flat()])
  return { query: restQuery, refused: new RefusedQuery(Object.fromEntries(values), errors) }
}

const isPageRequest = ({ method, query }: Context) =>
  method !== 'POST' && query[PART_PARAMETER] === undefined && query[DOWNLOAD_PARAMETER] === undefined

function addRequestTime<Part>(part: Part, ctx: Context) {
  return { part, context: { now: formatInstant(ctx.state.receivedMs) } }
}
