// Tests what the meetings of room calendars do to people: mails, hidden people, the unknown organizer, and erasing.
import { expect } from 'chai'
import { lockKeySql, waitForLockSql } from '../../../../shared/database/locks.ts'
import { openQueue } from '../../../../shared/runtime/queues.ts'
import { QUEUES, type QueueName } from '../../../../shared/schemas/job.ts'
import { createLog } from '../../../../shared/utilities/log.ts'
import type { CalendarLink } from '../../../../workers/calendars/calendar-link.ts'
import { storeChanged } from '../../../../workers/calendars/reading/store-entries.ts'
import { searchErasures } from '../../../../workers/pollers/erasures/search.ts'
import {
  applyEntry,
  changeEntry,
  createLinkedRoom,
  insertEntry,
  person,
  readEntry,
} from '../../../support/calendars/entries.ts'
import { useAdmin } from '../../../support/dashboard/admin.ts'
import { useSignedIn } from '../../../support/dashboard/dashboard.ts'
import { KEYS } from '../../../support/databases.ts'
import { createBooking, createUser, hoursFromNow } from '../../../support/factories.ts'
import { sendDuring } from '../../../support/faults/lock-waits.ts'
import { useScim } from '../../../support/http/scim.ts'
import { signInAs } from '../../../support/people/person.ts'
import { openRedis } from '../../../support/redis.ts'
import { useWith } from '../../../support/use.ts'
import { useClient, useWorld } from '../../../support/world.ts'
import { useMails } from '../../pollers/mail/use-mails.ts'

const silent = createLog('test', 'silent')
const span = (from = 24, to = from + 1) => ({ from: hoursFromNow(from), to: hoursFromNow(to) })
const UNKNOWN = 'Unknown organizer'

describe('mail about meetings from the calendars of rooms', () => {
  const { world, createPerson, queued, send, mailsOf } = useMails()
  const admin = useAdmin(world)
  const client = useClient(world)

  async function createMeeting() {
    const [organizer, attendee] = [await createPerson(), await createPerson()]
    const rooms = [await createLinkedRoom(world.database), await createLinkedRoom(world.database)] as const
    const fields = { ...span(), organizer: person(organizer.email), attendees: [person(attendee.email)] }
    const uid = `meeting-${organizer.user_id}`
    const ids = [
      await insertEntry(world.database, rooms[0], fields, { uid }),
      await insertEntry(world.database, rooms[1], fields, { uid }),
    ] as const
    for (const id of ids) await applyEntry(world, admin, id)
    const { event_id: event } = await readEntry(world.database, ids[0])
    return { organizer, attendee, rooms, fields, ids, event: Number(event) }
  }

  it('is never sent for what a calendar does: creating, moving, losing a room, refusing, cancelling', async () => {
    const { organizer, attendee, rooms, fields, ids } = await createMeeting()
    const change = async (id: number, changes: object) => {
      await changeEntry(world.database, id, { ...fields, ...changes })
      await applyEntry(world, admin, id)
    }
    for (const id of ids) await change(id, span(30))
    await createBooking(world.database, { bookable_id: rooms[1], ...span(40) })
    await change(ids[1], span(40))
    expect((await readEntry(world.database, ids[1]))['conflict']).not.to.equal(null)
    await change(ids[1], span(30))
    await change(ids[1], { ...span(30), isGone: true })
    await queued()
    for (const each of [organizer, attendee]) expect(await send(each)).to.deep.equal([])
    const browser = await signInAs(world, organizer.user_id)
    const { event_id: event } = await readEntry(world.database, ids[0])
    await browser.open(`/my/meetings/${event}`)
    expect(browser.words).to.include('Harbour plans').and.not.include('has lost')
    await change(ids[0], { ...span(30), isGone: true })
    await queued()
    for (const each of [organizer, attendee]) expect(await mailsOf(each)).to.deep.equal([])
  })

  it('still tells the organizer if somebody in Berth takes the room away', async () => {
    const { organizer, rooms, event } = await createMeeting()
    const remove = [{ type: 'bookable', id: rooms[0] }]
    expect((await client.patch(`events/${event}`, { attendees: { remove } })).status).to.equal(200)
    const [mail] = await send(organizer)
    expect(mail?.headers).to.include('Harbour plans')
  })

  it('tells people that a calendar has cancelled a booking which Berth wrote', async () => {
    const booker = await createPerson()
    const room = await createLinkedRoom(world.database)
    const booking = await createBooking(world.database, {
      bookable_id: room,
      user_id: booker.user_id,
      ...span(),
    })
    const key = `berth-${booking}`
    const id = await insertEntry(
      world.database,
      room,
      { ...span(), isGone: true },
      { key, bookingId: booking },
    )
    await world
      .database('calendar_entries')
      .where({ id })
      .update({ base: { ...span(), title: '', text: '' } })
    await applyEntry(world, admin, id)
    const [mail] = await send(booker)
    expect(mail?.text).to.include('Berth')
  })
})

