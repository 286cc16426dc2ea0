// Tests that entries in a room's calendar link to a meeting only where people can open it.
import { expect } from 'chai'
import type { WrittenEntry } from '../../../shared/room-calendars/room-calendars.ts'
import { hoursFromNow } from '../../support/factories.ts'
import { eventually } from '../../support/time.ts'
import { useWorld } from '../../support/world.ts'
import { CalendarEngine } from './engine-world.ts'
import { openMicrosoft } from './provider-worlds.ts'

const PUBLIC_URL = 'https://desk.example.com'

describe('the link in an entry of a room’s calendar', function suite() {
  this.timeout(120_000)
  const world = useWorld({ workers: [] })
  let outside: Awaited<ReturnType<typeof openMicrosoft>>
  let engine: CalendarEngine
  beforeEach(async () => {
    outside = await openMicrosoft()
    engine = new CalendarEngine(world, outside)
  })
  afterEach(async () => {
    await engine.stop()
    await outside.close()
  })

  it('leads to the page of the meeting, and is left out if people’s own pages are off', async () => {
    const room = await engine.link()
    const event = await engine.book('Planning', { from: hoursFromNow(24), to: hoursFromNow(25) })
    const waitForText = async (peoplePages: boolean, pattern: RegExp) => {
      engine.start({ config: { publicUrl: PUBLIC_URL, peoplePages } })
      await world.database('room_calendars').update({ next_write_at: new Date(0) })
      await eventually(async () => {
        const [entry] = await engine.listAll(room)
        expect((entry?.base as WrittenEntry | undefined)?.text).to.match(pattern)
      })
      await engine.stop()
    }
    await waitForText(true, new RegExp(`\n${PUBLIC_URL}/my/meetings/${event}$`))
    await waitForText(false, /^In Berth gebucht[.]\nOrganisation: [^\n]*$/)
  })
})
