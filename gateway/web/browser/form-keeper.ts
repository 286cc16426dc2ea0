// A service worker between Berth's forms and the network. If a form reaches no server (during a release, or
// without a connection), the worker shows a page that sends the form again as soon as the dashboard responds,
// with the same submission id, so that the form is processed only once. Without a connection, My day shows
// its last content, and other pages show an offline message, as an installed app would. All other requests
// pass through, and no other page is stored. The worker also shows notifications. Browsers without service workers
// behave as usual.
import './shared/notifications.ts'
import {
  deleteStoredDay,
  isMyDay,
  isOnPeopleSite,
  isSigningInOrOut,
  readStoredDay,
  storeDay,
} from './shared/kept-day.ts'

type LongEvent = Event & { waitUntil(work: Promise<unknown>): void }
type FetchEvent = LongEvent & { request: Request; respondWith(answer: Promise<Response>): void }
type ServiceWorkerScope = { skipWaiting(): Promise<void>; clients: { claim(): Promise<void> } }

const worker = self as unknown as ServiceWorkerScope
const language = new URL(location.href).searchParams.get('language') === 'de' ? 'de' : 'en'
const PROBE_PATH = new URL('icon.svg', location.href).pathname
// The browser still has the styles of the last page of this site in its cache.
const STYLES_URL = new URL(isOnPeopleSite ? 'my-all.css' : 'all.css', location.href)
const FORM_TYPE = 'application/x-www-form-urlencoded'

const PAGE_TEXTS = {
  en: {
    title: 'Berth cannot be reached',
    kept: 'What you entered is kept on this page, and is sent again as soon as Berth answers. It takes effect once, even if it had arrived before.',
    again: 'Try again now',
    offline: 'You are offline',
    asOf: 'As of {0}. No connection.',
    waits: 'This page opens again as soon as there is a connection.',
  },
  de: {
    title: 'Berth ist nicht erreichbar',
    kept: 'Ihre Eingaben bleiben auf dieser Seite und werden noch einmal gesendet, sobald Berth antwortet. Sie wirken nur einmal, auch wenn sie schon angekommen waren.',
    again: 'Jetzt noch einmal versuchen',
    offline: 'Sie sind offline',
    asOf: 'Stand: {0}. Keine Verbindung.',
    waits: 'Diese Seite öffnet sich, sobald es wieder eine Verbindung gibt.',
  },
}

addEventListener('install', () => worker.skipWaiting())
addEventListener('activate', (event) => (event as LongEvent).waitUntil(worker.clients.claim()))
addEventListener('fetch', (event) => {
  const { request } = event as FetchEvent
  if (request.mode !== 'navigate') return
  if (isSigningInOrOut(request.url)) (event as FetchEvent).waitUntil(deleteStoredDay())
  if (request.method === 'GET') (event as FetchEvent).respondWith(openPage(event as FetchEvent))
  const isForm = request.method === 'POST' && request.headers.get('Content-Type')?.startsWith(FORM_TYPE)
  if (isForm) (event as FetchEvent).respondWith(sendForm(request))
})

async function openPage(event: FetchEvent): Promise<Response> {
  const { request } = event
  const answer = await fetch(request).catch(() => undefined)
  if (!answer) return (isMyDay(request.url) && (await showDay())) || showOffline()
  if (isMyDay(request.url)) event.waitUntil(storeDay(answer.clone()))
  return answer
}

async function sendForm(request: Request): Promise<Response> {
  const body = await request.clone().text()
  const answer = await fetch(request).catch(() => undefined)
  return answer && !isFromProxy(answer) ? answer : keepForm(request.url, body)
}

/** Returns whether a proxy responded because no gateway did. Berth's own responses have a request id. */
function isFromProxy({ status, headers }: Response): boolean {
  return [502, 503, 504].includes(status) && !headers.has('X-Request-Id')
}

function keepForm(url: string, body: string): Promise<Response> {
  const { title, kept, again } = PAGE_TEXTS[language]
  const fields = [...new URLSearchParams(body)].map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  )
  const form = `<form method="post" action="${escapeHtml(url)}">${fields.join('\n')}<div class="buttons"><button class="button primary">${again}</button></div></form>`
  return createPage(
    title,
    `<div class="card"><p role="status">${kept}</p>${form}</div>`,
    'document.forms[0].submit()',
  )
}

function showOffline(): Promise<Response> {
  const { offline, waits } = PAGE_TEXTS[language]
  return createPage(
    offline,
    `<div class="empty" role="status"><strong>${waits}</strong></div>`,
    'location.reload()',
  )
}

async function showDay(): Promise<Response | undefined> {
  const day = await readStoredDay(language)
  if (!day) return undefined
  const { asOf } = PAGE_TEXTS[language]
  return createPage(
    day.title,
    `<div class="notice warn" role="status"><p>${asOf.replace('{0}', day.at)}</p></div>${day.content}`,
    'location.reload()',
  )
}

/** Returns a page. Its script `then` continues once Berth responds. */
async function createPage(title: string, content: string, then: string): Promise<Response> {
  const nonce = crypto.randomUUID()
  const styles = await readStyles()
  const text = `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${title} · Berth</title>
<style nonce="${nonce}">${styles}</style></head>
<body class="my"><main><header class="head"><h1>${title}</h1></header>${content}</main>
<script nonce="${nonce}">
const look = async () => {
  const answer = await fetch(${JSON.stringify(PROBE_PATH)}, { cache: 'no-store' }).catch(() => undefined)
  if (answer?.ok) ${then}
  else setTimeout(look, 2000)
}
setTimeout(look, 1000)
</script></body></html>`
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; font-src 'self'; img-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    'Cache-Control': 'no-store',
  }
  return new Response(text, { status: 503, headers })
}

/** Returns the styles of this site with absolute addresses of their fonts, or none if the cache has lost them. */
async function readStyles(): Promise<string> {
  const answer = await fetch(STYLES_URL, { cache: 'force-cache' }).catch(() => undefined)
  const styles = answer?.ok ? await answer.text() : ''
  return styles.replace(/url\("?(?=inter)/g, `$&${new URL('.', location.href)}`)
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
