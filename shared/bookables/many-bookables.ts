// The jobs of administrators for many bookables at once: all of them, or none.
import * as yup from 'yup'
import { message } from '../messages/message.ts'
import { conflictFields } from '../rules/in-the-way.ts'
import { dataSchema, integerAnswer } from '../schemas/answers.ts'
import { choice, id, list, object, required, text } from '../schemas/fields.ts'
import { job } from '../schemas/job.ts'
import { ids, notEmpty } from '../schemas/lists.ts'
import { BOOKABLE_STATUSES, MANY_MAX, positionSchema, TAGS_MAX } from './bookables.ts'

const SETTABLE = [BOOKABLE_STATUSES.flexible, BOOKABLE_STATUSES.blocked] as const

const many = { ids: required(ids({ max: MANY_MAX })) }
const tags = () => list(required(text({ max: 255, min: 1 })), { max: TAGS_MAX, isDistinct: true })

/** How many bookables have changed; those already as requested stay, and are not in the audit log. */
const reply = dataSchema(yup.object({ changed: integerAnswer() }))

export const manyBookablesJobs = {
  'bookables.set-status': job({
    queue: 'writes',
    input: object({
      ...many,
      status: required(choice(SETTABLE, (name) => message`${name} must be 0 (flexible) or 1 (blocked).`)),
      /** If they become blocked: what happens to their bookings. */
      ...conflictFields(),
    }),
    reply,
  }),
  'bookables.set-tags': job({
    queue: 'writes',
    input: object({ ...many, add: required(tags()), remove: required(tags()) }),
    reply,
  }),
  /** Puts each on the floor plan at its own position, or takes it off. */
  'bookables.set-positions': job({
    queue: 'writes',
    input: object({
      positions: required(notEmpty(list(required(positionSchema), { max: MANY_MAX }))),
    }),
    reply,
  }),
  /** Moves them to another location. Their positions were on the floor plan of the former one. */
  'bookables.relocate': job({
    queue: 'writes',
    input: object({ ...many, location_id: required(id()) }),
    reply,
  }),
  /** Assigns them to one person; refused if one is assigned to others. */
  'bookables.assign-many': job({
    queue: 'writes',
    input: object({ ...many, user_id: required(id()), ...conflictFields() }),
    reply,
  }),
  'bookables.unassign-many': job({ queue: 'writes', input: object(many), reply }),
}
