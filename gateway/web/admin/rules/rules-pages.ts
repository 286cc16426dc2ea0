// The page for a place's rules and check-in: the effective rules, where each rule is set, and a form for the
// place's own rules, grouped by what they are about.

import { BOOKING_RULES, CLOSED_TIMES_RULE } from '../../../../shared/rules/booking-rules.ts'
import type { ClosedTimes } from '../../../../shared/rules/closed-times.ts'
import { RULE_NAMES, type RuleSource, type Rules } from '../../../../shared/rules/rules.ts'
import type { RulePlace } from '../../../../shared/rules/rules-shape.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { sentence, t, tHtml, translate } from '../../locales/translate.ts'
import { RULE_WORDS } from '../../pages/bookings/rule-words.ts'
import type { Call, Page } from '../../pages/page/page.ts'
import { formatZone } from '../../pages/time/zones.ts'
import type { defineResourcePages } from '../../pages/ui/declared-pages.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { form } from '../../pages/ui/forms.ts'
import { showFactList, showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import * as affectedForm from '../affected-bookings/affected-bookings-form.ts'
import { listBookablesOfPlaces } from '../affected-bookings/affected-bookings-form.ts'
import { linkToBookingsDuring } from './closed-bookings.ts'
import { formatClosedTimes, parseClosedTimesForm } from './closed-rows.ts'
import { findRuleNames, type RulesOfPlace, requireRules } from './queries.ts'
import { formatRule, parseRules, rulesForm, showRuleFields } from './rule-fields.ts'

export function defineRulesPage<Found>(
  { page }: Pick<ReturnType<typeof defineResourcePages<Found>>, 'page'>,
  place: RulePlace,
): Page {
  return page({
    path: '/rules',
    title: sentence`Rules`,
    readers: 'reader',
    actions: (action) => ({
      set: action(rulesForm.shape(affectedForm.affectedBookingsFormFields), async (call) => {
        const { id } = call.params
        const present = await requireRules(call.reads, place, id)
        const rules = await parseRules(call.reads, call.form, present)
        const asked = { version: call.version, ...affectedForm.readResolution(call) }
        await call.dispatch(`${place}.set-rules`, { id, ...asked, rules })
        const saved = t`Rules saved. They apply to new bookings.`
        const closed = listNewlyClosed(rules.closed ?? [], present.rules.own.closed ?? [])
        const more = linkToBookingsDuring(closed, present.zone, present)
        return affectedForm.redirectAfterResolving(call, call.linkHere(), saved, more)
      }),
    }),
    async show(call) {
      const found = await requireRules(call.reads, place, call.params.id)
      return {
        content: html`<section class="card" aria-labelledby="holds"><h2 id="holds">${t`Rules in effect`}</h2>
<p class="soft">${t`Times are in ${formatZone(found.zone)}. Rules apply to new bookings. If bookings fall in a period that you close, you choose what should happen to them.`}</p>
${await showEffectiveRules(call, found)}</section>
${call.mayWrite && (await showOwnRules(call, place, found))}`,
      }
    },
  })
}

async function showOwnRules(call: Call<{ id: number }>, place: RulePlace, found: RulesOfPlace) {
  const names = await findRuleNames(call.reads, found.rules.own)
  const resolutionOptions = await askAboutClosedBookings(call, place, found)
  const shownAt = call.refusedForm?.values['shown_at']?.[0] ?? call.now
  const shown = { found, names, hasPlacesAbove: place !== 'buildings', shownAt }
  const options = { action: 'set', submit: t`Save rules`, version: found.version }
  return html`<section class="card" aria-labelledby="own"><h2 id="own">${t`Rules set here`}</h2>
${place !== 'buildings' && html`<p class="soft">${place === 'locations' ? t`Leave a field empty to use the rule of the building.` : t`Leave a field empty to use the rule of the floor or building.`}</p>`}
${form(call, options, (fields) => [resolutionOptions?.(fields), showRuleFields(fields, shown)])}</section>`
}

// Asks what should happen to bookings, but only for times that this form newly closes. Bookings in times that
// were already closed stay.
async function askAboutClosedBookings(
  call: Call<{ id: number }>,
  place: RulePlace,
  { rules: { own }, zone }: RulesOfPlace,
): Promise<((fields: Fields) => Content) | undefined> {
  if (!affectedForm.needsResolution(call, 'set')) return undefined
  const before = own.closed ?? []
  const wanted = parseClosedTimesForm(call.refusedForm?.values ?? {}, { closed: before, zone })
  const times = listNewlyClosed(wanted, before)
  const ids = await listBookablesOfPlaces(call.reads, place, [call.params.id])
  return affectedForm.showResolutionOptions(call, { ids, times }, { canLeave: true })
}

const listNewlyClosed = (wanted: ClosedTimes[], before: ClosedTimes[]) =>
  wanted.filter(({ from, to }) => !before.some((each) => each.from === from && each.to === to))

async function showEffectiveRules(call: Call, found: RulesOfPlace): Promise<Html> {
  const facts = await listRules(call, found, { has: () => true, span: { from: call.now, to: null } })
  if (facts.length > 0) return showFactList(facts)
  return html`<p class="soft">${t`No rules: anything can be booked at any time.`}</p>`
}

type RuleSpan = { from: string; to: string | null }

/** Shows the rules of a bookable that refuse a booking, each with a link to where the rule is set. */
export async function showBrokenRules(
  call: Call,
  bookable: number,
  codes: readonly string[],
  span: RuleSpan,
) {
  const found = await requireRules(call.reads, 'bookables', bookable)
  return showFactList(await listRules(call, found, { has: (code) => codes.includes(code ?? ''), span }))
}

type RuleFilter = { has(refusal: string | undefined): boolean; span: RuleSpan }

async function listRules(call: Call, found: RulesOfPlace, { has, span }: RuleFilter) {
  const { zone } = found
  const { effective, closed } = found.rules
  const values = RULE_NAMES.map((name) => [name, effective[name].value])
  const names = await findRuleNames(call.reads, Object.fromEntries(values) as Rules)
  const facts = RULE_NAMES.flatMap((name) => {
    const { value, source } = effective[name]
    if (!source || !has(BOOKING_RULES[name].refusal)) return []
    const rule = formatRule(name, value, names)
    return [[translate(RULE_WORDS[name].label), showRule(call, rule, source)] as const]
  })
  const times = closed.filter(
    ({ from, to }) =>
      has(CLOSED_TIMES_RULE.refusal) && to > span.from && (span.to === null || from < span.to),
  )
  return [
    ...facts,
    ...times.map((each) => {
      const more = linkToBookingsDuring([each], zone, found)
      const link = more && showLink(call.link(more.path), t`Bookings`, { 'aria-label': more.label })
      return [t`Closed`, html`${showRule(call, formatClosedTimes(each, zone), each.source)} ${link}`] as const
    }),
  ]
}

function showRule(call: Call, rule: string, { type, id, name }: RuleSource): Html {
  const address = call.link(`/places/${type}s/${id}/rules`)
  return html`${rule} <span class="soft">${tHtml`set for ${showLinkOrText(address, name)}`}</span>`
}
