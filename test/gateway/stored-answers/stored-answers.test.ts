// Tests that no answer of the interface changes unnoticed: compares the answers to fixed requests with the
// files in answers/. After an intended change, `npm run store-answers` stores the new answers, so that the
// same commit shows reviewers the difference.
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
import { formatRecorded, parseStoredMessage } from './recorded-text.ts'
import { type Ask, createRecorder } from './recorder.ts'

// The order matters: the first groups change nothing.
const REQUEST_GROUPS: Record<string, (ask: Ask) => Promise<void>> = {
  listings: askListings,
  requests: askRequests,
  bookables: askBookables,
  bookings: askBookings,
  events: askEvents,
  'user-lists': askUserLists,
  'finding-and-booking': askFindingAndBooking,
  'event-details': askEventDetails,
}

const ANSWERS_FOLDER = join(projectDirectory, 'test/gateway/stored-answers/answers')
const isStoring = process.env.STORE_ANSWERS !== undefined
const getAnswersFile = (group: string) => join(ANSWERS_FOLDER, `${group}.txt`)

describe('the stored responses of the API', () => {
  const world = useWorld({
    workers: ['writes', 'imports', 'exports'],
    // Freezes the clock, so that stored answers can contain the current time. Deadlines and the keep-alive
    // delay are long for that reason.
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
    for (const [group, askAll] of Object.entries(REQUEST_GROUPS)) {
      const { ask, recorded } = await createRecorder(world.url, world.database)
      await askAll(ask)
      answers[group] = formatRecorded(recorded)
      if (isStoring) writeFileSync(getAnswersFile(group), answers[group])
    }
  })

  for (const group of Object.keys(REQUEST_GROUPS)) {
    it(`equal the current responses: ${group}`, () => {
      const stored = parseStoredMessage(readFileSync(getAnswersFile(group), 'utf8'))
      const today = parseStoredMessage(answers[group] ?? '')
      for (const [index, answer] of today.entries()) expect(answer).to.equal(stored[index])
      expect(today).to.have.length(stored.length)
    })
  }
})
