// Tests undoing a write of events: the undo restores all of them, unless somebody has changed one since then.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { JobName } from '../../../../shared/jobs/jobs.ts'
import { readAudit, useAdmin } from '../../../support/dashboard/admin.ts'
import { createBookable, createLocation, createUser, hoursFromNow } from '../../../support/factories.ts'
import { useClient, useWorld } from '../../../support/world.ts'

type Shown = {
  id: number
  name: string
  from: string
  status: number
  attendees: Array<{ id: number; status: number }>
}

describe('undoing a change of events', () => {
  const world = useWorld()
  const client = useClient(world)
  const admin = useAdmin(world)
  let [room, other, anna, ben, series] = [0, 0, 0, 0, 0]
  let events: Shown[] = []
  beforeEach(async () => {
    const location_id = await createLocation(world.database)
    room = await createBookable(world.database, { location_id, name: 'Isar', type: 2 })
    other = await createBookable(world.database, { location_id, name: 'Elbe', type: 2 })
    anna = await createUser(world.database)
    ben = await createUser(world.database)
    const created = await client.post('events/series?invite=true', {
      name: 'Planning',
      from_time: hoursFromNow(24),
      to_time: hoursFromNow(25),
      organizer_user_id: anna,
      attendees: [
        { type: 'bookable', id: room },
        { type: 'user', id: ben },
        { type: 'visitor', email: 'ada@visitor.example', name: 'Ada' },
      ],
      repeat: { every: 'day', count: 3 },
    })
    expect(created.status, created.text).to.equal(200)
    series = created.json.data.id
    events = await present()
  })

  const present = async (): Promise<Shown[]> =>
    (await client.get(`event-series/${series}?include=details`)).json.data.events
  const idOf = (index: number) => events[index]?.id ?? 0

  /** Makes a change and returns its last audit entry. */
  async function change(name: JobName, input: unknown): Promise<number> {
    const requestId = randomUUID()
    const { status, json } = await admin.ask(name, input, { requestId })
    expect(status, JSON.stringify(json)).to.be.below(300)
    return (await readAudit(world, requestId)).at(-1).id
  }
  const undo = (id: number) => admin.ask('audit-entries.undo', { id })
  async function expectUndone(entry: number) {
    const { status, json } = await undo(entry)
    expect(status, JSON.stringify(json)).to.equal(200)
    return json.data
  }

  it('reinstates all cancelled events of a series at once, with their rooms and answers', async () => {
    await client.post(`events/${idOf(1)}/attendees/${ben}/answer`, { status: 1 })
    events = await present()
    const entry = await change('event-series.cancel-events', { id: idOf(0), scope: 'all' })
    expect((await present()).map(({ status }) => status)).to.deep.equal([2, 2, 2])
    expect(await expectUndone(entry)).to.deep.equal({ undone: 3, left: 0 })
    expect(await present()).to.deep.equal(events)
  })

  it('reinstates events in a room that has needed approval since then', async () => {
    const rules = JSON.stringify({ approvers: { user_ids: [ben] } })
    await world.database('bookables').where({ id: room }).update({ rules })
    const entry = await change('event-series.cancel-events', { id: idOf(0), scope: 'all' })
    expect(await expectUndone(entry)).to.deep.equal({ undone: 3, left: 0 })
    expect(await present()).to.deep.equal(events)
  })

  it('moves all events of a series back, with their title, room, people and answers', async () => {
    await client.post(`events/${idOf(1)}/attendees/${ben}/answer`, { status: 3 })
    events = await present()
    const entry = await change('event-series.update-events', {
      id: idOf(0),
      scope: 'all',
      name: 'Review',
      from_time: hoursFromNow(48),
      to_time: hoursFromNow(49),
      attendees: { add: [{ type: 'bookable', id: other }], remove: [{ type: 'bookable', id: room }] },
    })
    const moved = await present()
    expect(moved.map(({ name }) => name)).to.deep.equal(['Review', 'Review', 'Review'])
    expect(moved[1]?.attendees.map(({ status }) => status)).to.deep.equal([1, 0, 0])
    await expectUndone(entry)
    expect(await present()).to.deep.equal(events)
    const [invitation] = await world.database('invitations').where({ event_id: idOf(1), user_id: ben })
    if (invitation) expect(invitation.told_answer).to.equal(3)
  })

  it('cancels a whole series that was just created', async () => {
    const entry = (await world.database('audit_log').where({ action: 'events.create' }).max('id').first())
      ?.max
    expect(await expectUndone(Number(entry))).to.deep.equal({ undone: 4, left: 0 })
    expect((await present()).map(({ status }) => status)).to.deep.equal([2, 2, 2])
  })

  it('restores a single event, and can itself be undone', async () => {
    const entry = await change('events.update', { id: idOf(2), name: 'Once', attendees: [] })
    const changed = await present()
    await expectUndone(entry)
    expect((await present()).map(({ name }) => name)).to.deep.equal(['Planning', 'Planning', 'Planning'])
    expect((await present())[2]?.attendees).to.have.length(3)
    const [last] = await world.database('audit_log').orderBy('id', 'desc').limit(1)
    expect(last).to.include({ action: 'events.replace', undoes: entry })
    await expectUndone(last.id)
    expect(await present()).to.deep.equal(changed)
  })

  it('leaves out attendees who were erased since then', async () => {
    const entry = await change('events.update', { id: idOf(0), attendees: { remove: [ben] } })
    const { status } = await admin.ask('users.erase', { id: ben })
    expect(status).to.equal(200)
    await expectUndone(entry)
    expect((await present())[0]?.attendees).to.have.length(2)
  })

  it('is refused if one event has changed since then, or if its room is taken', async () => {
    const entry = await change('event-series.update-events', { id: idOf(0), scope: 'all', name: 'Review' })
    await client.patch(`events/${idOf(1)}`, { name: 'Other' })
    const before = await present()
    const changed = await undo(entry)
    expect([changed.status, changed.json.code]).to.deep.equal([409, 'changed_meanwhile'])
    expect(await present()).to.deep.equal(before)
    const cancelled = await change('event-series.cancel-events', { id: idOf(0), scope: 'following' })
    const times = { from_time: events[2]?.from, to_time: hoursFromNow(24 * 3 + 1) }
    const bookable = await world.database('bookables').where({ id: room }).first()
    const body = { bookable_id: room, location_id: bookable.location_id, user_id: ben, ...times }
    expect((await client.post('bookings', body)).status).to.equal(200)
    const taken = await undo(cancelled)
    expect([taken.status, taken.json.code]).to.deep.equal([409, 'booking_conflict'])
    expect((await present()).map(({ status }) => status)).to.deep.equal([2, 2, 2])
  })

  it('is refused the second time, and after the meeting', async () => {
    const entry = await change('events.cancel', { id: idOf(0) })
    await expectUndone(entry)
    expect((await undo(entry)).json.code).to.equal('changed_meanwhile')
    const past = { from_time: hoursFromNow(-3), to_time: hoursFromNow(-2) }
    const { json } = await client.post('events', { name: 'Past', organizer_user_id: anna, ...past })
    const renamed = await change('events.update', { id: json.data.id, name: 'Renamed' })
    expect((await undo(renamed)).json.code).to.equal('event_ended')
  })
})
