// No answer of the interface changes unnoticed: a fixed set of requests, ordinary and failing, about fixed data is held
// against the answers in answers/. Where one is changed on purpose, `npm run store-answers` stores what is answered now,
// in the same commit, and the difference is there to be reviewed.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../../local/tools/folders.ts'
import { useWorld } from '../../support/world.ts'
import { createCompany, NOW } from './company.ts'
import { askBookables } from './groups/bookables.ts'
import { askBookings } from './groups/bookings.ts'
import { askEventDetails } from './groups/event-details.ts'
import { askEvents } from './groups/events.ts'
import { askFindingAndBooking } from './groups/finding-and-booking.ts'
import { askListings } from './groups/listings.ts'
import { askRequests } from './groups/requests.ts'
import { askUserLists } from './groups/user-lists.ts'
import { formatRecorded, parseStored } from './recorded-text.ts'
import { type Ask, createRecorder } from './recorder.ts'

// The order matters: the first ones change nothing.
const GROUPS: Record<string, (ask: Ask) => Promise<void>> = {
  listings: askListings,
  requests: askRequests,
  bookables: askBookables,
  bookings: askBookings,
  events: askEvents,
  'user-lists': askUserLists,
  'finding-and-booking': askFindingAndBooking,
  'event-details': askEventDetails,
}

const FOLDER = join(projectDirectory, 'test/gateway/stored-answers/answers')
const isStoring = process.env.STORE_ANSWERS !== undefined
const fileOf = (group: string) => join(FOLDER, `${group}.txt`)

describe('the stored answers of the interface', () => {
  const world = useWorld({
    workers: ['writes', 'imports', 'exports'],
    // It stands still, so that “now” can be stored; then deadlines need room. And no answer begins early on a busy machine.
    now: () => Date.parse(NOW),
    environment: {
      PUBLIC_URL: 'https://desk.example.com',
      WRITE_WAIT_MS: '60000',
      KEEPALIVE_AFTER_MS: '600000',
    },
  })
  const answers: Record<string, string> = {}

  before(async function askEverything() {
    // Each import starts a process that reads its file.
    this.timeout(600_000)
    await createCompany(world.database)
    for (const [group, askAll] of Object.entries(GROUPS)) {
      const { ask, recorded } = await createRecorder(world.url, world.database)
      await askAll(ask)
      answers[group] = formatRecorded(recorded)
      if (isStoring) writeFileSync(fileOf(group), answers[group])
    }
  })

  for (const group of Object.keys(GROUPS)) {
    it(`equal the current answers: ${group}`, () => {
      const stored = parseStored(readFileSync(fileOf(group), 'utf8'))
      const today = parseStored(answers[group] ?? '')
      for (const [index, answer] of today.entries()) expect(answer).to.equal(stored[index])
      expect(today).to.have.length(stored.length)
    })
  }
})
