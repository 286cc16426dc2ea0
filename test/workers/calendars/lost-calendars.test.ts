// Tests that a calendar which is away, or which somebody has cleared, cancels no booking, with every provider.
import { expect } from 'chai'
import { createEntryKey } from '../../../workers/calendars/entry-keys.ts'
import { useConnection, useDatabase } from '../../support/databases.ts'
import { findFault } from './follow-changes.ts'
import { addEvent, at, moveEvent } from './writing/room-of-test.ts'
import { describeWriting, openWriting, type WritingWorld } from './writing/writing-worlds.ts'

describeWriting('a calendar that loses entries', (open) => {
  const database = useConnection(useDatabase())
  let world: WritingWorld
  beforeEach(async function each() {
    this.timeout(120_000)
    world = await openWriting(database, open)
  })
  afterEach(() => world.close())

  const writeMeetings = async (count: number) => {
    const events: number[] = []
    for (let day = 1; day <= count; day++) {
      const date = String(day).padStart(2, '0')
      const times = ['09:00', '10:00'].map((time) => `2030-12-${date}T${time}:00Z`) as [string, string]
      events.push(await addEvent(database, world, '21T09:00 21T10:00'))
      const during = database.raw('tstzrange(?, ?)', times)
      for (const [table, row] of [
        ['events', { id: events.at(-1) }],
        ['bookings', { event_id: events.at(-1) }],
      ] as const)
        await database(table).where(row).update({ during })
    }
    await world.read()
    await world.write()
    await world.read()
    expect(await world.countPending()).to.equal(0)
    return events
  }
  const removeOutside = async (left: number) => {
    const entries = await world.list()
    for (const { id } of entries.slice(left)) await world.provider.cancelEntry(world.calendar, id)
  }

  it('cancels nothing while the whole calendar is away', async () => {
    await world.read()
    const event = await addEvent(database, world, '20T09:00 20T10:00')
    await world.write()
    await world.read()
    await moveEvent(database, event, '20T12:00 20T13:00')
    const answer = { status: 404, body: { error: { code: 'ErrorItemNotFound', message: 'Not Found' } } }
    world.proxy.faults.push({
      matches: ({ url }) => !url.pathname.endsWith('/token'),
      answer,
      isLasting: true,
    })
    expect((await findFault(world.write())).kind).to.equal('not_found')
    expect(await world.countPending()).to.equal(0)
    world.proxy.faults.length = 0
    await world.write()
    expect((await world.list()).map(({ from }) => from)).to.deep.equal([at('20T12:00')])
  })

  it('cancels nothing once somebody has cleared it, and says so', async function cleared() {
    this.timeout(120_000)
    await writeMeetings(11)
    await removeOutside(0)
    for (let times = 0; times < 2; times++) {
      expect((await findFault(world.read())).kind).to.equal('emptied')
      const seen = (await world.rows()).map((row) => (row['seen'] as { isGone: boolean }).isGone)
      expect(seen.filter((isGone) => !isGone)).not.to.deep.equal([])
    }
  })

  it('applies the removal of each entry as long as one entry is left', async function removed() {
    this.timeout(120_000)
    await writeMeetings(11)
    await removeOutside(1)
    await world.read()
    expect(await world.countPending()).to.equal(10)
  })

  it('treats an entry that somebody has moved there from the calendar of another room as a new meeting', async () => {
    await world.read()
    const [{ id: identity }] = await database('identity').select('id')
    const key = createEntryKey({ identity, kind: 'event', id: 7, ownerId: world.bookableId + 1 })
    const content = {
      title: 'Planning',
      text: '',
      from: at('20T09:00'),
      to: at('20T10:00'),
      isPrivate: false,
      attendees: [],
    }
    await world.provider.createEntry(world.calendar, key, content)
    await world.read()
    const [row] = await world.rows()
    expect(row).to.include({ key: null })
    expect(row?.['pending_since']).to.be.a('string')
    await world.write()
    expect(await world.list()).to.have.length(1)
  })

  it('removes no meeting that was moved since it was read', async () => {
    const id = await world.addMeeting({ title: 'Moved', from: at('20T09:00'), to: at('20T10:00') })
    await world.read()
    await database('calendar_entries').update({
      pending_since: null,
      base: database.ref('seen'),
      event_id: 7,
      seen: database.raw(`seen || '{"isOwn": true}'`),
    })
    await world.move(id, at('22T09:00'), at('22T10:00'))
    await world.write()
    expect((await world.list()).map(({ from }) => from)).to.deep.equal([at('22T09:00')])
    expect(await world.countPending()).to.equal(1)
  })

  it('removes each occurrence of a series that Berth has cancelled with a few requests', async () => {
    await world.addSeries('Weekly', '2030-11-22T09:00', 6)
    await world.read()
    await database('calendar_entries').update({
      pending_since: null,
      base: database.ref('seen'),
      event_id: 7,
      seen: database.raw(`seen || '{"isOwn": true}'`),
    })
    const before = world.proxy.requests.length
    await world.write()
    expect(await world.list()).to.deep.equal([])
    expect(world.proxy.requests.length - before).to.be.at.most(24)
  })
})
