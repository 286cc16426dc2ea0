// The waitlist: if nothing is free, a person can wait for one desk or room, or for any bookable of a type on a floor.
import { BOOKABLE_TYPES } from '../bookables/bookables.ts'
import * as answer from '../schemas/answers.ts'
import { id, integer, object, required, treatNullAsAbsent } from '../schemas/fields.ts'
import { idInput, isAfterField } from '../schemas/inputs.ts'
import { writeJob } from '../schemas/job.ts'
import { dateTime } from '../schemas/times.ts'

/** The maximum number of open waitlist entries of one person. */
export const WAITLIST_ENTRIES_MAX = 5
export const OFFER_MINUTES = 15
/** An offer expires at the latest this many minutes after the start of the offered time. */
export const OFFER_GRACE_MINUTES = 5
/** The minimum length of a free period that Berth offers to the waitlist. */
export const SHORTEST_OFFERED_MINUTES = 15

const { desk, meetingRoom } = BOOKABLE_TYPES

/** The types of bookable that people can wait for: all except home offices, which have room for everybody. */
export const waitlistTypeInput = () => integer({ min: desk, max: meetingRoom })

export const waitlistJobs = {
  /** Adds a person to the waitlist of one bookable, or of any bookable of a type in a location. */
  'waits.create': writeJob(
    object({
      user_id: required(id()),
      bookable_id: treatNullAsAbsent(id()),
      location_id: treatNullAsAbsent(id()),
      type: treatNullAsAbsent(waitlistTypeInput()),
      user_vehicle_id: treatNullAsAbsent(id()),
      from_time: required(dateTime()),
      to_time: required(dateTime()).test(...isAfterField('from_time')),
    }),
    answer.idReply,
  ),
  'waits.cancel': writeJob(idInput, null),
  /** Accepts an offer, and books what was offered. */
  'waits.accept': writeJob(idInput, null),
  'waits.decline': writeJob(idInput, null),
}
