// Tests that notifications of a calendar are asked for, renewed and ended.
import { expect } from 'chai'
import type { CalendarLink } from '../../../../workers/calendars/calendar-link.ts'
import { endFormerWatches, endWatch, keepWatch } from '../../../../workers/calendars/writing/watches.ts'
import type { GoogleServer } from '../../../support/calendars/google-server.ts'
import type { GraphServer } from '../../../support/calendars/graph-server.ts'
import { startHttp, type TestServer } from '../../../support/calendars/http.ts'
import { useConnection, useDatabase } from '../../../support/databases.ts'
import { findFault } from '../follow-changes.ts'
import { describeWriting, openWriting, type WritingWorld } from './writing-worlds.ts'

const DAY_MS = 24 * 3_600_000

describeWriting('notifications of a calendar', (open) => {
  const database = useConnection(useDatabase())
  let world: WritingWorld & { server?: unknown }
  // Providers count from the actual time.
  let nowMs: number
  let receiver: TestServer
  beforeEach(async function each() {
    this.timeout(60_000)
    world = await openWriting(database, open)
    // Graph asks the address to repeat a text before it sends anything.
    receiver = await startHttp(async ({ url }) => ({
      status: 200,
      headers: { 'Content-Type': 'text/plain' },
      body: url.searchParams.get('validationToken') ?? '',
    }))
    world.tools.publicUrl = receiver.url
    nowMs = Date.now()
    world.setNow(nowMs)
  })
  afterEach(async () => {
    await world.close()
    await receiver.close()
  })

  const row = () => database('room_calendars').where({ bookable_id: world.bookableId }).first()
  /** Gives the link what the next lease would find. */
  const refresh = async (): Promise<CalendarLink> => {
    const {
      watch,
      watch_secret: watchSecret,
      watch_ends_at: endsAt,
      former_watches: formerWatches,
    } = await row()
    const watchEndsAt = endsAt && new Date(endsAt).toISOString()
    return Object.assign(world.link, { watch, watchSecret, watchEndsAt, formerWatches })
  }
  /** Does what a round does when the notifications are due. */
  const keep = async () => {
    await keepWatch(world.tools, await refresh())
    await endFormer()
  }
  const endFormer = async () => endFormerWatches(world.tools, await refresh())
  const hasWatches = () => world.provider.name !== 'caldav'
  /** What the provider sends notifications for. */
  const watches = () => {
    if (world.provider.name === 'microsoft')
      return [...(world.server as GraphServer).subscriptions.values()].map(
        ({ id, notificationUrl: address, clientState: secret }) => ({ id, address, secret }),
      )
    return [...(world.server as GoogleServer).channels.values()].map(({ id, address, token: secret }) => ({
      id,
      address,
      secret,
    }))
  }
  const only = () => {
    const [first, ...others] = watches()
    expect(others).to.deep.equal([])
    return first ?? expect.fail('The provider has no watch')
  }

  it('begin with a secret, and make the calendar due for reading', async () => {
    await database('room_calendars').update({ next_read_at: '2100-01-01T00:00:00Z' })
    await keep()
    const stored = await row()
    if (!hasWatches()) {
      expect(stored).to.include({ watch: null, watch_secret: null })
      expect(new Date(stored.next_watch_at).getTime()).to.equal(nowMs + DAY_MS)
      return
    }
    const { id, address, secret } = only()
    expect(address).to.equal(`${receiver.url}/calendars/notifications/${world.provider.name}`)
    expect(stored.watch).to.include(id)
    expect(stored.watch_secret).to.equal(secret).and.to.have.length(43)
    expect(new Date(stored.next_read_at).getTime()).to.be.below(Date.now() + DAY_MS)
    const endsMs = new Date(stored.watch_ends_at).getTime()
    expect(endsMs).to.be.greaterThan(nowMs + 5 * DAY_MS)
    expect(new Date(stored.next_watch_at).getTime())
      .to.be.greaterThan(nowMs + 3 * DAY_MS)
      .and.below(endsMs - DAY_MS)
    expect(world.logged.join()).not.to.include(secret)
  })

  it('are renewed, so that one watch is left', async () => {
    if (!hasWatches()) return
    await keep()
    const before = await row()
    await keep()
    const after = await row()
    expect(after.watch).to.include(only().id)
    expect(only().secret).to.equal(before.watch_secret)
    expect(Date.parse(after.watch_ends_at)).to.be.at.least(Date.parse(before.watch_ends_at))
  })

  it('leave no former watch behind, although the provider could not end it at first', async () => {
    if (world.provider.name !== 'google') return
    const refuse = (times: number) => {
      for (let each = 0; each < times; each++)
        world.proxy.faults.push({
          matches: ({ url }) => url.pathname.endsWith('/stop'),
          answer: { status: 500 },
        })
    }
    const countStops = () => world.proxy.requests.filter(({ url }) => url.pathname.endsWith('/stop')).length
    await keep()
    const before = await row()
    refuse(2)
    await keep()
    const after = await row()
    expect(after.watch).to.not.equal(before.watch)
    expect(after.former_watches.map(({ id }: { id: string }) => id)).to.deep.equal([before.watch])
    expect(watches()).to.have.length(2)
    expect(new Date(after.next_watch_at).getTime()).to.be.greaterThan(nowMs + DAY_MS)
    // Berth does not try it in each round.
    await endFormer()
    expect(countStops()).to.equal(1)
    for (const expected of [2, 3]) {
      world.setNow(nowMs + expected * 600_000)
      await endFormer()
      expect(countStops()).to.equal(expected)
    }
    expect(after.watch).to.include(only().id)
    expect((await row()).former_watches).to.deep.equal([])
    refuse(1)
    await keep()
    expect(watches()).to.have.length(2)
    await endWatch(world.tools, await refresh())
    expect(watches()).to.deep.equal([])
  })

  it('are not ended again once they have ended by themselves', async () => {
    if (world.provider.name !== 'google') return
    const expiresAt = new Date(nowMs - 1).toISOString()
    const former = [{ id: 'channel resource', expiresAt, retryAt: expiresAt }]
    await database('room_calendars').update({ former_watches: JSON.stringify(former) })
    const before = world.proxy.requests.length
    await endFormer()
    expect(world.proxy.requests.length).to.equal(before)
    expect((await row()).former_watches).to.deep.equal([])
  })

  it('begin again if the provider has ended them, or if their time is over', async () => {
    if (!hasWatches()) return
    await keep()
    const { watch } = await row()
    if (world.provider.name === 'microsoft') (world.server as GraphServer).subscriptions.clear()
    else (world.server as GoogleServer).channels.clear()
    await keep()
    expect((await row()).watch).to.not.equal(watch)
    expect((await row()).watch).to.include(only().id)
    world.setNow(nowMs + 30 * DAY_MS)
    await keep()
    expect(watches()).to.have.length(2)
  })

  it('are tried again later if the provider refuses, without ending the round', async () => {
    if (!hasWatches()) return
    world.proxy.faults.push({
      matches: ({ url }) => /watch|subscriptions/.test(url.pathname),
      answer: { status: 400 },
    })
    await keep()
    const stored = await row()
    expect(stored.watch).to.equal(null)
    expect(new Date(stored.next_watch_at).getTime()).to.equal(nowMs + 600_000)
    expect(world.logged.join()).to.include('could not get notifications about a calendar')
    world.proxy.faults.push({
      matches: ({ url }) => /watch|subscriptions/.test(url.pathname),
      answer: { status: 429, headers: { 'Retry-After': '7' } },
    })
    expect(await findFault(keep())).to.include({ kind: 'throttled' })
  })

  it('end with the link, and where Berth no longer has a public address', async () => {
    if (!hasWatches()) return
    await keep()
    await endWatch(world.tools, await refresh())
    expect(watches()).to.deep.equal([])
    await keep()
    world.tools.publicUrl = undefined
    await keep()
    expect(watches()).to.deep.equal([])
    expect(await row()).to.include({ watch: null, watch_secret: null, watch_ends_at: null })
  })

  it('end although the credentials are refused, and wait for an outage only until they end by themselves', async () => {
    if (!hasWatches()) return
    await keep()
    const isEnd = ({ url, method }: { url: { pathname: string }; method: string }) =>
      url.pathname.endsWith('/stop') || method === 'DELETE'
    world.proxy.faults.push({ matches: isEnd, answer: { status: 403 } })
    await endWatch(world.tools, await refresh())
    world.proxy.faults.push({ matches: isEnd, answer: { status: 500 } })
    expect(await findFault(endWatch(world.tools, world.link))).to.include({ kind: 'unavailable' })
    world.setNow(nowMs + 30 * DAY_MS)
    const before = world.proxy.requests.length
    await endWatch(world.tools, world.link)
    expect(world.proxy.requests.length).to.equal(before)
  })
})
