// Tests that reverting the migration of the calendars of organizers leaves nothing that the release before misunderstands.
import { expect } from 'chai'
import { down } from '../../migrations/0158-organizer-entries.ts'
import { createLinkedRoom, insertEntry } from '../support/calendars/entries.ts'
import { useConnection, useDatabase } from '../support/databases.ts'
import { hoursFromNow } from '../support/factories.ts'

describe('reverting the calendars of organizers', () => {
  const database = useConnection(useDatabase())

  it('forgets the entries of organizers, so that their meetings are not cancelled, and keeps those of rooms', async () => {
    const room = await createLinkedRoom(database)
    const times = { from: hoursFromNow(24), to: hoursFromNow(25) }
    for (const key of ['berth-test-meeting-1-2', 'berth-test-meeting-google-1-2-3', 'berth-test-event-4-5'])
      await insertEntry(database, room, times, { key })
    const work = database.transaction(async (transaction) => {
      await down(transaction)
      expect(await transaction('calendar_entries').pluck('key')).to.deep.equal(['berth-test-event-4-5'])
      throw new Error('undone')
    })
    expect(await work.catch(({ message }) => message)).to.equal('undone')
  })
})
