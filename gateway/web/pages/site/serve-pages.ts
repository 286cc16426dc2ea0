// Serves a site as middleware. Answers every request below the site's path with a page, even if the request
// fails.

import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { Html, html } from '../../../html/html.ts'
import { findQuotaOwner } from '../../../overload/admission.ts'
import { discardRestOfBody, recordFailure } from '../../../server/http/middleware/errors.ts'
import { Routes } from '../../../server/http/router.ts'
import type { Context, Middleware } from '../../../server/services/context.ts'
import type { Services } from '../../../server/services/services.ts'
import { catalogs } from '../../locales/catalogs.ts'
import { formatMessage, translate, withLanguage } from '../../locales/translate.ts'
import { findRootPath, linkTo } from '../../sessions/addresses.ts'
import {
  chooseLanguage,
  chooseSidebar,
  findLanguage,
  hasNarrowSidebar,
  LANGUAGE_PATH,
  rememberRequestedPath,
  SIDEBAR_PATH,
} from '../../sessions/cookies.ts'
import { requireSameOrigin, StaleForm } from '../../sessions/csrf.ts'
import { PageFailure } from '../../sessions/failure.ts'
import { IdentityProvider } from '../../sessions/provider.ts'
import { SignIns } from '../../sessions/sign-ins.ts'
import { performAction } from '../page/actions.ts'
import { ASSET_PATH, sendAsset } from '../page/assets.ts'
import type { Site, SiteContext } from '../page/context.ts'
import { sendDownload } from '../page/downloads.ts'
import { sendLivePart, toHtml } from '../page/live-parts.ts'
import { type Notice, readAndDeleteNotice, setNotice } from '../page/notices.ts'
import {
  type Call,
  findNamed,
  type Page,
  type PageFile,
  type PageView,
  type RefusedForm,
  toPageView,
} from '../page/page.ts'
import { addPersonPictures } from '../page/person-pictures.ts'
import { createCall, DOWNLOAD_PARAMETER, NOTICE_PART, PART_PARAMETER } from '../page/request.ts'
import { PageRoles, requireRole } from '../page/roles.ts'
import { setSecurityHeaders } from '../page/security-headers.ts'
import { SystemStatus } from '../page/system-status.ts'
import { countViewerRequest, shareViewerActions, shareViewerReads } from '../page/viewer-share.ts'
import {
  createSessionEndedFailure,
  findViewer,
  identifyViewer,
  isSignedIn,
  toCaller,
} from '../page/viewers.ts'
import { nameMarkedZones } from '../time/zones.ts'
import { createFailureView } from '../ui/failure-page.ts'
import { placeNotice, showActionNotice } from '../ui/notice.ts'

export function servePages(services: Services, site: Site): Middleware {
  const { primary, now, config } = services
  const { provider: settings } = config.signIn
  const provider = settings && new IdentityProvider(settings, now)
  const { base, pages } = site
  const root = findRootPath(config) + base
  const context: SiteContext = {
    site,
    base,
    root,
    services,
    systemStatus: new SystemStatus(services),
    signIns: new SignIns(primary, now, { issuer: provider?.issuer }),
    provider,
    roles: new PageRoles(pages, root),
  }
  const routes = new Routes()
  const add = (path: string, serve: (ctx: Context) => unknown) => routes.add('GET', base + path, serve)
  add(ASSET_PATH, (ctx) => sendAsset(ctx, ctx.params))
  add(LANGUAGE_PATH, (ctx) => chooseLanguage(ctx, ctx.params.language, context))
  add(SIDEBAR_PATH, (ctx) => chooseSidebar(ctx, ctx.params.width, context))
  site.addRoutes?.(add, context)
  for (const page of pages) {
    const path = page.path === '/' ? '' : page.path
    add(path, (ctx) => showPage(ctx, page, context))
    if (Object.keys(page.actions).length > 0) {
      routes.add('POST', base + path, (ctx) => submitForm(ctx, page, context))
    }
  }
  const answer = routes.middleware()
  return (ctx, next) => {
    setSecurityHeaders(ctx)
    const language = findLanguage(ctx)
    const findRole = () => findViewer(ctx)?.admin?.role
    const serve = async () => {
      try {
        const moved = ctx.method === 'GET' && site.findMovedPath?.(ctx.path)
        if (moved) ctx.redirect(linkTo(context.root, moved + ctx.search))
        else await answer(ctx, next)
      } catch (error) {
        await showFailure(ctx, error, context)
        discardRestOfBody(ctx.req)
      }
    }
    return withLanguage(language, catalogs[language], () => context.roles.showTo(findRole, serve))
  }
}

