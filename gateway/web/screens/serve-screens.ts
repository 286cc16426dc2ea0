// Serves screens at their secret addresses: the page, its live feed, and the actions of its buttons. It uses
// no cookies: everybody who knows the address may see the screen.
import { PassThrough } from 'node:stream'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { formatInstant } from '../../../shared/utilities/date-times.ts'
import { serviceUnavailable } from '../../overload/refusals.ts'
import { discardRestOfBody, recordFailure } from '../../server/http/middleware/errors.ts'
import { Routes } from '../../server/http/router.ts'
import type { Context, Middleware } from '../../server/services/context.ts'
import type { Services } from '../../server/services/services.ts'
import { catalogs } from '../locales/catalogs.ts'
import { formatMessage, withLanguage } from '../locales/translate.ts'
import { ASSET_PATH, sendAsset } from '../pages/page/assets.ts'
import { readUrlEncoded } from '../pages/page/form-body.ts'
import { SCREEN_FORM_LIMITS } from '../pages/page/form-limits.ts'
import { setSecurityHeaders } from '../pages/page/security-headers.ts'
import { findRootPath, SCREENS } from '../sessions/addresses.ts'
import { findLanguage } from '../sessions/cookies.ts'
import { door } from './door/door.ts'
import { type DoorForm, performDoorAction } from './door/door-actions.ts'
import { canUndoEnd, type EndedClaim, formatEndedClaim, parseEndedClaim } from './door/undo-end.ts'
import { ScreenFeed } from './feed.ts'
import { lobby } from './lobby/lobby.ts'
import { sendLobbyFloorPlan } from './lobby/send-plan.ts'
import { createScreenFinder, SCREEN_NOT_FOUND } from './screen/find-screen.ts'
import { countScreenRequest, shareScreenReads } from './screen/screen-share.ts'
import type { Screen, ScreenContent } from './screen/views.ts'
import { readRelease, showScreenFailure, showScreenPage } from './screen-page.ts'

const SCREEN_VIEWS = { door, lobby }

// The query parameter of the page to which a press without scripts redirects.
const ENDED_PARAMETER = 'ended'
// The interval of heartbeats. Proxies close a connection that is silent for a minute.
const HEARTBEAT_EVERY_MS = 25_000
const TOO_MANY_SCREENS = message`Too many screens are open. Trying again shortly.`

type ScreenSite = { services: Services; root: string; feed: ScreenFeed }

export function serveScreens(services: Services): Middleware {
  const find = createScreenFinder(services)
  const site: ScreenSite = {
    services,
    root: findRootPath(services.config) + SCREENS,
    feed: new ScreenFeed(services, SCREEN_VIEWS),
  }
  const routes = new Routes()
  const add = (
    method: 'GET' | 'POST',
    path: string,
    serve: (screen: Screen, ctx: Context, site: ScreenSite) => unknown,
  ) =>
    routes.add(method, SCREENS + path, async (ctx) => {
      const screen = await find(ctx, ctx.params.secret)
      await countScreenRequest(ctx, services, screen)
      await withLanguage(screen.language, catalogs[screen.language], async () => serve(screen, ctx, site))
    })
  routes.add('GET', SCREENS + ASSET_PATH, (ctx) => sendAsset(ctx, ctx.params))
  add('GET', '/{secret}', (screen, ctx) =>
    ctx.query.floor_plan === undefined
      ? showScreen(screen, ctx, site)
      : shareScreenReads(services, screen, () => sendLobbyFloorPlan(services, screen, ctx)),
  )
  add('POST', '/{secret}', handlePress)
  add('GET', '/{secret}/feed', sendEvents)
  const answer = routes.middleware()
  return async (ctx, next) => {
    setSecurityHeaders(ctx)
    ctx.set('Referrer-Policy', 'no-referrer')
    try {
      await answer(ctx, next)
    } catch (error) {
      const language = findLanguage(ctx)
      await withLanguage(language, catalogs[language], async () => sendFailure(ctx, error, site))
      discardRestOfBody(ctx.req)
    }
  }
}

const formatAddress = ({ root }: ScreenSite, ctx: Context) => `${root}/${ctx.params.secret}`

