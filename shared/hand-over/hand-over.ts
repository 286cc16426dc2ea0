// Handing over what a person is responsible for: the meetings that they organize, what they approve, and the desks and rooms
// assigned to them. Defines the job, and the SQL that finds all of this for the page that shows it and the job that does it.
import * as yup from 'yup'
import { EVENT_STATUSES } from '../events/events.ts'
import type { RulePlace } from '../rules/rules-shape.ts'
import * as answer from '../schemas/answers.ts'
import { id, object, required } from '../schemas/fields.ts'
import { writeJob } from '../schemas/job.ts'

/** One job hands over at most this many meetings, the next ones first. Another job hands over later ones. */
export const MEETINGS_HANDED_OVER_MAX = 200

export const handOverJobs = {
  /** Gives everything to another active person, in one write that can be undone. Bookings stay with the first person. */
  'users.hand-over': writeJob(
    object({ id: required(id()), to: required(id()) }),
    answer.data(
      yup.object({
        meetings: answer.integer(),
        places: answer.integer('The number of places whose approvals were handed over.'),
        assigned: answer.integer('The number of desks and rooms that were assigned to the person.'),
        is_complete: answer.flag('False if there are more meetings than one job hands over.'),
      }),
    ),
  ),
}

/** SQL that follows FROM: the meetings that a person organizes and that are not over, the next one first. */
export const organizedMeetingsSql = (user: string, now: string): string => `events
  WHERE organizer_user_id = ${user} AND during && tstzrange(${now}, NULL) AND status <> ${EVENT_STATUSES.cancelled}
  ORDER BY lower(during), id LIMIT ${MEETINGS_HANDED_OVER_MAX + 1}`

/** SQL that follows FROM: the places whose rules name the person as an approver. */
export const approvedPlacesSql = (place: RulePlace, user: string): string => `${place}
  WHERE CAST(rules -> 'approvers' -> 'user_ids' AS jsonb) @> to_jsonb(CAST(${user} AS bigint))
    ${place === 'bookables' ? 'AND deleted_at IS NULL' : ''}`
