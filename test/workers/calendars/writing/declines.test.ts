// Tests what becomes of entries from outside whose time Berth does not hold: they are declined with a sentence, moved or
// removed, at each provider. CalDAV servers cannot decline.
import { expect } from 'chai'
import { message } from '../../../../shared/messages/message.ts'
import type { SeenEntry } from '../../../../shared/room-calendars/room-calendars.ts'
import { GoogleServer } from '../../../support/calendars/google-server.ts'
import { GraphServer } from '../../../support/calendars/graph-server.ts'
import { useConnection, useDatabase } from '../../../support/databases.ts'
import { findFault } from '../follow-changes.ts'
import { addEvent, at, moveEvent, NOW_MS } from './room-of-test.ts'
import { describeWriting, openWriting, type WritingWorld } from './writing-worlds.ts'

const MORNING = '20T09:00 20T10:00'
const NOON = '20T12:00 20T13:00'
const HOUR_MS = 3_600_000

describeWriting('declining entries', (open) => {
  const database = useConnection(useDatabase())
  let world: WritingWorld & { server?: unknown }
  beforeEach(async function each() {
    this.timeout(60_000)
    world = await openWriting(database, open)
  })
  afterEach(() => world.close())

  const canDecline = () => world.provider.name !== 'caldav'
  const shown = async () =>
    (await world.list()).map(({ title, from, isDeclined }) => [title, from, isDeclined])
  /** What is left of the declined entry: Outlook removes it. */
  const afterDecline = () =>
    world.provider.name === 'microsoft' ? [] : [['Standup', at('20T09:00'), canDecline()]]
  const meet = (times: string) => {
    const [from = '', to = ''] = times.split(' ').map(at)
    return world.addMeeting({ title: 'Standup', from, to })
  }
  /** Reads the calendar, and gives its only entry what the job stores. */
  const readAndApply = async (changes: Record<string, unknown>) => {
    await world.read()
    const json = Object.fromEntries(
      Object.entries(changes).map(([name, value]) => [
        name,
        typeof value === 'object' ? JSON.stringify(value) : value,
      ]),
    )
    await database('calendar_entries')
      .where({ bookable_id: world.bookableId })
      .update({ ...json, base: database.ref('seen'), pending_since: null })
  }
  /** The sentences that the organizer got. */
  const told = (): string[] => {
    const { server } = world
    if (server instanceof GraphServer) return server.responses.map(({ comment }) => comment)
    if (!(server instanceof GoogleServer)) return []
    return world
      .writes()
      .flatMap(({ body }) => (body.includes('declined') ? [JSON.parse(body)] : []))
      .flatMap(({ attendees }) => attendees.flatMap(({ comment }: { comment?: string }) => comment ?? []))
  }

  const conflict = {
    message: message`${'Aquarium'} is taken ${{ from: at('20T09:00'), to: at('20T10:00'), zone: 'Europe/Berlin' }}.`,
    free_rooms: [
      { id: 1, name: 'Balcony' },
      { id: 2, name: 'Den' },
    ],
  }

  it('tells the organizer why, and which rooms are free, in the language of the building', async () => {
    await meet(MORNING)
    await readAndApply({ conflict })
    await world.write()
    const [row] = await world.rows()
    expect(row?.decline).to.equal(canDecline() ? 'declined' : 'impossible')
    expect(row?.conflict).to.deep.equal(conflict)
    expect(await shown()).to.deep.equal(afterDecline())
    if (canDecline())
      expect(told()).to.deep.equal([
        'Aquarium ist am 2030-11-20 von 10:00 bis 11:00 (Europe/Berlin) belegt. Zu dieser Zeit frei: Balcony, Den.',
      ])
    const before = world.writes().length
    await world.write()
    expect(world.writes().length).to.equal(before)
  })

  it('declines at most twice if the answer is lost', async () => {
    await meet(MORNING)
    await readAndApply({ conflict })
    if (!canDecline()) return
    world.proxy.faults.push({ matches: ({ body }) => body.includes('Balcony'), isCarriedOut: true })
    expect(await findFault(world.write())).to.include({ kind: 'unavailable' })
    // A round reads before it writes, and so finds what the lost call did.
    await world.read()
    await database('calendar_entries').update({ pending_since: null })
    await world.write()
    expect(told().length).to.be.within(1, 2)
    const before = world.writes().length
    await world.write()
    expect(world.writes().length).to.equal(before)
  })

  it('declines a meeting that was moved in Berth, and writes an entry of its own', async () => {
    await meet(MORNING)
    const event = await addEvent(database, world, MORNING)
    await readAndApply({ event_id: event })
    await world.write()
    expect(world.writes()).to.deep.equal([])
    await moveEvent(database, event, NOON)
    expect(await world.write()).to.deep.equal({ moreAt: NOW_MS + HOUR_MS })
    expect(await shown()).to.deep.equal([...afterDecline(), ['Planning', at('20T12:00'), false]])
    const [row] = await world.rows()
    if (canDecline()) {
      expect(told()).to.deep.equal([
        'Der Termin wurde in Berth verschoben: am 2030-11-20 von 13:00 bis 14:00 (Europe/Berlin).',
      ])
      // Its end is no longer the end of the event.
      expect(row).to.include({ event_id: null, decline: 'declined' })
      return
    }
    expect(row).to.deep.include({ event_id: event, decline: 'impossible' })
    expect(row?.conflict).to.deep.include({ reason: 'moved', free_rooms: [] })
    // Moved back, the entry from outside stands for the event again.
    await moveEvent(database, event, MORNING)
    await world.write()
    expect(await shown()).to.deep.equal([['Standup', at('20T09:00'), false]])
    expect((await world.rows())[0]).to.deep.include({ decline: null, conflict: null })
  })

  it('declines a meeting that was cancelled in Berth', async () => {
    await meet(MORNING)
    const event = await addEvent(database, world, MORNING)
    await readAndApply({ event_id: event })
    await database('events').where({ id: event }).update({ status: 2 })
    await world.write()
    const sentence = 'Der Termin wurde in Berth abgesagt.'
    expect(told()).to.deep.equal(canDecline() ? [sentence] : [])
    expect((await world.rows())[0]?.decline).to.equal(canDecline() ? 'declined' : 'impossible')
    const before = world.writes().length
    await world.write()
    expect(world.writes().length).to.equal(before)
  })

  it('leaves the other entries alone if one can no longer be declined', async () => {
    await meet(MORNING)
    await readAndApply({ conflict })
    if (!canDecline()) return
    world.proxy.faults.push({
      matches: ({ method, body }) => method !== 'GET' && body.includes('Balcony'),
      answer: { status: 403, body: 'No.' },
    })
    const event = await addEvent(database, world, NOON)
    await world.write()
    const rows = await world.rows()
    expect(rows[0]).to.include({ decline: null, failures: 1 })
    expect(rows[1]).to.include({ event_id: event, failures: 0 })
  })

  describe('of a meeting that was made in the calendar of the room', () => {
    /** A meeting without an organizer, which Berth may change. */
    const meetHere = async () => {
      const [from, to] = MORNING.split(' ').map(at) as [string, string]
      const content = { title: 'Tour', text: 'Bring *shoes*.', from, to, isPrivate: false, attendees: [] }
      // Another system made it, whose keys are not Berth's.
      return (await world.provider.createEntry(world.calendar, 'other-system-7', content)).id
    }
    const isOwn = async () => ((await world.rows())[0]?.seen as SeenEntry | undefined)?.isOwn

    it('moves it, and leaves its title', async () => {
      const id = await meetHere()
      const event = await addEvent(database, world, MORNING)
      await readAndApply({ event_id: event })
      if (!(await isOwn())) return
      await moveEvent(database, event, NOON)
      await world.write()
      const [entry, ...others] = await world.list()
      expect(entry).to.include({ id, title: 'Tour', from: at('20T12:00'), to: at('20T13:00') })
      expect(others).to.deep.equal([])
      await world.read()
      expect(await world.countPending()).to.equal(0)
    })

    it('removes it if the meeting was cancelled in Berth', async () => {
      await meetHere()
      const event = await addEvent(database, world, MORNING)
      await readAndApply({ event_id: event })
      if (!(await isOwn())) return
      await database('events').where({ id: event }).update({ status: 2 })
      await world.write()
      expect(await world.countEntries()).to.equal(0)
      await world.read()
      expect(await world.countPending()).to.equal(0)
    })

    it('lets the job decide if somebody else moved it meanwhile', async () => {
      const id = await meetHere()
      const event = await addEvent(database, world, MORNING)
      await readAndApply({ event_id: event })
      if (!(await isOwn())) return
      const entry = await world.provider.getEntry(world.calendar, id)
      const times = { from: at('20T15:00'), to: at('20T16:00') }
      await world.provider.changeEntry(world.calendar, id, entry?.version ?? '', times)
      await moveEvent(database, event, NOON)
      await world.write()
      expect(await shown()).to.deep.equal([['Tour', at('20T15:00'), false]])
      expect(await world.countPending()).to.equal(1)
    })
  })
})
