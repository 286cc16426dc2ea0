// Tests what the engine does with entries that a reading from the beginning does not name, with every provider.
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { type CalendarProvider, ProviderFault } from '../../../shared/room-calendars/providers/provider.ts'
import { readCalendar } from '../../../workers/calendars/reading/reading.ts'
import { useConnection, useDatabase } from '../../support/databases.ts'
import { findFault } from './follow-changes.ts'
import { at } from './writing/room-of-test.ts'
import { describeWriting, openWriting, type WritingWorld } from './writing/writing-worlds.ts'

describeWriting('a reading from the beginning', (open) => {
  const database = useConnection(useDatabase())
  let world: WritingWorld
  beforeEach(async function each() {
    this.timeout(60_000)
    world = await openWriting(database, open)
  })
  afterEach(() => world.close())

  /** Returns the provider with lists that lag behind, so that they leave out some entries. Notes each entry that it is asked for. */
  function hide(ids: string[]) {
    const { provider } = world
    const asked: string[] = []
    const lagging: Pick<CalendarProvider, 'name' | 'listChanges' | 'getEntry'> = {
      name: provider.name,
      async listChanges(...call) {
        const page = await provider.listChanges(...call)
        if ('isExpired' in page) return page
        const isNamed = (id: string) => !ids.includes(id)
        return {
          ...page,
          changed: page.changed.filter(({ id }) => isNamed(id)),
          removed: page.removed.filter(isNamed),
        }
      },
      getEntry(calendar, id) {
        asked.push(id)
        return provider.getEntry(calendar, id)
      },
    }
    const read = () => readCalendar(world.tools, world.link, lagging as CalendarProvider)
    return { asked, read }
  }
  const left = async () =>
    (
      await database('calendar_entries')
        .where({ bookable_id: world.bookableId })
        .orderByRaw('lower(during), id')
    )
      .filter(({ seen }) => !seen?.isGone)
      .map(({ seen }) => seen?.title)
  const addMeetings = async () => {
    const other = await world.addMeeting({ title: 'Other', from: at('21T09:00'), to: at('21T10:00') })
    const hidden = await world.addMeeting({ title: 'Hidden', from: at('22T09:00'), to: at('22T10:00') })
    const gone = await world.addMeeting({ title: 'Gone', from: at('23T09:00'), to: at('23T10:00') })
    return { other, hidden, gone }
  }

  it('asks for a meeting from outside before it counts as gone', async () => {
    const { hidden, gone } = await addMeetings()
    await world.read()
    await database('calendar_entries').update({
      event_id: 5,
      base: database.ref('seen'),
      pending_since: null,
    })
    await world.remove(gone)
    world.link.position = null
    const { asked, read } = hide([hidden, gone])
    await read()
    expect(asked).to.have.members([hidden, gone])
    expect(await left()).to.deep.equal(['Other', 'Hidden'])
    const pending = await database('calendar_entries').whereNotNull('pending_since')
    expect(pending.map(({ entry_id }) => entry_id)).to.deep.equal([gone])
    expect(world.link.isComplete).to.equal(true)
  })

  /** Returns a function that reads from a provider that refuses the former position, all positions, or every request (`isGone`). */
  function refusePositions(fault: ProviderFault, { onlyFormer = true, isGone = false } = {}) {
    const { provider } = world
    const former = world.link.position
    const refusing: Pick<CalendarProvider, 'name' | 'listChanges' | 'getEntry'> = {
      name: provider.name,
      async listChanges(calendar, position, period) {
        if (isGone || position === former || (position !== null && !onlyFormer)) throw fault
        const page = await provider.listChanges(calendar, position, period)
        return onlyFormer ? page : { ...page, hasMore: true }
      },
      getEntry: (...call) => provider.getEntry(...call),
    }
    return (failures = 0) => readCalendar(world.tools, world.link, refusing as CalendarProvider, failures)
  }

  it('begins anew if the provider refuses its position, but only once in a round', async () => {
    await addMeetings()
    await world.read()
    expect(world.link).to.include({ reading: 1, isComplete: true })
    for (const [index, kind] of (['rejected', 'not_found', 'conflict'] as const).entries()) {
      await refusePositions(new ProviderFault(kind, 'No.', { status: 400 }))()
      expect(world.link, kind).to.include({ reading: index + 2, isComplete: true })
    }
    expect(await left()).to.deep.equal(['Other', 'Hidden', 'Gone'])
    const each = refusePositions(new ProviderFault('rejected', 'No.', { status: 400 }), { onlyFormer: false })
    expect(await findFault(each())).to.include({ kind: 'rejected' })
    expect(world.link).to.include({ reading: 5, isComplete: false })
  })

  it('begins anew if the provider fails with its position again and again, unless it fails without one as well', async () => {
    await addMeetings()
    await world.read()
    const { position } = world.link
    const failing = refusePositions(new ProviderFault('unavailable', 'No.', { status: 500 }))
    expect(await findFault(failing())).to.include({ kind: 'unavailable' })
    const busy = refusePositions(new ProviderFault('unavailable', 'No.', { status: 503 }))
    expect(await findFault(busy(9))).to.include({ status: 503 })
    for (const kind of ['not_found', 'unavailable'] as const) {
      const gone = refusePositions(new ProviderFault(kind, 'No.', { status: 500 }), { isGone: true })
      expect(await findFault(gone(9))).to.include({ kind })
    }
    expect(world.link).to.include({ reading: 1, isComplete: true, position })
    await failing(9)
    expect(world.link).to.include({ reading: 2, isComplete: true })
  })

  it('asks for no entry whose removal would cancel nothing', async () => {
    const { hidden, gone } = await addMeetings()
    await world.read()
    await database('calendar_entries').update({ pending_since: null })
    await world.remove(gone)
    world.link.position = null
    const { asked, read } = hide([hidden])
    await read()
    expect(asked).to.deep.equal([])
    expect(await left()).to.deep.equal(['Other'])
  })

  it('shows what Postgres cannot store among the conflicts, and stores the others', async () => {
    const { provider } = world
    const id = await world.addMeeting({ title: 'Other', from: at('21T09:00'), to: at('21T10:00') })
    const path = randomBytes(3_000).toString('hex')
    const strange: Pick<CalendarProvider, 'name' | 'listChanges'> = {
      name: provider.name,
      async listChanges(...call) {
        const page = await provider.listChanges(...call)
        if ('isExpired' in page) return page
        const [first] = page.changed
        if (!first) return page
        const years = [{ from: '0000-12-31T23:00:00.000000Z' }, { to: '+010000-01-01T00:00:00.000000Z' }]
        const others = years.map((times, index) => ({ ...first, id: `year-${index}`, ...times }))
        return {
          ...page,
          changed: [{ ...first, id: path }, ...others, first],
          removed: [...page.removed, path],
        }
      },
    }
    for (const conflicts of [3, 3]) {
      await readCalendar(world.tools, world.link, strange as CalendarProvider)
      const rows = await database('calendar_entries').where({ bookable_id: world.bookableId })
      const unread = rows.filter(({ seen }) => seen.unreadable !== undefined)
      expect(unread.map(({ conflict }) => conflict.message.text)).to.have.length(conflicts)
      expect(rows.filter((row) => !unread.includes(row)).map(({ entry_id }) => entry_id)).to.deep.equal([id])
      world.link.position = null
    }
  })

  it('asks for no meeting that is over', async () => {
    world.setNow(Date.now())
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
    const over = await world.addMeeting({ title: 'Over', from: hoursAgo(3), to: hoursAgo(2) })
    await world.read()
    await database('calendar_entries').update({ event_id: 5, base: database.ref('seen') })
    world.link.position = null
    const { asked, read } = hide([over])
    await read()
    expect(asked).to.deep.equal([])
    expect(await left()).to.deep.equal([])
  })

  it('asks for a hundred entries in a round, and for the others in the next one', async function many() {
    this.timeout(240_000)
    await addMeetings()
    await world.read()
    // The provider has none of these meetings any more.
    const isCalDav = world.provider.name === 'caldav'
    const lost = Array.from({ length: 120 }, (_each, index) => ({
      bookable_id: world.bookableId,
      entry_id: isCalDav ? `${world.calendar.id}lost${index}.ics` : `lost${index}`,
      event_id: index + 10,
      during: database.raw('tstzrange(?, ?)', [at('24T09:00'), at('24T10:00')]),
    }))
    await database('calendar_entries').insert(lost)
    world.link.position = null
    const { asked, read } = hide([])
    await read()
    expect(asked).to.have.length(100)
    expect(world.link.isComplete).to.equal(false)
    await read()
    expect(new Set(asked)).to.have.property('size', 120)
    expect(world.link.isComplete).to.equal(true)
    expect(await left()).to.deep.equal(['Other', 'Hidden', 'Gone'])
  })
})
