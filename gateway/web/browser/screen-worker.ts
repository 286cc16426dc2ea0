// The service worker of screens. A screen that is reloaded without a connection shows the last page that it
// had.

type FetchEvent = Event & { request: Request; respondWith(answer: Promise<Response>): void }
type ActivateEvent = Event & { waitUntil(work: Promise<void>): void }
type ServiceWorkerScope = { skipWaiting(): Promise<void>; clients: { claim(): Promise<void> } }

const worker = self as unknown as ServiceWorkerScope
const CACHE_NAME = 'screens'

addEventListener('install', () => worker.skipWaiting())
addEventListener('activate', (event) => (event as ActivateEvent).waitUntil(worker.clients.claim()))
addEventListener('fetch', (event) => {
  const { request } = event as FetchEvent
  const isFile = new URL(request.url).pathname.includes('/assets/')
  if (request.method === 'GET' && (request.mode === 'navigate' || isFile))
    (event as FetchEvent).respondWith(loadPage(request))
})

async function loadPage(request: Request): Promise<Response> {
  const kept = await caches.open(CACHE_NAME)
  const answer = await fetch(request).catch(() => undefined)
  if (answer?.ok) await kept.put(request, answer.clone())
  // Berth's own responses have a request id. If no gateway runs, a proxy may respond, but its response has no
  // request id.
  if (answer?.headers.has('X-Request-Id')) return answer
  return (await kept.match(request)) ?? answer ?? Response.error()
}
