// Tests over HTTP how rooms are linked to their calendars and unlinked, and what the API says about the link.
import { expect } from 'chai'
import { createToken } from '../../../../../shared/tokens/token-store.ts'
import { createLog } from '../../../../../shared/utilities/log.ts'
import { deleteExpiredRows } from '../../../../../workers/pollers/upkeep.ts'
import { createProviderRoom } from '../../../../support/dashboard/room-calendar-examples.ts'
import {
  createBookable,
  createCalendarProvider,
  createLocation,
  createRoomCalendar,
} from '../../../../support/factories.ts'
import { Client } from '../../../../support/http/http.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

describe('the calendar of a room', () => {
  const world = useWorld({ workers: ['writes'] })
  const client = useClient(world, 'read', 'object-write')
  const reader = useClient(world, 'read')
  let room: number
  let other: number

  beforeEach(async () => {
    const { database } = world
    await database('room_calendars').delete()
    await createProviderRoom(database, { provider: 'caldav', calendar: '/rooms/elbe/', name: 'Elbe' })
    await createProviderRoom(database, { calendar: 'elbe@example.com', name: 'Elbe' })
    const location_id = await createLocation(database)
    room = await createBookable(database, { name: 'Room Elbe', type: 2, location_id })
    other = await createBookable(database, { name: 'Room Alster', type: 2, location_id })
  })

  const link = (body: object, id = room) => client.put(`bookables/${id}/calendar`, body)
  const read = (id = room) => client.get(`bookables/${id}/calendar`)
  const CALDAV = { provider: 'caldav', calendar: '/rooms/elbe/' }
  const setRow = (row: object) => world.database('room_calendars').where({ bookable_id: room }).update(row)

  it('is linked, and then says which calendar it is and that it is not in step yet', async () => {
    expect((await read()).status).to.equal(404)
    const answer = await link(CALDAV)
    expect(answer.status, answer.text).to.equal(200)
    const { linked_at, ...data } = answer.json.data
    expect(data).to.deep.equal({
      bookable_id: room,
      ...CALDAV,
      names: 'full',
      in_step: false,
      in_step_at: null,
      fault: null,
      conflicts: 0,
      faulty_entries: 0,
      watched_until: null,
    })
    expect((await read()).json).to.deep.equal(answer.json)
    const { json } = await client.get(`bookables/${room}`)
    expect(json.data.calendar).to.deep.equal({ ...CALDAV, names: 'full', in_step: false, fault_code: null })
    expect((await client.get(`bookables/${other}`)).json.data.calendar).to.equal(null)
  })

  it('says since when it is in step, until when it is watched, and how many entries conflict', async () => {
    await link(CALDAV)
    await setRow({
      in_step_at: '2031-03-03T10:00:00Z',
      next_read_at: '2031-03-03T10:05:00Z',
      next_write_at: null,
      watch_ends_at: '2031-03-05T10:00:00Z',
    })
    const entry = {
      bookable_id: room,
      conflict: JSON.stringify({ message: { text: 'Taken.' }, free_rooms: [] }),
    }
    await world.database('calendar_entries').insert([
      { ...entry, entry_id: 'a', during: '[2031-03-04T10:00Z,2031-03-04T11:00Z)' },
      { ...entry, entry_id: 'over', during: '[2020-03-04T10:00Z,2020-03-04T11:00Z)' },
      { ...entry, entry_id: 'held', conflict: null, during: '[2031-03-04T12:00Z,2031-03-04T13:00Z)' },
    ])
    expect((await read()).json.data).to.deep.include({
      in_step: true,
      in_step_at: '2031-03-03T10:00:00.000000Z',
      watched_until: '2031-03-05T10:00:00.000000Z',
      conflicts: 1,
    })
  })

  it('says in a sentence why it is not in step', async () => {
    await link(CALDAV)
    const fault = { text: 'The server {0} does not accept the password.', values: ['dav.example.com'] }
    await setRow({
      in_step_at: '2031-03-03T10:00:00Z',
      next_read_at: '2031-03-03T10:05:00Z',
      next_write_at: null,
      fault_kind: 'credentials_refused',
      fault: JSON.stringify(fault),
      fault_since: '2031-03-03T10:01:00Z',
    })
    expect((await read()).json.data).to.deep.include({
      in_step: false,
      fault: {
        code: 'credentials_refused',
        message: 'The server dav.example.com does not accept the password.',
        since: '2031-03-03T10:01:00.000000Z',
      },
    })
    const { calendar } = (await client.get(`bookables/${room}`)).json.data
    expect(calendar).to.deep.include({ in_step: false, fault_code: 'credentials_refused' })
  })

  for (const [what, undone] of Object.entries({
    'has not been read': { next_read_at: '2020-01-01' },
    'has not been written': { next_write_at: '2020-01-01' },
    'was never in step': { in_step_at: null },
  }))
    it(`is not in step if it ${what} for ten minutes`, async () => {
      await link(CALDAV)
      const rest = { in_step_at: '2031-03-03', next_read_at: '2031-03-03', next_write_at: null }
      await setRow(rest)
      expect((await read()).json.data.in_step).to.equal(true)
      await setRow(undone)
      expect((await read()).json.data.in_step).to.equal(false)
    })

  it('is not in step if an entry has not been applied for ten minutes', async () => {
    await link(CALDAV)
    await setRow({ in_step_at: '2031-03-03', next_read_at: '2031-03-03', next_write_at: null })
    const entry = { bookable_id: room, entry_id: 'a', pending_since: '2020-01-01' }
    await world.database('calendar_entries').insert(entry)
    expect((await read()).json.data.in_step).to.equal(false)
    await world.database('calendar_entries').update({ pending_since: null })
    expect((await read()).json.data.in_step).to.equal(true)
    await world.database('calendar_entries').update({ fault: JSON.stringify({ text: 'Refused.' }) })
    expect((await read()).json.data).to.deep.include({ in_step: false, faulty_entries: 1 })
  })

  it('keeps the ETag of its room valid for If-Match while it falls behind, fails and is in step again', async () => {
    await link(CALDAV)
    const path = `bookables/${room}`
    const [kept, whole] = [new Set<string>(), new Set<string>()]
    const inStep = { in_step_at: '2031-03-03', next_read_at: '2031-03-03', next_write_at: null }
    const failed = { fault_kind: 'unavailable', fault: '{"text":"Away."}', fault_since: '2031-03-03' }
    const { headers } = await client.get(path)
    const first = headers.get('ETag') ?? ''
    for (const state of [
      { in_step_at: null },
      inStep,
      failed,
      { fault_kind: null, fault: null, fault_since: null },
    ]) {
      await setRow(state)
      const read = await client.get(path)
      whole.add(read.headers.get('ETag') ?? '')
      const written = await client.ask(path, {
        method: 'PATCH',
        body: { capacity: 8 },
        headers: { 'If-Match': first },
      })
      kept.add(`${written.status}`)
      if (written.status === 200)
        await world.database('bookables').where({ id: room }).update({ capacity: null })
    }
    expect([...kept]).to.deep.equal(['200'])
    // A conditional read still says that the calendar is in another state.
    expect(whole.size).to.equal(3)
    const changed = await client.ask(path, { method: 'PATCH', body: { capacity: 9 } })
    expect(changed.headers.get('ETag')).to.equal((await client.get(path)).headers.get('ETag'))
    const outdated = { method: 'PATCH', body: { capacity: 1 }, headers: { 'If-Match': first } }
    expect((await client.ask(path, outdated)).status).to.equal(412)
    await link({ ...CALDAV, names: 'none' })
    const current = { 'If-Match': changed.headers.get('ETag') ?? '' }
    expect((await client.ask(path, { ...outdated, headers: current })).status).to.equal(412)
  })

  it('can name people differently without reading everything again', async () => {
    await link(CALDAV)
    await setRow({ position: 'page 1', next_write_at: null })
    const { json } = await link({ ...CALDAV, names: 'initials' })
    expect(json.data.names).to.equal('initials')
    const row = await world.database('room_calendars').where({ bookable_id: room }).first()
    expect(row.position).to.equal('page 1')
    expect(row.next_write_at).not.to.equal(null)
    expect((await link(CALDAV)).json.data.names).to.equal('initials')
  })

  it('starts over with another calendar', async () => {
    await link(CALDAV)
    await setRow({ position: 'page 1', watch: 'old', watch_secret: 'secret' })
    const conflict = { message: 'The room is taken.', free_rooms: [] }
    const during = '[2031-03-04T10:00Z,2031-03-04T11:00Z)'
    const entry = { bookable_id: room, entry_id: 'a', during, conflict, fault: conflict }
    await world.database('calendar_entries').insert(entry)
    const answer = await link({ provider: 'microsoft', calendar: 'Elbe@Example.com', names: 'none' })
    expect(answer.json.data).to.deep.include({
      provider: 'microsoft',
      calendar: 'elbe@example.com',
      names: 'none',
      conflicts: 0,
      faulty_entries: 0,
    })
    const row = await world.database('room_calendars').where({ bookable_id: room }).first()
    expect(row).to.deep.include({ position: null, watch: null, watch_secret: null, is_ending: false })
    // There may be thousands of entries, so the engine deletes them, not this request.
    expect(row).to.deep.include({ is_clearing: true, lease: null, is_complete: false, reading: 0 })
    expect(await world.database('calendar_entries').where({ bookable_id: room })).to.have.length(1)
  })

  it('is refused if another room has it, and names that room', async () => {
    await link({ provider: 'microsoft', calendar: 'elbe@example.com' })
    const answer = await link({ provider: 'microsoft', calendar: 'ELBE@example.com' }, other)
    expect(answer.status).to.equal(409)
    expect(answer.json.code).to.equal('in_use')
    expect(answer.json.detail).to.equal(
      'The calendar elbe@example.com is linked to Room Elbe. Unlink it there first.',
    )
  })

  it('does not name another room that the token may not see', async () => {
    await link(CALDAV)
    const far = await createBookable(world.database, {
      type: 2,
      location_id: await createLocation(world.database),
    })
    const { building_id } = await world
      .database('locations')
      .join('bookables', 'bookables.location_id', 'locations.id')
      .where('bookables.id', far)
      .first('building_id')
    const { token } = await createToken(world.database, {
      name: 'limited',
      abilities: ['read', 'object-write'],
      buildingIds: [building_id],
      createdBy: 'test',
    })
    const limited = new Client(world.url, token)
    const answer = await limited.put(`bookables/${far}/calendar`, CALDAV)
    expect(answer.json.detail).to.equal('The calendar /rooms/elbe/ is linked to another room.')
    expect((await limited.put(`bookables/${room}/calendar`, CALDAV)).status).to.equal(404)
    expect((await limited.delete(`bookables/${room}/calendar`)).status).to.equal(404)
    expect((await limited.get(`bookables/${room}/calendar`)).status).to.equal(404)
  })

  it('is refused with a sentence if the input is invalid', async () => {
    const refusal = async (body: object, id = room) => {
      const { status, json } = await link(body, id)
      expect(status).to.equal(422)
      return json.errors
    }
    expect(await refusal({ provider: 'exchange', calendar: 'a@example.com' })).to.deep.equal({
      provider: ['provider must be one of microsoft, google, caldav.'],
    })
    expect(await refusal({ provider: 'google', calendar: 'a@example.com' })).to.deep.equal({
      provider: [
        'No running process has settings for Google Workspace: docs/calendars.md says how to set it up.',
      ],
    })
    await world.database('calendar_providers').where({ provider: 'caldav' }).update({ seen_at: '2020-01-01' })
    expect(await refusal(CALDAV)).to.have.keys('provider')
    await createCalendarProvider(world.database, 'caldav')
    expect(await refusal({ provider: 'caldav', calendar: 'rooms/elbe' })).to.deep.equal({
      calendar: ['calendar must be a path on the CalDAV server, such as /dav/calendars/room/.'],
    })
    expect(await refusal({ provider: 'microsoft', calendar: 'elbe' })).to.deep.equal({
      calendar: ['calendar must be the e-mail address of the room’s mailbox.'],
    })
    const home = await createBookable(world.database, { type: 3 })
    expect(await refusal(CALDAV, home)).to.deep.equal({ bookable_id: ['A home office has no calendar.'] })
  })

  it('is unlinked, which the engine then completes, and can be linked again at once', async () => {
    await link(CALDAV)
    await setRow({ position: 'page 1', watch: 'watch', watch_secret: 'secret', watch_ends_at: '2031-03-05' })
    expect((await client.delete(`bookables/${room}/calendar`)).status).to.equal(204)
    expect(await world.database('room_calendars').where({ bookable_id: room }).first()).to.deep.include({
      is_ending: true,
    })
    expect((await read()).status).to.equal(404)
    expect((await client.get(`bookables/${room}`)).json.data.calendar).to.equal(null)
    expect((await client.delete(`bookables/${room}/calendar`)).status).to.equal(404)

    expect((await link(CALDAV)).status).to.equal(200)
    const row = await world.database('room_calendars').where({ bookable_id: room }).first()
    expect(row).to.deep.include({ is_ending: false, position: null, watch: 'watch', watch_secret: 'secret' })
  })

  it('can be linked to another room at once, and keeps its watch', async () => {
    await link(CALDAV)
    await setRow({ watch: 'watch', watch_secret: 'secret' })
    await client.delete(`bookables/${room}/calendar`)
    expect((await link(CALDAV, other)).status).to.equal(200)
    const rows = await world.database('room_calendars').orderBy('is_ending').select('bookable_id', 'watch')
    expect(rows).to.deep.equal([
      { bookable_id: other, watch: 'watch' },
      { bookable_id: room, watch: null },
    ])
    // The first room may get the calendar back.
    await client.delete(`bookables/${other}/calendar`)
    expect((await link(CALDAV)).status).to.equal(200)
    expect(await world.database('room_calendars').where({ is_ending: false }).pluck('watch')).to.deep.equal([
      'watch',
    ])
  })

  it('is deleted by upkeep if no process has settings for the provider any more', async () => {
    await link(CALDAV)
    await link({ provider: 'microsoft', calendar: 'elbe@example.com' }, other)
    const entries = [room, room, other].map((bookable_id, index) => ({
      bookable_id,
      entry_id: String(index),
    }))
    await world.database('calendar_entries').insert(entries)
    await world
      .database('calendar_providers')
      .where({ provider: 'caldav' })
      .update({ seen_at: new Date(0) })
    await client.delete(`bookables/${room}/calendar`)
    expect((await read()).status).to.equal(404)
    await deleteExpiredRows(world.database, createLog('test', 'silent'), { auditLogKeptMonths: 0 })
    expect(await world.database('room_calendars').pluck('bookable_id')).to.deep.equal([other])
    expect(await world.database('calendar_entries').pluck('bookable_id')).to.deep.equal([other])
  })

  it('ends with the room', async () => {
    const past = { bookable_id: room, calendar: '/past/' }
    await createRoomCalendar(world.database, past)
    await world.database('cancelled_bookings').insert({
      booking_id: 1,
      bookable_id: room,
      during: '[2020-03-04T10:00Z,2020-03-04T11:00Z)',
      created_at: '2020-03-04',
      cancelled_at: '2020-03-04',
      revision: 1,
    })
    expect((await client.delete(`bookables/${room}`)).status).to.equal(204)
    expect(await world.database('room_calendars').first()).to.deep.include({ is_ending: true })
    expect((await link(CALDAV)).status).to.equal(404)
    expect((await link(CALDAV, 999_999)).status).to.equal(404)
  })

  it('is in the audit log and in the change feed', async () => {
    const last = await world.database('changes').max('sequence as sequence').first()
    await link(CALDAV)
    await link({ ...CALDAV, names: 'none' })
    await link({ ...CALDAV, names: 'none' })
    await client.delete(`bookables/${room}/calendar`)
    const of = { resource: 'bookables', resource_id: room }
    const entries = await world.database('audit_log').where(of).orderBy('id')
    const linked = { ...CALDAV, names: 'full' }
    expect(entries.map(({ action, before, after }) => ({ action, before, after }))).to.deep.equal([
      { action: 'bookables.link-calendar', before: null, after: linked },
      { action: 'bookables.link-calendar', before: linked, after: { ...linked, names: 'none' } },
      { action: 'bookables.unlink-calendar', before: { ...linked, names: 'none' }, after: null },
    ])
    const changes = await world
      .database('changes')
      .where('sequence', '>', last?.['sequence'] ?? 0)
      .orderBy('sequence')
      .select('type', 'action', 'resource_id')
    expect(changes).to.deep.equal(Array(3).fill({ type: 'bookable', action: 'updated', resource_id: room }))
  })

  it('is read with the ability read, and linked with object-write', async () => {
    await link(CALDAV)
    expect((await reader.get(`bookables/${room}/calendar`)).status).to.equal(200)
    expect((await reader.put(`bookables/${room}/calendar`, CALDAV)).status).to.equal(403)
    expect((await reader.delete(`bookables/${room}/calendar`)).status).to.equal(403)
    const { headers } = await reader.get(`bookables/${room}/calendar`)
    const known = { 'If-None-Match': headers.get('ETag') ?? '' }
    expect((await reader.get(`bookables/${room}/calendar`, known)).status).to.equal(304)
  })
})
