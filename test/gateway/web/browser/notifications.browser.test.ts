// Tests notifications in a real browser: it asks for permission only after the person chose them and pressed the
// button, shows what the service worker gets, and opens the page. Chromium without a push service of Google cannot
// subscribe, so its subscribe() answers with a subscription of the test's push service, and the test hands over the
// messages.
import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'
import {
  expectAccessible,
  expectNoSidewaysScroll,
  openWindow,
  useChromium,
} from '../../../support/dashboard/browser.ts'
import { createDesk } from '../../../support/factories.ts'
import { signInAs } from '../../../support/people/person.ts'
import { PUSH_ENVIRONMENT, PUSH_KEYS, usePushService } from '../../../support/people/push-service.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

const PHONE = { viewport: { width: 360, height: 640 } }
const BUTTON = 'Turn on notifications in this browser'

type Asked = { permissions: number; keys: string[]; unsubscribed: number }

describe('notifications in a browser', function suite() {
  this.timeout(120_000)
  useChromium()
  const service = usePushService()
  const world = useWorld({ environment: PUSH_ENVIRONMENT })

  /** Replaces what Chromium cannot do without Google, and counts what the page asks for. */
  async function replacePushService(context: BrowserContext, permission: 'granted' | 'denied') {
    const { endpoint, p256dh, auth } = service.subscribe()
    const subscription = JSON.stringify({ endpoint, keys: { p256dh, auth } })
    await context.addInitScript(`(() => {
      const asked = (self.asked = { permissions: 0, keys: [], unsubscribed: 0 })
      Notification.requestPermission = async () => { asked.permissions++; return '${permission}' }
      const subscription = { toJSON: () => (${subscription}), unsubscribe: async () => { asked.unsubscribed++; return true } }
      PushManager.prototype.subscribe = async ({ applicationServerKey }) => { asked.keys.push(applicationServerKey); return subscription }
      PushManager.prototype.getSubscription = async () => subscription
    })()`)
    return endpoint
  }
  const askedOf = (page: Page) => page.evaluate<Asked>('self.asked')

  async function openMe(permission: 'granted' | 'denied' = 'granted') {
    const { user_id } = await createDesk(world.database)
    const window = await openWindow(await signInAs(world, user_id), PHONE)
    const endpoint = await replacePushService(window.context, permission)
    await window.page.goto('/my/me')
    return { ...window, user_id, endpoint }
  }
  const choose = async (page: Page) => {
    await page
      .getByRole('group', { name: 'Notify me in my browsers about' })
      .getByLabel('Reminders to check in')
      .check()
    await page.locator('form:has([name=pushes])').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: BUTTON }).waitFor()
  }
  const subscriptions = (user_id: number) => world.database('push_subscriptions').where({ user_id })

  it('are offered only to people who have chosen some, and need permission only after a press', async () => {
    const { page, context, user_id, endpoint } = await openMe()
    expect(await page.getByRole('button', { name: BUTTON }).count()).to.equal(0)
    await choose(page)
    expect((await askedOf(page)).permissions).to.equal(0)
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await page.getByRole('button', { name: BUTTON }).click()
    await page.getByText('Notifications are on in this browser.').waitFor()
    const [subscription] = await subscriptions(user_id)
    expect(subscription?.endpoint).to.equal(endpoint)
    expect(await page.getByRole('button', { name: BUTTON }).isVisible()).to.equal(false)
    await expectAccessible(page)
    await page.goto('/my/language/de?next=/my/me')
    await page.getByRole('button', { name: /^Benachrichtigungen ausschalten: / }).waitFor()
    await expectNoSidewaysScroll(page)
    await context.close()
  })

  it('show a message if the browser blocks them', async () => {
    const { page, context, user_id } = await openMe('denied')
    await choose(page)
    await page.getByRole('button', { name: BUTTON }).click()
    await page.getByText('This browser blocks notifications of this site.').waitFor()
    expect(await askedOf(page)).to.deep.equal({ permissions: 1, keys: [], unsubscribed: 0 })
    expect(await subscriptions(user_id)).to.deep.equal([])
    await context.close()
  })

  it('use the public key, and end if nobody is signed in in the browser', async () => {
    const { page, context } = await openMe()
    await choose(page)
    await page.evaluate(`document.querySelector('[data-push-key] form').requestSubmit = () => undefined`)
    await page.getByRole('button', { name: BUTTON }).click()
    await eventually(async () => expect((await askedOf(page)).keys).to.deep.equal([PUSH_KEYS.publicKey]))
    await page.goto('/my/sign-out')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
    await eventually(async () => expect((await askedOf(page)).unsubscribed).to.equal(1))
    await context.close()
  })

  it('show what the service worker receives, and open their page when somebody taps them', async () => {
    const { page, context } = await openMe()
    await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
    await page.reload()
    const [worker] = context.serviceWorkers()
    if (!worker) throw new Error('There is no service worker')
    // Headless Chromium cannot show notifications, so the test notes what the worker would show.
    await worker.evaluate(`(() => {
      self.shown = []
      ServiceWorkerRegistration.prototype.showNotification = async (title, options) => void shown.push({ title, ...options })
      self.send = (type, members) => dispatchEvent(Object.assign(new Event(type), { waitUntil() {}, ...members }))
    })()`)
    const push = {
      title: 'New time: Desk 1',
      body: 'Floor 1',
      path: 'waits',
      tag: 'booking-1',
      language: 'en',
    }
    await worker.evaluate(`send('push', { data: { json: () => (${JSON.stringify(push)}) } })`)
    const [shown] = await worker.evaluate<Array<Record<string, string>>>('shown')
    const { title, body, tag } = push
    expect(shown).to.include({ title, body, tag, lang: 'en', data: `${world.url}/my/waits` })
    expect((await fetch(shown?.['icon'] ?? '')).headers.get('Content-Type')).to.equal('image/png')
    await worker.evaluate(
      `send('notificationclick', { notification: { close() {}, data: ${JSON.stringify(shown?.['data'])} } })`,
    )
    await page.waitForURL('**/my/waits')
    await context.close()
  })
})
