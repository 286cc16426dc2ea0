// How the pages show each rule of a place and ask for it (shared/rules/booking-rules.ts). Numbers and flags
// need only their words (rule-words.ts). If any other rule has no entry here, the code does not compile.
// closed-rows.ts handles closed times.
import type pg from 'pg'
import { message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import { BOOKING_RULES, CHECK_IN_LIMITS, NUMBER_LIMITS } from '../../../../shared/rules/booking-rules.ts'
import { type ClosedTimes, refuseTooManyClosedTimes } from '../../../../shared/rules/closed-times.ts'
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
import { type Content, formatAttributes, type Html, html } from '../../../html/html.ts'
import { type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import { RULE_WORDS } from '../../pages/bookings/rule-words.ts'
import { localTime } from '../../pages/time/fields.ts'
import { type Fields, oneOfChoices } from '../../pages/ui/fields.ts'
import { formatApprovers, parseApprovers, showApprovers } from './approvers-field.ts'
import { closedTimesFields, formatClosedTimes, parseClosedTimes, showClosedTimesRows } from './closed-rows.ts'
import {
  formatOpeningHours,
  openingHoursField,
  parseOpeningHours,
  showOpeningHours,
} from './opening-hours-grid.ts'
import { findGroupIds, type RuleNames, type RulesOfPlace } from './queries.ts'
import { formatSlots, parseSlots, showSlotRows, slotsField } from './slot-rows.ts'

const TEXT_LENGTH_MAX = 20_000

type RuleNamesOfType<Value> = {
  [Name in RuleName]: NonNullable<Rules[Name]> extends Value ? Name : never
}[RuleName]
type NumberName = RuleNamesOfType<number>
type FlagName = RuleNamesOfType<boolean>
const listRuleNames = (type: string) => RULE_NAMES.filter((name) => BOOKING_RULES[name].schema.type === type)
const NUMBER_NAMES = listRuleNames('number') as NumberName[]
const FLAG_NAMES = listRuleNames('boolean') as FlagName[]

const mapNames = <Name extends string, Value>(names: Name[], change: (name: Name) => Value) =>
  Object.fromEntries(names.map((name) => [name, change(name)])) as Record<Name, Value>

export const rulesForm = object({
  opening_hours: openingHoursField,
  slots: slotsField,
  ...mapNames(NUMBER_NAMES, (name) => queryNumber(integer(NUMBER_LIMITS[name]))),
  ...mapNames(FLAG_NAMES, () => oneOfChoices(['yes', 'no'])),
  groups: text({ max: TEXT_LENGTH_MAX }),
  approvers: text({ max: TEXT_LENGTH_MAX }),
  for_everybody: queryFlag(),
  for_groups: text({ max: TEXT_LENGTH_MAX }),
  opens_minutes_before: queryNumber(integer(CHECK_IN_LIMITS.opens_minutes_before)),
  release_minutes_after: queryNumber(integer(CHECK_IN_LIMITS.release_minutes_after)),
  checkin_by: localTime(),
  events: queryFlag(),
  ...closedTimesFields,
  lifted: list(required(oneOfChoices(RULE_NAMES)), { max: RULE_NAMES.length }),
})
type RulesValues = typeof rulesForm.__outputType

type RuleField<Value> = {
  format(value: Value, names: RuleNames): string
  show(fields: Fields, value: Value | null | undefined, names: RuleNames): Content
  /** Parses the rule's fields. `present` is the rule as it is now. Returns undefined if the user typed nothing. */
  parse(
    typed: RulesValues,
    reads: pg.Pool,
    present: Value | null | undefined,
  ): Value | undefined | Promise<Value | undefined>
}

const createNumberField = (name: NumberName): RuleField<number> => ({
  format: (value) => RULE_WORDS[name].format(value),
  show: (fields, value) =>
    fields.text(name, translate(RULE_WORDS[name].label), {
      hint: translate(RULE_WORDS[name].hint),
      type: 'number',
      value,
    }),
  parse: (typed) => typed[name],
})

const createFlagField = (name: FlagName): RuleField<boolean> => ({
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

const OTHER_RULE_FIELDS: {
  [Name in Exclude<RuleName, NumberName | FlagName>]: RuleField<NonNullable<Rules[Name]>>
} = {
  opening_hours: {
    format: formatOpeningHours,
    show: (fields, hours) => showOpeningHours(fields, hours ?? []),
    parse: ({ opening_hours }) => parseOpeningHours(opening_hours),
  },
  slots: {
    format: formatSlots,
    show: (fields, slots) => showSlotRows(fields, slots ?? []),
    parse: ({ slots }) => parseSlots(slots),
  },
  group_ids: {
    format: (ids, names) => ids.map((id) => nameGroup(id, names)).join(', '),
    show: (fields, ids, names) =>
      fields.area('groups', t`Groups`, {
        hint: t`Only members of these groups can book. One group per line.`,
        value: (ids ?? []).map((id) => names.groups.get(id) ?? '').join('\n'),
      }),
    parse: ({ groups }, reads) => (groups ? parseGroups(reads, groups, 'groups') : undefined),
  },
  approvers: {
    format: formatApprovers,
    show: showApprovers,
    parse: ({ approvers }, reads, present) =>
      approvers ? parseApprovers(reads, splitLines(approvers), present) : undefined,
  },
  book_for_others: {
    format: ({ everybody, group_ids = [] }, names) =>
      [...(everybody ? [t`everybody`] : []), ...group_ids.map((id) => nameGroup(id, names))].join(', '),
    show: (fields, present, names) => [
      fields.checkbox('for_everybody', t`People can book for each other`, {
        checked: present?.everybody ?? false,
      }),
      fields.area('for_groups', t`Groups that book for each other`, {
        hint: t`Members of each of these groups can book for its other members. One group per line.`,
        value: (present?.group_ids ?? []).map((id) => names.groups.get(id) ?? '').join('\n'),
      }),
    ],
    async parse({ for_everybody, for_groups }, reads) {
      if (!for_everybody && !for_groups) return undefined
      const group_ids = for_groups ? await parseGroups(reads, for_groups, 'for_groups') : []
      return { everybody: for_everybody === true, group_ids }
    },
  },
  check_in: {
    format: ({ opens_minutes_before, release_minutes_after, by, events }) => {
      const usual = events
        ? t`from ${opens_minutes_before} minutes before to ${release_minutes_after} minutes after the start, including meetings`
        : t`from ${opens_minutes_before} minutes before to ${release_minutes_after} minutes after the start`
      return by ? t`${usual}; until ${by} for bookings that begin earlier that day` : usual
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
      fields.checkbox('events', t`Require check-in for meetings too`, { checked: present?.events ?? false }),
    ],
    parse({ opens_minutes_before, release_minutes_after, checkin_by: by, events }) {
      if (opens_minutes_before !== undefined && release_minutes_after !== undefined)
        return { opens_minutes_before, release_minutes_after, by, events }
      if (opens_minutes_before === release_minutes_after && by === undefined) return undefined
      throw invalidFields({
        release_minutes_after: [
          message`Enter both: when check-in opens, and when an unused booking is released.`,
        ],
      })
    },
  },
}

type AnyRuleField = RuleField<unknown>
const RULE_FIELDS: Record<RuleName, AnyRuleField> = {
  ...mapNames(NUMBER_NAMES, createNumberField),
  ...mapNames(FLAG_NAMES, createFlagField),
  ...OTHER_RULE_FIELDS,
}

export function formatRule(name: RuleName, value: unknown, names: RuleNames): string {
  return value === null ? t`none` : RULE_FIELDS[name].format(value, names)
}

type ShownRules = { found: RulesOfPlace; names: RuleNames; hasPlacesAbove: boolean; shownAt: string }

/** Shows the fields of all rules in groups that open one at a time. On locations and bookables, the fields can also
 * lift the rules of the places above. */
export function showRuleFields(
  fields: Fields,
  { found, names, hasPlacesAbove, shownAt }: ShownRules,
): Content {
  const { own } = found.rules
  const upcoming = (own.closed ?? []).filter(({ to }) => to > shownAt)
  const closed = showClosedTimesRows(fields, { closed: own.closed ?? [], zone: found.zone }, shownAt)
  const lifted = RULE_NAMES.filter((name) => own[name] === null)
  const nameRules = (rules: RuleName[]) => rules.map((name) => translate(RULE_WORDS[name].label)).join(', ')
  return html`<div class="groups">${groupRules().map(({ label, rules }) => {
    const set = rules.filter((name) => own[name] != null)
    const values = set.map((name) => describeOwnRule(name, own[name], names, rules.length > 1))
    const content = html`${rules.map((name) => RULE_FIELDS[name].show(fields, own[name], names))}`
    return showRuleGroup(translate(label), values.join('; ') || t`Not set here`, content)
  })}${showRuleGroup(t`Closed`, describeClosed(upcoming, found.zone), html`${closed}`)}${
    hasPlacesAbove &&
    showRuleGroup(
      t`Rules from above that do not apply here`,
      nameRules(lifted) || t`None`,
      fields.checkboxes('lifted', t`Rules of the floor or building that do not apply here`, {
        options: RULE_NAMES.map((name) => ({ value: name, label: translate(RULE_WORDS[name].label) })),
        values: lifted,
      }),
    )
  }</div>`
}

/** The groups of the form. Rules that none of them names are in the second one. */
const RULE_GROUPS: Array<{ label: Sentence; rules: RuleName[] }> = [
  { label: sentence`Opening hours`, rules: ['opening_hours'] },
  { label: sentence`Length and days ahead`, rules: ['days_ahead_max', 'minutes_min', 'minutes_max'] },
  { label: sentence`Limits per person`, rules: ['bookings_ahead_max', 'one_at_a_time', 'one_desk_a_day'] },
  { label: sentence`Who can book`, rules: ['group_ids', 'approvers', 'book_for_others'] },
  { label: sentence`Check-in`, rules: ['check_in'] },
]

function groupRules() {
  const named = new Set(RULE_GROUPS.flatMap(({ rules }) => rules))
  const others = RULE_NAMES.filter((name) => !named.has(name))
  return RULE_GROUPS.map(({ label, rules }, index) => ({
    label,
    rules: index === 1 ? [...rules, ...others] : rules,
  }))
}

function describeOwnRule(name: RuleName, value: unknown, names: RuleNames, isLabelled: boolean): string {
  const rule = formatRule(name, value, names)
  return isLabelled ? `${translate(RULE_WORDS[name].label)}: ${rule}` : rule
}

function describeClosed([next, ...others]: ClosedTimes[], zone: string): string {
  if (!next) return t`No upcoming closed times`
  return [formatClosedTimes(next, zone), others.length > 0 && t`${others.length} more`]
    .filter(Boolean)
    .join(', ')
}

// A group with an error is open. Browsers without exclusive groups may show several open ones.
function showRuleGroup(label: string, summary: string, content: Html): Html {
  const isOpen = content.text.includes('class="error"')
  return html`<details${formatAttributes({ name: 'rules', open: isOpen })}><summary><strong>${label}</strong> <span class="soft">${summary}</span></summary>
<div>${content}</div></details>`
}

export async function parseRules(
  reads: pg.Pool,
  typed: RulesValues,
  { name: place, zone, rules: present }: RulesOfPlace,
): Promise<Rules> {
  const { minutes_min, minutes_max, lifted = [] } = typed
  if (minutes_min !== undefined && minutes_max !== undefined && minutes_min > minutes_max) {
    throw invalidFields({
      minutes_max: [message`The longest booking must not be shorter than the shortest.`],
    })
  }
  const rules: Record<string, unknown> = {}
  for (const name of RULE_NAMES) {
    const parsed = await RULE_FIELDS[name].parse(typed, reads, present.own[name])
    const value = parsed ?? (lifted.includes(name) ? null : undefined)
    if (value !== undefined) rules[name] = value
  }
  const closed = parseClosedTimes(typed, { closed: present.own.closed ?? [], zone })
  refuseTooManyClosedTimes(place, closed)
  return closed.length > 0 ? { ...rules, closed } : rules
}

const splitLines = (typed: string) =>
  typed
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

const nameGroup = (id: number, { groups }: RuleNames) => groups.get(id) ?? t`group ${id}`

async function parseGroups(reads: pg.Pool, typed: string, field: 'groups' | 'for_groups'): Promise<number[]> {
  const names = splitLines(typed)
  const ids = await findGroupIds(reads, names)
  return names.map((name) => {
    const id = ids.get(name)
    if (id === undefined) throw invalidFields({ [field]: [message`There is no group called “${name}”.`] })
    return id
  })
}
