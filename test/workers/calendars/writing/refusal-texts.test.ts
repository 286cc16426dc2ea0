// Tests that a room's other entries are written even if the provider's text about a refusal contains characters that
// Postgres cannot store.
import { expect } from 'chai'
import { useConnection, useDatabase } from '../../../support/databases.ts'
import { openGoogle, openMicrosoft } from '../provider-worlds.ts'
import { addEvent, NOW_MS } from './room-of-test.ts'
import { openWriting } from './writing-worlds.ts'

// Berth shortens long texts. An emoji has two code units, so one of the two texts would be cut in the middle of an emoji,
// no matter how long the provider's error code before it is.
const TEXTS = {
  'a NUL character': 'Not\0allowed',
  'emoji after an even number of characters': '😀'.repeat(300),
  'emoji after an odd number of characters': `x${'😀'.repeat(300)}`,
}

for (const [name, open] of Object.entries({ 'Microsoft 365': openMicrosoft, 'Google Workspace': openGoogle }))
  describe(`the text of a refusal: ${name}`, () => {
    const database = useConnection(useDatabase())
    for (const [what, text] of Object.entries(TEXTS))
      it(`is stored if it has ${what}, and the next entry is written`, async function each() {
        this.timeout(60_000)
        const world = await openWriting(database, open)
        try {
          const refused = await addEvent(database, world, '20T09:00 20T10:00')
          await addEvent(database, world, '20T12:00 20T13:00')
          world.proxy.faults.push({
            matches: ({ method, url }) => method === 'POST' && !url.pathname.endsWith('/token'),
            answer: { status: 400, body: { error: { code: 'invalid', message: text } } },
          })
          expect(await world.write()).to.deep.equal({ moreAt: NOW_MS + 60_000 })
          const row = (await world.rows()).find(({ event_id }) => event_id === refused)
          expect(row).to.include({ failures: 1, entry_id: null })
          expect(JSON.stringify(row?.fault)).to.include(text.startsWith('Not') ? 'Notallowed' : '😀😀')
          expect((await world.list()).map(({ from }) => from)).to.deep.equal(['2030-11-20T12:00:00.000000Z'])
        } finally {
          await world.close()
        }
      })
  })
