// How the pages show and ask for each rule of a place (shared/rules/booking-rules.ts). Numbers and flags need only their
// words (rule-words.ts); any other rule without an entry here does not compile. Closed times: closed-rows.ts.
import type pg from 'pg'
import { message } from '../../../../shared/messages/message.ts'
import { invalid } from '../../../../shared/messages/refusal.ts'
import { BOOKING_RULES, CHECK_IN_LIMITS, NUMBER_LIMITS } from '../../../../shared/rules/booking-rules.ts'
import { RULE_NAMES, type RuleName, type Rules } from '../../../../shared/rules/rules.ts'
import {
  integer,
  list,
  object,
  queryFlag,
  queryNumber,
  required,
  text,
} from '../../../../shared/schemas/fields.ts'
import { type Content, html } from '../../../html/html.ts'
import { t, translate } from '../../locales/translate.ts'
import { RULE_WORDS } from '../../pages/bookings/rule-words.ts'
import { localTime } from '../../pages/time/fields.ts'
import { type Fields, oneOf } from '../../pages/ui/fields.ts'
import { formatApprovers, parseApprovers, showApprovers } from './approvers-field.ts'
import { closedFields, parseClosed, showClosedRows } from './closed-rows.ts'
import {
  formatOpeningHours,
  openingHoursField,
  parseOpeningHours,
  showOpeningHours,
} from './opening-hours-grid.ts'
import { findGroupIds, type RuleNames, type RulesOfPlace } from './queries.ts'

const TEXT_MAX = 20_000

type NamesOf<Value> = { [Name in RuleName]: NonNullable<Rules[Name]> extends Value ? Name : never }[RuleName]
type NumberName = NamesOf<number>
type FlagName = NamesOf<boolean>
const namesOf = (type: string) => RULE_NAMES.filter((name) => BOOKING_RULES[name].schema.type === type)
const NUMBER_NAMES = namesOf('number') as NumberName[]
const FLAG_NAMES = namesOf('boolean') as FlagName[]

const mapNames = <Name extends string, Value>(names: Name[], change: (name: Name) => Value) =>
  Object.fromEntries(names.map((name) => [name, change(name)])) as Record<Name, Value>

export const rulesForm = object({
  opening_hours: openingHoursField,
  ...mapNames(NUMBER_NAMES, (name) => queryNumber(integer(NUMBER_LIMITS[name]))),
  ...mapNames(FLAG_NAMES, () => oneOf(['yes', 'no'])),
  groups: text({ max: TEXT_MAX }),
  approvers: text({ max: TEXT_MAX }),
  opens_minutes_before: queryNumber(integer(CHECK_IN_LIMITS.opens_minutes_before)),
  release_minutes_after: queryNumber(integer(CHECK_IN_LIMITS.release_minutes_after)),
  checkin_by: localTime(),
  events: queryFlag(),
  ...closedFields,
  lifted: list(required(oneOf(RULE_NAMES)), { max: RULE_NAMES.length }),
})
type RulesValues = typeof rulesForm.__outputType

type RuleField<Value> = {
  format(value: Value, names: RuleNames): string
  show(fields: Fields, value: Value | null | undefined, names: RuleNames): Content
  /** Undefined if nothing is typed. */
  parse(typed: RulesValues, reads: pg.Pool): Value | undefined | Promise<Value | undefined>
}

const numberField = (name: NumberName): RuleField<number> => ({
  format: (value) => RULE_WORDS[name].format(value),
  show: (fields, value) =>
    fields.text(name, translate(RULE_WORDS[name].label), {
      hint: translate(RULE_WORDS[name].hint),
      type: 'number',
      value,
    }),
  parse: (typed) => typed[name],
})

const flagField = (name: FlagName): RuleField<boolean> => ({
  format: (isOn) => (isOn ? t`yes` : t`no`),
  show: (fields, isOn) =>
    fields.select(name, translate(RULE_WORDS[name].label), {
      hint: translate(RULE_WORDS[name].hint),
      any: t`Not set here`,
      options: [
        { value: 'yes', label: t`Yes` },
        { value: 'no', label: t`No` },
      ],
      value: isOn == null ? '' : isOn ? 'yes' : 'no',
    }),
  parse: (typed) => (typed[name] === undefined ? undefined : typed[name] === 'yes'),
})

