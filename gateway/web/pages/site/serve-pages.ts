// A site as middleware: answers everything below its path with pages, including failures.

import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { html } from '../../../html/html.ts'
import { ownerOf } from '../../../overload/admission.ts'
import { discardRest, noteFailure } from '../../../server/http/middleware/errors.ts'
import { Routes } from '../../../server/http/router.ts'
import type { Context, Middleware } from '../../../server/services/context.ts'
import type { Services } from '../../../server/services/services.ts'
import { catalogs } from '../../locales/catalogs.ts'
import { formatMessage, translate, withLanguage } from '../../locales/translate.ts'
import { linkTo, rootPath } from '../../sessions/addresses.ts'
import {
  chooseLanguage,
  chooseSidebar,
  hasNarrowSidebar,
  LANGUAGE_PATH,
  languageOf,
  rememberNext,
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
import { sendPart } from '../page/live-parts.ts'
import { type Notice, setNotice, takeNotice } from '../page/notices.ts'
import { type Call, findNamed, type Page, type RefusedForm, toView, type View } from '../page/page.ts'
import { createCall, DOWNLOAD, NOTICE, PART } from '../page/request.ts'
import { PageRoles, requireRole } from '../page/roles.ts'
import { secureHeaders } from '../page/security-headers.ts'
import { SystemStatus } from '../page/system-status.ts'
import { countRequest, shareActions, shareReads } from '../page/viewer-share.ts'
import { callerOf, identify, isSignedIn, sessionEnded, viewerOf } from '../page/viewers.ts'
import { failureView } from '../ui/failure-page.ts'
import { showDone } from '../ui/notice.ts'

export function servePages(services: Services, site: Site): Middleware {
  const { primary, now, config } = services
  const { provider: settings } = config.signIn
  const provider = settings && new IdentityProvider(settings, now)
  const { base, pages } = site
  const root = rootPath(config) + base
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
    secureHeaders(ctx)
    const language = languageOf(ctx)
    const findRole = () => viewerOf(ctx)?.admin?.role
    const serve = async () => {
      try {
        const moved = ctx.method === 'GET' && site.movedPath?.(ctx.path)
        if (moved) ctx.redirect(linkTo(context.root, moved + ctx.search))
        else await answer(ctx, next)
      } catch (error) {
        await showFailure(ctx, error, context)
        discardRest(ctx.req)
      }
    }
    return withLanguage(language, catalogs[language], () => context.roles.showTo(findRole, serve))
  }
}

async function showPage(ctx: Context, page: Page, context: SiteContext): Promise<void> {
  const viewer = await identify(ctx, context)
  const part = [ctx.query[PART] ?? []].flat()[0]
  if (page.access === 'signed-in' && !isSignedIn(viewer)) {
    // A script fetches parts, and goes to the sign-in page itself.
    if (part !== undefined) throw sessionEnded()
    if (context.site.signsInByMail) rememberNext(ctx, context)
    return ctx.redirect(linkTo(context.root, '/sign-in', { next: ctx.url === context.base ? null : ctx.url }))
  }
  await countRequest(ctx, viewer, context)
  requireRole(viewer, page.readers)
  const { reads } = context.services
  const find = <Result>(show: (call: Call) => Promise<Result> | Result) =>
    shareReads(viewer, context, () =>
      reads.read(ownerOf(callerOf(viewer)), callerOf(viewer), async (connections) =>
        show(createCall(ctx, context, { page, viewer, connections })),
      ),
    )
  const file = [ctx.query[DOWNLOAD] ?? []].flat()[0]
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
      return result
    })
    if ('redirectTo' in shown) return ctx.redirect(shown.redirectTo)
    return sendView(ctx, context, page, toView(shown), takeNotice(ctx, viewer, context.root))
  }
  if (part === NOTICE) {
    const here = createCall(ctx, context, { page, viewer, connections: reads.primary }).linkHere()
    const notice = takeNotice(ctx, viewer, context.root)
    return sendPart(ctx, notice ? showDone({ ...context, viewer, here }, notice) : html``)
  }
  const live = findNamed(page.live, part)
  if (!live) throw new Refusal('not_found', message`There is no such part of this page.`)
  const content = await find((call) => live.show(call))
  sendPart(ctx, content)
}

