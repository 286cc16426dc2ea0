// Tests the public addresses at which providers say that a calendar has changed: what they answer, and that nothing but the
// secret of a watch has an effect.
import { expect } from 'chai'
import { serve } from '../../../../../gateway/server.ts'
import { createLog } from '../../../../../shared/utilities/log.ts'
import { createBookable, createRoomCalendar } from '../../../../support/factories.ts'
import { startProxy } from '../../../../support/faults/proxy.ts'
import { eventually } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const LATER = '2031-03-03T10:00:00Z'

describe('a notification of a provider', () => {
  const world = useWorld({ workers: ['writes'] })
  let room: number

  beforeEach(async () => {
    await world.database('room_calendars').delete()
    room = await createBookable(world.database, { type: 2 })
    await createRoomCalendar(world.database, {
      bookable_id: room,
      calendar: 'elbe@example.com',
      provider: 'microsoft',
      next_read_at: LATER,
      next_watch_at: LATER,
      watch: 'subscription-1',
      watch_secret: 'the secret',
    })
  })

  const send = (provider: string, init: RequestInit = {}, query = '', url = world.url) =>
    fetch(`${url}/calendars/notifications/${provider}${query}`, { method: 'POST', ...init })
  const sendGraphTo = (url: string, ...value: object[]) =>
    send(
      'microsoft',
      { headers: { 'Content-Type': 'application/json; charset=utf-8' }, body: JSON.stringify({ value }) },
      '',
      url,
    )
  const sendGraph = (...value: object[]) => sendGraphTo(world.url, ...value)
  const notice = { subscriptionId: 'subscription-1', clientState: 'the secret', changeType: 'updated' }
  const findDue = async () => {
    const row = await world.database('room_calendars').where({ bookable_id: room }).first()
    const isLater = (at: Date) => new Date(at).toISOString() === new Date(LATER).toISOString()
    return { isReadDue: !isLater(row.next_read_at), isWatchDue: !isLater(row.next_watch_at) }
  }
  const expectDue = (due: object) => eventually(async () => expect(await findDue()).to.deep.equal(due))
  // A valid notice that is sent afterwards takes effect after whatever the one before it caused.
  const expectNoEffect = async () => {
    const other = await createBookable(world.database, { type: 2 })
    await createRoomCalendar(world.database, {
      bookable_id: other,
      calendar: 'other@example.com',
      provider: 'microsoft',
      next_read_at: LATER,
      watch: 'other',
      watch_secret: 'other secret',
    })
    expect((await sendGraph({ subscriptionId: 'other', clientState: 'other secret' })).status).to.equal(202)
    await eventually(async () => {
      const row = await world.database('room_calendars').where({ bookable_id: other }).first()
      expect(new Date(row.next_read_at).toISOString()).not.to.equal(new Date(LATER).toISOString())
    })
    expect(await findDue()).to.deep.equal({ isReadDue: false, isWatchDue: false })
  }

  it('of Microsoft 365 makes the calendar due for reading', async () => {
    const answer = await sendGraph(notice)
    expect(answer.status).to.equal(202)
    expect(await answer.text()).to.equal('')
    await expectDue({ isReadDue: true, isWatchDue: false })
  })

  it('of Microsoft 365 that a subscription ends also makes the watch due', async () => {
    await sendGraph({ ...notice, lifecycleEvent: 'reauthorizationRequired' })
    await expectDue({ isReadDue: true, isWatchDue: true })
  })

  it('of Google makes the calendar due, and is answered with 404 if its channel or token is unknown', async () => {
    await world.database('room_calendars').update({ provider: 'google', watch: 'channel resource' })
    const headers = {
      'X-Goog-Channel-ID': 'channel',
      'X-Goog-Resource-ID': 'resource',
      'X-Goog-Channel-Token': 'the secret',
      'X-Goog-Resource-State': 'exists',
    }
    expect(
      (await send('google', { headers: { ...headers, 'X-Goog-Channel-Token': 'wrong' } })).status,
    ).to.equal(404)
    expect((await send('google', { headers: { ...headers, 'X-Goog-Channel-ID': 'gone' } })).status).to.equal(
      404,
    )
    expect((await send('google')).status).to.equal(400)
    await expectNoEffect()
    expect((await send('google', { headers })).status).to.equal(204)
    await expectDue({ isReadDue: true, isWatchDue: false })
  })

  it('has no effect with the wrong secret or an impossible id, or if its watch has ended', async () => {
    for (const forged of [
      { ...notice, clientState: 'wrong' },
      { ...notice, clientState: undefined },
      { ...notice, subscriptionId: 'unknown' },
      { ...notice, subscriptionId: 'with a NUL \0' },
      { ...notice, subscriptionId: 'x'.repeat(2_000) },
    ])
      expect((await sendGraph(forged)).status).to.equal(202)
    await world.database('room_calendars').update({ is_ending: true })
    expect((await sendGraph(notice)).status).to.equal(202)
    await world.database('room_calendars').update({ is_ending: false })
    await expectNoEffect()
  })

  it('takes effect although others in the same request are forged', async () => {
    await sendGraph({ ...notice, clientState: 'wrong' }, notice)
    await expectDue({ isReadDue: true, isWatchDue: false })
  })

  it('that validates an address gets its token back as plain text', async () => {
    const answer = await send('microsoft', {}, '?validationToken=Validation%3A%20%3Cb%3Ex%3C%2Fb%3E')
    expect(answer.status).to.equal(200)
    expect(answer.headers.get('Content-Type')).to.equal('text/plain; charset=utf-8')
    expect(answer.headers.get('X-Content-Type-Options')).to.equal('nosniff')
    expect(await answer.text()).to.equal('Validation: <b>x</b>')
    expect((await send('microsoft', {}, `?validationToken=${'x'.repeat(3_000)}`)).status).to.equal(400)
  })

  it('must be JSON of at most 256 kB', async () => {
    const json = { 'Content-Type': 'application/json' }
    expect((await send('microsoft', { headers: json, body: 'no JSON' })).status).to.equal(400)
    expect((await send('microsoft', { headers: json, body: '{"value":1}' })).status).to.equal(400)
    expect((await send('microsoft', { body: '{}' })).status).to.equal(415)
    expect((await send('microsoft', { headers: json, body: ' '.repeat(300_000) })).status).to.equal(413)
    expect((await send('outlook')).status).to.equal(404)
    const get = await fetch(`${world.url}/calendars/notifications/google`)
    expect(get.status).to.equal(405)
  })

  it('takes only a few connections in a flood, so that other requests are answered', async () => {
    const client = await world.client('read')
    const details: unknown[] = []
    const lock = await world.database.transaction()
    await lock.raw('LOCK room_calendars IN ACCESS EXCLUSIVE MODE')
    const flood = Array.from({ length: 20 }, async () => {
      const answer = await sendGraph({ ...notice, clientState: 'wrong' })
      details.push(answer.status === 503 && ((await answer.json()) as { detail: unknown }).detail)
    })
    try {
      await eventually(async () => expect(details.length).to.be.at.least(16))
      expect(details.slice(0, 16)).to.deep.equal(Array(16).fill('Too many notifications arrive at once.'))
      expect((await client.get('groups')).status).to.equal(200)
    } finally {
      await lock.rollback()
      await Promise.all(flood)
    }
    await sendGraph(notice)
    await expectDue({ isReadDue: true, isWatchDue: false })
  })

  it('that comes while Redis is away takes effect once Redis is back', async () => {
    const proxy = await startProxy(world.config.redisUrl)
    const gateway = await world.startGateway({ REDIS_URL: proxy.url })
    await proxy.cut()
    try {
      await eventually(async () => {
        const ready = await (await fetch(`${gateway.url}/readyz`)).json()
        expect(ready).to.have.nested.property('redis.ok', false)
      })
      expect((await sendGraphTo(gateway.url, notice)).status).to.equal(202)
    } finally {
      await proxy.restore()
    }
    await expectDue({ isReadDue: true, isWatchDue: false })
  })

  it('takes effect even if the gateway stops while it still hands on an earlier notification', async () => {
    const gateway = await serve(world.config, createLog('test', 'silent'))
    const url = `http://127.0.0.1:${gateway.port}`
    const lock = await world.database.transaction()
    let stopped: Promise<void> | undefined
    try {
      await lock('room_calendars').where({ bookable_id: room }).forUpdate()
      await sendGraphTo(url, notice)
      await sendGraphTo(url, { ...notice, lifecycleEvent: 'reauthorizationRequired' })
      stopped = gateway.stop()
      await eventually(async () => expect(await fetch(url).catch(() => 'closed')).to.equal('closed'))
    } finally {
      await lock.rollback()
      await stopped
    }
    expect(await findDue()).to.deep.equal({ isReadDue: true, isWatchDue: true })
  })
})
