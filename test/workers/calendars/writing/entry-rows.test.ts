// Tests how Berth stores several rows of entries that belong to one meeting.
import { expect } from 'chai'
import type { CalendarEntry } from '../../../../shared/room-calendars/providers/provider.ts'
import { createEntryKey } from '../../../../workers/calendars/entry-keys.ts'
import { noteWithdrawal } from '../../../../workers/calendars/organizers.ts'
import { beginReplacement, storeWritten } from '../../../../workers/calendars/writing/entry-rows.ts'
import { useConnection, useDatabase } from '../../../support/databases.ts'
import { eventually } from '../../../support/time.ts'
import { addEntry, at, createRoom } from './room-of-test.ts'

const CONTENT = {
  from: at('20T09:00'),
  to: at('20T10:00'),
  title: 'Planning',
  text: '',
  isPrivate: false,
}

describe('the rows of entries of one meeting', () => {
  const database = useConnection(useDatabase())
  const createKey = (ownerId: number) =>
    createEntryKey({ identity: 'here', kind: 'meeting', provider: 'google', id: 7, ownerId })

  it('become one row of a room when one of its rows gets the key of the other', async () => {
    const room = await createRoom(database)
    const elsewhere = await createRoom(database)
    const key = createKey(2)
    const id = await addEntry(database, room, { key: createKey(1), event_id: 7, copy_id: 'former copy' })
    await addEntry(database, room, { key, event_id: 7, copy_id: 'copy' })
    const kept = await addEntry(database, elsewhere, { key, event_id: 7 })
    expect(await beginReplacement(database, room.link, id, { key, content: CONTENT })).to.include({ id })
    const rows = await database('calendar_entries').where({ key }).orderBy('id')
    expect(rows.map((row) => [row.id, row.copy_id])).to.deep.equal([
      [id, 'copy'],
      [kept, null],
    ])
    expect(await database('calendar_entries').where({ bookable_id: room.bookableId })).to.have.length(1)
  })

  it('store an answer of the provider with a name that was cut in the middle of a character', async () => {
    const room = await createRoom(database)
    const id = await addEntry(database, room, { key: createKey(4), event_id: 7 })
    const entry: CalendarEntry = {
      ...CONTENT,
      id: 'entry',
      seriesId: null,
      uid: 'uid',
      version: '"2"',
      isFree: false,
      isCancelled: false,
      isDeclined: false,
      allDay: null,
      organizer: null,
      attendees: [{ address: 'bob@corp.test', name: 'Bob \0\ud83d', answer: 'accepted', isRoom: false }],
      key: createKey(4),
    }
    await storeWritten(database, room.link, id, { entry, content: CONTENT })
    const [row] = await database('calendar_entries').where({ id })
    expect(JSON.stringify(row.seen)).to.include('Bob \ufffd')
  })

  it('lose their content while an erasure changes the same rows, without a deadlock', async () => {
    const room = await createRoom(database)
    const key = createKey(3)
    const id = await addEntry(database, room, { key, event_id: 7, base: CONTENT })
    await database('organizer_entries').insert({
      key,
      event_id: 7,
      provider: 'google',
      mailbox: 'olga@corp.test',
      rooms: [room.bookableId],
      people: ['olga@corp.test'],
      ends_at: CONTENT.to,
    })
    const erasure = await database.transaction()
    await erasure('calendar_entries').where({ id }).forUpdate()
    const noted = noteWithdrawal(database, key)
    await eventually(async () => {
      const { rows: waiting } = await database.raw(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      )
      expect(waiting).to.have.length(1)
    })
    await erasure('organizer_entries').where({ key }).update({ mailbox: 'erased' })
    await erasure.commit()
    await noted
    expect(await database('calendar_entries').where({ id }).pluck('base')).to.deep.equal([null])
    const [entry] = await database('organizer_entries').where({ key })
    expect(entry).to.deep.include({ mailbox: 'erased', people: [] })
  })
})
