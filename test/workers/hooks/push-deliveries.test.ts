// Tests how Berth sends notifications to push services: at most once, as slowly as a service asks, never to private
// networks, and only to browsers in which the person is still signed in.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { createUser } from '../../support/factories.ts'
import { createSignInLink } from '../../support/people/person.ts'
import type { TestSubscription } from '../../support/people/push-service.ts'
import { eventually } from '../../support/time.ts'
import { usePushes } from '../pollers/push/use-pushes.ts'
import { startReceiver, status } from './receiver.ts'

const TIMEOUT_MS = 2_000

describe('deliveries of notifications', function suite() {
  this.timeout(120_000)
  const { service, world, turnOn } = usePushes({ timeoutMs: TIMEOUT_MS })

  async function createPerson() {
    const user_id = await createUser(world.database)
    await world.database('person_settings').insert({ user_id, pushed_kinds: ['changed'] })
    return user_id
  }
  const subscriptionsOf = (user_id: number) =>
    world.database('push_subscriptions').where({ user_id }).orderBy('id')
  const deliveries = () => world.database('push_deliveries').orderBy('id')

  /** Puts a delivery in the queue, as workers/pollers/push does. */
  async function deliver(phone: TestSubscription, minutes = 30) {
    const shown = { title: 'Moved', body: '', path: '', tag: 'booking-1', language: 'en' }
    await world.database.raw(
      `INSERT INTO push_deliveries (subscription_id, payload, topic, is_urgent, expires_at)
       SELECT id, ?, 'topic', false, now() + CAST(? AS float8) * interval '1 minute'
       FROM push_subscriptions WHERE endpoint = ?`,
      [JSON.stringify(shown), minutes, phone.endpoint],
    )
  }
  const makeDue = () => world.database('push_deliveries').update({ next_at: world.database.fn.now() })

  it('remove a subscription that the push service no longer knows', async () => {
    for (const answer of [410, 404] as const) {
      const user = await createPerson()
      const { phone } = await turnOn(user)
      if (answer === 410) phone.end()
      else service.answer = { status: answer }
      await deliver(phone)
      await eventually(async () => expect(await subscriptionsOf(user)).to.deep.equal([]))
      expect(await deliveries()).to.deep.equal([])
    }
  })

  it('wait as long as a busy push service asks, including deliveries to its other browsers', async () => {
    const phones = [(await turnOn(await createPerson())).phone, (await turnOn(await createPerson())).phone]
    const [first, second] = phones as [TestSubscription, TestSubscription]
    service.answer = { status: 429, headers: { 'Retry-After': '8' } }
    const { asked } = service
    await deliver(first)
    await eventually(async () =>
      expect(await deliveries().whereRaw("next_at > now() + interval '6 seconds'")).to.have.length(1),
    )
    expect(service.asked).to.equal(asked + 1)
    service.answer = undefined
    await deliver(second)
    await wait(3_000)
    expect(service.asked).to.equal(asked + 1)
    await eventually(() =>
      expect([first, second].map(({ received }) => received.length)).to.deep.equal([1, 1]),
    )
  })

  it('are tried again after an error of the push service, until they are out of date', async () => {
    const { phone } = await turnOn(await createPerson())
    service.answer = { status: 500 }
    await deliver(phone)
    await eventually(async () => expect((await deliveries())[0]?.attempts).to.equal(1))
    service.answer = undefined
    await makeDue()
    await eventually(() => expect(phone.received).to.have.length(1))
    expect(await deliveries()).to.deep.equal([])
    service.answer = { status: 500 }
    // Its next attempt would come too late.
    await deliver(phone, 4 / 60)
    const { asked } = service
    await eventually(() => expect(service.asked).to.equal(asked + 1))
    await eventually(async () => expect(await deliveries()).to.deep.equal([]))
  })

  it('are not repeated if the push service does not answer, because it may have received them', async () => {
    const { phone } = await turnOn(await createPerson())
    service.answer = 'silent'
    const { asked } = service
    await deliver(phone)
    await eventually(() => expect(service.asked).to.equal(asked + 1))
    await wait(TIMEOUT_MS + 1_000)
    expect(await deliveries()).to.deep.equal([])
    expect(service.asked).to.equal(asked + 1)
  })

  it('are tried again if the push service is unreachable, and never follow redirects', async () => {
    const user = await createPerson()
    const receiver = await startReceiver()
    const { phone } = await turnOn(user, { ...service.subscribe(), endpoint: receiver.url })
    receiver.answer = status(307, { Location: `${service.url}/push/elsewhere` })
    const { asked } = service
    await deliver(phone)
    await eventually(() => expect(receiver.received).to.have.length(1))
    await eventually(async () => expect(await deliveries()).to.deep.equal([]))
    expect(service.asked).to.equal(asked)
    await receiver.close()
    await deliver(phone)
    await eventually(async () => expect((await deliveries())[0]?.attempts).to.equal(1))
    await world.database('push_deliveries').delete()
  })

  it('refuse addresses in private networks, even if a host name resolves to one', async () => {
    const { browser, phone } = await turnOn(await createPerson())
    await world.database('push_subscriptions').delete()
    const { p256dh, auth } = phone
    const turnOnAt = async (endpoint: string) => {
      await browser.open('/my/me')
      await browser.submit('Turn on notifications in this browser', { endpoint, p256dh, auth })
    }
    const inside = ['http://10.1.2.3/push', 'https://[::1]/', 'https://169.254.169.254/latest', 'file:///x']
    for (const endpoint of inside) {
      await turnOnAt(endpoint)
      expect(browser.page.status, endpoint).to.equal(422)
    }
    expect(await world.database('push_subscriptions')).to.deep.equal([])
    // The test's resolver finds a private address for every name.
    const endpoint = 'https://push.example/x'
    await turnOnAt(endpoint)
    await deliver({ ...phone, endpoint })
    await eventually(async () => expect((await deliveries())[0]?.attempts).to.equal(1))
    await world.database('push_deliveries').delete()
  })

  it('refuse keys that no browser generates', async () => {
    const { browser, phone } = await turnOn(await createPerson())
    await world.database('push_subscriptions').delete()
    await browser.open('/my/me')
    const { endpoint, p256dh } = phone
    await browser.submit('Turn on notifications in this browser', { endpoint, p256dh, auth: 'short' })
    expect(browser.page.status).to.equal(422)
    expect(await world.database('push_subscriptions')).to.deep.equal([])
  })

  it('go to at most ten browsers of a person: a new browser replaces the oldest one', async () => {
    const user = await createPerson()
    const { phone: first } = await turnOn(user)
    for (let count = 0; count < 10; count++) await turnOn(user)
    const left = await subscriptionsOf(user)
    expect(left).to.have.length(10)
    expect(left.map(({ endpoint }) => endpoint)).to.not.include(first.endpoint)
  })

  it('go only to the person who signed in last in a shared browser', async () => {
    const [ada, grace] = [await createPerson(), await createPerson()]
    const { browser, phone } = await turnOn(ada)
    service.answer = { status: 500 }
    await deliver(phone)
    await eventually(async () => expect((await deliveries())[0]?.attempts).to.equal(1))
    await turnOn(grace, phone)
    expect(await subscriptionsOf(ada)).to.deep.equal([])
    expect(await subscriptionsOf(grace)).to.have.length(1)
    expect(await deliveries()).to.deep.equal([])
    // Signing in with a link in the same browser ends the session before.
    const { browser: same } = await turnOn(ada)
    await same.open(await createSignInLink(world.database, grace))
    await same.submit('Sign in')
    expect(await subscriptionsOf(ada)).to.deep.equal([])
    expect(browser.page.status).to.equal(200)
  })

  it('end when the person signs out in this browser or everywhere else, or turns them off', async () => {
    const user = await createPerson()
    const [one, two, three] = [await turnOn(user), await turnOn(user), await turnOn(user)]
    await one.browser.open('/my/sign-out')
    await one.browser.submit('Sign out')
    expect(await subscriptionsOf(user)).to.have.length(2)
    await two.browser.open('/my/me')
    await two.browser.submit('Sign out everywhere else')
    const left = await subscriptionsOf(user)
    expect(left.map(({ endpoint }) => endpoint)).to.deep.equal([two.phone.endpoint])
    expect(three.phone.received).to.deep.equal([])
    await two.browser.open('/my/me')
    await two.browser.submit('Turn off')
    expect(await subscriptionsOf(user)).to.deep.equal([])
  })
})
