// What holds at a place, and which place says so: a card on the pages of buildings, locations and bookables.
import { RULE_NAMES } from '../../../../shared/contracts/rules/rules.ts'
import type { RulePlace } from '../../../../shared/shapes/rules.ts'
import { type Html, html } from '../../../http/html.ts'
import type { Call } from '../../framework/page.ts'
import { showFacts } from '../../ui/facts.ts'
import { findGroupNames, type RulesOfPlace, requireRules } from './queries.ts'
import { formatClosed, formatRule, LABELS } from './words.ts'

export async function rulesCard(call: Call, place: RulePlace, id: number): Promise<Html> {
  const found = await requireRules(call.reads, place, id)
  return html`<section class="card" aria-labelledby="rules"><h2 id="rules">Rules</h2>
${await showEffective(call, found)}
<p><a href="${call.link(`/places/${place}/${id}/rules`)}">Change rules and check-in</a></p></section>`
}

export async function showEffective(call: Call, { rules, zone }: RulesOfPlace): Promise<Html> {
  const { effective, closed } = rules
  const names = await findGroupNames(call.reads, (effective.group_ids.value as number[] | null) ?? [])
  const facts = RULE_NAMES.flatMap((name) => {
    const { value, source } = effective[name]
    if (!source) return []
    const whence = html` <span class="soft">from ${source.name}</span>`
    return [[LABELS[name], html`${formatRule(name, value, names)}${whence}`] as const]
  })
  const times = closed.map(
    (each) =>
      [
        `Closed`,
        html`${formatClosed([each], zone)} <span class="soft">from ${each.source.name}</span>`,
      ] as const,
  )
  if (facts.length + times.length === 0)
    return html`<p class="soft">No rules: anything can be booked at any time.</p>`
  return showFacts([...facts, ...times])
}
