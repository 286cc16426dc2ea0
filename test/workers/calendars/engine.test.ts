// How the engine shares calendars between processes, and what happens when providers, Redis or processes fail.
import { setTimeout as wait } from 'node:timers/promises'
import type { Queue } from 'bullmq'
import { expect } from 'chai'
import type { Redis } from 'ioredis'
import type { CalendarProvider } from '../../../shared/room-calendars/providers/provider.ts'
import { openQueue } from '../../../shared/runtime/queues.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { LeaseLost } from '../../../workers/calendars/calendar-link.ts'
import {
  deleteCalendar,
  getLeaseId,
  LEASE_RELIED_ON_MS,
  type LeasedCalendar,
  LeaseTime,
  leaseDueCalendars,
  leaveRound,
  renewLeases,
} from '../../../workers/calendars/engine/leases.ts'
import { createAttemptId } from '../../../workers/calendars/engine/queue-entries.ts'
import { isReadingDue, readCalendar } from '../../../workers/calendars/reading/reading.ts'
import { beginReading, storePage } from '../../../workers/calendars/reading/store-page.ts'
import { startHooks } from '../../../workers/hooks/hooks.ts'
import { startHttp, type TestServer } from '../../support/calendars/http.ts'
import { KEYS } from '../../support/databases.ts'
import { startProxy, type TcpProxy } from '../../support/faults/proxy.ts'
import { openRedis } from '../../support/redis.ts'
import { eventually } from '../../support/time.ts'
import { useWith } from '../../support/use.ts'
import { useWorld } from '../../support/world.ts'
import { CalendarEngine, createSettings } from './engine-world.ts'
import { openMicrosoft } from './provider-worlds.ts'

type MicrosoftWorld = Awaited<ReturnType<typeof openMicrosoft>>

const DAY_MS = 24 * 3_600_000
const toGraphTime = (ms: number) => ({
  dateTime: `${new Date(ms).toISOString().slice(0, 19)}.0000000`,
  timeZone: 'UTC',
})

