// The dashboard as middleware: everything below /dashboard, its failures included, is answered here and with pages.
import { Router } from '@koa/router'
import { Refusal } from '../../shared/refusal.ts'
import type { Context, Middleware } from '../context.ts'
import type { Html } from '../http/html.ts'
import { discardRest, noteFailure } from '../http/middleware/errors.ts'
import { guardMethods, literalFirst, register } from '../http/router.ts'
import type { Services } from '../services.ts'
import { performAction } from './framework/actions.ts'
import { DASHBOARD, isOfDashboard, linkTo, rootOf } from './framework/addresses.ts'
import { ASSET_PATH, sendAsset } from './framework/assets.ts'
import type { House } from './framework/context.ts'
import { sendDownload } from './framework/downloads.ts'
import { PageFailure } from './framework/failure.ts'
import { hasNotice, leaveNotice, takeNotice } from './framework/notices.ts'
import { findNamed, type Page, SECTIONS, type View, viewOf } from './framework/page.ts'
import { callOf, DOWNLOAD, PART } from './framework/request.ts'
import { secureHeaders } from './framework/security-headers.ts'
import { requireSameOrigin } from './framework/sessions/csrf.ts'
import { SignIns } from './framework/sessions/sign-ins.ts'
import { identify, signedOut, visitorOf } from './framework/sessions/viewers.ts'
import { Condition } from './framework/system-status.ts'
import { PLAN_PATH, sendPlan } from './places/locations/floor-plans.ts'
import { answerBoard, isOfBoard, queueBoard } from './queues/board/board.ts'
import { failureView } from './ui/failure-page.ts'
import { type Frame, layout } from './ui/layout.ts'

export function dashboard(services: Services, pages: Page[]): Middleware {
  const house: House = {
    services,
    pages,
    condition: new Condition(services),
    signIns: new SignIns(services.primary, services.now),
    root: rootOf(services.config),
  }
  const router = new Router({ sensitive: true })
  register(router, 'GET', ASSET_PATH, [async (ctx) => sendAsset(ctx, ctx.params)])
  register(router, 'GET', PLAN_PATH, [(ctx) => sendPlan(ctx, house)])
  for (const page of literalFirst(pages)) {
    const path = DASHBOARD + (page.path === '/' ? '' : page.path)
    register(router, 'GET', path, [(ctx) => showPage(ctx, page, house)])
    if (Object.keys(page.actions).length > 0) {
      register(router, 'POST', path, [(ctx) => takeForm(ctx, page, house)])
    }
  }
  const guard = guardMethods(router)
  const routes = router.routes() as unknown as Middleware
  const board = queueBoard(house)
  return async (ctx, next) => {
    if (!isOfDashboard(ctx.path)) return next()
    secureHeaders(ctx)
    try {
      if (isOfBoard(ctx.path)) await board(ctx)
      else await guard(ctx, () => routes(ctx, next))
    } catch (error) {
      await showFailure(ctx, error, house)
      discardRest(ctx.req)
    }
  }
}

async function showPage(ctx: Context, page: Page, house: House): Promise<void> {
  const visitor = await identify(ctx, house)
  const part = [ctx.query[PART] ?? []].flat()[0]
  if (page.access === 'admin' && !visitor.admin) {
    // A part is fetched by a script, which goes to sign in by itself.
    if (part !== undefined) throw signedOut()
    return ctx.redirect(linkTo(house.root, '/sign-in', { next: ctx.url === DASHBOARD ? null : ctx.url }))
  }
  const call = callOf(ctx, house, { page, visitor, afterWrite: hasNotice(ctx) })
  const file = [ctx.query[DOWNLOAD] ?? []].flat()[0]
  if (file !== undefined) return sendDownload(ctx, house, call, findNamed(page.downloads, file))
  if (part === undefined) {
    const shown = await page.show(call)
    if ('to' in shown) return ctx.redirect(shown.to)
    return sendView(ctx, house, page, viewOf(shown), takeNotice(ctx, visitor, house.root))
  }
  const live = findNamed(page.live, part)
  if (!live) throw new Refusal('not_found', 'There is no such part of this page.')
  sendHtml(ctx, await live.show(call))
}

async function takeForm(ctx: Context, page: Page, house: House): Promise<void> {
  requireSameOrigin(ctx)
  const visitor = await identify(ctx, house)
  if (page.access === 'admin' && !visitor.admin) throw signedOut()
  const call = callOf(ctx, house, { page, visitor, afterWrite: true })
  const done = await performAction(ctx, page, call, house)
  if ('refusal' in done) {
    const { refusal, sent } = done
    if (refusal.status >= 500) noteFailure(refusal, ctx, house.services.log)
    const again = Object.assign(Object.create(call), { sent })
    // Where the page itself cannot be shown now, what the form is told is told without it.
    const shown = await (async () => page.show(again))().catch(() => Promise.reject(refusal))
    ctx.status = refusal.status
    ctx.set(refusal.headers)
    if ('to' in shown) throw refusal
    return sendView(ctx, house, page, viewOf(shown))
  }
  const { next } = done
  if ('show' in next) return sendView(ctx, house, page, next.show)
  const present = visitorOf(ctx)
  if (next.say && present) leaveNotice(ctx, present, next.say, house.root)
  ctx.redirect(next.to)
  ctx.status = 303
}

async function showFailure(ctx: Context, error: unknown, house: House): Promise<void> {
  const failure = error instanceof PageFailure ? error : noteFailure(error, ctx, house.services.log)
  ctx.status = failure.status
  if (failure instanceof Refusal) ctx.set(failure.headers)
  if (answerBoard(ctx, failure)) return
  // With the navigation, where it can be found out who this is.
  if (!visitorOf(ctx)) await identify(ctx, house).catch(() => undefined)
  sendView(ctx, house, undefined, failureView(failure, ctx, house))
}

function sendView(ctx: Context, house: House, page: Page | undefined, view: View, notice?: string) {
  sendHtml(ctx, layout({ ...frameOf(ctx, house, page), notice }, view))
}

function sendHtml(ctx: Context, content: Html) {
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = content.text
}

function frameOf(ctx: Context, { root, pages, condition }: House, page: Page | undefined): Frame {
  const link = (path: string) => linkTo(root, path)
  const admin = visitorOf(ctx)?.admin
  const there = SECTIONS.filter(({ name, path }) =>
    pages.some((each) => each.section === name && each.path === path),
  )
  return {
    root,
    title: page?.title ?? '',
    email: admin?.email,
    sections: there.map(({ name, path }) => ({ name, address: link(path) })),
    section: page?.section,
    link,
    down: admin ? condition.sentences() : [],
    notice: undefined,
  }
}
