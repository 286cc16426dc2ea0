// The pages for a place's rules and check-in: the effective rules, where each is set, and a form for its own.

import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import { RULE_NAMES, type Rules } from '../../../shared/rules/rules.ts'
import type { RulePlace } from '../../../shared/rules/rules-shape.ts'
import {
  choice,
  integer,
  list,
  object,
  pathId,
  queryFlag,
  queryNumber,
  required,
  text,
} from '../../../shared/schemas/fields.ts'
import { type Content, html } from '../../http/html.ts'
import {
  conflictFormFields,
  conflictInput,
  isInTheWay,
  redirectAfterClearing,
  showConflictOptions,
} from '../affected-bookings/conflict-form.ts'
import { listBookablesIn } from '../affected-bookings/queries.ts'
import { backQuery, keepBack } from '../kit/back.ts'
import { type ActionCall, type Call, page } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import { formatZone } from '../time/zones.ts'
import type { Fields } from '../ui/fields.ts'
import { form } from '../ui/forms.ts'
import { showEffective } from './card.ts'
import { parseClosed } from './closed-lines.ts'
import { showRuleFields } from './fields.ts'
import { findGroupIds, findGroupNames, missingPlace, type RulesOfPlace, requireRules } from './queries.ts'
import { linesOf, parseOpeningHours } from './words.ts'

const number = (min: number, max: number) => queryNumber(integer({ min, max }))

const rulesForm = object({
  opening_hours: text({ max: 2_000 }),
  days_ahead_max: number(0, 3_650),
  minutes_min: number(1, 525_600),
  minutes_max: number(1, 525_600),
  bookings_ahead_max: number(1, 1_000),
  one_at_a_time: choice(['yes', 'no'], (name) => message`${name} must be one of the choices.`),
  groups: text({ max: 20_000 }),
  opens_minutes_before: number(0, 1_440),
  release_minutes_after: number(1, 1_440),
  events: queryFlag(),
  closed: text({ max: 20_000 }),
  lifted: list(required(choice(RULE_NAMES, (name) => message`${name} must be one of the choices.`)), {
    max: 20,
  }),
})
type Typed = typeof rulesForm.__outputType

export const rulesPages = (['buildings', 'locations', 'bookables'] as const).map((place) =>
  page({
    path: `/places/${place}/{id}/rules`,
    title: sentence`Rules`,
    section: 'Places',
    params: object({ id: pathId() }),
    query: object(backQuery),
    missing: missingPlace,
    actions: (action) => ({
      set: action(rulesForm.shape(conflictFormFields), async (call) => {
        const { id } = call.params
        const present = await requireRules(call.reads, place, id)
        const rules = await parseRules(call, call.form, present)
        const asked = { version: call.version, ...conflictInput(call) }
        await call.dispatch(`${place}.set-rules`, { id, ...asked, rules })
        const saved = t`Rules saved. They apply to new bookings.`
        return redirectAfterClearing(call, call.linkHere(), saved)
      }),
    }),
    async show(call) {
      const { id } = call.params
      const found = await requireRules(call.reads, place, id)
      const names = await findGroupNames(call.reads, found.rules.own.group_ids ?? [])
      const conflictOptions = await askAboutClosed(call, place, found)
      const options = {
        action: 'set',
        submit: t`Save rules`,
        version: found.version,
        cancel: call.link(keepBack(call, addressOf(place, id))),
      }
      return {
        title: t`Rules of ${found.name}`,
        breadcrumbs: [
          [t`Places`, '/places'],
          [found.name, keepBack(call, addressOf(place, id))],
        ],
        lead: t`Times are in ${formatZone(found.zone)}. Existing bookings are not affected.`,
        content: html`<section class="card" aria-labelledby="holds"><h2 id="holds">${t`Effective rules`}</h2>
${await showEffective(call, found)}</section>
<section class="card" aria-labelledby="own"><h2 id="own">${t`Rules set here`}</h2>
<p class="soft">${t`Empty fields inherit the rule from the place above.`}</p>
<div class="narrow">${form(call, options, (fields) => [
          showRuleFields(fields, found, names, place !== 'buildings'),
          conflictOptions?.(fields),
        ])}</div></section>`,
      }
    },
  }),
)

// Asks only about times that this form closes: bookings in times closed before stay as they are.
async function askAboutClosed(
  call: Call<{ id: number }>,
  place: RulePlace,
  { rules: { own }, zone }: RulesOfPlace,
): Promise<((fields: Fields) => Content) | undefined> {
  if (!isInTheWay(call, 'set')) return undefined
  const before = own.closed ?? []
  const wanted = parseClosed(call.refusedForm?.values['closed']?.[0], zone, before) ?? []
  const times = wanted.filter(({ from, to }) => !before.some((each) => each.from === from && each.to === to))
  const ids = await listBookablesIn(call.reads, place, call.params.id)
  return showConflictOptions(call, { ids, times }, { canLeave: true })
}

const addressOf = (place: RulePlace, id: number) => `/places/${place}/${id}`

async function parseRules(
  call: ActionCall,
  typed: Typed,
  { zone, rules: present }: RulesOfPlace,
): Promise<Rules> {
  const { minutes_min, minutes_max, opens_minutes_before, release_minutes_after } = typed
  if (minutes_min !== undefined && minutes_max !== undefined && minutes_min > minutes_max) {
    throw invalid({ minutes_max: [message`The longest booking must not be shorter than the shortest.`] })
  }
  if ((opens_minutes_before === undefined) !== (release_minutes_after === undefined)) {
    throw invalid({
      release_minutes_after: [message`Check-in needs both: when it opens, and when the rest is released.`],
    })
  }
  const rules: Rules = {
    opening_hours: parseOpeningHours(typed.opening_hours),
    days_ahead_max: typed.days_ahead_max,
    minutes_min,
    minutes_max,
    bookings_ahead_max: typed.bookings_ahead_max,
    one_at_a_time: typed.one_at_a_time === undefined ? undefined : typed.one_at_a_time === 'yes',
    group_ids: await parseGroups(call, typed.groups),
    check_in:
      opens_minutes_before === undefined || release_minutes_after === undefined
        ? undefined
        : { opens_minutes_before, release_minutes_after, events: typed.events },
    closed: parseClosed(typed.closed, zone, present.own.closed ?? []),
  }
  const ignored = (typed.lifted ?? []).filter((name) => rules[name] === undefined).map((name) => [name, null])
  const set = Object.entries(rules).filter(([, value]) => value !== undefined)
  return Object.fromEntries([...set, ...ignored])
}

async function parseGroups({ reads }: ActionCall, typed: string | undefined): Promise<number[] | undefined> {
  if (!typed) return undefined
  const names = linesOf(typed)
  const ids = await findGroupIds(reads, names)
  return names.map((name) => {
    const id = ids.get(name)
    if (id === undefined) throw invalid({ groups: [message`There is no group called “${name}”.`] })
    return id
  })
}