describe('people in meetings from the calendars of rooms', () => {
  const world = useWorld({ workers: ['writes', 'imports'] })
  const admin = useAdmin(world)
  const client = useClient(world)
  const browser = useSignedIn(world)
  const scim = useScim(world)
  const redis = useWith(
    world,
    () => openRedis(world.config),
    (connection) => connection.disconnect(),
  )
  const queues = useWith(
    world,
    () => QUEUES.map((name) => openQueue(name, redis, KEYS)),
    (all) => Promise.all(all.map((queue) => queue.close())),
  )
  const queueOf = (name: QueueName) => queues[QUEUES.indexOf(name)] ?? expect.fail(name)
  const apply = (id: number) => applyEntry(world, admin, id)
  const createUnknown = async () => {
    const room = await createLinkedRoom(world.database)
    const { event_id: event } = await apply(await insertEntry(world.database, room, span()))
    const { organizer_user_id: id } = await world.database('events').where({ id: event }).first()
    return { event: Number(event), id: Number(id), room }
  }

  it('hides a person who hides from the viewer, as in any other event', async () => {
    const hidden = await createUser(world.database, {
      name: 'Hidden Person',
      email: 'hidden@calendars.example',
    })
    await world.database('person_settings').insert({ user_id: hidden, visibility: 'nobody' })
    const viewer = await createUser(world.database, { email: 'viewer@calendars.example' })
    const room = await createLinkedRoom(world.database)
    const id = await insertEntry(world.database, room, {
      ...span(),
      organizer: person('viewer@calendars.example'),
      attendees: [person('hidden@calendars.example')],
    })
    const { event_id: event } = await apply(id)
    const page = await signInAs(world, viewer)
    await page.open(`/my/meetings/${event}`)
    expect(page.words).to.include('Harbour plans').and.not.include('Hidden Person')
    const { json } = await client.get(`events/${event}`)
    expect(json.data.attendees.map(({ name }: { name: string }) => name)).to.include('Hidden Person')
  })

  it('keeps a meeting that ends early, even if another write erases an attendee first', async () => {
    const email = 'leaving@calendars.example'
    const user = await createUser(world.database, { email })
    const room = await createLinkedRoom(world.database)
    const fields = { ...span(-2, 1), attendees: [person(email)] }
    const id = await insertEntry(world.database, room, fields)
    const { event_id: event } = await apply(id)
    await changeEntry(world.database, id, { ...fields, ...span(-2, -1) })
    const entry = await sendDuring(world, {
      lock: (trx) => trx.raw(`SELECT ${waitForLockSql(lockKeySql('claims', '?'))}`, [room]),
      send: () => apply(id),
      async write(trx) {
        await trx('event_attendees').where({ user_id: user }).delete()
        await trx('users').where({ id: user }).delete()
      },
    })
    expect(entry['event_id']).to.equal(event)
  })

  it('lists the unknown organizer in no list of people, and names them in the event and the feed', async () => {
    const { event, id } = await createUnknown()
    expect((await client.get(`users/${id}`)).status).to.equal(404)
    const { json: users } = await client.get('users')
    expect(users.data.map((each: { id: number }) => each.id)).not.to.include(id)
    expect((await scim.get('Users?count=1000')).text).not.to.include(UNKNOWN)
    expect((await scim.get(`Users/${id}`)).status).to.equal(404)
    await browser.open('/dashboard/people?state=all')
    expect(browser.words).not.to.include(UNKNOWN)
    expect((await browser.open(`/dashboard/people/${id}`)).status).to.equal(404)
    expect((await client.get(`events/${event}`)).json.data.organizer.name).to.equal(UNKNOWN)
    const changes = await world.database('changes').where({ type: 'event', resource_id: event })
    expect(changes[0].data).to.include(UNKNOWN)
    expect(await world.database('changes').where({ type: 'user', resource_id: id })).to.deep.equal([])
  })

  it('neither changes, restores, hands over nor erases the unknown organizer', async () => {
    const { event, id } = await createUnknown()
    const to = await createUser(world.database)
    for (const [name, input] of [
      ['users.edit', { id, name: 'Somebody' }],
      ['users.set-active', { id, is_active: true }],
      ['users.erase', { id }],
      ['users.hand-over', { id, to }],
    ] as const)
      expect((await admin.ask(name, input)).status, name).to.equal(404)
    const list =
      'email,name\nunknown-organizer@calendar.invalid,Somebody\nsomebody@calendars.example,Some Body\n'
    expect((await client.import(list, { restore: 'true', update: 'true' })).json).to.deep.include({
      created: [3],
      updated: [],
      skipped: [2],
    })
    const row = await world.database('users').where({ id }).first()
    expect([row.name, row.deactivated_at === null]).to.deep.equal([UNKNOWN, false])
    expect((await world.database('events').where({ id: event }).first()).status).to.equal(1)
  })

  it('creates the unknown organizer once, also if many meetings come at the same moment', async () => {
    await world.database('unknown_organizer').delete()
    await world.database('users').where({ name: UNKNOWN }).update({ email: 'former@calendar.invalid' })
    const made = await Promise.all(Array.from({ length: 8 }, createUnknown))
    expect(new Set(made.map(({ id }) => id)).size).to.equal(1)
  })

  it('forgets an erased person in entries that are not applied, in conflicts and in what Berth wrote', async () => {
    const [email, name] = ['erased@calendars.example', 'Erased Lovelace']
    const user = await createUser(world.database, { name, email })
    const room = await createLinkedRoom(world.database)
    const booking = await createBooking(world.database, { bookable_id: room, user_id: user, ...span(50) })
    const named = { organizer: person(email.toUpperCase(), name), attendees: [person(email, name)] }
    const pending = await insertEntry(world.database, room, { ...span(), ...named })
    const conflict = await insertEntry(world.database, room, { ...span(50), ...named })
    await apply(conflict)
    const titled = await insertEntry(world.database, room, { ...span(), title: `1:1 with ${name}` })
    const key = `berth-${booking}`
    const own = await insertEntry(
      world.database,
      room,
      { ...span(50), title: name },
      { key, bookingId: booking },
    )
    const base = { ...span(50), title: name, text: `Organizer: ${name}` }
    await world.database('calendar_entries').where({ id: own }).update({ base, pending_since: null })
    const isNamed = async (id: number) => /erased/i.test(JSON.stringify(await readEntry(world.database, id)))
    for (const id of [pending, conflict, titled, own]) expect(await isNamed(id)).to.equal(true)
    expect((await admin.ask('users.erase', { id: user })).status).to.equal(200)
    for (const id of [pending, conflict, own]) expect(await isNamed(id), String(id)).to.equal(false)
    await searchErasures(world.database, queueOf, silent)
    expect(await isNamed(titled)).to.equal(false)
    const { event_id: event } = await apply(pending)
    expect((await client.get(`events/${event}`)).json.data.organizer.name).to.equal(UNKNOWN)
  })

  it('keeps no people of an entry that is read again and has not changed', async () => {
    const room = await createLinkedRoom(world.database)
    const organizer = {
      address: 'ada@visitor.example',
      name: 'Ada',
      answer: 'accepted',
      isRoom: false,
    } as const
    const entry = {
      ...span(),
      id: 'again',
      seriesId: null,
      uid: 'again',
      version: '1',
      title: 'Harbour plans',
      isPrivate: false,
      isFree: false,
      isCancelled: false,
      isDeclined: false,
      allDay: null,
      organizer,
      attendees: [organizer],
      key: null,
    }
    const link = {
      bookableId: room,
      calendar: { id: 'quay@rooms.example', zone: 'UTC' },
      reading: 1,
    } as CalendarLink
    const read = () => world.database.transaction((trx) => storeChanged(trx, link, [entry]))
    await read()
    const { id } = await world.database('calendar_entries').where({ bookable_id: room }).first('id')
    const { seen } = await apply(id)
    await read()
    expect(await readEntry(world.database, id)).to.deep.include({ seen, pending_since: null })
    expect(seen).to.include({ title: '', organizer: null })
  })

  it('cancels the meetings of an organizer who is erased, and then the calendar is written', async () => {
    const email = 'leaver@calendars.example'
    const user = await createUser(world.database, { email })
    const room = await createLinkedRoom(world.database)
    const id = await insertEntry(world.database, room, { ...span(), organizer: person(email) })
    const { event_id: event } = await apply(id)
    expect((await admin.ask('users.erase', { id: user })).status).to.equal(200)
    expect((await world.database('events').where({ id: event }).first()).status).to.equal(2)
    expect((await readEntry(world.database, id))['event_id']).to.equal(event)
  })

  for (const job of ['bookables.delete', 'bookables.delete-one'] as const)
    it(`unlinks the calendar of a room that ${job} deletes, and only then`, async () => {
      const [kept, deleted] = [await createLinkedRoom(world.database), await createLinkedRoom(world.database)]
      await createBooking(world.database, { bookable_id: kept, ...span() })
      const ask = (id: number) => admin.ask(job, job === 'bookables.delete' ? { ids: [id] } : { id })
      expect((await ask(kept)).status).to.equal(409)
      expect((await ask(deleted)).status).to.be.below(300)
      const endingOf = async (bookable_id: number) =>
        (await world.database('room_calendars').where({ bookable_id }).first())?.is_ending
      expect([await endingOf(kept), await endingOf(deleted)]).to.deep.equal([false, true])
    })
})