async function submitForm(ctx: Context, page: Page, context: SiteContext): Promise<void> {
  requireSameOrigin(ctx, context.services.log, context.site.kind === 'people')
  const viewer = await identify(ctx, context)
  if (page.access === 'signed-in' && !isSignedIn(viewer)) {
    const kept = await context.site.keepForm?.(ctx, page, context)
    if (!kept) throw sessionEnded()
    ctx.status = 401
    return sendView(ctx, context, undefined, kept)
  }
  await countRequest(ctx, viewer, context)
  requireRole(viewer, page.readers)
  requireRole(viewer, page.writers)
  const call = createCall(ctx, context, { page, viewer, connections: context.services.reads.primary })
  const done = await shareActions(viewer, context, () => performAction(ctx, page, call, context))
  if ('refusedForm' in done) {
    const { failure, cause, refusedForm } = done
    if (failure instanceof Refusal) noteFailure(cause, ctx, context.services)
    // If the page itself cannot be shown now, the refusal gets a page of its own.
    const shown = await (async () => page.show({ ...call, refusedForm }))().catch(() =>
      Promise.reject(failure),
    )
    ctx.status = failure.status
    if (failure instanceof Refusal) ctx.set(failure.headers)
    if ('redirectTo' in shown) throw failure
    return sendView(ctx, context, page, toView(shown), noticeOf(failure, refusedForm))
  }
  const { result } = done
  const present = viewerOf(ctx)
  if ('notice' in result && result.notice && present) {
    // Without an answer there is no button, but the action is done.
    const undoing = await context.site.findUndo?.(ctx, present, context.services).catch(() => undefined)
    const { more, tone } = 'redirectTo' in result ? result : {}
    setNotice(ctx, present, { text: result.notice, tone, more, ...undoing }, context.root)
  }
  // Not a redirect: browsers apply our form policy to the redirects of a form too, including those of the
  // site that it leads to.
  if ('externalRedirectTo' in result) ctx.set('Refresh', `0;url=${result.externalRedirectTo}`)
  if ('show' in result) return sendView(ctx, context, page, result.show)
  ctx.redirect(result.redirectTo)
  ctx.status = 303
}

/** If the page no longer has the form, it shows the refusal at its top. */
function noticeOf(failure: Refusal | StaleForm, { isShown, detail }: RefusedForm): Notice | undefined {
  if (failure instanceof StaleForm) return { text: failure.message, tone: 'warn' }
  return isShown ? undefined : { text: formatMessage(detail), tone: 'bad' }
}

async function showFailure(ctx: Context, error: unknown, context: SiteContext): Promise<void> {
  const failure = error instanceof PageFailure ? error : noteFailure(error, ctx, context.services)
  ctx.status = failure.status
  if (failure instanceof Refusal) ctx.set(failure.headers)
  // With the navigation, if the session can be identified.
  if (!viewerOf(ctx)) await identify(ctx, context).catch(() => undefined)
  sendView(ctx, context, undefined, failureView(failure, ctx, context))
}

function sendView(
  ctx: Context,
  { root, base, site, systemStatus }: SiteContext,
  page: Page | undefined,
  view: View,
  notice?: Notice,
) {
  const viewer = viewerOf(ctx)
  const here = ctx.method === 'GET' ? ctx.url : ''
  const content = site.showFrame({
    root,
    pages: site.pages,
    title: view.title ?? (page ? translate(page.title) : ''),
    here,
    viewer,
    isNarrow: hasNarrowSidebar(ctx),
    section: page?.section,
    systemStatus: viewer?.admin && !view.showsSystemStatus ? systemStatus.describe() : [],
    notice: notice && showDone({ root, base, viewer, here }, notice),
    view,
  })
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = content.text
}
