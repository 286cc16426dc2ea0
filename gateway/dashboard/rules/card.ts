// The card with the effective rules and where each is set, on pages of buildings, locations and bookables.
import { RULE_NAMES } from '../../../shared/rules/rules.ts'
import type { RulePlace } from '../../../shared/rules/rules-shape.ts'
import { type Html, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { t, translate } from '../locales/translate.ts'
import { showLink } from '../ui/links.ts'
import { showFacts } from '../ui/parts.ts'
import { formatClosed } from './lines.ts'
import { findGroupNames, type RulesOfPlace, requireRules } from './queries.ts'
import { formatRule, RULE_FIELDS } from './rule-fields.ts'

/** `back` is the search that found the place. */
export async function rulesCard(
  call: Call,
  place: RulePlace,
  id: number,
  back: string | undefined,
): Promise<Html> {
  const found = await requireRules(call.reads, place, id)
  return html`<section class="card" aria-labelledby="rules"><h2 id="rules">${t`Rules`}</h2>
${await showEffective(call, found)}
<p>${showLink(call.link(`/places/${place}/${id}/rules`, { back }), t`Change rules and check-in`)}</p></section>`
}

export async function showEffective(call: Call, { rules, zone }: RulesOfPlace): Promise<Html> {
  const { effective, closed } = rules
  const names = await findGroupNames(call.reads, (effective.group_ids.value as number[] | null) ?? [])
  const facts = RULE_NAMES.flatMap((name) => {
    const { value, source } = effective[name]
    if (!source) return []
    return [[translate(RULE_FIELDS[name].label), showRule(formatRule(name, value, names), source)] as const]
  })
  const times = closed.map((each) => [t`Closed`, showRule(formatClosed([each], zone), each.source)] as const)
  if (facts.length + times.length === 0)
    return html`<p class="soft">${t`No rules: anything can be booked at any time.`}</p>`
  return showFacts([...facts, ...times])
}

function showRule(rule: string, { name }: { name: string }): Html {
  return html`${rule} <span class="soft">${t`set for ${name}`}</span>`
}
