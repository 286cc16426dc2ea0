// Tests, for every kind of write, which changes a token limited to buildings sees in the change feed and at a
// webhook. The file does not compile if an audit action is missing.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { AUDIT_ACTIONS, type AuditAction } from '../../../../../shared/audit/audit-actions.ts'
import { BOOKABLE_STATUSES } from '../../../../../shared/bookables/bookables.ts'
import type { JobName } from '../../../../../shared/jobs/jobs.ts'
import { ABILITIES, createToken } from '../../../../../shared/tokens/token-store.ts'
import { createLog } from '../../../../../shared/utilities/log.ts'
import { startHooks } from '../../../../../workers/hooks/hooks.ts'
import { releaseNoShows } from '../../../../../workers/pollers/check-ins/no-shows.ts'
import { anonymizeOldBookings } from '../../../../../workers/pollers/erasures/old-bookings.ts'
import { lapseHolds } from '../../../../../workers/pollers/holds/lapsing.ts'
import { type Campus, createCampus } from '../../../../support/campus.ts'
import { useAdmin } from '../../../../support/dashboard/admin.ts'
import { drawPng } from '../../../../support/dashboard/pictures.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createFile,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { FEED_WAIT_MS_MAX, readEndOfFeed } from '../../../../support/http/feed.ts'
import { Client } from '../../../../support/http/http.ts'
import { itInParallel } from '../../../../support/parallel-tests.ts'
import { eventually } from '../../../../support/time.ts'
import { useWith } from '../../../../support/use.ts'
import { useClient, useWorld } from '../../../../support/world.ts'
import { useReceiver } from '../../../../workers/hooks/receiver.ts'

type UnconcernedAction =
  `${'admins' | 'calendars' | 'desk_codes' | 'people' | 'screens' | 'team_days' | 'tokens' | 'visitors' | 'waits' | 'webhooks'}.${string}`
/** Audit actions that change resources in a building, including actions on people and series. */
type ConcernedAction = Exclude<AuditAction, UnconcernedAction>

const concernsBuildings = (action: AuditAction) =>
  !/^(admins|calendars|desk_codes|people|screens|team_days|tokens|visitors|waits|webhooks)\./.test(action)

type Scene = Campus & { empty: number; meeting: number; unused: number }
/** Executes the write and returns the expected changes, such as `booking.created 815`. */
type Write = (scene: Scene) => Promise<string[]>

const log = createLog('test', 'silent')
const LATER_SPAN = { from: hoursFromNow(5), to: hoursFromNow(6) }
const LATER_DAYS = { from: '2030-05-01', to: '2030-05-14' }
const LATER_TIMES = { from_time: LATER_SPAN.from, to_time: LATER_SPAN.to }

