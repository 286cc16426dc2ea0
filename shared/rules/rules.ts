// The rules of a place: what the API takes and shows of them, and the jobs that set them. The nearest place
// wins, field by field: an absent field is inherited from the place above, null means that no rule applies
// here, whatever is set above. booking-rules.ts declares the rules.
import * as yup from 'yup'
import * as answer from '../schemas/answers.ts'
import { id, object, required } from '../schemas/fields.ts'
import { version } from '../schemas/inputs.ts'
import { write } from '../schemas/job.ts'
import { affectedBookingsFields } from './affected-bookings-input.ts'
import { BOOKING_RULES } from './booking-rules.ts'
import { type Closed, closedAnswer, closedHere, closedTimes } from './closed.ts'

/** The rules for which the nearest place wins. */
export type RuleName = keyof typeof BOOKING_RULES
export const RULE_NAMES = Object.keys(BOOKING_RULES) as RuleName[]

type Schemas = { [Name in RuleName]: (typeof BOOKING_RULES)[Name]['schema'] }
const schemas = Object.fromEntries(RULE_NAMES.map((name) => [name, BOOKING_RULES[name].schema])) as Schemas

export const rulesSchema = object({ ...schemas, closed: closedTimes() })
export type Rules = yup.InferType<typeof rulesSchema>

const PLACE_TYPES = ['building', 'location', 'bookable']

const sourceSchema = yup
  .object({ type: answer.oneOf(PLACE_TYPES), id: answer.id(), name: answer.text() })
  .meta({ component: 'RuleSource' })
export type RuleSource = yup.InferType<typeof sourceSchema>

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
      description: 'The rules set at this place. An absent rule is inherited; null turns the rule off.',
    }),
    effective: effectiveSchema.meta({
      component: 'EffectiveRules',
      description: 'The value in force here, and the place that sets it. Both are null if no place sets it.',
    }),
    closed: closedHere(sourceSchema).meta({
      description: 'The times when it is closed, including those of its parent places.',
    }),
  })
  .meta({ component: 'PlaceRules' })
export type PlaceRules = {
  own: Rules
  effective: Effective
  closed: Array<Closed & { source: RuleSource }>
}

function mapAnswers(change: (answer: yup.AnySchema) => yup.AnySchema) {
  return Object.fromEntries(RULE_NAMES.map((name) => [name, change(BOOKING_RULES[name].answer)]))
}

const setRules = () =>
  write(
    object({
      id: required(id()),
      version: version(),
      rules: required(rulesSchema),
      /** If the place becomes closed: what happens to the bookings at these times. */
      ...affectedBookingsFields(),
    }),
    answer.data(placeRulesSchema),
  )

/** Replaces all rules of the place. */
export const ruleJobs = {
  'buildings.set-rules': setRules(),
  'locations.set-rules': setRules(),
  'bookables.set-rules': setRules(),
}
