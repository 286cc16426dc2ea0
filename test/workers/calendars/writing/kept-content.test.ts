// Tests that a change in Berth keeps what people have added to Berth's own entry: colleagues, and a link to a video call.
import { expect } from 'chai'
import { useConnection, useDatabase } from '../../../support/databases.ts'
import { openGoogle, openMicrosoft, type ProviderWorld, ROOM } from '../provider-worlds.ts'
import { addEvent, moveEvent } from './room-of-test.ts'
import { openWriting } from './writing-worlds.ts'

const MORNING = '20T09:00 20T10:00'
const NOON = '20T12:00 20T13:00'

type Added<Server> = {
  open: () => Promise<ProviderWorld & { server: Server }>
  /** Adds Bob and a link to the entry as a calendar program does. */
  add(server: Server, id: string): void
  textField: string
}

function describeAdded<Server>(name: string, { open, add, textField }: Added<Server>) {
  describe(`what people add to an entry that Berth wrote: ${name}`, () => {
    const database = useConnection(useDatabase())
    let outside: Awaited<ReturnType<typeof open>>
    let world: Awaited<ReturnType<typeof openWriting>>
    let event: number
    beforeEach(async function each() {
      this.timeout(60_000)
      outside = await open()
      world = await openWriting(database, async () => outside)
      event = await addEvent(database, world, MORNING)
      await world.write()
      const [entry] = await world.list()
      add(outside.server, entry?.id ?? '')
      await world.read()
      await world.write()
    })
    afterEach(() => world.close())

    const lastChange = () => JSON.parse(world.writes().at(-1)?.body ?? '{}')
    const expectPeopleKept = async () => {
      const [entry] = await world.list()
      expect(entry?.attendees.map(({ address }) => address)).to.deep.equal(['bob@corp.test'])
    }

    it('stays when the meeting gets another time or title', async () => {
      await moveEvent(database, event, NOON)
      await database('events').where({ id: event }).update({ name: 'Renamed' })
      await world.write()
      const [entry] = await world.list()
      expect(entry).to.deep.include({ title: 'Renamed', from: '2030-11-20T12:00:00.000000Z' })
      await expectPeopleKept()
      expect(lastChange()).to.not.have.any.keys(textField, 'attendees')
    })

    it('loses only the text when Berth has another one', async () => {
      world.tools.peopleUrl = 'https://berth.test'
      await world.write()
      await expectPeopleKept()
      expect(JSON.stringify(lastChange()[textField])).to.include(`https://berth.test/my/meetings/${event}`)
    })
  })
}

describeAdded('Microsoft 365', {
  open: openMicrosoft,
  textField: 'body',
  add: (server, id) =>
    server.changeEvent(ROOM, id, {
      attendees: [{ emailAddress: { address: 'bob@corp.test', name: 'Bob' }, type: 'required' }],
      body: { contentType: 'html', content: 'Join the meeting' },
    }),
})
describeAdded('Google Workspace', {
  open: openGoogle,
  textField: 'description',
  add: (server, id) =>
    server.changeEvent(ROOM, id, {
      attendees: [{ email: 'bob@corp.test', displayName: 'Bob' }],
      description: 'Join the meeting',
    }),
})