describe('the changes that a token limited to buildings receives', function suite() {
  this.timeout(180_000)
  const world = useWorld({ workers: ['writes', 'imports'], environment: { RATE_LIMIT_PER_MINUTE: '100000' } })
  const client = useClient(world)
  const admin = useAdmin(world)
  const receiver = useReceiver(world)
  useWith(
    world,
    () => startHooks(world.config, log),
    (hooks) => hooks.stop(),
  )

  const ask = async (name: JobName, input: object) => {
    const { status, json } = await admin.ask(name, input)
    expect(status, JSON.stringify(json)).to.be.below(300)
    return json
  }
  const send = async (method: string, path: string, body?: object) => {
    const answer = await client.ask(path, { method, body })
    expect(answer.status, answer.text).to.be.below(300)
    return answer.text === '' ? undefined : answer.json.data
  }
  const wanted = ({ free, location, user }: Scene) => ({
    bookable_id: free,
    location_id: location,
    user_id: user,
    ...LATER_TIMES,
  })
  const asRoom = (id: number) => [{ type: 'bookable', id: String(id) }]
  const block = (id: number, in_the_way: string) =>
    ask('bookables.edit', { id, status: BOOKABLE_STATUSES.blocked, in_the_way })
  const askFile = async (name: JobName, text: string, input: object) =>
    ask(name, {
      file_id: await createFile(world.database, Buffer.from(text)),
      filename: 'list.csv',
      ...input,
    })
  const deactivate = (id: number) =>
    world.database('users').where({ id }).update({ deactivated_at: new Date() })
  const expire = (ids: object) =>
    world
      .database('bookings')
      .where(ids)
      .update({ check_in_from: hoursFromNow(-3), check_in_until: hoursFromNow(-1) })
  const idOf = async (table: string, row: object) => (await world.database(table).where(row).first('id')).id
  // Another test may be releasing the same resource at this moment.
  const release = (ids: object) =>
    eventually(async () => {
      await releaseNoShows(world.database, log)
      expect((await world.database('bookings').where(ids).first()).released_at).to.not.equal(null)
    })

  const WRITES: Record<ConcernedAction, Write> = {
    'absences.create': async ({ user }) => {
      const { id } = await send('POST', `users/${user}/absences`, LATER_DAYS)
      return [`absence.created ${id}`]
    },
    'absences.delete': async ({ user, absence }) => {
      await send('DELETE', `users/${user}/absences/${absence}`)
      return [`absence.deleted ${absence}`]
    },
    'loans.create': async ({ assigned }) => {
      const { id } = await send('POST', `bookables/${assigned}/loans`, LATER_DAYS)
      return [`loan.created ${id}`]
    },
    'loans.delete': async ({ assigned, loan }) => {
      await send('DELETE', `bookables/${assigned}/loans/${loan}`)
      return [`loan.deleted ${loan}`]
    },
    'bookables.link-calendar': async ({ free }) => {
      await send('PUT', `bookables/${free}/calendar`, { provider: 'caldav', calendar: `/rooms/${free}/` })
      return [`bookable.updated ${free}`]
    },
    'bookables.unlink-calendar': async ({ room }) => {
      await send('DELETE', `bookables/${room}/calendar`)
      return [`bookable.updated ${room}`]
    },
    'bookables.assign': async ({ free, user }) => {
      await ask('bookables.assign', { id: free, user_id: user })
      return [`bookable.updated ${free}`]
    },
    'bookables.create': async ({ location }) => {
      await ask('bookables.create', { location_id: location, names: ['New'], type: 0 })
      return [`bookable.created ${await idOf('bookables', { location_id: location, name: 'New' })}`]
    },
    'bookables.delete': async ({ free }) => {
      await ask('bookables.delete', { ids: [free] })
      return [`bookable.deleted ${free}`]
    },
    'bookables.edit': async ({ free }) => {
      await ask('bookables.edit', { id: free, name: 'Changed' })
      return [`bookable.updated ${free}`]
    },
    'bookables.import': async ({ location, free }) => {
      const list = 'name,type,tags\nImported,desk,\nHere free,desk,seen\n'
      const given = { location_id: location }
      await askFile('bookables.plan-import', list, given)
      const plan_id = await idOf('import_plans', {})
      await askFile('bookables.apply-import-plan', list, { ...given, plan_id })
      const created = await idOf('bookables', { location_id: location, name: 'Imported' })
      return [`bookable.created ${created}`, `bookable.updated ${free}`]
    },
    'bookables.set-position': async ({ free }) => {
      await ask('bookables.set-position', { id: free, x: 0.5, y: 0.5 })
      return [`bookable.updated ${free}`]
    },
    'bookables.set-rules': async ({ free }) => {
      await ask('bookables.set-rules', { id: free, rules: { days_ahead_max: 14 } })
      return [`bookable.updated ${free}`]
    },
    'bookables.unassign': async ({ free, user }) => {
      await ask('bookables.assign', { id: free, user_id: user })
      await ask('bookables.unassign', { id: free, user_id: user })
      return [`bookable.updated ${free}`, `bookable.updated ${free}`]
    },
    'bookables.unassign-all': async ({ free, user }) => {
      await ask('bookables.assign', { id: free, user_id: user })
      await ask('bookables.unassign-all', { id: free })
      return [`bookable.updated ${free}`, `bookable.updated ${free}`]
    },
    'bookables.update': async ({ free }) => {
      await send('PATCH', `bookables/${free}`, { tags: ['seen'] })
      return [`bookable.updated ${free}`]
    },
    'bookings.check-in': async ({ booking }) => {
      await send('POST', `bookings/${booking}/check-in`)
      return [`booking.checked_in ${booking}`]
    },
    'bookings.clear': async ({ desk, booking }) => {
      await block(desk, 'release')
      return [`booking.released ${booking}`, `bookable.updated ${desk}`]
    },
    'bookings.create': async (scene) => {
      const [{ id }] = await send('POST', 'bookings', wanted(scene))
      return [`booking.created ${id}`]
    },
    'bookings.delete': async ({ booking }) => {
      await send('DELETE', `bookings/${booking}`)
      return [`booking.deleted ${booking}`]
    },
    'bookings.move': async ({ desk, user }) => {
      const id = await createBooking(world.database, { ...LATER_SPAN, bookable_id: desk, user_id: user })
      await block(desk, 'move')
      return [`booking.updated ${id}`, `bookable.updated ${desk}`]
    },
    'bookings.release': async ({ booking }) => {
      await expire({ id: booking })
      await release({ id: booking })
      return [`booking.released ${booking}`]
    },
    'bookings.release-away': async ({ free, user }) => {
      const id = await createBooking(world.database, { ...LATER_SPAN, bookable_id: free, user_id: user })
      const days = { from: LATER_SPAN.from.slice(0, 10), to: LATER_SPAN.to.slice(0, 10) }
      const absence = await send('POST', `users/${user}/absences`, { ...days, release_bookings: true })
      return [`booking.released ${id}`, `absence.created ${absence.id}`]
    },
    'bookings.release-day': async ({ free, user }) => {
      const date = LATER_DAYS.from
      const noon = { from: `${date}T12:00:00Z`, to: `${date}T13:00:00Z` }
      const id = await createBooking(world.database, { ...noon, bookable_id: free, user_id: user })
      await ask('bookings.set-days', { user_id: user, days: [{ date, choices: [] }] })
      return [`booking.released ${id}`]
    },
    'bookings.update': async ({ booking }) => {
      await send('PATCH', `bookings/${booking}`, { to_time: hoursFromNow(3) })
      return [`booking.updated ${booking}`]
    },
    'booking_requests.approve': async ({ request }) => {
      const { booking_id } = await send('POST', `booking-requests/${request}/approve`)
      return [`booking.created ${booking_id}`, `booking_request.approved ${request}`]
    },
    'booking_requests.reopen': async ({ request }) => {
      const { booking_id } = await send('POST', `booking-requests/${request}/approve`)
      await ask('audit-entries.undo', {
        id: await idOf('audit_log', { action: 'booking_requests.approve', resource_id: request }),
      })
      return [
        `booking.created ${booking_id}`,
        `booking_request.approved ${request}`,
        `booking.deleted ${booking_id}`,
        `booking_request.updated ${request}`,
      ]
    },
    'booking_requests.create': async ({ guarded: bookable_id, guardedFloor: location_id, user: user_id }) => {
      const { id } = await send('POST', 'booking-requests', {
        bookable_id,
        location_id,
        user_id,
        ...LATER_TIMES,
      })
      return [`booking_request.created ${id}`]
    },
    'booking_requests.decline': async ({ request }) => {
      await send('POST', `booking-requests/${request}/decline`, { reason: 'Full' })
      return [`booking_request.declined ${request}`]
    },
    'booking_requests.lapse': async ({ request }) => {
      await world
        .database('holds')
        .where({ id: request })
        .update({ expires_at: hoursFromNow(-1) })
      await eventually(async () => {
        await lapseHolds(world.database, log)
        expect((await world.database('holds').where({ id: request }).first()).state).to.equal('lapsed')
      })
      return [`booking_request.lapsed ${request}`]
    },
    'booking_requests.release': async ({ request }) => {
      const { bookable_id } = await world.database('holds').where({ id: request }).first()
      await block(bookable_id, 'release')
      return [`booking_request.released ${request}`, `bookable.updated ${bookable_id}`]
    },
    'booking_requests.withdraw': async ({ request }) => {
      await send('DELETE', `booking-requests/${request}`)
      return [`booking_request.withdrawn ${request}`]
    },
    'buildings.create': async () => {
      await ask('buildings.create', { name: `New ${randomUUID()}` })
      return []
    },
    'buildings.delete': async ({ empty }) => {
      await ask('buildings.delete', { id: empty })
      return [`building.deleted ${empty}`]
    },
    'buildings.set-rules': async ({ building }) => {
      await ask('buildings.set-rules', { id: building, rules: { days_ahead_max: 14 } })
      return [`building.updated ${building}`]
    },
    'buildings.update': async ({ building }) => {
      await ask('buildings.update', { id: building, name: `Changed ${randomUUID()}` })
      return [`building.updated ${building}`]
    },
    'events.answer': async ({ event }) => {
      const user_id = await createUser(world.database)
      await world.database('event_attendees').insert({ event_id: event, user_id })
      await send('POST', `events/${event}/attendees/${user_id}/answer`, { status: 3 })
      return [`event.answered ${event}`]
    },
    'events.cancel': async ({ event }) => {
      await send('DELETE', `events/${event}`)
      return [`event.deleted ${event}`]
    },
    'events.check-in': async ({ event }) => {
      await send('POST', `events/${event}/check-in`)
      return [`event.checked_in ${event}`]
    },
    'events.clear-room': async ({ room, meeting }) => {
      await block(room, 'release')
      return [`event.deleted ${meeting}`, `bookable.updated ${room}`]
    },
    'events.create': async ({ unused, user }) => {
      const body = { name: 'Meeting', organizer_user_id: user, ...LATER_TIMES, attendees: asRoom(unused) }
      const { id } = await send('POST', 'events', body)
      return [`event.created ${id}`]
    },
    'events.move-room': async ({ room, meeting }) => {
      await block(room, 'move')
      return [`event.updated ${meeting}`, `bookable.updated ${room}`]
    },
    'events.release': async ({ event }) => {
      await expire({ event_id: event })
      await release({ event_id: event })
      return [`event.released ${event}`]
    },
    'events.replace': async ({ meeting, room }) => {
      await send('PUT', `events/${meeting}`, { name: 'Changed', ...LATER_TIMES, attendees: asRoom(room) })
      return [`event.updated ${meeting}`]
    },
    'groups.create': async () => {
      await send('POST', 'groups', { name: randomUUID() })
      return []
    },
    'groups.delete': async ({ group }) => {
      await send('DELETE', `groups/${group}`)
      return []
    },
    'groups.set-leads': async ({ group }) => {
      await send('PUT', `groups/${group}/leads`, { user_ids: [], anybody: true })
      return []
    },
    'groups.set-members': async ({ group, user }) => {
      await send('PUT', `groups/${group}/members`, { user_ids: [user] })
      return []
    },
    'groups.update': async ({ group }) => {
      await send('PATCH', `groups/${group}`, { name: randomUUID() })
      return []
    },
    'locations.create': async ({ building }) => {
      await ask('locations.create', { building_id: building, name: 'New' })
      return [`location.created ${await idOf('locations', { building_id: building, name: 'New' })}`]
    },
    'locations.delete': async ({ building }) => {
      const id = await createLocation(world.database, { building_id: building })
      await ask('locations.delete', { id })
      return [`location.deleted ${id}`]
    },
    'locations.set-floor-plan': async ({ location }) => {
      await ask('locations.set-floor-plan', {
        id: location,
        file_id: await createFile(world.database, drawPng(40, 30)),
      })
      return [`location.updated ${location}`]
    },
    'locations.set-rules': async ({ location }) => {
      await ask('locations.set-rules', { id: location, rules: { days_ahead_max: 14 } })
      return [`location.updated ${location}`]
    },
    'locations.update': async ({ location }) => {
      await ask('locations.update', { id: location, name: 'Changed' })
      return [`location.updated ${location}`]
    },
    'series.create': async (scene) => {
      const repeat = { every: 'day', count: 2 }
      const { created } = await send('POST', 'bookings/series', { ...wanted(scene), repeat })
      return created.map(({ id }: { id: number }) => `booking.created ${id}`)
    },
    'series.delete': async ({ series, booking, free, user }) => {
      const claim = { ...LATER_SPAN, bookable_id: free, user_id: user, series_id: series }
      const next = await createBooking(world.database, claim)
      await send('DELETE', `series/${series}`)
      return [`booking.updated ${booking}`, `booking.deleted ${next}`]
    },
    'users.create': async () => {
      await ask('users.create', { name: 'New', email: `${randomUUID()}@example.com` })
      return []
    },
    'users.deactivate': async ({ user }) => {
      await ask('users.deactivate', { ids: [user] })
      return []
    },
    'users.edit': async ({ user, event }) => {
      await ask('users.edit', { id: user, name: 'Changed' })
      return [`event.updated ${event}`]
    },
    'users.erase': async ({ free, unused }) => {
      const user_id = await createUser(world.database)
      const booking = await createBooking(world.database, { ...LATER_SPAN, bookable_id: free, user_id })
      const event = await createEvent(world.database, { ...LATER_SPAN, organizer_user_id: user_id })
      await createBooking(world.database, { ...LATER_SPAN, bookable_id: unused, event_id: event })
      await ask('users.erase', { id: user_id })
      return [`booking.deleted ${booking}`, `event.deleted ${event}`]
    },
    'users.import': async () => {
      const email = `${randomUUID()}@example.com`
      await askFile('users.import', `email,name\n${email},Imported\n`, {
        dry_run: false,
        update: false,
        restore: false,
        deactivate: false,
        key_column: 'email',
      })
      return []
    },
    'users.restore': async ({ user }) => {
      await deactivate(user)
      await ask('users.restore', { ids: [user] })
      return []
    },
  }

  /** Writes without an entry in the audit log. */
  const UNAUDITED: Record<string, Write> = {
    'a location that is copied': async ({ building, location }) => {
      await ask('locations.copy', { id: location, building_id: building, name: 'Copy' })
      const id = await idOf('locations', { building_id: building, name: 'Copy' })
      const bookables = await world.database('bookables').where({ location_id: id }).pluck('id')
      return [`location.created ${id}`, ...bookables.map((each) => `bookable.created ${each}`)]
    },
    'the release of all bookings of a person': async ({ user, booking }) => {
      await deactivate(user)
      await ask('bookings.release', { user_ids: [user] })
      return [`booking.released ${booking}`]
    },
    'old bookings and events that are made anonymous': async ({ free, room }) => {
      const old = { from: hoursFromNow(-3_001), to: hoursFromNow(-3_000) }
      const booking = await createBooking(world.database, { ...old, bookable_id: free })
      const event = await createEvent(world.database, old)
      await createBooking(world.database, { ...old, bookable_id: room, event_id: event })
      await anonymizeOldBookings(world.database, 1, log)
      return [`booking.updated ${booking}`, `event.updated ${event}`]
    },
  }

  it('are tested for each action of the audit log that concerns buildings', () => {
    expect(Object.keys(WRITES).sort()).to.deep.equal(AUDIT_ACTIONS.filter(concernsBuildings))
  })

  const { 'users.import': importUsers, ...others } = WRITES
  itInParallel(
    Object.fromEntries(
      Object.entries({ ...others, ...UNAUDITED }).map(([name, write]) => [
        `include the changes of ${name}`,
        () => perform(name, write),
      ]),
    ),
    { atOnce: 8 },
  )

  // Runs after all other tests, because user writes are refused during an import.
  describe('the changes that a limited token receives from an import', () =>
    it('include the changes of the job users.import', () => perform('users.import', importUsers)))

  async function perform(name: string, write: Write) {
    const { scene, limited } = await setScene(name)
    const begun = await readEndOfFeed(world.database, limited)
    const expected = await write(scene)
    if (Object.hasOwn(WRITES, name)) {
      expect(await world.database('audit_log').where({ action: name })).to.not.deep.equal([])
    }
    const inFeed = async () =>
      (await limited.get(`changes?after=${begun}&limit=1000`)).json.data.map(
        ({ type, action, id }: Record<string, unknown>) => `${type}.${action} ${id}`,
      )
    const sent = () =>
      receiver.received
        .filter(({ path }) => path.endsWith(`?${encodeURIComponent(name)}`))
        .map(({ body }) => JSON.parse(body))
        .map(({ type, id }) => `${type} ${id}`)
    await eventually(async () => {
      expect(await inFeed()).to.include.members(expected)
      expect(sent()).to.include.members(expected)
    }, FEED_WAIT_MS_MAX)
  }

  async function setScene(name: string) {
    const { database } = world
    const campus = await createCampus(database, 'Here')
    await database('webhooks').where({ id: campus.webhook }).delete()
    const empty = await createBuilding(database)
    const unused = await createBookable(database, { location_id: campus.location, type: 2 })
    const meeting = await createEvent(database, { ...LATER_SPAN, organizer_user_id: campus.user })
    await createBooking(database, { ...LATER_SPAN, bookable_id: campus.room, event_id: meeting })
    const buildingIds = [campus.building, empty]
    const token = { name: 'limited', abilities: ABILITIES, createdBy: 'test', buildingIds }
    const limited = new Client(world.url, (await createToken(database, token)).token)
    const url = `${receiver.url}?${encodeURIComponent(name)}`
    const created = await limited.post('webhooks', { url, types: ['*'] })
    expect(created.status, created.text).to.equal(200)
    await eventually(async () => expect(await database('webhook_position')).to.have.length(1))
    return { scene: { ...campus, empty, unused, meeting }, limited }
  }
})