describe('the engine of room calendars', function suite() {
  this.timeout(240_000)
  const world = useWorld({ workers: [] })
  const redis: Redis = useWith(
    world,
    () => openRedis(world.config, { part: 'writes' }),
    (opened) => opened.disconnect(),
  )
  const queue: Queue = useWith(
    redis,
    () => openQueue('writes', redis, KEYS),
    (opened) => opened.close(),
  )
  let outside: MicrosoftWorld
  let engine: CalendarEngine
  beforeEach(async () => {
    outside = await openMicrosoft()
    engine = new CalendarEngine(world, outside)
    await queue.obliterate({ force: true })
    await world.database('room_calendars').delete()
  })
  afterEach(async () => {
    await engine.stop()
    await outside.close()
  })

  /** Adds rooms with a meeting each, and links them. Returns their ids. */
  async function linkRooms(count: number): Promise<number[]> {
    const rooms: number[] = []
    for (let index = 0; index < count; index++) {
      const calendar = `room${index}@rooms.test`
      outside.server.addRoom(calendar, `Room ${index}`, 4)
      addMeeting(calendar, `Meeting ${index}`)
      rooms.push(await engine.link({ calendar }))
    }
    return rooms
  }
  function addMeeting(calendar: string, subject: string) {
    const start = Math.floor(Date.now() / DAY_MS + 2) * DAY_MS + 12 * 3_600_000
    const times = { start: toGraphTime(start), end: toGraphTime(start + 3_600_000) }
    return outside.server.addEvent(calendar, { subject, ...times })
  }
  const countJobs = async () => (await queue.getJobs(['prioritized', 'waiting'])).length
  const lease = (limit = 100) =>
    leaseDueCalendars(world.database, [{ name: 'microsoft', free: limit }], [], { limit, pollSeconds: 300 })
  const toLink = (leased: LeasedCalendar | undefined) => {
    if (!leased) return expect.fail('Nothing was leased')
    return { ...leased.link, mustEnd: () => false }
  }
  const tools = () => ({
    database: world.database,
    log: createLog('test', 'silent'),
    settings: createSettings(outside),
    getProvider: () => outside.provider,
    publicUrl: undefined,
    peopleUrl: undefined,
    now: Date.now,
  })

  describe('leases', () => {
    it('are given once, however many processes ask at the same time', async () => {
      const rooms = await linkRooms(12)
      const leased = (await Promise.all(Array.from({ length: 8 }, () => lease(5)))).flat()
      const ids = leased.map(({ link }) => link.bookableId)
      expect(ids).to.have.length(new Set(ids).size)
      const rest = await lease()
      expect([...ids, ...rest.map(({ link }) => link.bookableId)]).to.have.members(rooms)
      expect(await lease()).to.deep.equal([])
    })

    it('of a process that died pass to another one, which reads and writes', async () => {
      await linkRooms(1)
      const [first] = await lease()
      expect(await lease()).to.deep.equal([])
      await world.database('room_calendars').update({ leased_until: new Date(0), is_complete: true })
      const [second] = await lease()
      expect(second?.link).to.include({ isReadDue: true, isWriteDue: true })
      expect(second?.link.lease).to.not.equal(first?.link.lease)
      const [former, current] = [toLink(first), toLink(second)]
      const found = await renewLeases(world.database, [former, current])
      expect(found.get(getLeaseId(former))).to.equal(undefined)
      expect(found.get(getLeaseId(current))).to.equal('renewed')
    })

    it('are renewed although another transaction holds the row of one calendar', async () => {
      await linkRooms(3)
      const links = (await lease()).map((each) => toLink(each))
      const [busy, unlinked, free] = links
      if (!busy || !unlinked || !free) return expect.fail('Too few calendars were leased')
      await world
        .database('room_calendars')
        .where({ bookable_id: unlinked.bookableId })
        .update({ is_ending: true })
      const found = await world.database.transaction(async (trx) => {
        await trx('room_calendars').where({ bookable_id: busy.bookableId }).forUpdate()
        return renewLeases(world.database, links)
      })
      expect(found.get(getLeaseId(busy))).to.equal('busy')
      expect(found.get(getLeaseId(free))).to.equal('renewed')
      expect(found.get(getLeaseId(unlinked))).to.equal(undefined)
      return undefined
    })

    it('that were not renewed in time end the round, even if they are renewed later', async () => {
      let nowMs = 0
      const round = new LeaseTime(nowMs, () => nowMs)
      nowMs = LEASE_RELIED_ON_MS - 1
      expect(round.isOver()).to.equal(false)
      round.renew('busy', nowMs)
      nowMs++
      expect(round.isOver()).to.equal(true)
      round.renew('renewed', nowMs)
      expect(round.isOver()).to.equal(true)
      const lost = new LeaseTime(nowMs, () => nowMs)
      lost.renew(undefined, nowMs)
      expect(lost.isOver()).to.equal(true)
    })

    it('last from the time at which Berth asks for them, because the answer may take a while', async () => {
      const askedMs = 0
      let nowMs = 30_000
      const round = new LeaseTime(askedMs, () => nowMs)
      nowMs = LEASE_RELIED_ON_MS - 1
      expect(round.isOver()).to.equal(false)
      nowMs = LEASE_RELIED_ON_MS
      expect(round.isOver()).to.equal(true)
    })

    it('wait an hour for the next reading while notifications arrive, but not longer than these last', async () => {
      const [silent, watched, ending] = await linkRooms(3)
      const endAt = (bookable_id: number | undefined, seconds: number) =>
        world
          .database('room_calendars')
          .where({ bookable_id })
          .update({
            watch: `watch ${bookable_id}`,
            watch_ends_at: new Date(Date.now() + seconds * 1_000),
          })
      await endAt(watched, 86_400)
      await endAt(ending, 1_200)
      await lease()
      const waits = async (bookable_id: number | undefined) => {
        const { next_read_at } = await world.database('room_calendars').where({ bookable_id }).first()
        return (Date.parse(next_read_at) - Date.now()) / 1_000
      }
      expect(await waits(silent)).to.be.within(200, 331)
      expect(await waits(watched)).to.be.within(3_100, 3_961)
      expect(await waits(ending)).to.be.within(1_000, 1_321)
    })

    it('keep a process that has lost its lease from storing anything', async () => {
      const [room] = await linkRooms(1)
      const first = toLink((await lease())[0])
      await world.database('room_calendars').update({ leased_until: new Date(0) })
      const second = toLink((await lease())[0])
      const period = { from: new Date().toISOString(), to: new Date(Date.now() + DAY_MS * 9).toISOString() }
      const page = await outside.provider.listChanges(first.calendar, null, period)
      if ('isExpired' in page) return expect.fail('A first page cannot expire')
      const failure = await storePage(tools(), first, page).catch((error: unknown) => error)
      expect(failure).to.be.an.instanceOf(LeaseLost)
      expect(await engine.listAll(room)).to.deep.equal([])
      await beginReading(tools(), second, period)
      await storePage(tools(), second, page)
      expect(await engine.listAll(room)).to.have.length(1)
      return undefined
    })

    it('end with the round, and when the process stops', async () => {
      await linkRooms(3)
      const running = engine.start()
      await eventually(async () => expect(await countJobs()).to.equal(3))
      await running.stop()
      expect(await world.database('room_calendars').whereNotNull('lease')).to.deep.equal([])
    })

    it('keep what became due during the round', async () => {
      await linkRooms(1)
      await world.database('room_calendars').update({ next_write_at: new Date(0) })
      const [first] = await lease()
      expect(first?.link).to.include({ isReadDue: true, isWriteDue: true })
      // A notice comes during the round, which then is cut short.
      await world.database('room_calendars').update({ is_complete: true, next_read_at: new Date(0) })
      await leaveRound(world.database, toLink(first))
      const [second] = await lease()
      expect(second?.link).to.include({ isReadDue: true, isWriteDue: true })
    })
  })

  describe('with a slow provider', () => {
    let gate: TestServer
    /** The requests under way for each mailbox, and the most there were at once. */
    const underWay = new Map<string, number>()
    let mostAtOnce = 0
    let delayMs = 0
    const hanging = new Set<string>()
    beforeEach(async () => {
      underWay.clear()
      mostAtOnce = 0
      hanging.clear()
      gate = await startHttp(async ({ method, url, headers, body }) => {
        const [, , , mailbox = ''] = url.pathname.split('/').map(decodeURIComponent)
        const count = (underWay.get(mailbox) ?? 0) + 1
        underWay.set(mailbox, count)
        if (mailbox.includes('@')) mostAtOnce = Math.max(mostAtOnce, count)
        while (hanging.has(mailbox)) await wait(20)
        await wait(delayMs)
        const { 'content-length': _length, connection: _connection, host: _host, ...passed } = headers
        const answer = await fetch(new URL(url.pathname + url.search, outside.server.url), {
          method,
          headers: passed as Record<string, string>,
          ...(body && { body }),
        })
        underWay.set(mailbox, (underWay.get(mailbox) ?? 1) - 1)
        // Links lead to the gate as well.
        const text = (await answer.text()).replaceAll(outside.server.url, gate.url)
        return { status: answer.status, headers: { 'Content-Type': 'application/json' }, body: text }
      })
      outside.proxy.url = gate.url
    })
    afterEach(async () => {
      hanging.clear()
      await engine.stop()
      await gate.close()
    })

    it('goes on with the other rooms while one does not answer', async () => {
      const rooms = await linkRooms(12)
      hanging.add('room0@rooms.test')
      engine.start()
      await eventually(async () => {
        for (const room of rooms.slice(1)) expect(await engine.list(room)).to.have.length(1)
      })
      expect(await engine.list(rooms[0])).to.deep.equal([])
      hanging.clear()
      await eventually(async () => expect(await engine.list(rooms[0])).to.have.length(1))
    })

    it('never works on one calendar in two processes', async () => {
      const rooms = await linkRooms(6)
      delayMs = 60
      engine.start({ settings: { pollSeconds: 1 } })
      engine.start({ settings: { pollSeconds: 1 } })
      await eventually(async () => {
        for (const room of rooms) expect(await engine.list(room)).to.have.length(1)
      })
      const before = await world.database('room_calendars').pluck('read_at')
      await eventually(async () => {
        await world.database('room_calendars').update({ next_read_at: new Date(0) })
        const after = await world.database('room_calendars').pluck('read_at')
        expect(after.filter((each: string) => before.includes(each))).to.deep.equal([])
      })
      expect(mostAtOnce).to.equal(1)
    })
  })

  describe('with a queue that fails', () => {
    let proxy: TcpProxy
    beforeEach(async () => {
      proxy = await startProxy(world.config.redisUrl)
    })
    afterEach(async () => {
      await engine.stop()
      await proxy.close()
    })

    it('reads while Redis is away, and queues what it read once it is back', async () => {
      await proxy.cut()
      const [room] = await linkRooms(1)
      engine.start({ config: { redisUrl: proxy.url } })
      await eventually(async () => expect(await engine.list(room)).to.have.length(1))
      const link = await eventually(async () => {
        const found = await engine.findLink(room)
        expect(found).to.include({ lease: null, is_complete: true })
        return found
      })
      expect(link).to.include({ fault: null, in_step_at: null })
      expect(await countJobs()).to.equal(0)
      await proxy.restore()
      await eventually(async () => expect(await countJobs()).to.equal(1))
    })

    it('queues the same attempt again if its process died before it stored that it had queued it', async () => {
      const [room] = await linkRooms(1)
      await world.database.raw(`
        CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
        CREATE TRIGGER fails BEFORE UPDATE OF queued_at ON calendar_entries FOR EACH ROW
          WHEN (NEW.queued_at IS NOT NULL) EXECUTE FUNCTION fail()`)
      const running = engine.start()
      await eventually(async () => expect(await engine.findLink(room)).to.include({ fault_kind: 'internal' }))
      await running.stop()
      expect(await countJobs()).to.equal(1)
      await world.database.raw('DROP TRIGGER fails ON calendar_entries; DROP FUNCTION fail')
      await world.database('room_calendars').update({ retry_at: null })
      engine.start()
      await eventually(async () => {
        const [entry] = await engine.list(room)
        expect(entry).to.include({ tries: 1 })
      })
      const jobs = await queue.getJobs(['prioritized', 'waiting'])
      const [entry] = await engine.list(room)
      expect(jobs.map(({ data }) => data.attempt)).to.deep.equal([
        createAttemptId(jobs[0]?.data.database, entry?.id ?? 0, 1, 0),
      ])
    })

    it('queues an entry that stays pending again, as another attempt', async () => {
      const [room] = await linkRooms(1)
      engine.start()
      await eventually(async () => expect((await engine.list(room))[0]).to.include({ tries: 1 }))
      expect(await countJobs()).to.equal(1)
      await world
        .database('calendar_entries')
        .update({ queued_at: world.database.raw("now() - interval '36 seconds'") })
      await eventually(async () => expect(await countJobs()).to.equal(2))
      const ids = (await queue.getJobs(['prioritized', 'waiting'])).map(({ data }) => data.attempt)
      expect(new Set(ids)).to.have.property('size', 2)
    })

    it('queues an entry again within minutes, even if no worker ran its last 20 jobs', async () => {
      const [room] = await linkRooms(1)
      engine.start()
      await eventually(async () => expect((await engine.list(room))[0]).to.include({ tries: 1 }))
      const queuedAt = world.database.raw("now() - interval '3 minutes'")
      await world.database('calendar_entries').update({ tries: 20, queued_at: queuedAt })
      await engine.notify(room)
      await eventually(async () => expect(await countJobs()).to.equal(2))
    })

    it('queues the other entries although the jobs of one fail again and again', async () => {
      const [room] = await linkRooms(1)
      engine.start()
      await eventually(async () => expect(await countJobs()).to.equal(1))
      await eventually(async () => expect((await engine.list(room))[0]).to.include({ tries: 1 }))
      // An entry with an event comes before new entries.
      await world.database('calendar_entries').update({ event_id: 1, tries: 3, queued_at: new Date() })
      addMeeting('room0@rooms.test', 'Another meeting')
      await engine.notify(room)
      await eventually(async () => expect(await countJobs()).to.equal(2))
    })

    it('does not compare a calendar more often because the jobs of one of its entries keep failing', async () => {
      const [room] = await linkRooms(1)
      const start = new Date(Math.floor(Date.now() / DAY_MS + 4) * DAY_MS)
      engine.start()
      await eventually(async () => expect((await engine.list(room))[0]).to.include({ tries: 1 }))
      await eventually(async () => expect(await engine.findLink(room)).to.include({ lease: null }))
      await world.database('calendar_entries').update({ tries: 20, queued_at: new Date() })
      await engine.book('Planning', {
        from: start.toISOString(),
        to: new Date(start.getTime() + 3_600_000).toISOString(),
      })
      await world.database('room_calendars').update({ next_write_at: new Date(0) })
      await eventually(async () => expect(await engine.list(room)).to.have.length(2))
      const nextAt = await eventually(async () => {
        const { lease, next_write_at } = await engine.findLink(room)
        expect(lease).to.equal(null)
        expect(Date.parse(next_write_at)).to.be.above(0)
        return Date.parse(next_write_at)
      })
      expect(nextAt - Date.now()).to.be.above(1_800_000)
    })

    it('queues an entry again once workers are back, even if the jobs of a hundred other entries keep failing', async () => {
      const [room] = await linkRooms(1)
      const queuedAt = (seconds: number) => world.database.raw(`now() - interval '${seconds} seconds'`)
      const failing = Array.from({ length: 100 }, (_each, index) => ({
        bookable_id: room,
        entry_id: `failing ${index}`,
        pending_since: new Date(0),
        seen: JSON.stringify({ isGone: true }),
        tries: 20,
        queued_at: queuedAt(0),
      }))
      await world.database('calendar_entries').insert(failing)
      engine.start()
      const find = async () => (await engine.list(room)).find(({ seen }) => seen?.title === 'Meeting 0')
      await eventually(async () => expect(await find()).to.include({ tries: 1 }))
      const queued = await countJobs()
      await world
        .database('calendar_entries')
        .where({ id: (await find())?.id })
        .update({ tries: 3, queued_at: queuedAt(200) })
      await engine.notify(room)
      await eventually(async () => expect(await find()).to.include({ tries: 4 }))
      expect(await countJobs()).to.equal(queued + 1)
    })

    it('queues an entry only once an hour after a hundred of its jobs have failed', async () => {
      const [room] = await linkRooms(1)
      engine.start()
      await eventually(async () => expect((await engine.list(room))[0]).to.include({ tries: 1 }))
      const ageAndRead = async (minutes: number) => {
        const queuedAt = world.database.raw(`now() - interval '${minutes} minutes'`)
        await world.database('calendar_entries').update({ tries: 101, queued_at: queuedAt })
        await engine.readAgain(room)
      }
      await ageAndRead(55)
      expect((await engine.list(room))[0]).to.include({ tries: 101 })
      await ageAndRead(61)
      await eventually(async () => expect((await engine.list(room))[0]).to.include({ tries: 102 }))
    })

    it('lets only so many jobs wait, and queues the others once there is room', async () => {
      const rooms = await linkRooms(3)
      for (let index = 0; index < 9; index++) addMeeting(`room${index % 3}@rooms.test`, `More ${index}`)
      for (let index = 0; index < 90; index++) await queue.add('other', {}, { priority: 10 })
      engine.start()
      await eventually(async () => {
        for (const room of rooms) expect(await engine.list(room)).to.have.length(4)
      })
      await eventually(async () => expect(await countJobs()).to.equal(100))
      await eventually(async () => {
        for (const room of rooms) expect(await engine.findLink(room)).to.include({ lease: null })
      })
      expect(await countJobs()).to.equal(100)
      await queue.drain()
      await eventually(async () => expect(await countJobs()).to.equal(2))
    })

    it('has at most four jobs of a calendar under way', async () => {
      const [room] = await linkRooms(1)
      for (let index = 0; index < 30; index++) addMeeting('room0@rooms.test', `More ${index}`)
      engine.start()
      await eventually(async () => expect(await countJobs()).to.be.at.least(4))
      await eventually(async () => expect(await engine.findLink(room)).to.include({ lease: null }))
      expect(await countJobs()).to.equal(4)
    })

    it('does not connect to Redis where no provider has settings', async () => {
      await proxy.cut()
      const lines: string[] = []
      const log = createLog('test', 'trace', { write: (line: string) => lines.push(line) })
      const hooks = await startHooks({ ...world.config, redisUrl: proxy.url, metricsPort: undefined }, log)
      await eventually(() => expect(lines.join()).to.include('telling webhooks'))
      await wait(500)
      await hooks.stop()
      expect(lines.join()).to.not.include('Redis')
    })

    it('runs in the process of hooks, and stops with it', async () => {
      const [room] = await linkRooms(1)
      const calendars = createSettings(outside)
      const hooks = await startHooks(
        { ...world.config, metricsPort: undefined, calendars },
        createLog('test', 'silent'),
      )
      await eventually(async () => expect(await engine.list(room)).to.have.length(1))
      await hooks.stop()
      expect(await engine.findLink(room)).to.include({ lease: null })
    })
  })

  describe('that ends calendars', () => {
    it('deletes an unlinked calendar with its entries', async () => {
      const [room, other] = await linkRooms(2)
      engine.start()
      await eventually(async () => expect(await engine.list(room)).to.have.length(1))
      await world.database('room_calendars').where({ bookable_id: room }).update({ is_ending: true })
      await eventually(async () => expect(await engine.findLink(room)).to.equal(undefined))
      expect(await engine.listAll(room)).to.deep.equal([])
      expect(await engine.findLink(other)).to.not.equal(undefined)
    })

    it('keeps the entries of a room that was linked again meanwhile', async () => {
      const [room] = await linkRooms(1)
      await world.database('room_calendars').update({ is_ending: true })
      const former = toLink((await lease())[0])
      await world.database('room_calendars').delete()
      await world
        .database('room_calendars')
        .insert({ bookable_id: room, provider: 'microsoft', calendar: 'room0@rooms.test' })
      await world.database('calendar_entries').insert({ bookable_id: room, entry_id: 'of the new link' })
      await deleteCalendar(world.database, former)
      expect(await engine.findLink(room)).to.include({ is_ending: false })
      expect(await engine.listAll(room)).to.have.length(1)
    })

    it('deletes the entries of the former link of a room before it reads the new calendar', async () => {
      const [room] = await linkRooms(1)
      const former = Array.from({ length: 2_500 }, (_each, index) => ({
        bookable_id: room,
        entry_id: `former ${index}`,
        pending_since: new Date(),
      }))
      await world.database.batchInsert('calendar_entries', former, 500)
      await world.database('room_calendars').update({ is_clearing: true })
      engine.start()
      await eventually(async () => {
        const entries = await engine.listAll(room)
        expect(entries.map(({ seen }) => seen?.title)).to.deep.equal(['Meeting 0'])
      })
      await eventually(async () =>
        expect(await engine.findLink(room)).to.include({
          is_clearing: false,
          is_complete: true,
          lease: null,
        }),
      )
      expect(await countJobs()).to.equal(1)
    })

    it('ends the calendar of a deleted room', async () => {
      const [room, other] = await linkRooms(2)
      await world.database('bookables').where({ id: room }).update({ deleted_at: new Date(), status: 1 })
      engine.start()
      await eventually(async () => expect(await engine.findLink(room)).to.equal(undefined))
      expect(await engine.findLink(other)).to.not.equal(undefined)
    })

    it('ends the calendar of a provider that no longer has settings', async () => {
      const room = await engine.link({ provider: 'caldav', calendar: '/room/', is_ending: true })
      const kept = await engine.link({ provider: 'caldav', calendar: '/kept/' })
      engine.start()
      await eventually(async () => expect(await engine.findLink(room)).to.equal(undefined))
      expect(await engine.findLink(kept)).to.include({ lease: null, failures: 0 })
    })
  })

  it('stores a fault of the list of rooms, and tries again', async () => {
    await world.database('calendar_providers').delete()
    outside.server.permissions = ['Calendars.ReadWrite']
    engine.start()
    await eventually(async () => {
      const [provider] = await world.database('calendar_providers')
      expect(provider).to.include({ fault_kind: 'forbidden', rooms_listed_at: null })
      expect(JSON.stringify(provider.fault)).to.include('Place.Read.All')
    })
    outside.server.permissions = ['Calendars.ReadWrite', 'Place.Read.All']
    await world.database('calendar_providers').update({ next_list_at: new Date(0) })
    await eventually(async () => {
      const [provider] = await world.database('calendar_providers')
      expect(provider).to.include({ fault: null, fault_since: null })
      expect(await world.database('provider_rooms')).to.have.length(4)
    })
  })

  it('goes on with the other rooms while one mailbox is throttled for an hour', async () => {
    const rooms = await linkRooms(12)
    outside.proxy.faults.push({
      matches: ({ url }) => url.pathname.includes('room0'),
      isLasting: true,
      answer: { status: 429, headers: { 'Retry-After': '3600' } },
    })
    await world
      .database('room_calendars')
      .whereNot({ bookable_id: rooms[0] })
      .update({ next_read_at: new Date(Date.now() + DAY_MS) })
    engine.start()
    await eventually(async () =>
      expect(await engine.findLink(rooms[0])).to.include({ fault_kind: 'throttled', lease: null }),
    )
    await world.database('room_calendars').update({ next_read_at: new Date(0) })
    await eventually(async () => {
      for (const room of rooms.slice(1)) expect(await engine.list(room)).to.have.length(1)
    })
  })

  it('tries a failing calendar less and less often', async () => {
    const [room] = await linkRooms(1)
    const pauses: number[] = []
    engine.start()
    await eventually(async () => expect(await engine.findLink(room)).to.include({ is_complete: true }))
    outside.server.permissions = []
    for (let failures = 1; failures <= 6; failures++) {
      await engine.notify(room)
      await world.database('room_calendars').update({ retry_at: null })
      const link = await eventually(async () => {
        const found = await engine.findLink(room)
        expect(found).to.include({ failures, fault_kind: 'forbidden', lease: null })
        return found
      })
      pauses.push(Math.round((Date.parse(link.retry_at) - Date.parse(link.leased_until)) / 1_000))
    }
    expect(pauses).to.deep.equal([5, 30, 120, 300, 900, 900])
  })

  it('gives up a round if every position that the provider gives has expired', async () => {
    await linkRooms(1)
    const link = toLink((await lease())[0])
    let calls = 0
    const provider: CalendarProvider = Object.assign(Object.create(outside.provider), {
      async listChanges() {
        calls++
        return { isExpired: true }
      },
    })
    const failure = await readCalendar(tools(), link, provider).catch((error: unknown) => error)
    expect(failure).to.include({ kind: 'unavailable' })
    expect(calls).to.equal(4)
  })

  it('reads each calendar from the beginning once a week, not all of them at once', () => {
    const began = Date.parse('2026-11-20T12:00:00Z')
    const dueOn = (bookableId: number) => {
      const period = { from: new Date(began - DAY_MS).toISOString(), to: '2027-11-20T12:00:00Z' }
      const link = { bookableId, period, position: 'x', readZone: 'UTC', calendar: { id: '', zone: 'UTC' } }
      for (let day = 0; day <= 8; day += 0.25) if (isReadingDue(link, began + day * DAY_MS)) return day
      return expect.fail('It is never due')
    }
    const days = Array.from({ length: 500 }, (_each, index) => dueOn(index + 1))
    expect(Math.max(...days)).to.be.at.most(7)
    for (let day = 0; day < 7; day++)
      expect(days.filter((each) => each > day && each <= day + 1).length).to.be.within(55, 90)
  })
})