async function showPage(ctx: Context, page: Page, context: SiteContext): Promise<void> {
  const viewer = await identifyViewer(ctx, context)
  const part = [ctx.query[PART_PARAMETER] ?? []].flat()[0]
  if (page.access === 'signed-in' && !isSignedIn(viewer)) {
    // Responds with 401 to a script that fetches a part. The script then opens the sign-in page.
    if (part !== undefined) throw createSessionEndedFailure()
    if (context.site.signsInByMail) rememberRequestedPath(ctx, context)
    return ctx.redirect(linkTo(context.root, '/sign-in', { next: ctx.url === context.base ? null : ctx.url }))
  }
  await countViewerRequest(ctx, viewer, context)
  requireRole(viewer, page.readers)
  const { reads } = context.services
  const find = <Result>(show: (call: Call) => Promise<Result> | Result) =>
    shareViewerReads(viewer, context, () =>
      reads.read(findQuotaOwner(toCaller(viewer)), toCaller(viewer), async (connections) => {
        const create = () => createCall(ctx, context, { page, viewer, connections })
        const call = create()
        const defaults = part === undefined ? await page.findDefaults?.(call) : undefined
        if (!defaults) return show(call)
        // From here on, the request counts as one for the complete address, to which the page's links and forms lead.
        ctx.search = linkTo('', ctx.search, defaults)
        return show(create())
      }),
    )
  const file = [ctx.query[DOWNLOAD_PARAMETER] ?? []].flat()[0]
  if (file !== undefined) {
    requireRole(viewer, page.writers)
    const call = createCall(ctx, context, { page, viewer, connections: reads.primary })
    return sendDownload(ctx, context, call, findNamed(page.downloads, file))
  }
  if (part === undefined) {
    const shown = await find(async (call) => {
      const result = await page.show(call)
      call.refusedQuery?.requireShown()
      if (call.refusedQuery) ctx.status = 422
      if ('redirectTo' in result || 'file' in result) return result
      const view = toPageView(result)
      return { ...view, content: await addPersonPictures(call, view.content) }
    })
    if ('redirectTo' in shown) return ctx.redirect(shown.redirectTo)
    if ('file' in shown) return sendFile(ctx, shown)
    return sendView(ctx, context, page, shown, readAndDeleteNotice(ctx, viewer, context.root))
  }
  if (part === NOTICE_PART) {
    const here = createCall(ctx, context, { page, viewer, connections: reads.primary }).linkHere()
    const notice = readAndDeleteNotice(ctx, viewer, context.root)
    return sendLivePart(ctx, notice ? showActionNotice({ ...context, viewer, here }, notice) : html``)
  }
  const live = findNamed(page.live, part)
  if (!live) throw new Refusal('not_found', message`This page has no such part.`)
  const content = await find(async (call) => {
    const shown = await live.show(call)
    const pictured = await addPersonPictures(call, toHtml(shown))
    return shown instanceof Html ? pictured : { ...shown, content: pictured }
  })
  sendLivePart(ctx, content)
}

