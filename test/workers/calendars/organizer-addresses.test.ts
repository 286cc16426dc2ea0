// Tests that the faults of providers do not name the people in whose calendars Berth writes meetings.
import { expect } from 'chai'
import type { Calendar } from '../../../shared/room-calendars/providers/provider.ts'
import { openGoogle, openMicrosoft, ROOM, ZONE } from './provider-worlds.ts'

const OLGA = 'Olga.O+berth@corp.test'
const CONTENT = {
  from: '2030-11-20T09:00:00Z',
  to: '2030-11-20T10:00:00Z',
  title: 'Planning',
  text: '',
  isPrivate: false,
  attendees: [{ address: ROOM, name: null, isRoom: true }],
}

for (const [name, open] of Object.entries({ 'Microsoft 365': openMicrosoft, 'Google Workspace': openGoogle }))
  describe(`a fault of ${name}`, function suite() {
    this.timeout(60_000)
    let world: Awaited<ReturnType<typeof openMicrosoft | typeof openGoogle>>
    beforeEach(async () => {
      world = await open()
      world.server.addPerson(OLGA)
    })
    afterEach(() => world.close())

    async function listMessages(calendar: Calendar): Promise<string[]> {
      const { provider, proxy } = world
      const calls: Array<() => Promise<unknown>> = [
        () => provider.getEntry(calendar, 'an id'),
        () => provider.findEntry(calendar, 'a key'),
        () => provider.createEntry(calendar, 'a key', CONTENT),
        () => provider.changeEntry(calendar, 'an id', '1', CONTENT),
        () => provider.changeAttendees(calendar, 'an id', '1', CONTENT.attendees),
        () => provider.cancelEntry(calendar, 'an id'),
      ]
      const messages: string[] = []
      for (const call of calls)
        for (const isAnswered of [true, false]) {
          const answer = { status: 400, body: { error: { message: `${calendar.id} is busy` } } }
          const isOfCalendar = ({ url }: { url: URL }) => !url.pathname.endsWith('/token')
          proxy.faults.push({ matches: isOfCalendar, isLasting: true, ...(isAnswered && { answer }) })
          messages.push(
            await call().then(
              () => 'no fault',
              ({ message }) => message,
            ),
          )
          proxy.faults.length = 0
        }
      return messages
    }

    it('does not name the organizer in whose calendar Berth writes', async () => {
      for (const text of await listMessages({ id: OLGA, zone: ZONE, isPersonal: true }))
        expect(text).to.include('/PERSON/').and.not.match(/olga/i)
    })

    it('names the room in whose calendar Berth writes', async () => {
      for (const text of await listMessages(world.calendar)) expect(text).to.include(encodeURIComponent(ROOM))
    })
  })
