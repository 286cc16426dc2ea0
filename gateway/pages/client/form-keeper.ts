// A service worker between our forms and the network. If a form reaches no server (during a release, or
// without a connection), it shows a page that sends the form again as soon as the dashboard answers, with the
// same submission id, so that the form acts once. A page that cannot be opened without a connection says so, as in a program
// that is installed. All other requests pass through, and nothing is stored: no page of a person outlives their session.
// Browsers without service workers behave as usual.

type FetchEvent = Event & { request: Request; respondWith(answer: Promise<Response>): void }
type ActivateEvent = Event & { waitUntil(work: Promise<void>): void }
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
    waits: 'This page opens again as soon as there is a connection.',
  },
  de: {
    title: 'Berth ist nicht erreichbar',
    kept: 'Ihre Eingaben bleiben auf dieser Seite und werden noch einmal gesendet, sobald Berth antwortet. Sie wirken nur einmal, auch wenn sie schon angekommen waren.',
    again: 'Jetzt noch einmal versuchen',
    offline: 'Sie sind offline',
    waits: 'Diese Seite öffnet sich, sobald es wieder eine Verbindung gibt.',
  },
}

addEventListener('install', () => worker.skipWaiting())
addEventListener('activate', (event) => (event as ActivateEvent).waitUntil(worker.clients.claim()))
addEventListener('fetch', (event) => {
  const { request } = event as FetchEvent
  if (request.mode === 'navigate' && request.method === 'GET')
    (event as FetchEvent).respondWith(fetch(request).catch(() => sayOffline()))
  const isForm = request.mode === 'navigate' && request.method === 'POST'
  if (isForm && request.headers.get('Content-Type')?.startsWith(FORM))
    (event as FetchEvent).respondWith(send(request))
})

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

/** `then` is the script that goes on once Berth answers. */
function page(title: string, content: string, then: string): Response {
  const nonce = crypto.randomUUID()
  const text = `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${title} · Berth</title>
<style nonce="${nonce}">body { font: 1rem/1.5 system-ui, sans-serif; max-width: 36rem; margin: 15vh auto; padding: 0 1rem }
button { font: inherit; padding: .5rem 1rem }</style></head>
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