async function submitForm(ctx: Context, page: Page, context: SiteContext): Promise<void> {
  requireSameOrigin(ctx, context.services.log, context.site.kind === 'people')
  const viewer = await identifyViewer(ctx, context)
  if (page.access === 'signed-in' && !isSignedIn(viewer)) {
    const kept = await context.site.keepForm?.(ctx, page, context)
    if (!kept) throw createSessionEndedFailure()
    ctx.status = 401
    return sendView(ctx, context, undefined, kept)
  }
  await countViewerRequest(ctx, viewer, context)
  requireRole(viewer, page.readers)
  requireRole(viewer, page.writers)
  const call = createCall(ctx, context, { page, viewer, connections: context.services.reads.primary })
  const done = await shareViewerActions(viewer, context, () => performAction(ctx, page, call, context))
  if ('refusedForm' in done) {
    const { failure, cause, refusedForm } = done
    if (failure instanceof Refusal) recordFailure(cause, ctx, context.services)
    // If the page itself cannot be shown either, the refusal gets its own page.
    const shown = await shareViewerReads(viewer, context, async () =>
      page.show({ ...call, refusedForm }),
    ).catch(() => Promise.reject(failure))
    ctx.status = failure.status
    if (failure instanceof Refusal) ctx.set(failure.headers)
    if ('redirectTo' in shown || 'file' in shown) throw failure
    return sendView(ctx, context, page, toPageView(shown), toNotice(failure, refusedForm))
  }
  const { result } = done
  const present = findViewer(ctx)
  if ('notice' in result && result.notice && present) {
    // If this lookup fails, there is no undo button, but the action has succeeded.
    const undoing = await context.site.findUndo?.(ctx, present, context.services).catch(() => undefined)
    const { more, tone } = 'redirectTo' in result ? result : {}
    setNotice(ctx, present, { text: result.notice, tone, more, ...undoing }, context.root)
  }
  // Does not redirect, because browsers apply Berth's form policy to all redirects of a form, including the
  // other site's redirects.
  if ('externalRedirectTo' in result) ctx.set('Refresh', `0;url=${result.externalRedirectTo}`)
  if ('show' in result) {
    const { show } = result
    const view = typeof show === 'function' ? await shareViewerReads(viewer, context, show) : show
    return sendView(ctx, context, page, view)
  }
  ctx.redirect(result.redirectTo)
  ctx.status = 303
}

/** Shows the refusal as a notice at the top if the page no longer has the form. */
function toNotice(failure: Refusal | StaleForm, { isShown, detail }: RefusedForm): Notice | undefined {
  if (failure instanceof StaleForm) return { text: failure.message, tone: 'warn' }
  return isShown ? undefined : { text: formatMessage(detail), tone: 'bad' }
}

function sendFile(ctx: Context, { file }: PageFile) {
  ctx.type = file.contentType
  ctx.attachment(file.name)
  ctx.set('Cache-Control', 'private, no-store')
  ctx.body = file.text
}

async function showFailure(ctx: Context, error: unknown, context: SiteContext): Promise<void> {
  const failure = error instanceof PageFailure ? error : recordFailure(error, ctx, context.services)
  ctx.status = failure.status
  if (failure instanceof Refusal) ctx.set(failure.headers)
  // Identifies the session, if possible, so that the page includes the navigation.
  if (!findViewer(ctx)) await identifyViewer(ctx, context).catch(() => undefined)
  sendView(ctx, context, undefined, createFailureView(failure, ctx, context))
}

function sendView(
  ctx: Context,
  { root, base, site, systemStatus }: SiteContext,
  page: Page | undefined,
  view: PageView,
  notice?: Notice,
) {
  const viewer = findViewer(ctx)
  const here = ctx.method === 'GET' ? ctx.url : ''
  const shownNotice = notice && showActionNotice({ root, base, viewer, here }, notice)
  const placed = placeNotice(view.content, shownNotice)
  const content = site.showFrame({
    root,
    pages: site.pages,
    title: view.title ?? (page ? translate(page.title) : ''),
    here,
    viewer,
    isNarrow: hasNarrowSidebar(ctx),
    section: page?.section,
    systemStatus: viewer?.admin && !view.showsSystemStatus ? systemStatus.describe() : [],
    notice: placed ? undefined : shownNotice,
    view: placed ? { ...view, content: placed } : view,
  })
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = nameMarkedZones(content.text)
}
