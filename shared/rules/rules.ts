// Rules that a building, a location or a bookable sets for its bookings. The nearest place wins, field by
// field: an absent field is inherited from the place above, null means that no rule applies here, whatever is
// set above.
import * as yup from 'yup'
import { field, message } from '../messages/message.ts'
import { fieldMessage } from '../messages/strict.ts'
import {
  dataSchema,
  flagAnswer,
  idAnswer,
  integerAnswer,
  listAnswer,
  textAnswer,
} from '../schemas/answers.ts'
import { choice, flag, id, integer, list, object, required, text } from '../schemas/fields.ts'
import { job } from '../schemas/job.ts'
import { ids, notEmpty } from '../schemas/lists.ts'
import { version } from '../schemas/version.ts'
import { type Closed, closedAnswer, closedHere, closedTimes } from './closed.ts'
import { conflictFields } from './in-the-way.ts'

const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7] as const
const HOURS_MAX = 28
const GROUPS_MAX = 100
const DAYS_MAX = 3_650
const DAY_MINUTES = 1_440
const MINUTES_MAX = 525_600
const BOOKINGS_MAX = 1_000

/** A time on a wall clock: “07:30”. A day ends at 24:00. */
const clockTime = (pattern: RegExp, last: string) =>
  text({ max: 5 }).test(
    'clock-time',
    fieldMessage((name) => message`${name} must be a time from 00:00 to ${last}.`),
    (value) => value == null || pattern.test(value),
  )

const START = /^([01]\d|2[0-3]):[0-5]\d$/
const END = /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/

const openSchema = object({
  day: required(
    choice(WEEKDAYS, (name) => message`${name} must be a weekday from 1 (Monday) to 7 (Sunday).`),
  ),
  from: required(clockTime(START, '23:59')),
  to: required(clockTime(END, '24:00')).test(
    'after',
    fieldMessage((name) => message`${name} must be after ${field('from')}.`),
    (to, { parent: { from } }) => !START.test(from) || typeof to !== 'string' || to > from,
  ),
})
export type OpeningHours = yup.InferType<typeof openSchema>[]

const openingHours = () =>
  notEmpty(list(required(openSchema), { max: HOURS_MAX }))
    .nullable()
    .meta({
      description:
        'When it is open: local times of the building, by ISO weekday (1 = Monday). A day without an entry is closed.',
    })

const checkIn = () =>
  object({
    opens_minutes_before: required(integer({ min: 0, max: DAY_MINUTES })).meta({
      description: 'How long before the start check-in opens.',
    }),
    release_minutes_after: required(integer({ min: 1, max: DAY_MINUTES })).meta({
      description: 'How long after the start the rest is released.',
    }),
    events: flag().meta({ description: 'Whether rooms of events ask for check-in too.', whenAbsent: false }),
  })

export const rulesSchema = object({
  opening_hours: openingHours(),
  days_ahead_max: integer({ min: 0, max: DAYS_MAX })
    .nullable()
    .meta({ description: 'How many days ahead a booking may lie, to its end; 0 is today only.' }),
  minutes_min: integer({ min: 1, max: MINUTES_MAX })
    .nullable()
    .meta({ description: 'How long a booking lasts at least.' }),
  minutes_max: integer({ min: 1, max: MINUTES_MAX })
    .nullable()
    .test(
      'min',
      fieldMessage((name) => message`${name} must not be less than ${field('minutes_min')}.`),
      (value, { parent }) => value == null || !(parent.minutes_min > value),
    )
    .meta({ description: 'How long a booking lasts at most.' }),
  bookings_ahead_max: integer({ min: 1, max: BOOKINGS_MAX }).nullable().meta({
    description:
      'How many current and upcoming bookings of one type a user may have in the place that sets this rule.',
  }),
  one_at_a_time: flag().nullable().meta({
    description: 'Whether a user may hold only one bookable of a type at a time. Bookings for guests apart.',
  }),
  group_ids: ids({ max: GROUPS_MAX })
    .nullable()
    .meta({ description: 'Only members of one of these groups may book.' }),
  // yup would otherwise turn an absent object into an empty one.
  check_in: checkIn().nullable().optional().default(undefined).meta({
    description: 'Who has not checked in by then loses the rest of the time.',
  }),
  closed: closedTimes(),
})
export type Rules = yup.InferType<typeof rulesSchema>
/** The rules for which the nearest place wins. */
export type RuleName = Exclude<keyof Rules, 'closed'>

const PLACE_TYPES = ['building', 'location', 'bookable']

const sourceSchema = yup
  .object({ type: textAnswer({ enum: PLACE_TYPES }), id: idAnswer(), name: textAnswer() })
  .meta({ component: 'RuleSource' })
export type RuleSource = yup.InferType<typeof sourceSchema>

const openingHoursAnswer = listAnswer(
  yup
    .object({ day: integerAnswer([...WEEKDAYS]), from: textAnswer(), to: textAnswer() })
    .meta({ component: 'Open' }),
)

const answers = {
  opening_hours: openingHoursAnswer,
  days_ahead_max: integerAnswer(),
  minutes_min: integerAnswer(),
  minutes_max: integerAnswer(),
  bookings_ahead_max: integerAnswer(),
  one_at_a_time: flagAnswer(),
  group_ids: listAnswer(idAnswer()),
  check_in: yup
    .object({
      opens_minutes_before: integerAnswer(),
      release_minutes_after: integerAnswer(),
      events: flagAnswer().meta({ sometimes: true }),
    })
    .meta({ component: 'CheckIn' }),
} satisfies Record<RuleName, yup.AnySchema>

export const RULE_NAMES = Object.keys(answers) as RuleName[]

type Effective = { [Name in RuleName]: { value: unknown; source: RuleSource | null } }

/** Contains only the fields that are set at the place. */
const ownSchema = yup.object({
  ...mapAnswers((answer) => answer.nullable().meta({ sometimes: true })),
  closed: closedAnswer.optional().meta({ sometimes: true }),
})
const effectiveSchema = yup.object(
  mapAnswers((answer) => yup.object({ value: answer.nullable(), source: sourceSchema.nullable() })),
)

export const placeRulesSchema = yup
  .object({
    own: ownSchema.meta({
      component: 'Rules',
      description: 'What is set at this place. Absent: inherited. null: nothing holds here.',
    }),
    effective: effectiveSchema.meta({
      component: 'EffectiveRules',
      description: 'What holds here, and which place says so; both null where no place does.',
    }),
    closed: closedHere(sourceSchema).meta({
      description: 'When it is closed, by itself or by a place above it.',
    }),
  })
  .meta({ component: 'PlaceRules' })
export type PlaceRules = {
  own: Rules
  effective: Effective
  closed: Array<Closed & { source: RuleSource }>
}

function mapAnswers(change: (answer: yup.AnySchema) => yup.AnySchema): Record<RuleName, yup.AnySchema> {
  const changed = Object.entries(answers).map(([name, answer]) => [name, change(answer)])
  return Object.fromEntries(changed)
}

const setRules = () =>
  job({
    queue: 'writes',
    input: object({
      id: required(id()),
      version: version(),
      rules: required(rulesSchema),
      /** If the place becomes closed: what happens to the bookings at these times. */
      ...conflictFields(),
    }),
    reply: dataSchema(placeRulesSchema),
  })

/** Replaces all rules of the place. */
export const ruleJobs = {
  'buildings.set-rules': setRules(),
  'locations.set-rules': setRules(),
  'bookables.set-rules': setRules(),
}
