// Settings: the list of webhooks, creating and deleting one, and its form. Only one answer shows its secret.
import { includesRole } from '../../../../shared/administrators/roles.ts'
import { message } from '../../../../shared/messages/message.ts'
import { invalid } from '../../../../shared/messages/refusal.ts'
import { choice, list, object, required, text } from '../../../../shared/schemas/fields.ts'
import { CHANGE_TYPES, type ChangeType } from '../../../../shared/webhooks/changes.ts'
import { requireReachable } from '../../../../shared/webhooks/webhook-urls.ts'
import { WEBHOOK_TYPES, webhookUrl } from '../../../../shared/webhooks/webhooks.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { formatMessage, type Sentence, sentence, t, tHtml, translate } from '../../locales/translate.ts'
import type { Breadcrumbs, Call, View } from '../../pages/page/page.ts'
import { showRelativeInstant } from '../../pages/time/instants.ts'
import { formPage, listPage, resource } from '../../pages/ui/declared-pages.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { secretCard, showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import { showEmpty, showNotice } from '../../pages/ui/states.ts'
import { integrationTabs } from '../tokens/integration-tabs.ts'
import {
  findWebhook,
  listDisabledWebhooks,
  listWebhooks,
  WEBHOOK_ORDERS,
  type WebhookRow,
} from './queries.ts'

const LIST = '/integrations/webhooks'

/** Types with a checkbox; users type the others. */
const GROUPS = ['*', ...CHANGE_TYPES.map((type) => `${type}.*`)]

const GROUP_LABELS: Record<ChangeType, Sentence> = {
  booking: sentence`Bookings`,
  booking_request: sentence`Booking requests`,
  event: sentence`Meetings`,
  bookable: sentence`Desks, rooms and parking`,
  location: sentence`Floors`,
  building: sentence`Buildings`,
  user: sentence`People`,
  group: sentence`Groups`,
}

const ACTIONS_MAX = 2_000
const DISABLED_NAMED_MAX = 5

export const webhookForm = object({
  url: required(webhookUrl()),
  description: text({ max: 255 }).default(''),
  groups: list(required(choice(GROUPS, (name) => message`${name} is not one of the choices.`)), {
    max: GROUPS.length,
    isDistinct: true,
  }),
  actions: text({ max: ACTIONS_MAX }).optional(),
})

const breadcrumbs = (): Breadcrumbs => [
  [t`Integrations`, '/integrations'],
  [t`Webhooks`, LIST],
]

export const webhookPages = resource({
  path: `${LIST}/{id}`,
  section: 'Integrations',
  missing: message`This webhook does not exist.`,
  find: (call) => findWebhook(call.reads, call.params.id),
  above: breadcrumbs,
  nameOf: ({ description, url }) => description || url,
})

export const webhooks = listPage({
  path: LIST,
  title: sentence`Webhooks`,
  section: 'Integrations',
  orders: WEBHOOK_ORDERS,
  usual: 'created',
  find: (call, slice, order) => listWebhooks(call.reads, slice, order),
  columns: (call) => [
    {
      label: t`Receiver`,
      sort: 'receiver',
      show: ({ id, url, description }) => showLinkOrText(call.link(`${LIST}/${id}`), description || url),
    },
    { label: t`State`, show: showWebhookState },
    { label: t`URL`, sort: 'url', show: ({ url }) => html`<code>${url}</code>` },
    { label: t`Sends`, show: ({ types }) => types.map((each) => html`<span class="badge">${each}</span> `) },
    {
      label: t`Last delivered`,
      isShort: true,
      show: ({ lastDeliveredAt }) =>
        lastDeliveredAt === null ? t`never` : showRelativeInstant(lastDeliveredAt, call.now),
    },
  ],
  empty: () =>
    showEmpty(t`No webhooks yet.`, t`Create one for each program that needs to know about changes.`),
  view: (call) => ({
    title: t`Integrations`,
    lead: t`Webhooks tell other programs within seconds what changes here.`,
    above: integrationTabs(call, LIST),
    tools: showLink(call.link(`${LIST}/new`), t`New webhook`, { class: 'button primary' }),
  }),
})

export const newWebhook = formPage({
  path: `${LIST}/new`,
  title: sentence`New webhook`,
  section: 'Integrations',
  find: () => undefined,
  breadcrumbs,
  action: 'create',
  submit: sentence`Create webhook`,
  form: webhookForm,
  fields: webhookFields,
  async act(call) {
    const { url, description } = requireReachable(call.form, call.services.config)
    const types = parseTypes(call.form)
    const { data } = await call.dispatch('webhooks.create', { url, description, types })
    const lead = tHtml`${html`<strong>${description || url}</strong>`} receives changes from now on.`
    return { show: secretView(call, data, t`Webhook created`, lead) }
  },
})