const OTHER_FIELDS: {
  [Name in Exclude<RuleName, NumberName | FlagName>]: RuleField<NonNullable<Rules[Name]>>
} = {
  opening_hours: {
    format: formatOpeningHours,
    show: (fields, hours) => showOpeningHours(fields, hours ?? []),
    parse: ({ opening_hours }) => parseOpeningHours(opening_hours),
  },
  group_ids: {
    format: (ids, names) => ids.map((id) => names.groups.get(id) ?? t`group ${id}`).join(', '),
    show: (fields, ids, names) =>
      fields.area('groups', t`Groups`, {
        hint: t`Only their members may book. One per line.`,
        value: (ids ?? []).map((id) => names.groups.get(id) ?? '').join('\n'),
      }),
    parse: ({ groups }, reads) => (groups ? parseGroups(reads, groups) : undefined),
  },
  approvers: {
    format: formatApprovers,
    show: showApprovers,
    parse: ({ approvers }, reads) => (approvers ? parseApprovers(reads, linesOf(approvers)) : undefined),
  },
  check_in: {
    format: ({ opens_minutes_before, release_minutes_after, by, events }) => {
      const usual = events
        ? t`from ${opens_minutes_before} minutes before to ${release_minutes_after} minutes after the start, rooms of meetings too`
        : t`from ${opens_minutes_before} minutes before to ${release_minutes_after} minutes after the start`
      return by ? t`${usual}; by ${by} if it begins earlier that day` : usual
    },
    show: (fields, present) => [
      fields.text('opens_minutes_before', t`Check-in opens`, {
        hint: t`Minutes before the start.`,
        type: 'number',
        value: present?.opens_minutes_before,
      }),
      fields.text('release_minutes_after', t`Released`, {
        hint: t`Minutes after the start. Without a check-in by then, the rest of the booking is released.`,
        type: 'number',
        value: present?.release_minutes_after,
      }),
      fields.text('checkin_by', t`Check in by`, {
        hint: t`For bookings that begin earlier that day, people can check in until this time. For later bookings, the minutes above apply.`,
        type: 'time',
        value: present?.by,
      }),
      fields.checkbox('events', t`Check-in for rooms of meetings too`, { checked: present?.events ?? false }),
    ],
    parse({ opens_minutes_before, release_minutes_after, checkin_by: by, events }) {
      if (opens_minutes_before !== undefined && release_minutes_after !== undefined)
        return { opens_minutes_before, release_minutes_after, by, events }
      if (opens_minutes_before === release_minutes_after && by === undefined) return undefined
      throw invalid({
        release_minutes_after: [message`Check-in needs both: when it opens, and when the rest is released.`],
      })
    },
  },
}

type AnyField = RuleField<unknown>
const RULE_FIELDS: Record<RuleName, AnyField> = {
  ...mapNames(NUMBER_NAMES, numberField),
  ...mapNames(FLAG_NAMES, flagField),
  ...OTHER_FIELDS,
}

export function formatRule(name: RuleName, value: unknown, names: RuleNames): string {
  return value === null ? t`none` : RULE_FIELDS[name].format(value, names)
}

type ShownRules = { found: RulesOfPlace; names: RuleNames; hasPlacesAbove: boolean; shownAt: string }

/** Locations and bookables can lift the rules of the places above them. */
export function showRuleFields(
  fields: Fields,
  { found, names, hasPlacesAbove, shownAt }: ShownRules,
): Content {
  const { own } = found.rules
  const [hours, ...others] = RULE_NAMES.map((name) => RULE_FIELDS[name].show(fields, own[name], names))
  return [
    hours,
    showClosedRows(fields, { closed: own.closed ?? [], zone: found.zone }, shownAt),
    html`<div class="narrow">${others}${
      hasPlacesAbove &&
      fields.checkboxes('lifted', t`Rules of the floor or building that do not apply here`, {
        options: RULE_NAMES.map((name) => ({ value: name, label: translate(RULE_WORDS[name].label) })),
        values: RULE_NAMES.filter((name) => own[name] === null),
      })
    }</div>`,
  ]
}

export async function parseRules(
  reads: pg.Pool,
  typed: RulesValues,
  { zone, rules: present }: RulesOfPlace,
): Promise<Rules> {
  const { minutes_min, minutes_max, lifted = [] } = typed
  if (minutes_min !== undefined && minutes_max !== undefined && minutes_min > minutes_max) {
    throw invalid({ minutes_max: [message`The longest booking must not be shorter than the shortest.`] })
  }
  const rules: Record<string, unknown> = {}
  for (const name of RULE_NAMES) {
    const value = (await RULE_FIELDS[name].parse(typed, reads)) ?? (lifted.includes(name) ? null : undefined)
    if (value !== undefined) rules[name] = value
  }
  const closed = parseClosed(typed, { closed: present.own.closed ?? [], zone })
  return closed.length > 0 ? { ...rules, closed } : rules
}

const linesOf = (typed: string) =>
  typed
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

async function parseGroups(reads: pg.Pool, typed: string): Promise<number[]> {
  const names = linesOf(typed)
  const ids = await findGroupIds(reads, names)
  return names.map((name) => {
    const id = ids.get(name)
    if (id === undefined) throw invalid({ groups: [message`There is no group called “${name}”.`] })
    return id
  })
}
