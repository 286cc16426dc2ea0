// The service worker of screens: a screen that is reloaded without a connection shows the page that it had.

type FetchEvent = Event & { request: Request; respondWith(answer: Promise<Response>): void }
type ActivateEvent = Event & { waitUntil(work: Promise<void>): void }
type Worker = { skipWaiting(): Promise<void>; clients: { claim(): Promise<void> } }

const worker = self as unknown as Worker
const KEPT = 'screens'

addEventListener('install', () => worker.skipWaiting())
addEventListener('activate', (event) => (event as ActivateEvent).waitUntil(worker.clients.claim()))
addEventListener('fetch', (event) => {
  const { request } = event as FetchEvent
  const isFile = new URL(request.url).pathname.includes('/assets/')
  if (request.method === 'GET' && (request.mode === 'navigate' || isFile))
    (event as FetchEvent).respondWith(load(request))
})

async function load(request: Request): Promise<Response> {
  const kept = await caches.open(KEPT)
  const answer = await fetch(request).catch(() => undefined)
  if (answer?.ok) await kept.put(request, answer.clone())
  // A proxy without a gateway behind it answers too, but without a request id.
  if (answer?.headers.has('X-Request-Id')) return answer
  return (await kept.match(request)) ?? answer ?? Response.error()
}
