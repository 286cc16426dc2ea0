// Tests what happens to entries that Berth wrote and can no longer read, on a real CalDAV server.
import { expect } from 'chai'
import { describeWithRadicale, type Radicale } from '../../../support/calendars/caldav-servers.ts'
import { useConnection, useDatabase } from '../../../support/databases.ts'
import { openCalDav } from '../provider-worlds.ts'
import { addEvent, moveEvent } from './room-of-test.ts'
import { openWriting, type WritingWorld } from './writing-worlds.ts'

describeWithRadicale('an entry of Berth that cannot be read', () =>
  describe('an entry of Berth that cannot be read', function suite() {
    this.timeout(120_000)
    const database = useConnection(useDatabase())
    let world: WritingWorld
    let server: Radicale
    beforeEach(async () => {
      world = await openWriting(database, async () => {
        const opened = await openCalDav()
        server = opened.server
        return opened
      })
    })
    afterEach(() => world.close())

    const row = async () => (await world.rows())[0] ?? expect.fail('There is no row')
    const write = async () => {
      const before = world.writes().length
      await world.write()
      return world.writes().length - before
    }

    it('stays the only entry of its meeting, and is written again once it can be read', async () => {
      const event = await addEvent(database, world, '20T09:00 20T10:00')
      expect(await write()).to.equal(1)
      await world.read()
      const { entry_id } = await row()
      const text = await server.request('GET', String(entry_id))
      await server.put(
        String(entry_id),
        text.replace('END:VEVENT', 'RRULE:FREQ=HOURLY;COUNT=3\r\nEND:VEVENT'),
      )
      await world.read()
      expect((await row())['conflict']).not.to.equal(null)
      await moveEvent(database, event, '20T12:00 20T13:00')
      expect(await write()).to.equal(0)
      expect(await world.countEntries()).to.equal(1)
      await server.put(String(entry_id), text)
      await world.read()
      expect(await row()).to.include({ entry_id, conflict: null })
      expect(await write()).to.equal(1)
      expect(await world.list()).to.have.length(1)
      expect((await world.list())[0]?.from).to.include('T12:00')
    })

    it('leaves no conflict behind when another entry takes its place', async () => {
      await addEvent(database, world, '20T09:00 20T10:00')
      await world.write()
      const { id } = await row()
      await database('calendar_entries')
        .where({ id })
        .update({
          seen: database.raw(`seen || '{"isGone": true}'`),
          conflict: JSON.stringify({ message: { text: 'The entry cannot be read' }, free_rooms: [] }),
          conflict_since: new Date(),
        })
      expect(await write()).to.equal(1)
      expect(await row()).to.include({ id, conflict: null, conflict_since: null })
    })
  }),
)
