// Tests which claims conflict with bookings, and which places are offered instead.
import { expect } from 'chai'
import fc from 'fast-check'
import { BOOKABLE_STATUSES } from '../../../../shared/bookables/bookables.ts'
import { findConflict, findConflicts } from '../../../../workers/jobs/claims/conflicts.ts'
import { getConnection } from '../../../../workers/runtime/connection.ts'
import {
  createBookable,
  createBooking,
  createGroup,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { testSeed } from '../../../support/seed.ts'
import { useWorld } from '../../../support/world.ts'

const DESK_COUNT = 12
const SPANS = [24, 26, 28].map((hours) => ({ from: hoursFromNow(hours), to: hoursFromNow(hours + 3) }))

const deskArbitrary = fc.record({
  status: fc.constantFrom(...Object.values(BOOKABLE_STATUSES)),
  requires_vehicle: fc.boolean(),
  isAssigned: fc.boolean(),
  isForGroup: fc.boolean(),
  taken: fc.subarray([0, 1, 2]),
})
const wantedArbitrary = fc.record({
  desk: fc.nat(DESK_COUNT - 1),
  time: fc.nat(2),
  user: fc.nat(1),
  hasVehicle: fc.boolean(),
})

describe('conflicts of several bookings that one query finds', () => {
  const world = useWorld({ workers: [] })

  it('have the same claims and alternatives as when each booking is checked alone', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(deskArbitrary, { minLength: DESK_COUNT, maxLength: DESK_COUNT }),
        fc.array(wantedArbitrary, { minLength: 2, maxLength: 12 }),
        async (desks, wanted) => {
          const { database } = world
          const location_id = await createLocation(database)
          const users = [await createUser(database), await createUser(database)]
          const group = await createGroup(database)
          await database('group_members').insert({ group_id: group, user_id: users[1] })
          const ids: number[] = []
          for (const { isAssigned, isForGroup, taken, ...desk } of desks) {
            const rules = isForGroup ? JSON.stringify({ group_ids: [group] }) : null
            const id = await createBookable(database, { location_id, ...desk, rules })
            if (isAssigned)
              await database('bookable_assignees').insert({ bookable_id: id, user_id: users[0] })
            // Each booking lasts an hour, so that one does not exclude the other.
            for (const time of taken)
              await createBooking(database, {
                bookable_id: id,
                user_id: users[0],
                from: SPANS[time]?.from ?? '',
                to: hoursFromNow(25 + 2 * time),
              })
            ids.push(id)
          }
          const subjects = wanted.map(({ desk, time, user, hasVehicle }) => ({
            bookable_id: Number(ids[desk]),
            user_id: Number(users[user]),
            hasVehicle,
            now: hoursFromNow(0),
            span: SPANS[time] ?? { from: '', to: '' },
          }))
          await database.transaction(async (trx) => {
            const connection = await getConnection(trx)
            const together = await findConflicts(connection, subjects)
            const alone = []
            for (const { span, ...subject } of subjects)
              alone.push(await findConflict(connection, subject, span))
            expect(together.map((each) => each?.members)).to.deep.equal(alone.map((each) => each?.members))
          })
        },
      ),
      { seed: testSeed, numRuns: 20 },
    )).timeout(60_000)
})
