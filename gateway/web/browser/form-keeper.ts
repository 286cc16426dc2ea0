// A service worker between our forms and the network. If a form reaches no server (during a release, or
// without a connection), it shows a page that sends the form again as soon as the dashboard answers, with the
// same submission id, so that the form acts once. A page that cannot be opened without a connection says so, as in an
// installed app, and My day shows its last content. All other requests pass through, and no other page is stored.
// Browsers without service workers behave as usual.
import { forgetDay, isDay, isSigningInOrOut, keepDay, readDay } from './shared/kept-day.ts'

type LongEvent = Event & { waitUntil(work: Promise<unknown>): void }
type FetchEvent = LongEvent & { request: Request; respondWith(answer: Promise<Response>): void }
type Worker = { skipWaiting(): Promise<void>; clients: { claim(): Promise<void> } }

const worker = self as unknown as Worker
const language = new URL(location.href).searchParams.get('language') === 'de' ? 'de' : 'en'
const PROBE = new URL('icon.svg', location.href).pathname
const FORM = 'application/x-www-form-urlencoded'

const TEXTS = {
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
  if (isSigningInOrOut(request.url)) (event as FetchEvent).waitUntil(forgetDay())
  if (request.method === 'GET') (event as FetchEvent).respondWith(open(event as FetchEvent))
  const isForm = request.method === 'POST' && request.headers.get('Content-Type')?.startsWith(FORM)
  if (isForm) (event as FetchEvent).respondWith(send(request))
})

async function open(event: FetchEvent): Promise<Response> {
  const { request } = event
  const answer = await fetch(request).catch(() => undefined)
  if (!answer) return (isDay(request.url) && (await showDay())) || sayOffline()
  if (isDay(request.url)) event.waitUntil(keepDay(answer.clone()))
  return answer
}

async function send(request: Request): Promise<Response> {
  const body = await request.clone().text()
  const answer = await fetch(request).catch(() => undefined)
  return answer && !isOfProxy(answer) ? answer : keep(request.url, body)
}

/** The answer of a proxy without a gateway behind it: answers of Berth have a request id. */
function isOfProxy({ status, headers }: Response): boolean {
  return [502, 503, 504].includes(status) && !headers.has('X-Request-Id')
}

function keep(url: string, body: string): Response {
  const { title, kept, again } = TEXTS[language]
  const fields = [...new URLSearchParams(body)].map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  )
  const form = `<form method="post" action="${escapeHtml(url)}">${fields.join('\n')}<button>${again}</button></form>`
  return page(title, `<p role="status">${kept}</p>${form}`, 'document.forms[0].submit()')
}

function sayOffline(): Response {
  const { offline, waits } = TEXTS[language]
  return page(offline, `<p role="status">${waits}</p>`, 'location.reload()')
}

async function showDay(): Promise<Response | undefined> {
  const day = await readDay(language)
  if (!day) return undefined
  const { asOf } = TEXTS[language]
  return page(
    day.title,
    `<p role="status">${asOf.replace('{0}', day.at)}</p>${day.content}`,
    'location.reload()',
  )
}

/** `then` is the script that goes on once Berth answers. */
function page(title: string, content: string, then: string): Response {
  const nonce = crypto.randomUUID()
  const text = `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${title} · Berth</title>
<style nonce="${nonce}">body { font: 1rem/1.5 system-ui, sans-serif; max-width: 36rem; margin: 8vh auto; padding: 0 1rem } h1 { font-size: 1.5rem; line-height: 1.25 }
button { font: inherit; padding: .5rem 1rem } h2, h3 { font-size: 1rem } ul { padding: 0; list-style: none } li { margin: .5rem 0 }
.card { border: 1px solid #8888; border-radius: 8px; padding: .75rem; margin: .75rem 0 } .my-booking div { display: grid }</style></head>
<body><main><h1>${title}</h1>${content}</main>
<script nonce="${nonce}">
const look = async () => {
  const answer = await fetch(${JSON.stringify(PROBE)}, { cache: 'no-store' }).catch(() => undefined)
  if (answer?.ok) ${then}
  else setTimeout(look, 2000)
}
setTimeout(look, 1000)
</script></body></html>`
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    'Cache-Control': 'no-store',
  }
  return new Response(text, { status: 503, headers })
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
