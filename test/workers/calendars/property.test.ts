// Tests that Berth and the calendars of two rooms show the same meetings at rest, whatever people do on both sides and whatever
// fails meanwhile. TEST_EDITS is the number of edits, and TEST_SEED repeats a run.

import { describeWithRadicale } from '../../support/calendars/caldav-servers.ts'
import { testSeed } from '../../support/seed.ts'
import { isLong } from '../../support/time.ts'
import { useClient, useWorld } from '../../support/world.ts'
import { expectRest } from './at-rest.ts'
import { type AnyWorld, OPEN_WORLDS } from './engine-world.ts'
import { TwoSides } from './two-sides.ts'

const EDITS = Number(process.env['TEST_EDITS'] ?? (isLong ? 100 : 20))
// A long run also checks on the way, so that a failure is near its cause.
const EDITS_BETWEEN_RESTS = 25
const EDIT_MS_MAX = 10_000

function describeProperty(name: string, open: () => Promise<AnyWorld>) {
  describe(`random edits of two rooms and their calendars: ${name}`, function suite() {
    this.timeout(120_000 + EDITS * EDIT_MS_MAX)
    const world = useWorld({ environment: { RATE_LIMIT_PER_MINUTE: '1000000' } })
    const client = useClient(world)
    let calendar: AnyWorld
    let sides: TwoSides

    beforeEach(async () => {
      calendar = await open()
      sides = new TwoSides(world, client, calendar, testSeed)
      await sides.open()
    })
    afterEach(async () => {
      await sides.close()
      await world.database('room_calendars').delete()
      await calendar.close()
    })

    it(`leaves both sides the same (seed ${testSeed})`, async () => {
      try {
        for (let edits = 1; edits <= EDITS; edits++) {
          await sides.editOnce()
          if (edits % EDITS_BETWEEN_RESTS === 0) await expectRest(sides.edits)
        }
        await expectRest(sides.edits)
      } catch (error) {
        if (error instanceof Error) error.message += `\nseed ${testSeed}:\n${sides.done.join('\n')}`
        throw error
      }
    })
  })
}

describeProperty('Microsoft 365', OPEN_WORLDS.microsoft)
describeProperty('Google Workspace', OPEN_WORLDS.google)
if (isLong) describeWithRadicale('random edits', () => describeProperty('CalDAV', OPEN_WORLDS.caldav))