async function findContent({ services }: ScreenSite, screen: Screen): Promise<ScreenContent> {
  const { id, kind } = screen
  const now = formatInstant(services.now())
  const contents = await shareScreenReads(services, screen, (pool) =>
    SCREEN_VIEWS[kind].findContents(pool, [id], now),
  )
  const content = contents.get(id)
  if (!content) throw new Refusal('not_found', SCREEN_NOT_FOUND)
  return content
}

async function showScreen(screen: Screen, ctx: Context, site: ScreenSite, notice?: string): Promise<void> {
  // A screen that reconnects first checks with HEAD whether its address still works.
  if (ctx.method === 'HEAD') {
    ctx.status = 200
    return
  }
  const content = await findContent(site, screen)
  const ended = parseEndedClaim(ctx.query[ENDED_PARAMETER])
  const mayUndo = ended && (await canUndoEnd(site.services, screen, ended))
  await site.feed.noteSeen([screen.id])
  const { root, services } = site
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = showScreenPage({
    root,
    screen,
    content,
    notice,
    ended: mayUndo ? formatEndedClaim(ended) : undefined,
    address: formatAddress(site, ctx),
    nowMs: services.now(),
  }).text
}

const isJsonRequested = (ctx: Context) => ctx.get('Accept') === 'application/json'

async function handlePress(screen: Screen, ctx: Context, site: ScreenSite): Promise<void> {
  const { services } = site
  const pressed: DoorForm = Object.fromEntries(await readUrlEncoded(ctx, SCREEN_FORM_LIMITS))
  let ended: EndedClaim | undefined
  try {
    ended = await performDoorAction(services, ctx, screen, pressed)
  } catch (error) {
    const refusal = recordFailure(error, ctx, services)
    const sentence = formatMessage(refusal.detail)
    if (isJsonRequested(ctx)) ctx.body = { message: sentence }
    else await showScreen(screen, ctx, site, sentence)
    ctx.set(refusal.headers)
    ctx.status = refusal.status
    return
  }
  if (isJsonRequested(ctx)) {
    if (ended) ctx.body = { ended: formatEndedClaim(ended) }
    else ctx.status = 204
    return
  }
  ctx.redirect(formatAddress(site, ctx) + (ended ? `?${ENDED_PARAMETER}=${formatEndedClaim(ended)}` : ''))
  ctx.status = 303
}

/** Sends server-sent events to a screen: the whole content whenever it changes, and the current time at intervals. */
function sendEvents(screen: Screen, ctx: Context, { services, feed, root }: ScreenSite): void {
  if (feed.isFullFor(screen.id)) throw serviceUnavailable('screens_overload', TOO_MANY_SCREENS)
  const stream = new PassThrough()
  const release = readRelease(root)
  const [have = ''] = [ctx.query.have ?? []].flat()
  const send = (event: string, data: object) =>
    !stream.writableEnded &&
    stream.write(`event: ${event}\ndata: ${JSON.stringify({ nowMs: services.now(), release, ...data })}\n\n`)
  const stopListening = feed.listen({
    screen,
    version: have,
    send: (content) =>
      send('content', { ...content, appearance: screen.appearance, language: screen.language }),
    switchOff() {
      send('off', {})
      stream.end()
    },
    end: () => stream.end(),
  })
  send('beat', {})
  const beat = setInterval(() => send('beat', {}), HEARTBEAT_EVERY_MS)
  ctx.res.once('close', () => {
    clearInterval(beat)
    stopListening()
  })
  ctx.set('X-Accel-Buffering', 'no')
  ctx.type = 'text/event-stream'
  ctx.body = stream
}

function sendFailure(ctx: Context, error: unknown, { services, root }: ScreenSite) {
  const refusal = recordFailure(error, ctx, services)
  // The response does not repeat an unknown path, which may contain a secret.
  const sentence = refusal.status === 404 ? formatMessage(SCREEN_NOT_FOUND) : formatMessage(refusal.detail)
  ctx.set(refusal.headers)
  if (isJsonRequested(ctx)) ctx.body = { message: sentence }
  else {
    ctx.type = 'text/html; charset=utf-8'
    ctx.body = showScreenFailure(root, sentence).text
  }
  ctx.status = refusal.status
}
