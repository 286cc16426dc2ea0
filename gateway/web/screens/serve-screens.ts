// Serves the screens at their secret addresses: the page, its live feed, and what somebody presses there. No cookies:
// who knows the address may see the screen.
import { PassThrough } from 'node:stream'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { instantOf } from '../../../shared/utilities/date-times.ts'
import { unavailable } from '../../overload/refusals.ts'
import { discardRest, noteFailure } from '../../server/http/middleware/errors.ts'
import { Routes } from '../../server/http/router.ts'
import type { Context, Middleware } from '../../server/services/context.ts'
import type { Services } from '../../server/services/services.ts'
import { catalogs } from '../locales/catalogs.ts'
import { formatMessage, withLanguage } from '../locales/translate.ts'
import { ASSET_PATH, sendAsset } from '../pages/page/assets.ts'
import { readUrlEncoded } from '../pages/page/form-body.ts'
import { SCREEN_FORM } from '../pages/page/form-limits.ts'
import { secureHeaders } from '../pages/page/security-headers.ts'
import { rootPath, SCREENS } from '../sessions/addresses.ts'
import { languageOf } from '../sessions/cookies.ts'
import { door } from './door/door.ts'
import { actAtDoor, type DoorForm } from './door/door-actions.ts'
import { type Ended, formatEnded, mayUndoEnd, parseEnded } from './door/undo-end.ts'
import { ScreenFeed } from './feed.ts'
import { lobby } from './lobby/lobby.ts'
import { sendPlan } from './lobby/send-plan.ts'
import { NO_SCREEN, screenFinder } from './screen/find-screen.ts'
import { countRequest, shareReads } from './screen/screen-share.ts'
import type { Screen, ScreenContent } from './screen/views.ts'
import { releaseOf, showScreenFailure, showScreenPage } from './screen-page.ts'

const VIEWS = { door, lobby }

// The query parameter of the address to which a press without scripts redirects.
const ENDED = 'ended'
// Proxies close a connection on which nothing has come for a minute.
const BEAT_EVERY_MS = 25_000
const FULL = message`Too many screens are open. Trying again shortly.`

type Site = { services: Services; root: string; feed: ScreenFeed }

export function serveScreens(services: Services): Middleware {
  const find = screenFinder(services)
  const site: Site = {
    services,
    root: rootPath(services.config) + SCREENS,
    feed: new ScreenFeed(services, VIEWS),
  }
  const routes = new Routes()
  const add = (
    method: 'GET' | 'POST',
    path: string,
    serve: (screen: Screen, ctx: Context, site: Site) => unknown,
  ) =>
    routes.add(method, SCREENS + path, async (ctx) => {
      const screen = await find(ctx, ctx.params.secret)
      await countRequest(ctx, services, screen)
      await withLanguage(screen.language, catalogs[screen.language], async () => serve(screen, ctx, site))
    })
  routes.add('GET', SCREENS + ASSET_PATH, (ctx) => sendAsset(ctx, ctx.params))
  add('GET', '/{secret}', (screen, ctx) =>
    ctx.query.floor_plan === undefined
      ? showScreen(screen, ctx, site)
      : shareReads(services, screen, () => sendPlan(services, screen, ctx)),
  )
  add('POST', '/{secret}', press)
  add('GET', '/{secret}/feed', followScreen)
  const answer = routes.middleware()
  return async (ctx, next) => {
    secureHeaders(ctx)
    ctx.set('Referrer-Policy', 'no-referrer')
    try {
      await answer(ctx, next)
    } catch (error) {
      const language = languageOf(ctx)
      await withLanguage(language, catalogs[language], async () => sendFailure(ctx, error, site))
      discardRest(ctx.req)
    }
  }
}

const addressOf = ({ root }: Site, ctx: Context) => `${root}/${ctx.params.secret}`

async function findContent({ services }: Site, screen: Screen): Promise<ScreenContent> {
  const { id, kind } = screen
  const now = instantOf(services.now())
  const contents = await shareReads(services, screen, (pool) => VIEWS[kind].findContents(pool, [id], now))
  const content = contents.get(id)
  if (!content) throw new Refusal('not_found', NO_SCREEN)
  return content
}

async function showScreen(screen: Screen, ctx: Context, site: Site, notice?: string): Promise<void> {
  // A screen that comes back asks first whether its address still works.
  if (ctx.method === 'HEAD') {
    ctx.status = 200
    return
  }
  const content = await findContent(site, screen)
  const ended = parseEnded(ctx.query[ENDED])
  const mayUndo = ended && (await mayUndoEnd(site.services, screen, ended))
  await site.feed.noteSeen([screen.id])
  const { root, services } = site
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = showScreenPage({
    root,
    screen,
    content,
    notice,
    ended: mayUndo ? formatEnded(ended) : undefined,
    address: addressOf(site, ctx),
    nowMs: services.now(),
  }).text
}

const wantsJson = (ctx: Context) => ctx.get('Accept') === 'application/json'

async function press(screen: Screen, ctx: Context, site: Site): Promise<void> {
  const { services } = site
  const pressed: DoorForm = Object.fromEntries(await readUrlEncoded(ctx, SCREEN_FORM))
  let ended: Ended | undefined
  try {
    ended = await actAtDoor(services, ctx, screen, pressed)
  } catch (error) {
    const refusal = noteFailure(error, ctx, services)
    const sentence = formatMessage(refusal.detail)
    if (wantsJson(ctx)) ctx.body = { message: sentence }
    else await showScreen(screen, ctx, site, sentence)
    ctx.set(refusal.headers)
    ctx.status = refusal.status
    return
  }
  if (wantsJson(ctx)) {
    if (ended) ctx.body = { ended: formatEnded(ended) }
    else ctx.status = 204
    return
  }
  ctx.redirect(addressOf(site, ctx) + (ended ? `?${ENDED}=${formatEnded(ended)}` : ''))
  ctx.status = 303
}

/** Server-sent events: the whole content whenever it changes, and the time now and then. */
function followScreen(screen: Screen, ctx: Context, { services, feed, root }: Site): void {
  if (feed.isFullFor(screen.id)) throw unavailable('screens_overload', FULL)
  const stream = new PassThrough()
  const release = releaseOf(root)
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
  const beat = setInterval(() => send('beat', {}), BEAT_EVERY_MS)
  ctx.res.once('close', () => {
    clearInterval(beat)
    stopListening()
  })
  ctx.set('X-Accel-Buffering', 'no')
  ctx.type = 'text/event-stream'
  ctx.body = stream
}

function sendFailure(ctx: Context, error: unknown, { services, root }: Site) {
  const refusal = noteFailure(error, ctx, services)
  // The path of a page that is unknown here may contain a secret.
  const sentence = refusal.status === 404 ? formatMessage(NO_SCREEN) : formatMessage(refusal.detail)
  ctx.set(refusal.headers)
  if (wantsJson(ctx)) ctx.body = { message: sentence }
  else {
    ctx.type = 'text/html; charset=utf-8'
    ctx.body = showScreenFailure(root, sentence).text
  }
  ctx.status = refusal.status
}
