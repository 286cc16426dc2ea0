// The queue board: bull-board at /dashboard/queues, for signed-in administrators. bull-board protects nothing
// itself, so the checks in this file come before everything that it serves, including its files.
import type { UIConfig } from '@bull-board/api/typings/app'
import type { Language } from '../../../../shared/messages/languages.ts'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal, unknownPath } from '../../../../shared/messages/refusal.ts'
import { discardRest } from '../../../http/middleware/errors.ts'
import type { Context } from '../../../services/context.ts'
import type { DashboardContext } from '../../kit/context.ts'
import { requireRole } from '../../kit/roles.ts'
import { secureBoardHeaders } from '../../kit/security-headers.ts'
import { DASHBOARD, linkTo } from '../../kit/sessions/addresses.ts'
import { setReadableCookie } from '../../kit/sessions/cookies.ts'
import { requireSameOrigin } from '../../kit/sessions/csrf.ts'
import { PageFailure } from '../../kit/sessions/failure.ts'
import { deriveSecret, equalSecrets } from '../../kit/sessions/secrets.ts'
import type { Viewer } from '../../kit/sessions/sessions.ts'
import { identify, sessionEnded } from '../../kit/viewers.ts'
import { currentLanguage, formatMessage, t } from '../../locales/translate.ts'
import type { BullBoard } from './bull-board.ts'

const BOARD = `${DASHBOARD}/queues`

const PAGES = /^\/?$|^\/(metrics-history|job-schedulers|queue\/[^/]+(\/[^/]+)?)$/
const BOARD_LANGUAGES: Record<Language, string> = { en: 'en-US', de: 'de-DE' }
// Axios copies the cookie to the header by default, but only for its own origin.
const COOKIE = 'XSRF-TOKEN'
const HEADER = 'X-XSRF-TOKEN'

export function isBoardPath(path: string): boolean {
  return path === BOARD || path.startsWith(`${BOARD}/`)
}

export function queueBoard(dashboard: DashboardContext): (ctx: Context) => Promise<void> {
  const { services, root } = dashboard
  const base = `${root}${BOARD}`
  // Loaded on demand: bull-board takes half as long to load as the rest of the gateway, and most gateways
  // never show it.
  let loading: Promise<BullBoard> | undefined
  const load = () => {
    loading ??= import('./bull-board.ts').then(({ mountBullBoard }) => mountBullBoard(dashboard, BOARD))
    // The names of the queues may not be known yet.
    loading.catch(() => {
      loading = undefined
    })
    return loading
  }

  return async (ctx) => {
    ctx.state.route = BOARD
    const path = ctx.path.slice(BOARD.length)
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD'
    if (!isRead) requireSameOrigin(ctx)
    const viewer = await identify(ctx, dashboard)
    if (!viewer.admin) {
      if (isRead && PAGES.test(path)) return ctx.redirect(linkTo(root, '/sign-in', { next: ctx.url }))
      throw sessionEnded()
    }
    requireRole(viewer, 'administrator')
    if (isRead && PAGES.test(path)) {
      secureBoardHeaders(ctx)
      setReadableCookie(ctx, COOKIE, boardToken(viewer), base)
      ctx.type = 'text/html; charset=utf-8'
      ctx.body = (await load()).entryPage(base, root, configOf(root)).text
      return
    }
    if (!isRead) requireBoardToken(ctx, viewer)
    if (!services.queues.isUp()) {
      throw new Refusal(
        'unavailable',
        message`Redis is not responding. The queues cannot be shown until it is back.`,
      )
    }
    // The names of its files contain hashes, except those of the languages.
    if (/^\/static\/(js|css)\//.test(path)) ctx.set('Cache-Control', 'private, max-age=31536000, immutable')
    // None of the allowed actions has a body.
    Object.assign(ctx, { disableBodyParser: true })
    const { plugin } = await load()
    await plugin(ctx, async () => undefined)
    if (!isRead) logUse(ctx, dashboard, viewer.admin.id)
    discardRest(ctx.req)
    if (ctx.status === 404 && !ctx.body) throw unknownPath(ctx.path)
  }
}

/** bull-board has all our languages, under its own names for them. */
function configOf(root: string): UIConfig {
  return {
    boardTitle: t`Queue board`,
    boardLogo: { path: '' },
    hideDocsLink: true,
    locale: { lng: BOARD_LANGUAGES[currentLanguage()] },
    miscLinks: [
      { text: t`Queue health`, url: linkTo(root, '/queue-health') },
      { text: t`Dashboard`, url: linkTo(root, '/') },
    ],
  }
}

/** Answers a refused API request of bull-board in the format that it expects. */
export function sendBoardError(ctx: Context, failure: PageFailure | Refusal): boolean {
  if (!ctx.path.startsWith(`${BOARD}/api/`)) return false
  ctx.type = 'application/json; charset=utf-8'
  const text = failure instanceof Refusal ? formatMessage(failure.detail) : failure.message
  ctx.body = JSON.stringify({ error: text, message: text })
  return true
}

function logUse(ctx: Context, { services }: DashboardContext, adminId: number) {
  const { method, path, status } = ctx
  services.log.info({ adminId, requestId: ctx.state.requestId, method, path, status }, 'used the queue board')
}

function boardToken(viewer: Viewer): string {
  return deriveSecret(viewer, 'queue board').toString('base64url')
}

function requireBoardToken(ctx: Context, viewer: Viewer) {
  if (equalSecrets(ctx.get(HEADER), boardToken(viewer))) return
  throw new PageFailure(
    403,
    t`Request not accepted`,
    t`This page belongs to another session or has expired. Reload it and try again.`,
  )
}