export const deleteWebhook = webhookPages.form({
  path: '/delete',
  title: sentence`Delete webhook`,
  action: 'delete',
  tone: 'danger',
  heading: ({ description, url }) => t`Delete the webhook “${description || url}”?`,
  intro: () => t`Sending stops, and its deliveries are deleted. To stop for a while, switch it off instead.`,
  async act(call) {
    await call.dispatch('webhooks.delete', { id: call.params.id })
    return { redirectTo: call.link(LIST), notice: t`Webhook deleted.` }
  },
})

/**
 * Converts the form's values to the webhook's types. Refused at the field if it names no type, or one that
 * does not exist.
 */
export function parseTypes(typed: { groups?: string[]; actions?: string | undefined }): string[] {
  const { groups = [], actions = '' } = typed
  const named = actions.split(/[\s,;]+/).filter(Boolean)
  const unknown = named.find((type) => !WEBHOOK_TYPES.includes(type))
  if (unknown !== undefined)
    throw invalid({ actions: [message`“${unknown}” is unknown. Use a form such as booking.created.`] })
  const types = [...new Set([...groups, ...named])]
  if (types.length === 0) throw invalid({ groups: [message`Choose at least one.`] })
  return types
}

export function webhookFields(fields: Fields, filled?: WebhookRow): Html[] {
  const types = filled?.types ?? []
  const groups = CHANGE_TYPES.map((type) => ({ value: `${type}.*`, label: translate(GROUP_LABELS[type]) }))
  return [
    fields.text('url', t`URL`, {
      value: filled?.url,
      placeholder: 'https://hooks.example.com/berth',
      hint: t`Berth sends each change to this address, as a POST request with JSON.`,
      autofocus: filled === undefined,
    }),
    fields.text('description', t`Description`, {
      value: filled?.description,
      hint: t`The program that receives them, such as “Lobby display”.`,
    }),
    fields.checkboxes('groups', t`Send changes of`, {
      options: [{ value: '*', label: t`Everything` }, ...groups],
      values: types.filter((type) => GROUPS.includes(type)),
    }),
    fields.text('actions', t`Other changes`, {
      value: types.filter((type) => !GROUPS.includes(type)).join(' '),
      hint: t`Such as booking.created booking.released, separated by spaces.`,
    }),
  ]
}

/** Shown only once: no page or answer contains the secret again. */
export function secretView(
  call: Call,
  { id, secret }: { id: number; secret: string },
  title: string,
  lead: Html,
): View {
  const standard = showLinkOrText('https://www.standardwebhooks.com', 'Standard Webhooks')
  const warning = tHtml`Copy the secret now: it is not shown again. The receiver uses it to verify that a delivery comes from Berth, as ${standard} says.`
  const before = html`<p>${lead}</p>`
  const content = secretCard({ id: 'secret', secret, done: call.link(`${LIST}/${id}`), before, warning })
  return { title, breadcrumbs: breadcrumbs(), content }
}

export function showWebhookState({ isEnabled, disabledReason, failingSince }: WebhookRow): Html {
  if (!isEnabled)
    return disabledReason === null
      ? html`<span class="badge">${t`off`}</span>`
      : html`<span class="badge bad">${t`switched off`}</span>`
  return failingSince === null ? html`${t`on`}` : html`<span class="badge warn">${t`failing`}</span>`
}

/** Tells administrators which webhooks Berth has disabled. Without monitoring, nothing else would. */
export async function showDisabledWebhooks(call: Call): Promise<Content> {
  if (!includesRole(call.requireAdmin().role, 'administrator')) return null
  const found = await listDisabledWebhooks(call.reads, DISABLED_NAMED_MAX + 1)
  if (found.length === 0) return null
  const [first, ...others] = found.slice(0, DISABLED_NAMED_MAX).map(({ id, name, reason }) => {
    const link = showLinkOrText(call.link(`${LIST}/${id}`), name)
    return html`${tHtml`Berth has switched off the webhook ${link}.`} ${formatMessage({ text: reason })}`
  })
  const all = found.length > DISABLED_NAMED_MAX && showLink(call.link(LIST), t`All webhooks`)
  return showNotice(
    'warn',
    first,
    [...others, all].map((each) => each && html`<p>${each}</p>`),
  )
}
