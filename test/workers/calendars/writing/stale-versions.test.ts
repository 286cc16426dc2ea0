// Tests that an entry is written although its mailbox changes each entry by itself just after it was written, so that the
// version in the answer is stale at once.
import { expect } from 'chai'
import type { GraphServer } from '../../../support/calendars/graph-server.ts'
import { useConnection, useDatabase } from '../../../support/databases.ts'
import { openMicrosoft, ROOM } from '../provider-worlds.ts'
import { addEntry, addEvent, at, moveEvent, NOW_MS } from './room-of-test.ts'
import { openWriting, type WritingWorld } from './writing-worlds.ts'

const MORNING = '20T09:00 20T10:00'
const NOON = '20T12:00 20T13:00'
const EVENING = '20T17:00 20T18:00'

describe('writing to a mailbox that changes what was written', () => {
  const database = useConnection(useDatabase())
  let world: WritingWorld & { server?: unknown }
  let server: GraphServer
  beforeEach(async () => {
    world = await openWriting(database, openMicrosoft)
    server = world.server as GraphServer
    server.changesWhatWasWritten = true
  })
  afterEach(() => world.close())

  const shown = async () => (await world.list()).map(({ from, to }) => [from, to])
  const expectNoFault = async () => {
    for (const row of await world.rows()) expect(row).to.include({ fault: null, failures: 0, conflict: null })
    expect(await world.countPending()).to.equal(0)
    expect(world.logged.join()).to.not.include('could not be written')
  }

  it('changes an entry of Berth again and again, and removes it', async () => {
    const event = await addEvent(database, world, MORNING)
    await world.write()
    for (const times of [NOON, EVENING, MORNING]) {
      await moveEvent(database, event, times)
      expect(await world.write()).to.deep.equal({ moreAt: NOW_MS + 3_600_000 })
      expect(await shown()).to.deep.equal([times.split(' ').map(at)])
      await expectNoFault()
    }
    await world.read()
    await expectNoFault()
    await database('events').where({ id: event }).delete()
    await world.write()
    expect(await shown()).to.deep.equal([])
    expect(await world.rows()).to.deep.equal([])
  })

  it('moves an entry that somebody made in the calendar itself', async () => {
    const event_id = await addEvent(database, world, NOON)
    const time = (name: string) => ({ dateTime: `${at(name).slice(0, 19)}.0000000`, timeZone: 'UTC' })
    const { id } = server.addEvent(ROOM, {
      subject: 'Planning',
      start: time('20T09:00'),
      end: time('20T10:00'),
      isOrganizer: true,
      organizer: { emailAddress: { address: ROOM, name: 'Aquarium' } },
    })
    await addEntry(database, world, { entry_id: id, event_id, version: 'W/"stale"', seen: { isOwn: true } })
    const [row] = await world.rows()
    // Reads the entry, and stores that Berth has applied it as the calendar has it, but with a stale version.
    await world.read()
    await database('calendar_entries')
      .where({ id: row?.id })
      .update({ base: database.ref('seen'), pending_since: null, version: 'W/"stale"' })
    for (const times of [NOON, EVENING]) {
      await moveEvent(database, event_id, times)
      await world.write()
      expect(await shown()).to.deep.equal([times.split(' ').map(at)])
      await expectNoFault()
    }
  })
})
