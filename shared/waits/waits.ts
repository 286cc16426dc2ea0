// The waitlist: where nothing is free, a person waits for one desk or room, or for any of a kind on a floor.
import { BOOKABLE_TYPES } from '../bookables/bookables.ts'
import * as answer from '../schemas/answers.ts'
import { id, integer, nullIsAbsent, object, required } from '../schemas/fields.ts'
import { after, byId } from '../schemas/inputs.ts'
import { write } from '../schemas/job.ts'
import { dateTime } from '../schemas/times.ts'

/** How many waits of a person may be open at once. */
export const WAITS_MAX = 5
export const OFFER_MINUTES = 15
/** An offer of a time that begins sooner ends so long after its start. */
export const OFFER_GRACE_MINUTES = 5
/** Nobody is offered less than this. */
export const SHORTEST_OFFERED_MINUTES = 15

const { desk, meetingRoom } = BOOKABLE_TYPES

/** Everything but home offices, where there is room for everybody. */
export const waitedType = () => integer({ min: desk, max: meetingRoom })

export const waitJobs = {
  /** For one bookable, or for any of a type in a location. */
  'waits.create': write(
    object({
      user_id: required(id()),
      bookable_id: nullIsAbsent(id()),
      location_id: nullIsAbsent(id()),
      type: nullIsAbsent(waitedType()),
      user_vehicle_id: nullIsAbsent(id()),
      from_time: required(dateTime()),
      to_time: required(dateTime()).test(...after('from_time')),
    }),
    answer.idReply,
  ),
  'waits.cancel': write(byId, null),
  /** Books what is offered. */
  'waits.accept': write(byId, null),
  'waits.decline': write(byId, null),
}
