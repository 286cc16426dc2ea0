// The page for a place's rules and check-in: the effective rules, where each is set, and a form for its own.

import { BOOKING_RULES, CLOSED } from '../../../../shared/rules/booking-rules.ts'
import type { Closed } from '../../../../shared/rules/closed.ts'
import { RULE_NAMES, type RuleSource, type Rules } from '../../../../shared/rules/rules.ts'
import type { RulePlace } from '../../../../shared/rules/rules-shape.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { sentence, t, tHtml, translate } from '../../locales/translate.ts'
import { RULE_WORDS } from '../../pages/bookings/rule-words.ts'
import type { Call, Page } from '../../pages/page/page.ts'
import { formatZone } from '../../pages/time/zones.ts'
import type { resource } from '../../pages/ui/declared-pages.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { form } from '../../pages/ui/forms.ts'
import { showFacts, showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import * as affectedForm from '../affected-bookings/affected-bookings-form.ts'
import { listBookablesOf } from '../affected-bookings/affected-bookings-form.ts'
import { bookingsDuring } from './closed-bookings.ts'
import { formatClosed, parseClosedForm } from './closed-rows.ts'
import { findNames, type RulesOfPlace, requireRules } from './queries.ts'
import { formatRule, parseRules, rulesForm, showRuleFields } from './rule-fields.ts'

export function rulesPage<Found>(
  { page }: Pick<ReturnType<typeof resource<Found>>, 'page'>,
  place: RulePlace,
): Page {
  return page({
    path: '/rules',
    title: sentence`Rules`,
    readers: 'reader',
    actions: (action) => ({
      set: action(rulesForm.shape(affectedForm.formFields), async (call) => {
        const { id } = call.params
        const present = await requireRules(call.reads, place, id)
        const rules = await parseRules(call.reads, call.form, present)
        const asked = { version: call.version, ...affectedForm.resolutionInput(call) }
        await call.dispatch(`${place}.set-rules`, { id, ...asked, rules })
        const saved = t`Rules saved. They apply to new bookings.`
        const closed = notYetClosed(rules.closed ?? [], present.rules.own.closed ?? [])
        const more = bookingsDuring(closed, present.zone, present)
        return affectedForm.redirectAfterResolving(call, call.linkHere(), saved, more)
      }),
    }),
    async show(call) {
      const found = await requireRules(call.reads, place, call.params.id)
      return {
        content: html`<section class="card" aria-labelledby="holds"><h2 id="holds">${t`Rules in effect`}</h2>
<p class="soft">${t`Times are in ${formatZone(found.zone)}. Rules apply to new bookings. Before a time is closed, you choose what happens to the bookings in it.`}</p>
${await showEffective(call, found)}</section>
${call.mayWrite && (await showOwnRules(call, place, found))}`,
      }
    },
  })
}

async function showOwnRules(call: Call<{ id: number }>, place: RulePlace, found: RulesOfPlace) {
  const names = await findNames(call.reads, found.rules.own)
  const resolutionOptions = await askAboutClosed(call, place, found)
  const shownAt = call.refusedForm?.values['shown_at']?.[0] ?? call.now
  const shown = { found, names, hasPlacesAbove: place !== 'buildings', shownAt }
  const options = { action: 'set', submit: t`Save rules`, version: found.version }
  return html`<section class="card" aria-labelledby="own"><h2 id="own">${t`Rules set here`}</h2>
${place !== 'buildings' && html`<p class="soft">${t`Leave a field empty to keep the rule of the floor or building that it is in.`}</p>`}
${form(call, options, (fields) => [showRuleFields(fields, shown), resolutionOptions?.(fields)])}</section>`
}

// Asks only about times that this form closes: bookings in times closed before stay as they are.
async function askAboutClosed(
  call: Call<{ id: number }>,
  place: RulePlace,
  { rules: { own }, zone }: RulesOfPlace,
): Promise<((fields: Fields) => Content) | undefined> {
  if (!affectedForm.needsResolution(call, 'set')) return undefined
  const before = own.closed ?? []
  const wanted = parseClosedForm(call.refusedForm?.values ?? {}, { closed: before, zone })
  const times = notYetClosed(wanted, before)
  const ids = await listBookablesOf(call.reads, place, [call.params.id])
  return affectedForm.showOptions(call, { ids, times }, { canLeave: true })
}

const notYetClosed = (wanted: Closed[], before: Closed[]) =>
  wanted.filter(({ from, to }) => !before.some((each) => each.from === from && each.to === to))

async function showEffective(call: Call, found: RulesOfPlace): Promise<Html> {
  const facts = await listRules(call, found, { has: () => true, span: { from: call.now, to: null } })
  if (facts.length > 0) return showFacts(facts)
  return html`<p class="soft">${t`No rules: anything can be booked at any time.`}</p>`
}

type Span = { from: string; to: string | null }

/** The rules of a bookable that refuse a booking, each with a link to where it is set. */
export async function showBrokenRules(call: Call, bookable: number, codes: readonly string[], span: Span) {
  const found = await requireRules(call.reads, 'bookables', bookable)
  return showFacts(await listRules(call, found, { has: (code) => codes.includes(code ?? ''), span }))
}

type RuleFilter = { has(refusal: string | undefined): boolean; span: Span }

async function listRules(call: Call, found: RulesOfPlace, { has, span }: RuleFilter) {
  const { zone } = found
  const { effective, closed } = found.rules
  const [group_ids, approvers] = [effective.group_ids.value, effective.approvers.value]
  const names = await findNames(call.reads, { group_ids, approvers } as Rules)
  const facts = RULE_NAMES.flatMap((name) => {
    const { value, source } = effective[name]
    if (!source || !has(BOOKING_RULES[name].refusal)) return []
    const rule = formatRule(name, value, names)
    return [[translate(RULE_WORDS[name].label), showRule(call, rule, source)] as const]
  })
  const times = closed.filter(
    ({ from, to }) => has(CLOSED.refusal) && to > span.from && (span.to === null || from < span.to),
  )
  return [
    ...facts,
    ...times.map((each) => {
      const more = bookingsDuring([each], zone, found)
      const link = more && showLink(call.link(more.path), t`Bookings`, { 'aria-label': more.label })
      return [t`Closed`, html`${showRule(call, formatClosed(each, zone), each.source)} ${link}`] as const
    }),
  ]
}

function showRule(call: Call, rule: string, { type, id, name }: RuleSource): Html {
  const address = call.link(`/places/${type}s/${id}/rules`)
  return html`${rule} <span class="soft">${tHtml`set for ${showLinkOrText(address, name)}`}</span>`
}
