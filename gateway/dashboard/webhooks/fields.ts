// The form fields of a webhook, and the view that shows its secret once.

import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import { choice, list, object, required, text } from '../../../shared/schemas/fields.ts'
import { CHANGE_TYPES, type ChangeType } from '../../../shared/webhooks/changes.ts'
import { WEBHOOK_TYPES, webhookUrl } from '../../../shared/webhooks/webhooks.ts'
import { type Html, html } from '../../http/html.ts'
import type { Call, View } from '../kit/page.ts'
import { type Sentence, sentence, t, tHtml, translate } from '../locales/translate.ts'
import type { Fields } from '../ui/fields.ts'
import { showLink, showLinkOrText } from '../ui/links.ts'

/** Types with a checkbox; users type the others. */
const GROUPS = ['*', ...CHANGE_TYPES.map((type) => `${type}.*`)]

const GROUP_LABELS: Record<ChangeType, Sentence> = {
  booking: sentence`Bookings`,
  event: sentence`Events`,
  bookable: sentence`Desks, rooms and parking`,
  location: sentence`Locations`,
  building: sentence`Buildings`,
  user: sentence`Users`,
  group: sentence`Groups`,
}

const ACTIONS_MAX = 2_000

export const webhookForm = object({
  url: required(webhookUrl()),
  description: text({ max: 255 }).optional(),
  groups: list(required(choice(GROUPS, (name) => message`${name} is not one of the choices.`)), {
    max: GROUPS.length,
    isDistinct: true,
  }),
  actions: text({ max: ACTIONS_MAX }).optional(),
})

export const webhookBreadcrumbs = (): NonNullable<View['breadcrumbs']> => [
  [t`Settings`, '/settings'],
  [t`Webhooks`, '/settings/webhooks'],
]

/**
 * Converts the form's values to the webhook's types. Refused at the field if it names no type, or one that
 * does not exist.
 */
export function parseTypes({
  groups,
  actions,
}: {
  groups?: string[]
  actions?: string | undefined
}): string[] {
  const typed = (actions ?? '').split(/[\s,;]+/).filter(Boolean)
  const unknown = typed.find((type) => !WEBHOOK_TYPES.includes(type))
  if (unknown !== undefined)
    throw invalid({ actions: [message`“${unknown}” is unknown. Use a form such as booking.created.`] })
  const types = [...new Set([...(groups ?? []), ...typed])]
  if (types.length === 0) throw invalid({ groups: [message`Choose at least one.`] })
  return types
}

type Filled = { url: string; description: string; types: string[] }

export function webhookFields(fields: Fields, filled?: Filled): Html {
  const types = filled?.types ?? []
  return html`${fields.text({
    name: 'url',
    label: t`URL`,
    value: filled?.url,
    placeholder: 'https://hooks.example.com/berth',
    hint: t`Changes are sent here, as a POST with JSON.`,
    required: true,
    maxlength: 2_048,
    autofocus: filled === undefined,
  })}
${fields.text({
  name: 'description',
  label: t`Description`,
  value: filled?.description,
  hint: t`What receives them, such as “Lobby display”.`,
  maxlength: 255,
})}
${fields.checkboxes({
  name: 'groups',
  label: t`Send changes of`,
  options: groupOptions(),
  values: types.filter((type) => GROUPS.includes(type)),
})}
${fields.text({
  name: 'actions',
  label: t`Additional change types`,
  value: types.filter((type) => !GROUPS.includes(type)).join(' '),
  hint: t`Such as booking.created booking.released, separated by spaces.`,
  maxlength: ACTIONS_MAX,
})}`
}

function groupOptions(): Array<{ value: string; label: string }> {
  const groups = CHANGE_TYPES.map((type) => ({ value: `${type}.*`, label: translate(GROUP_LABELS[type]) }))
  return [{ value: '*', label: t`Everything` }, ...groups]
}

/** Shown only once: no page or answer contains the secret again. */
export function secretView(
  call: Call,
  { title, lead, secret, id }: { title: string; lead: Html; secret: string; id: number },
): View {
  const standard = showLinkOrText('https://www.standardwebhooks.com', 'Standard Webhooks')
  return {
    title,
    breadcrumbs: webhookBreadcrumbs(),
    content: html`<div class="card"><p>${lead}</p>
<div class="notice warn"><p>${tHtml`Copy the secret now: it is not shown again. The receiver uses it to verify that a delivery comes from Berth, as ${standard} says.`}</p></div>
<div class="copied"><code id="secret">${secret}</code><button type="button" class="button quiet" data-copy="secret" hidden>${t`Copy`}</button></div>
<div class="buttons">${showLink(call.link(`/settings/webhooks/${id}`), t`Done`, { class: 'button primary' })}</div></div>`,
  }
}
