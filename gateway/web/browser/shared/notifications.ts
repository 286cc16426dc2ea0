// The part of the service worker that shows notifications, and opens their pages when somebody touches them.

type LongEvent = Event & { waitUntil(work: Promise<unknown>): void }
type PushEvent = LongEvent & { data: { json(): Push } | null }
type NotificationEvent = LongEvent & { notification: Notification }
type WindowClient = { focus(): Promise<WindowClient>; navigate(url: string): Promise<unknown> }
type NotifyingScope = {
  registration: ServiceWorkerRegistration
  clients: {
    matchAll(options: { type: 'window' }): Promise<WindowClient[]>
    openWindow(url: string): Promise<unknown>
  }
}

/** What workers/pollers/push/write-push.ts writes. `path` is below the start page of people's own pages. */
type Push = { title: string; body: string; path: string; tag: string; language: string }

const scope = self as unknown as NotifyingScope

addEventListener('push', (event) => {
  const { data } = event as PushEvent
  if (data) (event as PushEvent).waitUntil(show(data.json()))
})
addEventListener('notificationclick', (event) => {
  const { notification } = event as NotificationEvent
  notification.close()
  ;(event as NotificationEvent).waitUntil(open(String(notification.data)))
})

function show({ title, body, path, tag, language }: Push): Promise<void> {
  const home = scope.registration.scope.replace(/\/?$/, '/')
  const icon = new URL('icon-192.png', location.href).href
  return scope.registration.showNotification(title, {
    body,
    tag,
    lang: language,
    icon,
    badge: icon,
    data: path ? home + path : home.slice(0, -1),
  })
}

/** Opens the page in a window of Berth if there is one. */
async function open(url: string): Promise<void> {
  const [window] = await scope.clients.matchAll({ type: 'window' })
  if (!window) return void (await scope.clients.openWindow(url))
  // A browser may refuse to move the focus, and still opens the page.
  await window.focus().catch(() => undefined)
  await window.navigate(url)
}
