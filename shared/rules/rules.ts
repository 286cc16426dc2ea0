// The rules of a place: the API's schemas, and the jobs that set the rules. For each field, the nearest place that sets
// it wins: a place inherits an absent field from the place above, and null means that no rule applies, even if a place
// above sets one. booking-rules.ts declares the rules.
import * as yup from 'yup'
import * as answer from '../schemas/answers.ts'
import { id, object, required } from '../schemas/fields.ts'
import { formVersion } from '../schemas/inputs.ts'
import { writeJob } from '../schemas/job.ts'
import { affectedBookingsFields } from './affected-bookings-input.ts'
import { BOOKING_RULES } from './booking-rules.ts'
import { type ClosedTimes, closedAnswer, closedAtPlaceAnswer, closedTimesInput } from './closed-times.ts'

/** The names of the rules for which only the value of the nearest place applies. */
export type RuleName = keyof typeof BOOKING_RULES
export const RULE_NAMES = Object.keys(BOOKING_RULES) as RuleName[]

type RuleSchemas = { [Name in RuleName]: (typeof BOOKING_RULES)[Name]['schema'] }
const ruleSchemas = Object.fromEntries(
  RULE_NAMES.map((name) => [name, BOOKING_RULES[name].schema]),
) as RuleSchemas

export const rulesSchema = object({ ...ruleSchemas, closed: closedTimesInput() })
export type Rules = yup.InferType<typeof rulesSchema>

const PLACE_TYPES = ['building', 'location', 'bookable']

const sourceSchema = yup
  .object({ type: answer.oneOf(PLACE_TYPES), id: answer.id(), name: answer.text() })
  .meta({ component: 'RuleSource' })
export type RuleSource = yup.InferType<typeof sourceSchema>

type RulesInForce = { [Name in RuleName]: { value: unknown; source: RuleSource | null } }

/** Contains only the rules that the place itself sets. */
const ownRulesSchema = yup.object({
  ...mapAnswers((answer) => answer.nullable().meta({ sometimes: true })),
  closed: closedAnswer.optional().meta({ sometimes: true }),
})
const effectiveRulesSchema = yup.object(
  mapAnswers((answer) => yup.object({ value: answer.nullable(), source: sourceSchema.nullable() })),
)

export const placeRulesSchema = yup
  .object({
    own: ownRulesSchema.meta({
      component: 'Rules',
      description: 'The rules set at this place. An absent rule is inherited; null turns the rule off.',
    }),
    effective: effectiveRulesSchema.meta({
      component: 'EffectiveRules',
      description: 'The value in force here, and the place that sets it. Both are null if no place sets it.',
    }),
    closed: closedAtPlaceAnswer(sourceSchema).meta({
      description: 'The times when it is closed, including those of its parent places.',
    }),
  })
  .meta({ component: 'PlaceRules' })
export type PlaceRules = {
  own: Rules
  effective: RulesInForce
  closed: Array<ClosedTimes & { source: RuleSource }>
}

function mapAnswers(change: (answer: yup.AnySchema) => yup.AnySchema) {
  return Object.fromEntries(RULE_NAMES.map((name) => [name, change(BOOKING_RULES[name].answer)]))
}

const createSetRulesJob = () =>
  writeJob(
    object({
      id: required(id()),
      version: formVersion(),
      rules: required(rulesSchema),
      /** The choice of what happens to bookings if the place becomes closed at their time. */
      ...affectedBookingsFields(),
    }),
    answer.data(placeRulesSchema),
  )

/** Replaces all rules that the place itself sets. */
export const ruleJobs = {
  'buildings.set-rules': createSetRulesJob(),
  'locations.set-rules': createSetRulesJob(),
  'bookables.set-rules': createSetRulesJob(),
}
